"""Tells whether bytes are UTF-8. Fast parsers let other bytes pass inside the strings that they skip."""

import codecs

# the text that decoding makes on the way is thrown away; of a very long line it must not be whole in memory
_PIECE = 1 << 20


def is_utf8(data: memoryview) -> bool:
    """Whether all of `data` is valid UTF-8."""
    try:
        if len(data) <= _PIECE:
            str(data, "utf-8")
            return True
        at = 0
        while at < len(data):
            piece = data[at : at + _PIECE]
            _, taken = codecs.utf_8_decode(piece, "strict", at + len(piece) == len(data))
            at += taken
    except UnicodeDecodeError:
        return False
    return True
