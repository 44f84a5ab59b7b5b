"""The piecewise check answers as decoding the whole does, wherever a piece ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.read import utf8


def whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


pieces = st.sampled_from(
    [b"a", "é".encode(), "日".encode(), "😀".encode(), b"\xff", b"\x80", b"\xe6\x97", b"\xed\xa0\x80"]
)


@given(st.lists(pieces, max_size=12).map(b"".join), st.integers(4, 7))
def test_as_decoding_the_whole(data: bytes, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utf8, "_PIECE", piece)
        assert utf8.is_utf8(memoryview(data)) == whole(data)
