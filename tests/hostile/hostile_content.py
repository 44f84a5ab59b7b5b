"""Content that is much too deep, too wide, too long, or that has names nobody expects, as JSON, rows and TOML."""

import json
from collections.abc import Callable

Change = Callable[[bytes], bytes]
DEPTH = 100_000
NAMES = [
    "\x1b]0;title\x07\x1b[2J",
    "\u202egpj.exe",
    "../../../../etc/passwd",
    "/etc/passwd",
    "a\0b",
    "<script>alert(1)</script>",
    "::error file=x::y",
    "|cell|\n# head",
    "x" * 100_000,
    "",
    ".",
    "\ud800",
    "__class__",
    "%s%n{0}",
]
NUMBERS = ["1e400", "-1e400", "NaN", "Infinity", "9" * 5000, "1." + "0" * 5000 + "1", "-0", "1e-400"]


def _deep_list(_: bytes) -> bytes:
    return b"[" * DEPTH + b"]" * DEPTH + b"\n"


def _deep_object(_: bytes) -> bytes:
    return b'{"a":' * DEPTH + b"1" + b"}" * DEPTH + b"\n"


def _unclosed(_: bytes) -> bytes:
    return b'{"a":[' * DEPTH


def _deep_key(data: bytes) -> bytes:
    """A first key whose value nests deep, in every object that begins a line, or in a table."""
    nest = b"[" * DEPTH + b"]" * DEPTH
    if not data.lstrip().startswith((b"{", b"[")):
        return data + b"\ndeep = " + nest + b"\n"
    at = data.find(b"{") + 1
    comma = b"," if data[at:].lstrip()[:1] != b"}" else b""
    return data[:at] + b'"deep":' + nest + comma + data[at:]


def _deep_values(data: bytes) -> bytes:
    """Every value of the first object nests beyond what a recursive reader bears."""
    value = _first(data)
    nest = "[" * 3000 + "]" * 3000
    return ("{" + ",".join(f"{json.dumps(key)}:{nest}" for key in value) + "}\n").encode()


def _names(data: bytes) -> bytes:
    """Hostile names as keys and as the values of every key of the first object."""
    value = _first(data)
    for number, key in enumerate(list(value)):
        name = NAMES[number % len(NAMES)]
        value[key] = name if number % 3 else [name, {name: name}]
    value |= dict.fromkeys(NAMES, "x")
    return json.dumps(value).encode("utf-8", "surrogatepass") + b"\n"


def _numbers(data: bytes) -> bytes:
    """Numbers that no double holds as the values of every key of the first object."""
    texts = (f"{json.dumps(key)}:{NUMBERS[at % len(NUMBERS)]}" for at, key in enumerate(_first(data)))
    return ("{" + ",".join(texts) + "}\n").encode()


def _first(data: bytes) -> dict[str, object]:
    """The first object of a document or a file of rows; one of our own where there is none."""
    try:
        value, _ = json.JSONDecoder().raw_decode(data.decode().lstrip("["))
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"reward": 1, "path": "a", "version": 1}


def wide(keys: int) -> Change:
    """An object of so many keys."""
    return lambda _: b"{" + b",".join(b'"key%d":%d' % (at, at) for at in range(keys)) + b"}\n"


def many(items: int) -> Change:
    """A list of so many empty objects."""
    return lambda _: b"[" + b",".join([b"{}"] * items) + b"]\n"


def long_line(size: int) -> Change:
    """The first object with a text of so many bytes; one line."""
    return lambda data: (
        json.dumps({**_first(data), "long": ""}).encode().replace(b'"long": ""', b'"long": "' + b"x" * size + b'"')
    )


CHANGES: dict[str, Change] = {
    "a deep list": _deep_list,
    "a deep object": _deep_object,
    "deep and unclosed": _unclosed,
    "a deep key": _deep_key,
    "deep values": _deep_values,
    "hostile names": _names,
    "hostile numbers": _numbers,
}
