"""Why the mean over the rows is not the aggregate's: the numbers of each server, and the one sentence."""

from runaudit.layouts.nemo_gym.aggregate import ServerMeans, check
from tests.unit.layouts.aggregate_cases import CLASS, OLD, ONE_FAILED, TWO, TWO_SERVERS, failed, owed, row
from tests.unit.layouts.aggregate_producer import Json, Rules, Run, produce, slots_of

MIXED = Run(
    rows=[row(0), row(1, 0.0, mask_sample=True), row(2, None), row(3, 0.5)],
    failures=[failed(4)],
    inputs=owed(0, 1, 2, 3, 4, 5),
)


def means(run: Run, entries: list[Json]) -> tuple[ServerMeans, ...]:
    return check(entries, slots_of(run), path="a.json", sidecars=True, unplaced=0)[1]


def sentence(run: Run, entries: list[Json]) -> str:
    (account,) = means(run, entries)
    return account.explanation


def test_every_number_of_a_server() -> None:
    (account,) = means(MIXED, produce(MIXED, Rules(classes=CLASS, missing=True)))
    assert account == ServerMeans(
        server="demo",
        agent="demo_agent",
        rows=4,
        scored=2,
        masked=1,
        unscored=1,
        imputed=2,
        mean=0.75,
        n=2,
        aggregate_mean=0.375,
        aggregate_n=4,
        explanation=(
            "In the aggregate 2 keys without a row are counted (class environment_server_failed: 1, no trace: 1)."
        ),
    )


def test_each_server_has_its_own() -> None:
    accounts = means(TWO_SERVERS, produce(TWO_SERVERS, Rules()))
    assert [(account.server, account.mean, account.aggregate_mean) for account in accounts] == [
        ("demo", 1.0, 1.0),
        ("other", 0.0, 0.0),
    ]
    assert {account.explanation for account in accounts} == {"Nothing sets them apart."}


def test_masked_rows_taken_in_are_named() -> None:
    (account,) = means(MIXED, produce(MIXED, Rules(release="0.6")))
    assert (account.mean, account.n, account.aggregate_mean, account.aggregate_n) == (0.75, 2, 0.5, 3)
    assert account.explanation == "The aggregate takes in 1 masked row, as releases up to 0.6 do."


def test_two_rules_at_once_are_one_sentence() -> None:
    text = sentence(MIXED, produce(MIXED, Rules(release="0.6", classes=CLASS)))
    assert text == (
        "The aggregate takes in 1 masked row, as releases up to 0.6 do; "
        "in the aggregate 1 key without a row is counted (class environment_server_failed: 1)."
    )


def test_rows_left_out_for_their_judge_are_named() -> None:
    run = Run(rows=[row(0, 0.8), row(1, 0.0, invalid_judge_response=True)])
    entries = produce(Run(rows=run.rows[:1]), Rules())
    entries[0]["agent_metrics"]["rubric/aggregate_rows_included"] = 1
    assert sentence(run, entries) == "The aggregate leaves out 1 row without a usable judge response."


def test_booleans_taken_for_numbers_are_named() -> None:
    run = Run(rows=[row(0, True), row(1, 0.0)])
    (account,) = means(run, produce(run, Rules()))
    assert (account.scored, account.unscored, account.mean, account.aggregate_mean) == (1, 1, 0.0, 0.5)
    assert account.explanation == "The aggregate takes 1 boolean for 0 or 1."


def test_files_that_list_no_rows_tell_the_number_by_the_mean() -> None:
    (account,) = means(ONE_FAILED, produce(ONE_FAILED, Rules(classes=CLASS, listed=False, counted=False)))
    assert (account.imputed, account.aggregate_n) == (1, 3)
    assert account.explanation == "In the aggregate 1 key without a row is counted."


def test_what_cannot_be_explained_is_not() -> None:
    entries = produce(TWO, OLD)
    entries[0]["agent_metrics"]["mean/reward"] = 0.8
    assert sentence(TWO, entries) == "No rule of the producer sets them apart: see the findings."
    swapped = produce(Run(rows=[row(0, 0.0), row(1)]), Rules())
    assert sentence(Run(rows=[row(0), row(1, 0.0)]), swapped) == (
        "The means agree, but not what is behind them: see the findings."
    )


def test_where_there_is_no_second_mean() -> None:
    entries = produce(TWO, Rules())
    del entries[0]["agent_metrics"]["mean/reward"]
    assert sentence(TWO, entries) == "The aggregate states no mean reward."
    assert sentence(TWO, [{"aggregation_error": "no"}]) == (
        "The producer's aggregation failed: there is no second mean."
    )
    assert sentence(TWO, [{}]) == "The two cannot be compared: it holds neither agent metrics nor groups."
    masked = Run(rows=[row(0, 0.0, mask_sample=True)])
    assert sentence(masked, produce(masked, Rules())) == "Nothing was measured: neither states a mean."
