"""Ray's job-log endpoint, against a local server: what it serves is mined, what goes wrong is said."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from runaudit.errors import InputError, UsageError
from runaudit.layouts.games.logsources import mine_dashboard
from runaudit.usecases.games_mining import LogSources, mine_logs

LINE = "[COLLECT] stats: {'game': {'/s/game_00000_000_optimization.py': [1.0]}, 'skill': {}}"


class Ray(BaseHTTPRequestHandler):
    """Answers as a dashboard does; the job's name chooses what goes wrong."""

    release = threading.Event()
    asked: list[str] = []  # noqa: RUF012  # shared by the handlers of one server on purpose

    def do_GET(self) -> None:
        Ray.asked.append(self.path)
        job = self.path.split("/")[3]
        body = json.dumps({"logs": f"\x1b[36m(T pid=1)\x1b[0m {LINE}\n"}).encode()
        if job == "gone":
            self.send_error(404, "Not Found", "Job gone does not exist")
        elif job == "slow":
            Ray.release.wait(10)
        elif job == "other":
            self._redirect("http://192.0.2.1:8265/api/jobs/good/logs")
        elif job == "moved":
            self._redirect("/api/jobs/good/logs")
        elif job == "cut":
            self._answer(body[:-10], len(body))
        else:
            odd = {"empty": b'{"logs": ""}', "html": b"<html>", "shape": b'{"logs": 3}'}
            self._answer(odd.get(job, body))

    def _redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, body: bytes, announced: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if announced is None else announced))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        pass


@pytest.fixture(scope="module")
def dashboard() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ray)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Ray.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("job", ["good", "moved"])
def test_mines_what_the_endpoint_serves(dashboard: str, job: str) -> None:
    log = mine_dashboard(dashboard + "/", job)
    assert (log.job, log.lines, len(log.entries), log.lower_bound) == (job, 1, 1, ())


def test_an_empty_log_has_no_entries(dashboard: str) -> None:
    assert mine_dashboard(dashboard, "empty").entries == ()


def test_the_job_is_quoted(dashboard: str) -> None:
    mine_dashboard(dashboard, "a/../b c")
    assert "/api/jobs/a%2F..%2Fb%20c/logs" in Ray.asked


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ("gone", "answered 404"),
        ("slow", "no answer within 0.2 seconds"),
        ("other", "a redirect to '192.0.2.1' is refused"),
        ("cut", "ended after"),
        ("html", "no JSON"),
        ("shape", 'a text under "logs"'),
    ],
)
def test_what_goes_wrong_is_said(dashboard: str, job: str, says: str) -> None:
    with pytest.raises(InputError, match=r"http://127\.0\.0\.1") as caught:
        mine_dashboard(dashboard, job, seconds=0.2)
    assert says in str(caught.value)


def test_an_answer_over_the_limit_is_refused(dashboard: str) -> None:
    with pytest.raises(InputError, match="larger than 20 bytes"):
        mine_dashboard(dashboard, "good", limit=20)


def test_nobody_there_is_said() -> None:
    with pytest.raises(InputError, match="cannot be reached"):
        mine_dashboard("http://user:secret@127.0.0.1:1", "j")


def test_no_password_is_repeated() -> None:
    with pytest.raises(InputError) as caught:
        mine_dashboard("http://user:secret@127.0.0.1:1", "j")
    assert "secret" not in str(caught.value)


def test_only_http_is_asked() -> None:
    with pytest.raises(InputError, match="expected an address"):
        mine_dashboard("file:///etc", "j")


def test_dashboard_and_job_belong_together() -> None:
    with pytest.raises(UsageError):
        mine_logs(LogSources(dashboard="http://127.0.0.1:1"))
    with pytest.raises(UsageError):
        mine_logs(LogSources(jobs=("j",)))
