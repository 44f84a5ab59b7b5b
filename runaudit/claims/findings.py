"""The findings about the claims of a card."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

DEFINITIONS: tuple[Definition, ...] = (
    define(
        "claim-fails",
        "error",
        "a claim that the files contradict",
        "A statement of the claims file was evaluated and does not hold. Both sides are shown.",
        "Correct the card, or find out which file is not the one that the card speaks of.",
    ),
    define(
        "claim-cannot-tell",
        None,
        "a claim that the files neither prove nor disprove",
        "Something that the claim needs is not there, cannot be read, is stated in a shortened form, or is a digest "
        "whose scheme is not stated. It stands among the checks that were not made; if nothing fails, the exit code "
        "is 3.",
        "Add the evidence that the answer names, or accept it with --allow-unknown.",
    ),
    define(
        "claim-unchecked",
        "note",
        "a sentence that nobody checked",
        "The card states a number or a digest in a sentence that no claim stands for, or the author lists the sentence "
        "as one that cannot be checked.",
        "Write a claim for it (docs/claims.md), or list it under [[unchecked]] with the reason.",
    ),
    define(
        "claim-not-in-card",
        "note",
        "a claim whose sentence is not in the card",
        "The sentence that the claim stands for was not found in the card, so the claim may be about another version.",
        "Copy the sentence from the card again, and look at whether the claim still says the same.",
    ),
)
