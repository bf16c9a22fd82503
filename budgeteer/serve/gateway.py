"""The gateway between granian and Django: it buffers whole requests and answers at the client's pace.

Django's views are plain functions in a few threads. A thread is used only while Django works: a body is received
before, and an answer sent afterwards, by one event loop. So who sends or reads slowly holds a connection and nothing
else, and is given up below a least pace. Asked by ASGI, since there a header keeps the name it was sent with.

What the whole server cannot bear is refused here, with a sentence: a head that cannot be believed (`request_heads`),
a body that is too large for its sender (`access.body_limits`) or comes too slowly (`client_pace`), and a request for
which there is no thread and no room to wait for one (`capacity`). Probes have threads of their own: a process that is
busy is not one to be restarted.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterator
from functools import partial
from io import BytesIO
from typing import IO, Any
from wsgiref.util import FileWrapper

import structlog

from budgeteer.access.body_limits import REFUSED, STRANGERS_BYTES, BodyProblem, RefusedBody, allowance_of
from budgeteer.serve.body_turns import NoTurn, Turns
from budgeteer.serve.capacity import Overloaded, Threads, own_headers, refusal
from budgeteer.serve.client_pace import Body, BrokenOff, Message, Pace, Receive, TooMuch, TooSlow, drain
from budgeteer.serve.garbage_collection import collect_after_answer
from budgeteer.serve.request_heads import Scope, environ_of, refusal_of

type Send = Callable[[Message], Awaitable[None]]
type Environ = dict[str, Any]
type WsgiApplication = Callable[..., Any]

PIECE_BYTES = 65_536
"""An answer is sent in pieces of this size; each has to be taken within `SEND_SECONDS`, about 2 kB a second."""

SEND_SECONDS = 30.0
GATHERED_BYTES = 262_144
"""So much of an answer that is made piece by piece is read from it at a time."""

PROBE_THREADS = 2
PROBES_WAITING = 30

log = structlog.get_logger(__name__)


class Answer:
    """What a WSGI application answers, to be read in threads."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self._pieces: Iterator[bytes] = iter(())
        self._spool: IO[bytes] | None = None
        self._close: Callable[[], object] | None = None

    def begin(self, application: WsgiApplication, environ: Environ) -> bytes:
        """Ask the application; the first part of its body, all of it unless there is much."""
        result = application(environ, self._start)
        self._close = getattr(result, "close", None)
        self._pieces = iter(result)
        if isinstance(result, FileWrapper):
            self._pieces = iter(lambda: result.filelike.read(GATHERED_BYTES), b"")
        try:
            return self.gather()
        except BaseException:
            self.close()
            raise

    def gather(self) -> bytes:
        """The next part of the body; b"" at its end, when the answer is closed too."""
        parts: list[bytes] = []
        size = 0
        for piece in self._pieces:
            if len(piece) > GATHERED_BYTES and self._spool is None:
                return self._spooled(b"".join([*parts, piece]))
            parts.append(piece)
            size += len(piece)
            if size >= GATHERED_BYTES:
                return b"".join(parts)
        self.close()
        return b"".join(parts)

    def _spooled(self, beginning: bytes) -> bytes:
        """Put an answer that was made in one piece into a file, so that who reads it slowly holds no memory."""
        spool = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the answer
        spool.write(beginning)
        for piece in self._pieces:
            spool.write(piece)
        spool.seek(0)
        self.close()
        self._spool, self._close = spool, spool.close
        self._pieces = iter(lambda: spool.read(GATHERED_BYTES), b"")
        return self.gather()

    @property
    def is_closed(self) -> bool:
        """Whether its body has come to its end."""
        return self._close is None

    def close(self) -> None:
        """Let the application clear up; once."""
        close, self._close = self._close, None
        self._pieces = iter(())
        if close is not None:
            close()

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Callable[[bytes], None]:
        del exc_info
        self.status = int(status.split(" ", 1)[0])
        self.headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        return _no_writing


