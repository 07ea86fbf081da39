#!/usr/bin/env python3
"""Plugins of pickerd in Python: one file, with nothing but the standard library (3.11 or later).

    #!/usr/bin/python3 -B
    from pickerd_plugin import Plugin

    plugin = Plugin()                                   # reads plugin.json beside the program

    @plugin.extract("header")                           # attributes of a file: one reading for a group
    def header(file, want):
        start = file.read(32)
        if not start.startswith(b"\\x89PNG"):
            return None                                 # has none of them
        return {"image.width": int.from_bytes(start[16:20])}

    @plugin.method("image.palette")                     # a method for clients of the daemon
    def palette(params):
        item = plugin.call("documents.get", {"key": params["key"]})
        return {"name": item["name"]}

    @plugin.action("wallpaper")                         # something that is done to documents
    def wallpaper(file, args):
        ...                                             # an exception says why not

    @plugin.source("albums")                            # a collection of items
    def albums():
        return [{"id": "x9", "name": "Rome", "uri": "https://…"}]

    plugin.run()                                        # until the daemon ends it

The daemon starts the program with a socket on descriptor 3. Run by hand: ``pickerctl plugin run FOLDER``.
``PICKERD_PLUGIN_TRACE=1`` prints each line to the standard error. ``-B``, as the folder of a plugin is
watched by the daemon: compiled files that Python puts into it would be a change.

**One thing at a time.** There is one thread, and requests are handled one after the other, in the order in
which they came. While a handler runs, nothing else does, with these exceptions:

- ``plugin.call`` waits for the daemon's reply. Meanwhile it answers pings, and *handles further requests*,
  up to 8 within each other, so that a daemon that needs this very plugin for the reply gets what it needs.
  So whatever a handler relies on besides its own variables may have changed after ``plugin.call``, and a
  handler that must not be entered twice says so by a variable of its own, and raises ``Retry`` or
  ``Refused``. Beyond the 8, requests wait.
- ``plugin.cancelled``, ``plugin.progress``, ``plugin.publish`` and ``plugin.changed`` answer pings and take in
  what has come, but handle no requests. The daemon takes a plugin for dead that leaves a ping unanswered for 5 seconds: what
  runs for longer than a second calls ``plugin.cancelled`` now and then. Between two files this is done here.

**Nothing of a file is trusted**, nor that it stays what it is. ``file.open`` opens nothing but a regular
file, and notes what it has opened: the daemon drops values of a file that is another one by then. An
exception is the error of its file alone. What a plugin prints goes to the standard error.

**The end.** When the daemon closes the socket, a handler has a second to finish. Then, and at once for
SIGTERM, an exception that no ``except Exception`` catches is raised in it, so ``finally`` still cleans up;
``with plugin.uninterrupted():`` holds it off. A thread that does nothing else looks after this, and ends the
process within 2 seconds of the end of the socket or SIGTERM, whatever Python code runs. It can't where a
library's own code never lets go of the interpreter; the daemon kills that.
"""

from __future__ import annotations

import base64
import io
import json
import math
import os
import select
import signal
import socket
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

Json: TypeAlias = Any  # None, bool, int, float, str, list, or dict with str keys
Params: TypeAlias = Mapping[str, Json]
Function = TypeVar("Function", bound=Callable[..., Any])
#: What is called with the error or the result of a call.
Answered: TypeAlias = "Callable[[Refused | None, Json], None]"

DESCRIPTOR: Final = 3
"""Where the socket to the daemon is."""
API: Final = (1, 1)
"""The first and the last version of the daemon's plugin interface that this file speaks."""
LINE_LIMIT: Final = 1 << 20
"""The longest line, either way, without its end."""
MANIFEST_LIMIT: Final = 64 << 10
"""The longest manifest."""
MOST_ATTRIBUTES: Final = 64
"""The most attributes of one plugin."""
TEXT_LIMIT: Final = 1024
"""The longest text of an attribute, in bytes of UTF-8; a longer one is cut at a character."""
ERROR_LIMIT: Final = 200
"""The longest error of a file, in bytes; a longer one is cut at a character."""
MOST_WAITING: Final = 256
"""The most requests that wait here; a further one is refused with the error 1012."""
MOST_NESTED: Final = 8
"""The most requests that are handled within each other, each while the one before waits in ``call``."""
MOST_PUBLISHED: Final = 64
"""The most events and changes on their way; ``publish`` and ``changed`` wait until there are fewer."""
MOST_CHANGED: Final = 1000
"""The most documents that one request names of which values have changed; ``changed`` sends more than one."""
CHANGE_LIMIT: Final = 256 << 10
"""The longest change of a source, in bytes."""
MOST_CHANGES: Final = 4
"""The most changes of a source that the daemon has not confirmed yet."""
ITEM_LIMIT: Final = 64 << 10
"""The longest item of a source, in bytes."""
MOST_ITEMS: Final = 1_000_000
"""The most items of one source."""
MOST_REMEMBERED: Final = 10_000
"""The changes of items that a source remembers, to send a daemon that comes back only what it lacks."""
GRACE: Final = 1.0
"""Seconds that a handler has to finish after the end of the socket."""
LAST_GRACE: Final = 0.7
"""Seconds from the exception that ends a handler to the end of the process."""


# ---- What can go wrong ---------------------------------------------------------------------------


class PluginError(Exception):
    """Something is wrong, and its text says what."""


class ManifestError(PluginError):
    """``plugin.json`` can't be used, or what is decorated is not in it."""


class Retry(PluginError):
    """Raised by an extractor: the file can't be read now, and should be asked for again."""


class NotRegular(PluginError):
    """What has the path of a document is no regular file."""


class Cancelled(PluginError):
    """The daemon has cancelled the request that is handled."""


class TimedOut(PluginError):
    """The daemon has not replied in time. It has been asked to cancel the call."""


class TooLong(PluginError):
    """A line would be longer than the daemon takes; nothing was sent."""


#: The codes of errors by their kinds, which never change.
_CODES: Final = {
    "parseError": -32700, "invalidRequest": -32600, "methodNotFound": -32601, "invalidParams": -32602,
    "internalError": -32603, "notReady": 1001, "cancelled": 1002, "timeout": 1003, "unsupported": 1004,
    "permissionDenied": 1005, "limitExceeded": 1008, "pluginFailed": 1009, "outsideRoot": 1010,
    "noSuchItem": 1011, "overloaded": 1012, "conflict": 1013,
}  # fmt: skip


