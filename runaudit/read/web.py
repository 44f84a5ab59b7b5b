"""Fetches one document over HTTP: with time-outs, at most so many bytes, and never from another host than was asked.

A redirect inside the same scheme, host and port is followed; any other is refused. The environment's proxies are not
used: the caller names the machine to talk to.
"""

import http.client
import urllib.error
import urllib.request
from typing import IO
from urllib.parse import urlsplit

from runaudit.errors import InputError

LARGEST_ANSWER = 512 << 20
_ONE_READ = 1 << 20


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Refuses to leave the host."""

    def redirect_request(  # the library's signature
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.hostname, old.port) != (new.scheme, new.hostname, new.port):
            fp.close()
            raise InputError(f"{without_password(req.full_url)}: a redirect to {new.hostname or newurl!r} is refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def without_password(url: str) -> str:
    """The address as it can be shown: without user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def fetch(url: str, *, seconds: float, limit: int = LARGEST_ANSWER) -> bytes:
    """The body that `url` answers with. `seconds` bounds connecting and each read.

    Raises InputError: no http(s) address, no answer in time, a status that is not 200, a redirect to another host,
    a body that ends early or is larger than `limit`.
    """
    shown = without_password(url)
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError(f"{url!r}: expected an address that begins with http:// or https://")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _SameHost())
    try:
        with opener.open(url, timeout=seconds) as answer:
            return _body(answer, shown, limit)
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(200).decode("utf-8", "replace").strip()
        raise InputError(f"{shown}: answered {error.code} {error.reason}{': ' if said else ''}{said}") from None
    except urllib.error.URLError as error:
        raise InputError(f"{shown}: {_reason(error.reason, seconds)}") from None
    except http.client.IncompleteRead as error:
        raise InputError(f"{shown}: the answer ended after {len(error.partial)} bytes of its last part") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise InputError(f"{shown}: {_reason(error, seconds)}") from None


def _body(answer: http.client.HTTPResponse, shown: str, limit: int) -> bytes:
    announced = answer.headers.get("Content-Length")
    chunks: list[bytes] = []
    size = 0
    while data := answer.read(_ONE_READ):
        chunks.append(data)
        size += len(data)
        if size > limit:
            raise InputError(f"{shown}: the answer is larger than {limit} bytes")
    if announced is not None and announced.isdigit() and size < int(announced):
        raise InputError(f"{shown}: the answer ended after {size} of {announced} bytes")
    return b"".join(chunks)


def _reason(error: object, seconds: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {seconds:g} seconds"
    return f"cannot be reached: {error}"