class Gateway:
    """An ASGI application over a WSGI one.

    Args:
        threads: what the application works in; a request for which there is no room is refused.
        probes: paths that are answered by threads of their own.
    """

    def __init__(
        self,
        application: WsgiApplication,
        threads: Threads,
        *,
        probes: Collection[str] = (),
        pace: Pace | None = None,
    ) -> None:
        self._application = application
        self._threads = threads
        self._probe_threads = Threads(PROBE_THREADS, waiting=PROBES_WAITING, name="probe")
        self._probes = frozenset(probes)
        self._pace = pace or Pace()
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        if refusal := refusal_of(scope["headers"]):
            await _say(send, 400, refusal)
            await drain(receive)
            return
        environ = environ_of(scope)
        threads = self._probe_threads if environ["PATH_INFO"] in self._probes else self._threads
        if threads.is_full:
            await self._refuse(threads, environ, send)
            await drain(receive)
            return
        await self._serve(environ, receive, send, threads)

    async def _serve(self, environ: Environ, receive: Receive, send: Send, threads: Threads) -> None:
        """Answer a request for which there is room at this moment."""
        body = Body(receive, self._pace)
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            refused = await self._receive(body, environ, threads)
            await self._answer(self._with_body(environ, body, refused), send_on, threads)
            if not body.is_whole:
                await drain(receive)
        except Overloaded:
            await self._refuse(threads, environ, send)
            if not body.is_whole:
                await drain(receive)
        except BrokenOff:
            log.debug("request broken off", received=body.size_bytes)
            if not has_begun:  # whoever is still there sent pieces that cannot be read; granian would say 500
                await _say(send, 400, "The body of the request broke off, or cannot be read.")
        except Exception:
            log.exception("request failed")
            if not has_begun:
                await _say(send, 500, "Something went wrong here. It was logged; try again.")
        finally:
            body.file.close()

    async def _receive(self, body: Body, environ: Environ, threads: Threads) -> RefusedBody | None:
        """Read the body as far as its sender may send; why not, where it was not taken.

        Raises:
            Overloaded: nobody has time to look up who the sender is.
        """
        announced = _length(environ)
        try:
            if announced <= STRANGERS_BYTES:
                try:
                    await body.read(STRANGERS_BYTES)
                    return None
                except TooMuch:
                    pass  # it had not announced how long it is
            allowance = await _in_turn(threads, allowance_of, environ)
            if announced > allowance.largest_bytes:
                return RefusedBody(BodyProblem.TOO_LARGE, announced, announced=True)
            async with self._turns.of(allowance.sender):
                await body.read(allowance.largest_bytes)
        except TooMuch as much:
            return RefusedBody(BodyProblem.TOO_LARGE, much.size_bytes, announced=False)
        except TooSlow:
            return RefusedBody(BodyProblem.TOO_SLOW, body.size_bytes, announced=False)
        except NoTurn:
            return RefusedBody(BodyProblem.TOO_MANY, body.size_bytes, announced=False)
        except OSError as error:
            log.error("body not written down", reason=error.strerror)  # noqa: TRY400 - the reason is the whole of it
            return RefusedBody(BodyProblem.NO_ROOM, body.size_bytes, announced=False)
        return None

    @staticmethod
    def _with_body(environ: Environ, body: Body, refused: RefusedBody | None) -> Environ:
        """The environment with the body that came, or without one and with the reason."""
        received: IO[bytes] | Any = BytesIO() if refused else body.file
        size = 0 if refused else body.size_bytes
        more = {REFUSED: refused} if refused else {}
        return {**environ, **more, "wsgi.input": received, "CONTENT_LENGTH": str(size) if size or refused else ""}

    async def _answer(self, environ: Environ, send: Send, threads: Threads) -> None:
        answer = Answer()
        part = await _in_turn(threads, answer.begin, self._application, environ)
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            if environ["REQUEST_METHOD"] == "HEAD":
                part = b""
            elif not answer.is_closed or len(part) > GATHERED_BYTES:
                await self._send_at_pace(answer, part, send, threads)
                part = b""
            await send({"type": "http.response.body", "body": part, "more_body": False})
        except TimeoutError:
            log.info("reader given up", status=answer.status)
        finally:
            if not answer.is_closed:
                await _in_thread(threads, answer.close)
            threads.pool.submit(collect_after_answer)

    @staticmethod
    async def _refuse(threads: Threads, environ: Environ, send: Send) -> None:
        """Say that there is no capacity, and when to try again; Django was not asked."""
        threads.tell_refusal()
        headers, body = refusal(environ["PATH_INFO"])
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if environ["REQUEST_METHOD"] == "HEAD" else body})

    @staticmethod
    async def _send_at_pace(answer: Answer, part: bytes, send: Send, threads: Threads) -> None:
        """Send all but the end of the body; each part is made only when the one before it was taken.

        Raises:
            TimeoutError: the client does not take it.
        """
        while part:
            for start in range(0, len(part), PIECE_BYTES):
                piece = part[start : start + PIECE_BYTES]
                await asyncio.wait_for(
                    send({"type": "http.response.body", "body": piece, "more_body": True}), SEND_SECONDS
                )
            part = b"" if answer.is_closed else await _in_thread(threads, answer.gather)


async def _in_turn[T](threads: Threads, function: Callable[..., T], *arguments: Any) -> T:
    """Call the function in a thread, where there is room for one more who waits.

    Raises:
        Overloaded: there is none, or a thread came too late; the function was not called.
    """
    with threads.place() as check:
        return await _in_thread(threads, partial(_checked, check), function, *arguments)


async def _in_thread[T](threads: Threads, function: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads.pool, _contained, function, *arguments)


def _checked[T](check: Callable[[], None], function: Callable[..., T], *arguments: Any) -> T:
    check()
    return function(*arguments)


def _contained[T](function: Callable[..., T], *arguments: Any) -> T:
    """Call the function; what is no `Exception` (a panic of an extension) must not end the event loop."""
    try:
        return function(*arguments)
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(f"{type(error).__name__} while answering") from error


def _length(environ: Environ) -> int:
    """The announced length in bytes; 0 where none is announced."""
    length = environ.get("CONTENT_LENGTH", "")
    return int(length) if length.isdecimal() and len(length) < 19 else 0


def _no_writing(_data: bytes) -> None:
    raise NotImplementedError("PEP 3333's write() is for applications older than it")


async def _say(send: Send, status: int, sentence: str) -> None:
    """A plain sentence, where Django was not asked or did not answer."""
    headers = own_headers("text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