class Refused(PluginError):
    """An error by the rules of the wire: from the daemon, by ``call``; to it, when a handler raises one.

    ``kind`` is a word for programs, such as ``noSuchItem``, and ``code`` follows from it if none is given."""

    def __init__(
        self, kind: str, message: str, data: Mapping[str, Json] | None = None, code: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.data: dict[str, Json] = {**(data or {}), "kind": kind}
        self.code = _CODES.get(kind, _CODES["internalError"]) if code is None else code

    @staticmethod
    def read(error: Json) -> Refused:
        """The error of a reply."""
        error = error if isinstance(error, dict) else {}
        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        code = error.get("code")
        return Refused(
            str(data.get("kind", "unknown")),
            str(error.get("message", "the daemon gave no reason")),
            data,
            code if _is_int(code) else 0,
        )

    def wire(self) -> dict[str, Json]:
        """The error as a member of a reply."""
        return {"code": self.code, "message": _cut(self.message, 4096), "data": self.data}


class _Ended(BaseException):
    """It is time to go. No ``except Exception`` of a plugin catches it."""


class _Fatal(Exception):
    """The daemon sent what can't be gone on after."""


# ---- Values --------------------------------------------------------------------------------------


def _is_int(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cut(text: str, limit: int) -> str:
    """The text as UTF-8 can represent it, cut at a character to at most so many bytes."""
    if len(text) <= limit and text.isascii():
        return text
    encoded = text[: limit + 1].encode("utf-8", "replace")
    return encoded[:limit].decode("utf-8", "ignore")


def _dumps(value: Json) -> bytes:
    """JSON in UTF-8. Raises ``ValueError`` or ``TypeError`` for what has no JSON."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _loads(line: bytes | bytearray) -> Json:
    """Raises ``ValueError`` for what is no JSON, ``RecursionError`` for what is too deep."""
    return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)


def _name_of(value: Json) -> str:
    """What a value is, for people."""
    words = {bool: "a boolean", int: "an integer", float: "a number", str: "a text", bytes: "bytes"}
    return words.get(type(value), f"a {type(value).__name__}")


def _boolean(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def _integer(value: Json) -> int:
    if _is_int(value) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    raise TypeError


def _number(value: Json) -> float:
    # An integer may have more digits than a float can represent.
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and abs(value) <= sys.float_info.max:
        return value  # type: ignore[no-any-return]
    raise TypeError


def _time(value: Json) -> float:
    stamp = getattr(value, "timestamp", None)
    return _number(stamp() if callable(stamp) else value)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return _cut(value, TEXT_LIMIT)
    raise TypeError


#: What a value must be for each type of the manifest, and what people call that.
_TYPES: Final[dict[str, tuple[Callable[[Json], Json], str]]] = {
    "boolean": (_boolean, "True or False"),
    "integer": (_integer, "an integer of 64 bits"),
    "number": (_number, "a finite number"),
    "time": (_time, "seconds since 1970, or a datetime"),
    "text": (_text, "a text"),
}


class _Checker:
    """The attributes of a manifest, and whether values are of their types."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._checks = {name: _TYPES[kind] for name, kind in types.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._checks

    def value(self, name: str, value: Json) -> Json:
        """The value as it is sent."""
        check, words = self._checks[name]
        try:
            return check(value)
        except (TypeError, ValueError, OverflowError):
            raise PluginError(f"{name} is {_name_of(value)} ({value!r:.40}), and must be {words}") from None


def _said(error: BaseException) -> str:
    """What an exception says, in one line for a file's error."""
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror
    elif isinstance(error, MemoryError):
        text = "not enough memory"
    elif isinstance(error, (PluginError, ValueError)) and str(error):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _cut(" ".join(text[:1000].split()), ERROR_LIMIT)


# ---- The manifest --------------------------------------------------------------------------------


def _manifest_path(program: str) -> str:
    """``plugin.json`` beside the program, or beside what the program is a link to."""
    for path in (os.path.abspath(program), os.path.realpath(program)):
        candidate = os.path.join(os.path.dirname(path), "plugin.json")
        if os.path.exists(candidate):
            return candidate
    raise ManifestError(f"there is no plugin.json beside {program}, where a plugin has its manifest")


class Manifest:
    """What a plugin contributes. The daemon checks all of it; here it is read as far as it is needed."""

    def __init__(self, path: str) -> None:
        self.path = path
        raw = self._load()
        self.raw: dict[str, Json] = raw
        self.id = self._word(raw, "id")
        self.version = self._word(raw, "version")
        api = raw.get("api")
        if not isinstance(api, dict) or not _is_int(api.get("min")) or not _is_int(api.get("max")):
            self._fail('"api" must be an object with the integers "min" and "max"')
        #: The first and the last version of the daemon's plugin interface that the plugin is made for.
        self.api: tuple[int, int] = (api["min"], api["max"])
        #: The names of attributes by group, and the type of each.
        self.groups: dict[str, set[str]] = {}
        self.types: dict[str, str] = {}
        for entry in self._entries("attributes"):
            name, kind, group = (self._word(entry, member) for member in ("name", "type", "group"))
            if kind not in _TYPES:
                self._fail(f'{name} has the type "{kind}"; there are {", ".join(_TYPES)}')
            if name in self.types:
                self._fail(f"{name} is there twice")
            self.types[name] = kind
            self.groups.setdefault(group, set()).add(name)
        if len(self.types) > MOST_ATTRIBUTES:
            self._fail(f"it has {len(self.types)} attributes; {MOST_ATTRIBUTES} are allowed")
        self.methods = [self._word(entry, "name") for entry in self._entries("methods")]
        self.sources = [self._word(entry, "name") for entry in self._entries("sources")]
        self.actions = [self._word(entry, "id") for entry in self._entries("actions")]
        topics = raw.get("topics", [])
        if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
            self._fail('"topics" must be an array of texts')
        self.topics: list[str] = topics
        for name in self.methods + self.topics:
            if not name.startswith(f"{self.id}."):
                self._fail(f'{name} is not the plugin\'s own: its names begin with "{self.id}."')

    def _load(self) -> dict[str, Json]:
        try:
            with open(self.path, "rb") as file:
                data = file.read(MANIFEST_LIMIT + 1)
        except OSError as error:
            raise ManifestError(f"{self.path}: {error.strerror}") from error
        if len(data) > MANIFEST_LIMIT:
            self._fail(f"it is longer than {MANIFEST_LIMIT} bytes")
        try:
            raw = _loads(data)
        except (ValueError, RecursionError) as error:
            self._fail(f"it is not JSON: {error}")
        if not isinstance(raw, dict):
            self._fail("it is not an object")
        return raw

    def _fail(self, what: str) -> NoReturn:
        raise ManifestError(f"{self.path}: {what}")

    def _word(self, holder: Mapping[str, Json], name: str) -> str:
        value = holder.get(name)
        if not isinstance(value, str) or not value:
            self._fail(f'"{name}" must be a text that is not empty, not {value!r:.60}')
        return value

    def _entries(self, name: str) -> list[dict[str, Json]]:
        entries = self.raw.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self._fail(f'"{name}" must be an array of objects')
        return entries

    def require(self, name: str, known: Iterable[str], what: str) -> None:
        """Refuses what the program has and the manifest lacks."""
        if name not in (names := sorted(known)):
            there = ", ".join(names) or "none"
            self._fail(f'the program has the {what} "{name}", which is not there (there: {there})')


# ---- Files ---------------------------------------------------------------------------------------


_OPENING: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class File:
    """A document that the daemon asks about. What is told of it was true when the daemon last looked."""

    __slots__ = ("_opened", "key", "path_bytes", "seen", "size", "type")

    def __init__(self, raw: Json) -> None:
        if not isinstance(raw, dict):
            raise PluginError("a file of the request is no object")
        key, path, encoded = raw.get("key"), raw.get("path"), raw.get("pathB64")
        #: What the daemon calls it.
        self.key = key if isinstance(key, str) else ""
        #: The absolute path, as the system has it.
        self.path_bytes = b""
        if isinstance(encoded, str):
            self.path_bytes = base64.b64decode(encoded, validate=True)
        elif isinstance(path, str):
            self.path_bytes = path.encode("utf-8")
        if not self.path_bytes.startswith(b"/"):
            raise PluginError("a file of the request has no absolute path")
        kind, size = raw.get("type"), raw.get("size")
        #: Its MIME type, if the daemon knows it.
        self.type = kind if isinstance(kind, str) else None
        #: Its size in bytes, if the daemon knows it.
        self.size = size if _is_int(size) else None
        #: What was opened: inode, size, and when it was changed in seconds and nanoseconds.
        self.seen: list[int] | None = None
        self._opened: list[io.FileIO] = []

    @property
    def path(self) -> str:
        """The absolute path, for functions that take a text. Bytes that are no text are kept in it."""
        return os.fsdecode(self.path_bytes)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return os.fsdecode(self.path_bytes.rpartition(b"/")[2])

    def descriptor(self) -> int:
        """Opens it for reading, and returns a descriptor that is closed after the handler.

        Symbolic links are followed, as the daemon only has documents that are links if its settings say so,
        and then means what they lead to; ``seen`` is of what was opened, so a link that was put into the
        place of a document gives no values. What is no regular file is refused with ``NotRegular``: it is not
        even opened, as that could wake whoever writes to a named pipe; if it got there a moment ago, opening
        it does not wait, and it is refused then.
        """
        self._demand_regular(os.stat(self.path_bytes))
        number = os.open(self.path_bytes, _OPENING)
        try:
            raw = io.FileIO(number)
        except BaseException:
            os.close(number)
            raise
        self._opened.append(raw)
        status = os.fstat(number)
        self._demand_regular(status)
        seen = [status.st_ino, status.st_size, *divmod(status.st_mtime_ns, 10**9)]
        if self.seen is not None and self.seen != seen:
            raise Retry("it has changed since it was first opened")
        self.seen = seen
        return number

    @staticmethod
    def _demand_regular(status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
            raise NotRegular(f"it is {kinds.get(stat.S_IFMT(status.st_mode), 'a device')}, not a file")

    def open(self, buffering: int = 1 << 13) -> io.BufferedReader:
        """Opens it for reading bytes: see ``descriptor``. It may be used in ``with``, and needs not."""
        self.descriptor()
        return io.BufferedReader(self._opened[-1], buffering)

    def read(self, limit: int) -> bytes:
        """Its first bytes, at most so many: a file may be of any size."""
        number = self.descriptor()
        parts: list[bytes] = []
        while limit > 0 and (part := os.read(number, limit)):
            parts.append(part)
            limit -= len(part)
        return b"".join(parts)

    def _close(self) -> None:
        for raw in self._opened:
            raw.close()
        self._opened.clear()


# ---- Lines ---------------------------------------------------------------------------------------


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


class _Wire:
    """Lines to and from the daemon."""

    def __init__(self, descriptor: int, trace: bool) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._buffer = bytearray()
        self._seen = 0
        self._trace = trace

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, message: Json) -> None:
        """Raises ``TooLong`` without sending anything; ``TypeError`` or ``ValueError`` for what is no JSON."""
        self.send_line(_dumps(message))

    def send_line(self, line: bytes) -> None:
        """Sends a line, given without its end. What comes meanwhile is taken in, so that neither side can
        hold up the other."""
        if len(line) > LINE_LIMIT:
            raise TooLong(f"a line of {len(line)} bytes is longer than the daemon takes ({LINE_LIMIT})")
        if self._trace:
            self._show("←", line)
        rest = memoryview(line + b"\n")
        while rest:
            try:
                rest = rest[self._socket.send(rest, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                self._wait_to_send()
            except OSError:
                raise _Ended from None

    def _wait_to_send(self) -> None:
        poll = select.poll()
        is_full = len(self._buffer) >= 8 * LINE_LIMIT
        poll.register(self._socket, select.POLLOUT if is_full else select.POLLOUT | select.POLLIN)
        if poll.poll()[0][1] & select.POLLIN:
            self.receive()

    def receive(self) -> bool:
        """Takes in what has come; whether anything has. Raises ``_Ended`` at the end."""
        try:
            data = self._socket.recv(1 << 18, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            raise _Ended from None
        if not data:
            raise _Ended
        self._buffer += data
        return True

    def wait(self, deadline: float | None) -> bool:
        """Waits for more and takes it in; False at the deadline, a time of ``time.monotonic``."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        left = None if deadline is None else max(0, math.ceil((deadline - time.monotonic()) * 1000))
        return bool(poll.poll(left)) and (self.receive() or True)

    def next(self) -> bytearray | None:
        """The next line that has come."""
        while (end := self._buffer.find(b"\n", self._seen)) >= 0:
            line = self._buffer[:end]
            del self._buffer[: end + 1]
            self._seen = 0
            self._check(len(line))
            if line.strip():
                if self._trace:
                    self._show("→", line)
                return line
        self._seen = len(self._buffer)
        self._check(self._seen)
        return None

    def _check(self, length: int) -> None:
        if length > LINE_LIMIT:
            raise _Fatal(f"the daemon sent a line of more than {LINE_LIMIT} bytes, which can't be read")

    def _show(self, arrow: str, line: bytes | bytearray) -> None:
        text = line[:2000].decode("utf-8", "replace") + ("…" if len(line) > 2000 else "")
        print(f"{time.monotonic():.6f} {arrow} {text}", file=sys.stderr, flush=True)


class _Printed(io.RawIOBase):
    """Takes what is printed to the standard error, and can't fail: nobody may read it any more."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: Any) -> int:
        try:
            return os.write(2, data)
        except OSError:
            return len(data)


def _divert_prints() -> None:
    """From now on, all that is printed goes to the standard error, by C code as well."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # A file that is opened later must not get the number of a standard stream. This is the least free
            # number, so it gets that.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdout is not None:
        sys.stdout.flush()
    os.dup2(2, 1)
    for name in ("stdout", "stderr"):
        printed = io.TextIOWrapper(
            io.BufferedWriter(_Printed()), "utf-8", errors="backslashreplace", line_buffering=True
        )
        setattr(sys, name, printed)


# ---- The end -------------------------------------------------------------------------------------


class _Guard(AbstractContextManager[None]):
    """Sees to the end of the process: by SIGTERM, and by the end of the socket.

    A thread waits for both, as only the main thread could notice else, and that may be busy. It makes the main
    thread raise ``_Ended`` by a signal, since Python runs the handlers of signals there, between two steps of
    whatever runs, and a wait for the system is broken off. If that was of no use it ends the process.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._done = threading.Event()
        self._main = threading.get_ident()
        #: How many parts that must not be interrupted are running, and whether the end came meanwhile.
        self._held = 0
        self._is_due = False
        self._wakes, self._wakened = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._previous = signal.signal(signal.SIGTERM, self._terminated)
        self._previous_wakeup = signal.set_wakeup_fd(self._wakened, warn_on_full_buffer=False)
        size = threading.stack_size(256 << 10)
        threading.Thread(target=self._look, name="pickerd-plugin-end", daemon=True).start()
        threading.stack_size(size)

    def close(self) -> None:
        """``run`` is about to return: nothing more is raised. The thread stays, for what holds up the end."""
        self._done.set()
        signal.set_wakeup_fd(self._previous_wakeup)
        signal.signal(signal.SIGTERM, self._previous or signal.SIG_DFL)

    def _terminated(self, number: int, frame: object) -> None:
        if self._held:
            self._is_due = True
        elif not self._done.is_set():
            raise _Ended

    def __enter__(self) -> None:
        self._held += 1

    def __exit__(self, *_: object) -> None:
        self._held -= 1
        if self._is_due and not self._held:
            raise _Ended

    def _look(self) -> None:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLRDHUP)
        poll.register(self._wakes, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if ready.get(self._wakes) and signal.SIGTERM in os.read(self._wakes, 512):
                break
            if ready.get(self._descriptor):
                break
        deadline = time.monotonic() + GRACE + LAST_GRACE
        if ready.get(self._descriptor) and not self._done.wait(GRACE):
            signal.pthread_kill(self._main, signal.SIGTERM)
        # After run() the program may have something to do as well; then this thread ends with the process.
        time.sleep(max(0, deadline - time.monotonic()))
        os._exit(0)


# ---- Sources -------------------------------------------------------------------------------------


class Source:
    """A collection of items, which the daemon is told of and kept up to date with.

    An item is a dict with an ``id`` (a text of 1 to 1024 bytes) and a ``name``, and may have ``uri``,
    ``size``, ``modified``, ``type`` and attributes. With a function that returns all items, ``refresh`` calls
    it again and sends what has changed; ``put`` and ``remove`` are for who knows what that is. Nothing waits:
    changes are sent while the daemon takes them, at most 4 at a time, and an item that changes again before
    its turn is sent once, as it is then. So what is kept here is bounded by the number of items.

    The daemon confirms revisions of an epoch and, when it comes back, says which one it has. Within one run of
    the program it is sent what has changed since. The epoch is made from the items at the start, so after a
    restart with the same items nothing has to be sent either; else it is sent all, as a reset.
    """

    def __init__(self, plugin: Plugin, name: str, function: Callable[[], Iterable[Params]]) -> None:
        self.name = name
        self._plugin = plugin
        self._function = function
        #: The items by id, encoded.
        self._items: dict[str, bytes] = {}
        self._epoch: str | None = None
        self._rev = 0
        #: The ids that changed, with the revision that contains the change, oldest first.
        self._log: deque[tuple[int, str]] = deque()
        self._forgotten = 0
        #: The ids whose present state is to be sent.
        self._dirty: dict[str, None] = {}
        self._is_open = False
        self._in_flight = 0
        self._failures = 0
        #: Tells replies to what was sent before the daemon opened it again, or before the latest reset.
        self._opening = 0
        self._attempt = 0
        self._reset: Iterator[str] | None = None
        self._held_back: bytes | None = None
        self._chunk = 0
        #: Whether people were told that the daemon left items out.
        self._has_told = False

    def __call__(self) -> Iterable[Params]:
        """The function that was decorated."""
        return self._function()

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, identity: str) -> bool:
        return identity in self._items

    def put(self, items: Iterable[Params]) -> None:
        """Adds items, or changes those with the same ids. An item that can't be sent raises ``PluginError``
        before anything is changed."""
        encoded = dict(self._encode(item) for item in items)
        if len(self._items.keys() | encoded.keys()) > MOST_ITEMS:
            raise PluginError(f"the source {self.name} would have more than {MOST_ITEMS} items")
        for identity, line in encoded.items():
            if self._items.get(identity) != line:
                self._items[identity] = line
                self._dirty[identity] = None
        self._push()

    def remove(self, identities: Iterable[str]) -> None:
        """Removes items; one that is not there is no error."""
        for identity in list(identities):
            if self._items.pop(identity, None) is not None:
                self._dirty[identity] = None
        self._push()

    def refresh(self) -> None:
        """Calls the function again, and sends what has changed."""
        self._load()
        self._push()

    def _load(self) -> None:
        before = self._items
        now: dict[str, bytes] = {}
        for item in self._function():
            identity, line = self._encode(item)
            now[identity] = line
            if len(now) > MOST_ITEMS:
                raise PluginError(f"the source {self.name} has more than {MOST_ITEMS} items")
        for identity, line in now.items():
            if before.get(identity) != line:
                self._dirty[identity] = None
        self._dirty.update((identity, None) for identity in before if identity not in now)
        self._items = now

    def _encode(self, item: Params) -> tuple[str, bytes]:
        if not isinstance(item, Mapping):
            raise PluginError(f"an item of {self.name} is {_name_of(item)}, and must be a dict")
        identity, name = item.get("id"), item.get("name")
        if not isinstance(identity, str) or not 1 <= len(identity.encode("utf-8", "replace")) <= 1024:
            raise PluginError(f"an item of {self.name} has the id {identity!r:.60}: not 1 to 1024 bytes")
        if not isinstance(name, str):
            raise PluginError(f"the item {identity:.60} of {self.name} has no name")
        attributes = self._plugin._checker
        members = {
            member: attributes.value(member, value) if member in attributes else value
            for member, value in item.items()
            if value is not None
        }
        try:
            line = _dumps(members)
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginError(f"the item {identity:.60} of {self.name} is no JSON: {error}") from None
        if len(line) > ITEM_LIMIT:
            raise PluginError(
                f"the item {identity:.60} of {self.name} has {len(line)} bytes; {ITEM_LIMIT} are allowed"
            )
        return identity, line

    # -- The daemon's side

    def _open(self, since: Json) -> dict[str, Json]:
        """Answers ``source.open``. What has to be sent is sent after the answer."""
        self._load()
        self._opening += 1
        self._in_flight = self._failures = 0
        self._reset = self._held_back = None
        before, _, number = since.rpartition(":") if isinstance(since, str) else ("", "", "")
        rev = int(number) if number.isascii() and number.isdigit() and len(number) < 16 else -1
        is_resumed = False
        if self._epoch is None:
            self._epoch = self._digest()
            self._dirty.clear()
            is_resumed = before == self._epoch and rev == 0
            if before == self._epoch and not is_resumed:
                # The daemon has later items of a run that began with the same ones.
                self._epoch += "-" + os.urandom(4).hex()
        elif before == self._epoch and self._forgotten <= rev <= self._rev:
            is_resumed = True
            self._dirty.update((identity, None) for at, identity in self._log if at > rev)
            while self._log and self._log[-1][0] > rev:
                self._log.pop()
            self._rev = rev
        if not is_resumed:
            self._begin_reset()
        self._is_open = True
        return {"epoch": self._epoch, "rev": self._rev, "resumed": is_resumed}

    def _digest(self) -> str:
        import hashlib

        digest = hashlib.blake2b(digest_size=8)
        for identity in sorted(self._items):
            digest.update(self._items[identity] + b"\n")
        return digest.hexdigest()

    def _begin_reset(self) -> None:
        self._dirty.clear()
        self._reset = iter(list(self._items))
        self._held_back = None
        self._chunk = 0

    def _push(self) -> None:
        """Sends what there is to send, as far as the daemon takes it."""
        while self._is_open and self._in_flight < MOST_CHANGES:
            if self._reset is not None:
                self._send_chunk()
            elif self._dirty:
                self._send_change()
            else:
                return

    def _send_chunk(self) -> None:
        assert self._reset is not None
        lines: list[bytes] = [] if self._held_back is None else [self._held_back]
        self._held_back = None
        size = 1000 + sum(map(len, lines))
        for identity in self._reset:
            if (line := self._items.get(identity)) is None:
                continue
            if size + len(line) + 1 > CHANGE_LIMIT:
                self._held_back = line
                break
            lines.append(line)
            size += len(line) + 1
        is_last = self._held_back is None
        params = {"source": self.name, "rev": self._rev, "chunk": self._chunk, "last": is_last}
        self._chunk += 1
        if is_last:
            self._reset = None
        self._send("source.reset", params, lines)

    def _send_change(self) -> None:
        lines: list[bytes] = []
        removed: list[str] = []
        size = 1000
        sent: list[str] = []
        for identity in self._dirty:
            line = self._items.get(identity)
            # An id may be up to six times as long with what JSON escapes.
            more = len(line) + 1 if line is not None else 6 * len(identity) + 3
            if sent and size + more > CHANGE_LIMIT:
                break
            size += more
            sent.append(identity)
            if line is None:
                removed.append(identity)
            else:
                lines.append(line)
        self._rev += 1
        for identity in sent:
            del self._dirty[identity]
            self._log.append((self._rev, identity))
        while len(self._log) > MOST_REMEMBERED:
            self._forgotten = self._log.popleft()[0]
        params = {"source": self.name, "from": self._rev - 1, "to": self._rev, "removed": removed}
        self._send("source.change", params, lines)

    def _send(self, method: str, params: dict[str, Json], lines: list[bytes]) -> None:
        opening, attempt = self._opening, self._attempt

        def answered(error: Refused | None, result: Json = None) -> None:
            if opening != self._opening:
                return
            self._in_flight -= 1
            if attempt == self._attempt:
                if error is not None:
                    self._failed(error)
                elif method == "source.change":
                    self._failures = 0
            if error is None:
                self._tell_left_out(result)
            self._push()

        self._in_flight += 1
        encoded = _dumps(params)
        self._plugin._ask(method, encoded[:-1] + b',"put":[' + b",".join(lines) + b"]}", answered)

    def _tell_left_out(self, result: Json) -> None:
        """The daemon leaves out an item that it can't read, and takes the others. The first is told to people."""
        if self._has_told or not isinstance(result, dict) or not result.get("leftOut"):
            return
        self._has_told = True
        print(
            f"the daemon left items of {self.name} out: {_cut(str(result.get('reason', 'it does not say why')), 500)}",
            file=sys.stderr,
        )

    def _failed(self, error: Refused) -> None:
        """A change that was not taken leaves the daemon with other items: it is sent all, a few times."""
        print(f"the daemon did not take a change of {self.name}: {error}", file=sys.stderr)
        self._attempt += 1
        self._failures += 1
        if self._failures >= 3:
            self._is_open = False
            return
        self._rev += 1
        self._log.clear()
        self._forgotten = self._rev
        self._begin_reset()


# ---- The plugin ----------------------------------------------------------------------------------


class _Task:
    """A request that is being handled."""

    __slots__ = ("is_cancelled", "number")

    def __init__(self, number: Json) -> None:
        self.number = number
        self.is_cancelled = False


class _Answers(dict[str, Json]):
    """The answers for the files of a request, as its result."""

    def __init__(self, files: Iterable[Json]) -> None:
        super().__init__(files=list(files))

    def fitted(self) -> dict[str, Json]:
        """Answers that fit into a line. Files whose answers don't are asked for again, in a shorter batch: the
        attributes of one file always fit."""
        files: list[Json] = self["files"]
        # Each file has room for being asked for again.
        room = LINE_LIMIT - 1000 - 16 * len(files)
        for index, answer in enumerate(files):
            room -= len(_dumps(answer)) + 1
            if room < 0:
                return {"files": files[:index] + [{"retry": True}] * (len(files) - index)}
        return {"files": files}


class Plugin:
    """A plugin: decorators for what it contributes, and ``run``. See the top of this file."""

    def __init__(self, manifest: str | os.PathLike[str] | None = None) -> None:
        # Before anything is opened, which might get the same number.
        self._has_socket = _is_socket(DESCRIPTOR)
        if self._has_socket:
            os.set_inheritable(DESCRIPTOR, False)
        try:
            self.manifest = Manifest(os.fspath(manifest) if manifest else _manifest_path(sys.argv[0]))
        except ManifestError as error:
            if manifest is not None:
                raise
            sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
        #: The settings of the plugin, from the daemon.
        self.config: dict[str, Json] = {}
        #: The folders whose documents the daemon has.
        self.roots: list[str] = []
        #: The language of the user, such as ``de_DE.UTF-8``.
        self.locale = ""
        #: The name and the version of the daemon.
        self.daemon = ""
        self._checker = _Checker(self.manifest.types)
        self._extractors: dict[str, tuple[Callable[..., Any], bool]] = {}
        self._methods: dict[str, Callable[[dict[str, Json]], Json]] = {}
        self._actions: dict[str, tuple[Callable[..., Any], bool]] = {}
        self._sources: dict[str, Source] = {}
        self._on_configure: Callable[[dict[str, Json]], object] | None = None
        self._on_stop: Callable[[], object] | None = None
        self._watched: dict[int, Callable[[], object]] = {}
        self._timers: list[tuple[float, Callable[[], object]]] = []
        self._wire: _Wire | None = None
        self._guard: _Guard | None = None
        self._thread = threading.get_ident()
        self._waiting: deque[dict[str, Json]] = deque()
        self._running: list[_Task] = []
        self._last_id = 0
        #: What is called with the reply to each request of ours.
        self._asked: dict[int, Answered] = {}
        self._published = 0
        self._is_greeted = False
        self._is_stopped = False
        self._looked_at = 0.0
        self._shown_faults = 0
        self._own: dict[str, Callable[[dict[str, Json]], Json]] = {
            "plugin.hello": self._hello,
            "plugin.configure": self._configured,
            "plugin.stop": self._stopped,
            "attributes.extract": self._extract,
            "action.run": self._act,
            "source.open": self._open_source,
        }

    # -- What is decorated

    def extract(self, group: str, *, batch: bool = False) -> Callable[[Function], Function]:
        """Decorates the function that reads the attributes of a group.

        It is called with a ``File`` and the names that are wanted, a frozenset, and returns a dict from names
        to values, or None if the file has none. Values that are None, or not wanted, are left out. An
        exception is the error of this file; ``Retry`` has it asked for again.

        With ``batch`` it is called with a list of files, and returns or yields pairs of a file and what the
        function above would return, or an exception. A file that does not come up has none.
        """
        self.manifest.require(group, self.manifest.groups, "group of attributes")

        def decorate(function: Function) -> Function:
            self._extractors[group] = (function, batch)
            return function

        return decorate

    def method(self, name: str) -> Callable[[Function], Function]:
        """Decorates the function that answers a method. It is called with the parameters, a dict, and returns
        what is the result as JSON. ``Refused`` is the error for the client; any other exception is a fault."""
        self.manifest.require(name, self.manifest.methods, "method")

        def decorate(function: Function) -> Function:
            self._methods[name] = function
            return function

        return decorate

    def action(self, name: str, *, batch: bool = False) -> Callable[[Function], Function]:
        """Decorates the function that does something to a document. It is called with a ``File`` and the
        arguments, a dict; an exception says why it was not done. Progress is told up to ten times a second.
        After a cancellation the remaining documents are left alone, and what was done is told.

        With ``batch`` it is called with a list of files, and returns or yields pairs of a file and None or an
        exception. A file that does not come up counts as not done.
        """
        self.manifest.require(name, self.manifest.actions, "action")

        def decorate(function: Function) -> Function:
            self._actions[name] = (function, batch)
            return function

        return decorate

    def source(self, name: str) -> Callable[[Callable[[], Iterable[Params]]], Source]:
        """Decorates the function that returns all items of a source as they are now, and makes it a
        ``Source``. It is called when the daemon opens the source, and by ``refresh``."""
        self.manifest.require(name, self.manifest.sources, "source")

        def decorate(function: Callable[[], Iterable[Params]]) -> Source:
            self._sources[name] = Source(self, name, function)
            return self._sources[name]

        return decorate

    def configure(self, function: Function) -> Function:
        """Decorates the function that is called with the settings: at the start, and when they change. They
        are in ``config`` by then. An exception says what is wrong with them, and the former ones stay."""
        self._on_configure = function
        return function

    def stop(self, function: Function) -> Function:
        """Decorates the function that is called once, before the end. It has a second."""
        self._on_stop = function
        return function

    def watch(self, descriptor: int, function: Callable[[], object]) -> None:
        """Calls a function between two requests whenever a descriptor is readable. After an exception it is
        not watched any more."""
        self._watched[descriptor] = function

    def unwatch(self, descriptor: int) -> None:
        """Takes ``watch`` back."""
        self._watched.pop(descriptor, None)

    def later(self, seconds: float, function: Callable[[], object]) -> None:
        """Calls a function once between two requests, after so many seconds."""
        self._timers.append((time.monotonic() + seconds, function))

    # -- What handlers use

    def call(self, method: str, params: Params | None = None, timeout: float | None = 30.0) -> Json:
        """Calls a method of the daemon, and returns the result.

        Further requests are handled meanwhile: see the top of this file. Raises ``Refused`` with the daemon's
        error, ``TimedOut``, ``TooLong``, and ``Cancelled`` if the request that is handled was cancelled.
        """
        replies: list[tuple[Refused | None, Json]] = []
        line = self._encoded_params(params)
        number = self._ask(method, line, lambda error, result: replies.append((error, result)))
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while not replies:
                if self._running and self._running[-1].is_cancelled:
                    raise Cancelled("the request was cancelled")
                if self._waiting and len(self._running) < MOST_NESTED:
                    self._handle(self._waiting.popleft())
                elif not self._take_line() and not self._connected().wait(deadline):
                    raise TimedOut(f"the daemon did not answer {method} in {timeout} seconds")
        except (Cancelled, TimedOut):
            # The reply may come yet, and is nobody's.
            del self._asked[number]
            self._notify("$/cancel", {"id": number})
            raise
        error, result = replies[0]
        if error is not None:
            raise error
        return result

    def publish(self, topic: str, data: Json = None) -> None:
        """Publishes an event on one of the plugin's own topics, without waiting for the reply. If the daemon
        refuses it, that is printed."""
        self.manifest.require(topic, self.manifest.topics, "topic")
        params = {"topic": topic} if data is None else {"topic": topic, "data": data}
        self._tell("events.publish", params, f"an event of {topic}")

    def changed(self, group: str, keys: Iterable[str] | None = None) -> None:
        """Says that values of a group have changed while the files stayed as they are: of the documents with these
        keys (``File.key``), or of all. The daemon forgets what it was told of them, keeps showing it, and asks again
        for what somebody looks at. It does not wait for the reply; if the daemon refuses it, that is printed."""
        self.manifest.require(group, self.manifest.groups, "group")
        if keys is None:
            self._tell("attributes.changed", {"group": group}, f"a change of {group}")
            return
        left = list(keys)
        for start in range(0, len(left), MOST_CHANGED):
            part: list[Json] = list(left[start : start + MOST_CHANGED])
            self._tell("attributes.changed", {"group": group, "keys": part}, f"a change of {group}")

    def _tell(self, method: str, params: Params, what: str) -> None:
        """Asks something of the daemon without waiting for the reply, unless too many are on their way."""

        def answered(error: Refused | None, result: Json = None) -> None:
            self._published -= 1
            if error is not None:
                print(f"the daemon refused {what}: {error}", file=sys.stderr)

        while self._published >= MOST_PUBLISHED:
            if not self._take_line():
                self._connected().wait(None)
        self._ask(method, self._encoded_params(params), answered)
        self._published += 1

    def cancelled(self) -> bool:
        """Whether the daemon no longer wants what is being handled. Answers pings that have come."""
        self._take_in()
        return bool(self._running) and self._running[-1].is_cancelled

    def progress(self, done: int, total: int) -> None:
        """Tells how far the request is that is being handled, and answers pings that have come."""
        self._take_in()
        if self._running:
            params = {"id": self._running[-1].number, "done": done, "total": total}
            self._notify("$/progress", params)

    def uninterrupted(self) -> AbstractContextManager[None]:
        """For ``with``: the end that SIGTERM brings, or that of the socket, waits until the part is done. It
        must take less than half a second, as the process ends all the same."""
        return self._guard if self._guard is not None else nullcontext()

    # -- The loop

    def run(self) -> None:
        """Serves the daemon until the end of the socket, ``plugin.stop`` or SIGTERM, and returns then.

        Exits with 2 if there is no socket on descriptor 3, with 1 if the daemon sent a line that is too long,
        and with 130 after an interrupt from the keyboard.
        """
        program = os.path.basename(sys.argv[0])
        if not self._has_socket:
            folder = os.path.dirname(self.manifest.path) or "."
            print(
                f"{program}: there is no daemon on descriptor {DESCRIPTOR}: this is a plugin of pickerd, which "
                f"starts it. To try it, run it with: pickerctl plugin run {folder}",
                file=sys.stderr,
            )
            sys.exit(2)
        self._thread = threading.get_ident()
        _divert_prints()
        self._wire = _Wire(DESCRIPTOR, os.environ.get("PICKERD_PLUGIN_TRACE") == "1")
        self._guard = _Guard(DESCRIPTOR)
        status = 0
        try:
            try:
                while not self._is_stopped:
                    self._turn()
            except _Ended:
                pass
            except _Fatal as error:
                print(f"{program}: {error}", file=sys.stderr)
                status = 1
            except KeyboardInterrupt:
                status = 130
            self._say_goodbye()
        except _Ended:
            pass
        finally:
            self._guard.close()
        if status:
            sys.exit(status)

    def _say_goodbye(self) -> None:
        if self._on_stop is not None:
            function, self._on_stop = self._on_stop, None
            self._guarded(function)

    def _turn(self) -> None:
        """Handles a request, or what else there is to do; waits if there is nothing."""
        # All lines first: a later one may cancel an earlier one.
        while self._take_line():
            pass
        if self._waiting:
            self._handle(self._waiting.popleft())
        else:
            self._wait()

    def _wait(self) -> None:
        wire = self._connected()
        poll = select.poll()
        poll.register(wire, select.POLLIN)
        for descriptor in self._watched:
            poll.register(descriptor, select.POLLIN)
        left = None
        if self._timers:
            left = max(0, math.ceil((min(at for at, _ in self._timers) - time.monotonic()) * 1000))
        for descriptor, events in poll.poll(left):
            if descriptor == wire.fileno():
                wire.receive()
            elif events & select.POLLNVAL:
                self.unwatch(descriptor)
            elif descriptor in self._watched and not self._guarded(self._watched[descriptor]):
                # What was not read would wake it for ever.
                self.unwatch(descriptor)
        now = time.monotonic()
        due = [function for at, function in self._timers if at <= now]
        self._timers = [timer for timer in self._timers if timer[0] > now]
        for function in due:
            self._guarded(function)

    def _guarded(self, function: Callable[[], object]) -> bool:
        """Calls a function, and prints its exception; whether there was none."""
        try:
            function()
        except Exception as error:
            self._show_fault(error)
            return False
        return True

    def _connected(self) -> _Wire:
        if self._wire is None:
            raise PluginError("there is no daemon before plugin.run()")
        if threading.get_ident() != self._thread:
            raise PluginError("only the thread that called plugin.run() may talk to the daemon")
        return self._wire

    def _take_in(self) -> None:
        """Takes in all that has come, answers pings, and handles nothing else."""
        wire = self._connected()
        for _ in range(16):  # of a daemon that sends without end, the rest is for the next time
            is_more = wire.receive()
            while self._take_line():
                pass
            if not is_more:
                return

    def _look_up(self) -> None:
        """``_take_in``, if that was not done in the last 10 milliseconds. Raises ``Cancelled``."""
        now = time.monotonic()
        if now - self._looked_at > 0.01:
            self._looked_at = now
            self._take_in()
        if self._running[-1].is_cancelled:
            raise Cancelled("the request was cancelled")

    def _take_line(self) -> bool:
        """Takes one line: replies and pings are dealt with, requests wait. False if none has come."""
        line = self._connected().next()
        if line is None:
            return False
        try:
            message = _loads(line)
        except (ValueError, RecursionError) as error:
            self._reply(None, Refused("parseError", f"the line is no JSON: {error}"))
            return True
        if not isinstance(message, dict):
            self._reply(None, Refused("invalidRequest", "the line is no object"))
            return True
        method, number = message.get("method"), message.get("id")
        if method is None:
            self._take_reply(message)
        elif not isinstance(method, str) or not (number is None or isinstance(number, (int, str))):
            self._reply(None, Refused("invalidRequest", "the method must be a text, the id an integer"))
        elif not isinstance(message.get("params", {}), dict):
            if "id" in message:
                self._reply(number, Refused("invalidParams", f"the parameters of {method} are no object"))
        elif "id" not in message:
            if method == "$/cancel":
                self._cancel(message.get("params", {}).get("id"))
        elif method == "plugin.ping":
            self._reply(number, None, {})
        elif len(self._waiting) >= MOST_WAITING:
            words = f"{MOST_WAITING} requests wait here already"
            self._reply(number, Refused("overloaded", words, {"retryAfterMs": 1000}))
        else:
            self._waiting.append(message)
        return True

    def _take_reply(self, message: dict[str, Json]) -> None:
        number = message.get("id")
        answered = self._asked.pop(number, None) if isinstance(number, int) else None
        if answered is None:
            return
        error = Refused.read(message.get("error")) if "result" not in message else None
        answered(error, message.get("result"))

    def _cancel(self, number: Json) -> None:
        for task in self._running:
            if task.number == number:
                task.is_cancelled = True
        for request in self._waiting:
            if request["id"] == number:
                self._waiting.remove(request)
                self._reply(number, Refused("cancelled", "it was cancelled before it was begun"))
                return

    # -- Sending

    def _encoded_params(self, params: Params | None) -> bytes:
        try:
            return _dumps(dict(params or {}))
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginError(f"the parameters are no JSON: {error}") from None

    def _ask(self, method: str, params: bytes, answered: Answered) -> int:
        wire = self._connected()
        number = self._last_id + 1
        head = b'{"jsonrpc":"2.0","id":%d,"method":%b,"params":' % (number, _dumps(method))
        self._last_id = number
        self._asked[number] = answered
        try:
            wire.send_line(head + params + b"}")
        except TooLong:
            del self._asked[number]
            raise
        return number

    def _notify(self, method: str, params: Params) -> None:
        self._connected().send({"jsonrpc": "2.0", "method": method, "params": dict(params)})

    def _reply(self, number: Json, error: Refused | None, result: Json = None) -> None:
        reply: dict[str, Json] = {"jsonrpc": "2.0", "id": number}
        try:
            self._connected().send({**reply, "result": result} if error is None else _with(reply, error))
        except TooLong as fault:
            if isinstance(result, _Answers):
                self._connected().send({**reply, "result": result.fitted()})
                return
            words = f"the result is too long: {fault}"
            self._connected().send(_with(reply, Refused("limitExceeded", words, {"limit": LINE_LIMIT})))
        except (TypeError, ValueError, RecursionError) as fault:
            words = f"the result is no JSON: {_said(fault)}"
            self._connected().send(_with(reply, Refused("internalError", words)))

    # -- Requests

    def _handle(self, request: dict[str, Json]) -> None:
        task = _Task(request["id"])
        self._running.append(task)
        self._looked_at = time.monotonic()
        result: Json = None
        error: Refused | None = None
        try:
            result = self._dispatch(request["method"], request.get("params", {}))
        except Refused as refused:
            error = refused
        except Cancelled as cancelled:
            error = Refused("cancelled", str(cancelled))
        except Exception as fault:
            self._show_fault(fault)
            error = Refused("internalError", f"the plugin {self.manifest.id} failed: {_said(fault)}")
        finally:
            self._running.remove(task)
        self._reply(task.number, error, result)
        if request["method"] == "source.open" and error is None:
            self._sources[request["params"]["source"]]._push()

    def _dispatch(self, method: str, params: dict[str, Json]) -> Json:
        if not self._is_greeted and method != "plugin.hello":
            raise Refused("notReady", f"plugin.hello comes first, and was not there before {method}")
        if (own := self._own.get(method)) is not None:
            return own(params)
        if (function := self._methods.get(method)) is not None:
            return function(params)
        there = ", ".join(self._methods) or "no methods of its own"
        raise Refused("methodNotFound", f"the plugin {self.manifest.id} has no {method}; it has {there}")

    def _show_fault(self, error: BaseException) -> None:
        """Prints where a fault of the plugin is, for the first ones."""
        self._shown_faults += 1
        if self._shown_faults > 20:
            return
        import traceback

        try:
            traceback.print_exception(error, limit=-8, file=sys.stderr)
        except MemoryError:
            print("not enough memory", file=sys.stderr)

    def _hello(self, params: dict[str, Json]) -> Json:
        api = params.get("api")
        (first, last), (own_first, own_last) = self.manifest.api, API
        if (
            not isinstance(api, int)
            or isinstance(api, bool)
            or not max(first, own_first) <= api <= min(last, own_last)
        ):
            raise Refused(
                "unsupported",
                f"the daemon speaks version {api!r:.20} of the plugin interface; the plugin {self.manifest.id} "
                f"is made for {first} to {last}, and pickerd_plugin.py speaks {own_first} to {own_last}",
                {"min": max(first, own_first), "max": min(last, own_last)},
            )
        roots = params.get("roots")
        roots = roots if isinstance(roots, list) else []
        self.roots = [root for root in roots if isinstance(root, str)]
        self.locale = str(params.get("locale", ""))
        self.daemon = str(params.get("daemon", ""))
        config = params.get("config")
        self._configure(config if isinstance(config, dict) else {})
        self._is_greeted = True
        kinds = {"extract": self._extractors, "source": self._sources, "action": self._actions}
        provides = [kind for kind, functions in kinds.items() if functions]
        return {"api": api, "version": self.manifest.version, "provides": provides}

    def _configured(self, params: dict[str, Json]) -> Json:
        config = params.get("config")
        if not isinstance(config, dict):
            raise Refused("invalidParams", "config must be an object", {"at": "config"})
        self._configure(config)
        return {}

    def _configure(self, config: dict[str, Json]) -> None:
        former, self.config = self.config, config
        if self._on_configure is None:
            return
        try:
            self._on_configure(config)
        except Exception as error:
            self.config = former
            words = f"the plugin {self.manifest.id} can't use these settings: {_said(error)}"
            raise Refused("invalidParams", words, {"at": "config"}) from error

    def _stopped(self, params: dict[str, Json]) -> Json:
        self._is_stopped = True
        self._say_goodbye()
        return {}

    def _open_source(self, params: dict[str, Json]) -> Json:
        name = params.get("source")
        if not isinstance(name, str) or name not in self._sources:
            there = ", ".join(self._sources) or "none"
            words = f"the plugin {self.manifest.id} has no source {name!r:.60} (there: {there})"
            raise Refused("noSuchItem", words, {"at": "source"})
        return self._sources[name]._open(params.get("since"))

    # -- Attributes

    def _extract(self, params: dict[str, Json]) -> Json:
        group, want, files = params.get("group"), params.get("want"), params.get("files")
        if not isinstance(group, str) or group not in self._extractors:
            there = ", ".join(self._extractors) or "none"
            words = f"the plugin {self.manifest.id} reads no group {group!r:.60} (there: {there})"
            raise Refused("invalidParams", words, {"at": "group"})
        if not isinstance(files, list):
            raise Refused("invalidParams", "files must be an array", {"at": "files"})
        wanted = frozenset(self.manifest.groups[group])
        if isinstance(want, list) and want:
            wanted &= {name for name in want if isinstance(name, str)}
            if not wanted:
                return _Answers({"none": True} for _ in files)
        function, is_batch = self._extractors[group]
        read = self._extract_together if is_batch else self._extract_each
        return _Answers(read(function, files, wanted))

    def _extract_each(
        self, function: Callable[..., Any], files: list[Json], wanted: frozenset[str]
    ) -> list[Json]:
        answers = []
        for raw in files:
            self._look_up()
            file = None
            try:
                file = File(raw)
                answer = self._answer(function(file, wanted), wanted)
            except Cancelled:
                raise
            except Exception as error:
                answer = self._file_error(error)
            finally:
                if file is not None:
                    file._close()
            answers.append(self._seen(answer, file))
        return answers

    def _extract_together(
        self, function: Callable[..., Any], raws: list[Json], wanted: frozenset[str]
    ) -> list[Json]:
        files: list[File | None] = []
        answers: dict[int, dict[str, Json]] = {}
        for index, raw in enumerate(raws):
            try:
                files.append(File(raw))
            except Exception as error:
                files.append(None)
                answers[index] = self._file_error(error)
        places = {id(file): index for index, file in enumerate(files) if file is not None}
        rest: dict[str, Json] = {"none": True}
        try:
            for file, values in function([file for file in files if file is not None], wanted) or ():
                if id(file) not in places:
                    raise PluginError("the extractor answered for a file that it was not asked for")
                answers[places[id(file)]] = self._checked(values, wanted)
                self._look_up()
        except Cancelled:
            raise
        except Exception as error:
            rest = self._file_error(error)
        finally:
            for file in files:
                if file is not None:
                    file._close()
        return [self._seen(answers.get(index, rest), file) for index, file in enumerate(files)]

    def _checked(self, values: Json, wanted: frozenset[str]) -> dict[str, Json]:
        try:
            if isinstance(values, Exception):
                raise values
            return self._answer(values, wanted)
        except Cancelled:
            raise
        except Exception as error:
            return self._file_error(error)

    def _answer(self, values: Json, wanted: frozenset[str]) -> dict[str, Json]:
        """What is answered for a file, from what the function returned."""
        if values is None:
            return {"none": True}
        if not isinstance(values, Mapping):
            raise PluginError(f"the extractor returned {_name_of(values)}, and must return a dict or None")
        sent = {}
        for name, value in values.items():
            if name in wanted:
                if value is not None:
                    sent[name] = self._checker.value(name, value)
            elif name not in self._checker:
                raise PluginError(f"{name!r:.60} is no attribute of the manifest")
        return {"values": sent} if sent else {"none": True}

    def _file_error(self, error: Exception) -> dict[str, Json]:
        if isinstance(error, (Retry, TimedOut)) or (isinstance(error, OSError) and error.errno in _PASSING):
            return {"retry": True}
        if not isinstance(error, (OSError, PluginError, ValueError)):
            self._show_fault(error)
        return {"error": _said(error)}

    @staticmethod
    def _seen(answer: dict[str, Json], file: File | None) -> dict[str, Json]:
        if file is not None and file.seen is not None and "retry" not in answer:
            return {**answer, "seen": file.seen}
        return answer

    # -- Actions

    def _act(self, params: dict[str, Json]) -> Json:
        name, items, args = params.get("action"), params.get("items"), params.get("args", {})
        if not isinstance(name, str) or name not in self._actions:
            there = ", ".join(self._actions) or "none"
            words = f"the plugin {self.manifest.id} has no action {name!r:.60} (there: {there})"
            raise Refused("noSuchItem", words, {"at": "action"})
        if not isinstance(items, list) or not isinstance(args, dict):
            raise Refused("invalidParams", "items must be an array, and args an object", {"at": "items"})
        function, is_batch = self._actions[name]
        answers: list[Json] = [None] * len(items)
        done, told = 0, 0.0
        for index, outcome in self._acted(function, is_batch, items, args):
            answers[index] = {"ok": True} if outcome is None else {"error": _said(outcome)}
            done += 1
            if done == len(items) or time.monotonic() - told >= 0.1:
                told = time.monotonic()
                self.progress(done, len(items))
        return {"items": [answer or {"error": "the action did not get to it"} for answer in answers]}

    def _acted(
        self, function: Callable[..., Any], is_batch: bool, items: list[Json], args: dict[str, Json]
    ) -> Iterator[tuple[int, Exception | None]]:
        """What became of each item. After a cancellation the rest is not done, and what was done is told."""
        files: dict[int, File] = {}
        for index, raw in enumerate(items):
            try:
                files[index] = File(raw)
            except Exception as error:
                yield index, error
        if is_batch:
            yield from self._acted_together(function, files, args)
            return
        for index, file in files.items():
            if self._running[-1].is_cancelled:
                yield index, Cancelled("it was cancelled before it was begun")
                continue
            outcome: Exception | None = None
            try:
                function(file, args)
            except Exception as error:
                outcome = self._action_error(error)
            finally:
                file._close()
            yield index, outcome

    def _acted_together(
        self, function: Callable[..., Any], files: dict[int, File], args: dict[str, Json]
    ) -> Iterator[tuple[int, Exception | None]]:
        places = {id(file): index for index, file in files.items()}
        try:
            for file, outcome in function(list(files.values()), args) or ():
                if (index := places.pop(id(file), None)) is not None:
                    yield index, outcome if isinstance(outcome, Exception) else None
        except Exception as error:
            for index in list(places.values()):
                yield index, self._action_error(error)
        finally:
            for file in files.values():
                file._close()

    def _action_error(self, error: Exception) -> Exception:
        if not isinstance(error, (OSError, PluginError, ValueError)):
            self._show_fault(error)
        return error


def _with(reply: dict[str, Json], error: Refused) -> dict[str, Json]:
    return {**reply, "error": error.wire()}


def _errors(*names: str) -> frozenset[int]:
    import errno

    return frozenset(getattr(errno, name) for name in names)


#: Errors of the system that say nothing about the file, and may be gone the next time.
_PASSING: Final = _errors("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EINTR", "EBUSY", "ESTALE")


__all__: Sequence[str] = (
    "Cancelled", "File", "Manifest", "ManifestError", "NotRegular", "Plugin", "PluginError", "Refused",
    "Retry", "Source", "TimedOut", "TooLong",
)  # fmt: skip
