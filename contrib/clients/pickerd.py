#!/usr/bin/env python3
"""A client for pickerd in one file, with nothing but Python's standard library (3.11 or later).

    from pickerd import Client, EventFeed, LiveLayout, LiveList, Query

    client = Client()
    print(client.info()["version"])

    for change in LiveList(Query(sort=["date"], count=20)):     # kept current, for ever
        print([item.name for item in change.list.items])        # all that the list has now

    layout = LiveLayout(LiveList(Query()), "grid", (800, 600), {"cell": [120, 80]})
    for change in layout:                                       # where the items of a list are shown
        print({key: (frame.x, frame.y) for key, frame in layout.frames.items()})

    feed = EventFeed(["documents.*"], replay=10)
    for message in feed:                                        # goes on where it was, over restarts
        place = message.position                                # the next run: EventFeed(…, since=place)

Everything blocks, and takes a timeout in seconds; nothing starts threads, and no object may be used by
two threads at once. A ``LiveList`` and an ``EventFeed`` have a connection each, which is read only when
they are: what is not read waits in the daemon, which sends a list what has changed over all that
was missed, and tells a feed of events that it could not keep. Both connect again when their connection is
lost: a feed goes on after its last event, a list from the rows that it has. If the daemon cannot go on from
there, as it was started anew, it sends all rows. So nothing is queued here without a limit. A ``LiveLayout``
goes by the connection of its list.

For a loop of your own there are ``fileno()`` and ``read(timeout=0)``. The descriptor stays the same until
``close()``, over every restart of the daemon, and is readable whenever ``read`` has something to do, be it
only that the time has come to connect again. Read until nothing comes:

    selector = selectors.DefaultSelector()
    selector.register(feed, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            while (message := key.fileobj.read(timeout=0)) is not None:
                print(message)

What the daemon sends is not trusted. A line that is not of the protocol ends the connection; a change that
does not fit the list has it opened anew; both give up with an error when it happens again and again. Frames
that are none end their layout.

From a shell: ``pickerd.py --help``.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import ctypes
import io
import json
import math
import os
import re
import select
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

Json: TypeAlias = Any  # None, bool, int, float, str, list, or dict with str keys
Params: TypeAlias = Mapping[str, Json]

LINE_LIMIT: Final = 1 << 20
"""The longest line, either way, without its end."""
MOST_ITEMS: Final = 10_000_000
"""The most items of one list that are accepted from a daemon."""
MOST_CHANGES: Final = 1024
"""The most unread changes of a list or a layout; further ones are merged."""
MOST_RESUMED: Final = 10_000
"""A list with more rows is not resumed after a lost connection: the daemon accepts no more keys."""
MOST_DISAGREEMENTS: Final = 8
"""A list with this many inconsistencies, without a valid message in between, is given up."""
GREATEST_SEQ: Final = 1 << 53


# ---- What can go wrong ---------------------------------------------------------------------------


class PickerdError(Exception):
    """An error between this program and the daemon."""


class NoDaemon(PickerdError):
    """The path of the socket is unknown, or nobody listens there."""


class Disconnected(PickerdError):
    """The connection ended before the answer came."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        #: The reason in the daemon's goodbye, such as ``stopping``.
        self.reason = reason


class TimedOut(PickerdError):
    """No answer came in time. The daemon has been asked to cancel the request."""


class BadMessage(PickerdError):
    """The daemon violated the protocol."""


class LayoutClosed(PickerdError):
    """The daemon has closed a layout. ``reason`` is ``limit`` if its list has grown too long for one."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class Refused(PickerdError):
    """The daemon refused. ``kind`` is a stable word, such as ``noSuchItem``; nothing was changed."""

    def __init__(self, error: Mapping[str, Json]) -> None:
        data = error.get("data")
        self.data: Mapping[str, Json] = data if isinstance(data, dict) else {}
        self.code = error["code"] if _is_int(error.get("code")) else 0
        self.message = str(error.get("message", ""))
        self.kind = str(self.data.get("kind", "unknown"))
        at = self.data.get("at")
        self.at: str | None = at if isinstance(at, str) else None
        place = f" (at {self.at})" if self.at and self.at not in self.message else ""
        super().__init__(f"{self.message}{place}")


# ---- Reading what came ---------------------------------------------------------------------------


def _is_int(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _bad(what: str) -> NoReturn:
    raise BadMessage(f"the daemon sent what this client does not understand: {what}")


def _int(holder: Mapping[str, Json], name: str, least: int = 0) -> int:
    value = holder.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        _bad(f"'{name}' must be an integer of {least} or more, not {value!r:.60}")
    return value


def _number(value: Json, name: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        _bad(f"'{name}' must be a number, not {value!r:.60}")
    # An integer may have more digits than a float can represent.
    if not abs(value) <= sys.float_info.max:
        _bad(f"'{name}' is too large a number")
    return float(value)


def _str(holder: Mapping[str, Json], name: str) -> str:
    value = holder.get(name)
    if not isinstance(value, str):
        _bad(f"'{name}' must be a string, not {value!r:.60}")
    return value


def _list(holder: Mapping[str, Json], name: str) -> list[Json]:
    value = holder.get(name, [])
    if not isinstance(value, list):
        _bad(f"'{name}' must be an array, not {value!r:.60}")
    return value


def _dict(value: Json, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        _bad(f"'{name}' must be an object, not {value!r:.60}")
    return value


def _parse(line: bytes) -> dict[str, Json]:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is not JSON")

    try:
        value = json.loads(line.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        _bad(f"no JSON: {error}")
    return _dict(value, "the line")


# ---- The connection ------------------------------------------------------------------------------


def socket_path(explicit: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """Where the daemon's socket is: the path given, else ``$PICKERD_SOCKET``, else in
    ``$XDG_RUNTIME_DIR``. There is no other place: a folder that anyone can write to is anyone's."""
    if explicit:
        return explicit
    if path := environ.get("PICKERD_SOCKET"):
        return path
    folder = environ.get("XDG_RUNTIME_DIR", "")
    if folder.startswith("/"):
        return os.path.join(folder, "pickerd", "pickerd.sock")
    raise NoDaemon(
        "nothing says where the daemon's socket is: set XDG_RUNTIME_DIR (a login session does) or "
        "PICKERD_SOCKET, or give a path"
    )


#: The methods that take ``progress``.
_WAITING: Final = frozenset(
    ("documents.get", "documents.stats", "items.get", "items.page", "items.like", "items.drop")
    + ("items.restore", "items.visited", "actions.list", "actions.run", "sync")
)
#: A process, its user and its group.
_PEER: Final = struct.Struct("=iII")


def _may_talk(listener: int, own: int) -> bool:
    """Whether a program of the user ``own`` may take one of the user ``listener`` for its daemon: its own, or
    root's. Root, whom each daemon lets in, may talk to any."""
    return listener == own or 0 in (listener, own)


class Progress(NamedTuple):
    """How far the daemon has read its folders. It does not know how many there are before the end."""

    documents: int
    folders: int
    #: Known, and not read yet.
    folders_waiting: int


class Connection:
    """One connection: lines out, lines in. Its end is final."""

    def __init__(self, path: str | None = None) -> None:
        self.path = socket_path(path)
        #: Called with each notification: its method and its parameters.
        self.on_notification: Callable[[str, dict[str, Json]], None] = lambda method, params: None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._buffer = bytearray()
        self._seen = 0
        self._last_id = 0
        self._answers: dict[int, dict[str, Json] | None] = {}
        self._progress: dict[int, Callable[[Progress], None]] = {}
        self._goodbye: str | None = None
        # Before connecting, which would block on a daemon that does not accept.
        self._socket.setblocking(False)
        try:
            self._socket.connect(self.path)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            self._socket.close()
            raise NoDaemon(f"no daemon listens at {self.path}") from error
        except BlockingIOError as error:
            self._socket.close()
            raise NoDaemon(f"too many programs wait to connect to {self.path}") from error
        except OSError as error:
            self._socket.close()
            raise PickerdError(f"cannot connect to {self.path}: {error.strerror or error}") from error
        listener = self._listener()
        if not _may_talk(listener, os.geteuid()):
            self._socket.close()
            raise PickerdError(
                f"user {listener} listens at {self.path}, and not you: nothing was sent. "
                "Name the socket of your own daemon, or remove that one"
            )

    def _listener(self) -> int:
        """The user id of the listener, from the kernel."""
        told = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
        _, user, _ = _PEER.unpack(told)
        return int(user)

    def fileno(self) -> int:
        """The socket's descriptor, to wait for input."""
        return self._socket.fileno()

    @property
    def is_behind(self) -> bool:
        """Whether there is something to handle of which the socket says nothing: a line that was read from
        it, or that it was closed."""
        return self.fileno() < 0 or self._buffer.find(b"\n", self._seen) >= 0

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send_line(self, line: bytes, deadline: float | None = None) -> None:
        """Sends one line, given without its end. What comes meanwhile is taken in, so that neither side
        can hold up the other. A line that is not taken in time ends the connection, as half of it may be
        on its way."""
        if len(line) > LINE_LIMIT:
            raise PickerdError(
                f"a request of {len(line)} bytes is longer than the daemon takes ({LINE_LIMIT})"
            )
        rest = memoryview(line + b"\n")
        while rest:
            if not self._wait(deadline, for_writing=True):
                self.close()
                raise TimedOut("the daemon did not take the request in time")
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                pass
            except OSError:
                # The daemon may have sent a goodbye before it ended.
                self._read_to_the_end()

    def read_line(self, timeout: float | None = None) -> dict[str, Json] | None:
        """The next line, parsed; None when none came in time."""
        deadline = _deadline(timeout)
        while True:
            if (line := self._next_line()) is not None:
                return line
            if not self._receive(deadline):
                return None

    def send(self, method: str, params: Params | None = None, deadline: float | None = None) -> int:
        """Sends a request without waiting for the answer: see ``answer``. Returns its id."""
        self._last_id += 1
        number = self._last_id
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params or {})}
        line = json.dumps(request, allow_nan=False, separators=(",", ":")).encode("ascii")
        self._answers[number] = None
        try:
            self.send_line(line, deadline)
        except PickerdError:
            self._answers.pop(number, None)
            raise
        return number

    def answer(self, number: int, deadline: float | None = None) -> Json:
        """Waits for the answer to a request, and delivers the notifications before it."""
        while (reply := self._answers[number]) is None:
            if not self.pump(deadline):
                del self._answers[number]
                self.notify("$/cancel", {"id": number})
                raise TimedOut("the daemon did not answer in time")
        del self._answers[number]
        if "error" in reply:
            raise Refused(_dict(reply["error"], "error"))
        return reply["result"]

    def notify(self, method: str, params: Params) -> None:
        """Sends a notification, which is never answered."""
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": dict(params)})
        self.send_line(text.encode("ascii"), time.monotonic() + 1)

    def request(
        self,
        method: str,
        params: Params | None = None,
        timeout: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Json:
        """Sends a request and waits for its result. While the daemon waits for a scan of its folders,
        ``on_progress`` is called, up to four times a second."""
        deadline = _deadline(timeout)
        if on_progress is None:
            return self.answer(self.send(method, params, deadline), deadline)
        number = self.send(method, {**(params or {}), "progress": True}, deadline)
        self._progress[number] = on_progress
        try:
            return self.answer(number, deadline)
        finally:
            del self._progress[number]

    def pump(self, deadline: float | None) -> bool:
        """Handles one line: a reply is kept for whoever waits for it, a notification is handed on.
        False if none came before the deadline, a time of ``time.monotonic``."""
        while (line := self._next_line()) is None:
            if not self._receive(deadline):
                return False
        if "method" in line:
            if "id" in line:
                _bad(f"it asked for {line['method']!r:.60}")
            params = _dict(line.get("params", {}), "params")
            method = _str(line, "method")
            if method == "$/goodbye":
                self._goodbye = str(params.get("reason", "no reason given"))
            if method == "$/progress":
                on_progress = self._progress.get(_int(params, "id"))
                if on_progress is not None:
                    counts = (_int(params, name) for name in ("documents", "folders", "foldersWaiting"))
                    on_progress(Progress(*counts))
            self.on_notification(method, params)
            return True
        if ("result" in line) == ("error" in line):
            _bad("a line that is neither a reply nor a notification")
        number = line.get("id")
        if number is None:
            # The failed request is unknown, so none may keep waiting.
            _bad(f"{line.get('error')!r:.200}")
        if isinstance(number, int) and number in self._answers and self._answers[number] is None:
            self._answers[number] = line
        return True

    # -- The socket

    def _next_line(self) -> dict[str, Json] | None:
        while (end := self._buffer.find(b"\n", self._seen)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._seen = 0
            if len(line) > LINE_LIMIT:
                break
            if line.strip():
                return _parse(line)
        self._seen = len(self._buffer)
        if self._seen > LINE_LIMIT:
            _bad(f"a line is longer than {LINE_LIMIT} bytes")
        return None

    def _receive(self, deadline: float | None) -> bool:
        """Waits for input and reads it; False at the deadline."""
        if not self._wait(deadline):
            return False
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return True
        except OSError as error:
            raise Disconnected(f"the connection broke: {error.strerror or error}") from error
        if not data:
            self._end()
        self._buffer += data
        return True

    def _wait(self, deadline: float | None, for_writing: bool = False) -> bool:
        """Waits until there is something to read; when writing, until that is possible, and takes in
        what comes, up to a limit."""
        while True:
            if self._socket.fileno() < 0:
                raise Disconnected("the connection was closed")
            poll = select.poll()
            is_full = for_writing and len(self._buffer) >= 64 * LINE_LIMIT
            events = select.POLLOUT if for_writing else 0
            poll.register(self._socket, events if is_full else events | select.POLLIN)
            ready = poll.poll(_milliseconds(deadline))
            if not ready:
                return False
            if not for_writing or ready[0][1] & (select.POLLOUT | select.POLLHUP | select.POLLERR):
                return True
            try:
                data = self._socket.recv(1 << 16)
            except BlockingIOError:
                continue
            except OSError as error:
                raise Disconnected(f"the connection broke: {error.strerror or error}") from error
            if not data:
                self._end()
            self._buffer += data

    def _read_to_the_end(self) -> NoReturn:
        while True:
            while self.pump(time.monotonic()):
                pass
            if not self._receive(time.monotonic() + 1):
                raise Disconnected("the connection broke")

    def _end(self) -> NoReturn:
        reason = self._goodbye
        said = {
            None: "the daemon closed the connection",
            "stopping": "the daemon is stopping",
            "slow": "the daemon gave up on this client, which read too slowly",
        }
        raise Disconnected(said.get(reason, f"the daemon said goodbye: {reason}"), reason)


def _closed(params: dict[str, Json]) -> Disconnected:
    """The plugin of a subscription is off: new requests are told so."""
    return Disconnected(f"the daemon closed it: {params.get('message', 'no reason given')}", "closed")


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _milliseconds(deadline: float | None) -> int | None:
    if deadline is None:
        return None
    return max(0, math.ceil((deadline - time.monotonic()) * 1000))


# ---- Requests ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Query:
    """The items of a list, their order, and the window of rows to send."""

    sort: str | Sequence[str] | None = None
    search: str | None = None
    start: int = 0
    #: The most rows of the window; None for all.
    count: int | None = None
    #: How the search matches: a part of the name, words in any order, or the terms of fzf; None for the first.
    match: Literal["contains", "words", "fuzzy"] | None = None
    where: Sequence[Json] | None = None
    #: The members of items to send; None for all.
    fields: Sequence[str] | None = None
    #: Whether items have the parts of their names and folders that the search has found: ``Item.matches`` and
    #: ``Item.folder_matches``.
    highlights: bool = False
    #: The key of an item that the window follows; ``start`` has no effect then.
    anchor: str | None = None
    #: The rows of the window before the anchor, if the list has as many.
    offset: int = 0

    def params(self) -> dict[str, Json]:
        """The parameters of ``items.open`` and ``items.get``."""
        window: dict[str, Json] = {"start": self.start, "count": self.count}
        if self.anchor is not None:
            window = {"anchor": "key:" + self.anchor, "offset": self.offset, "count": self.count}
        params: dict[str, Json] = {"window": window}
        if self.sort is not None:
            params["sort"] = self.sort if isinstance(self.sort, str) else list(self.sort)
        if self.search:
            params["search"] = self.search
        if self.match is not None:
            params["match"] = self.match
        if self.where is not None:
            params["where"] = list(self.where)
        if self.fields is not None:
            marks = ["m", "mf"] if "path" in self.fields else ["m"]
            missing = [mark for mark in marks if self.highlights and mark not in self.fields]
            params["fields"] = [*self.fields, *missing]
        if self.highlights:
            params["highlights"] = True
        return params

    def marks(self) -> tuple[str, str | None] | None:
        """What decides which parts of names are marked; None if none are."""
        return (self.search, self.match) if self.highlights and self.search else None

    def changes_from(self, old: Query) -> dict[str, Json] | None:
        """The parameters of ``items.update`` for this query; None if an open list can't make the change."""
        if self.match is None and old.match is not None:
            return None
        if self.sort is None and old.sort is not None:
            return None
        mine, before = self.params(), old.params()
        if mine.get("fields") != before.get("fields"):
            return None
        for name, value in (("search", None), ("highlights", False)):
            mine.setdefault(name, value)
            before.setdefault(name, value)
        if self.where is None and old.where is not None:
            mine["where"] = ["true"]
        return {name: value for name, value in mine.items() if before.get(name, ...) != value}


class Client:
    """Requests, one after the other, over a connection that is made when it is needed.

    A request that is on its way when the connection ends raises ``Disconnected``: nobody can tell whether
    it was carried out. The next one connects again, once.
    """

    def __init__(
        self, path: str | None = None, *, name: str | None = None, timeout: float | None = 30.0
    ) -> None:
        self.path = socket_path(path)
        self.timeout = timeout
        self._name = name
        self._connection: Connection | None = None
        #: Called up to four times a second while a request waits for the first scan, or ``sync`` for any.
        self.on_progress: Callable[[Progress], None] | None = None

    def request(
        self, method: str, params: Params | None = None, timeout: float | None = None
    ) -> Json:
        """Sends a request and waits for its result. Raises ``Refused`` if the daemon refuses.

        While it waits for a scan of the daemon's folders, ``on_progress`` is called.
        """
        timeout = self.timeout if timeout is None else timeout
        self._notice_end()
        if self._connection is None:
            self._connection = Connection(self.path)
            if self._name:
                self._connection.request("daemon.hello", {"client": self._name}, timeout)
        try:
            return self._connection.request(method, params, timeout, self._on_progress(method))
        except (Disconnected, BadMessage, TimedOut) as error:
            if not isinstance(error, TimedOut) or self._connection.fileno() < 0:
                self.close()
            raise

    def _on_progress(self, method: str) -> Callable[[Progress], None] | None:
        return self.on_progress if method in _WAITING else None

    def _notice_end(self) -> None:
        """Drops a connection that has ended since its last use; nothing is pending on it."""
        try:
            while self._connection is not None and self._connection.pump(time.monotonic()):
                pass
        except (Disconnected, BadMessage):
            self.close()

    def wait_for_daemon(self, timeout: float | None = None) -> None:
        """Returns when a daemon answers; raises ``NoDaemon`` if none does in time."""
        deadline = _deadline(timeout)
        pauses = _Backoff()
        while True:
            try:
                self.request("daemon.ping")
                return
            except (NoDaemon, Disconnected) as error:
                if deadline is not None and time.monotonic() >= deadline:
                    raise NoDaemon(str(error)) from error
                pauses.failed()
                pauses.wait(deadline)

    def close(self) -> None:
        """Ends the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _object(
        self, method: str, params: Params | None = None, timeout: float | None = None
    ) -> dict[str, Json]:
        return _dict(self.request(method, params, timeout), "result")

    def hello(self, *, required: Sequence[str] = ()) -> dict[str, Json]:
        """The daemon's version, limits and capabilities; refused if a required one is missing."""
        params: dict[str, Json] = {"protocol": 1, "required": list(required)}
        if self._name:
            params["client"] = self._name
        return self._object("daemon.hello", params)

    def ping(self) -> None:
        """Checks that the daemon answers."""
        self.request("daemon.ping")

    def info(self) -> dict[str, Json]:
        """The status of the daemon."""
        return self._object("daemon.info")

    def schema(self) -> dict[str, Json]:
        """The OpenRPC document of the protocol."""
        return self._object("daemon.schema")

    def plugins(self) -> list[dict[str, Json]]:
        """The plugins of the daemon, with their states."""
        listed = {"plugins": self.request("plugins.list")}
        return [_dict(plugin, "a plugin") for plugin in _list(listed, "plugins")]

    def enable_plugin(self, plugin: str) -> None:
        """Switches a plugin on."""
        self.request("plugins.enable", {"id": plugin})

    def disable_plugin(self, plugin: str) -> None:
        """Switches a plugin off until it is switched on, or the daemon ends."""
        self.request("plugins.disable", {"id": plugin})

    def reload(self) -> None:
        """Makes the daemon read its settings again."""
        self.request("daemon.reload")

    def stop(self) -> None:
        """Stops the daemon."""
        try:
            self.request("daemon.stop")
        except Disconnected as error:
            if error.reason != "stopping":
                raise
        self.close()

    def sync(self, timeout: float = 1.0) -> int:
        """Waits until the daemon has seen all changes so far; returns the revision that contains them."""
        result = self._object("sync", {"timeoutMs": math.ceil(timeout * 1000)}, timeout + 5)
        return _int(result, "rev")

    def document(self, *, key: str | None = None, path: str | None = None) -> Item:
        """One document, by its key or its path."""
        params = {name: value for name, value in (("key", key), ("path", path)) if value is not None}
        return Item.read({"kind": "document", **self._object("documents.get", params)})

    def create(self, name: str, *, root: str | None = None, content: str | None = None) -> Item:
        """Creates a document; never overwrites one."""
        params = {"name": name, "root": root, "content": content}
        given = {name: value for name, value in params.items() if value is not None}
        return Item({"kind": "document", **self._object("documents.create", given)})

    def stats(self, query: Query = Query(), attribute: str | None = None) -> dict[str, Json]:
        """Count, sizes and times of the documents that a query selects.

        With an attribute, such as ``image.width``, the answer has a member of its name: ``count``, ``sum``, ``mean``,
        ``min`` and ``max`` of its values, as far as these are numbers. It may take ten seconds to read the files; what
        was not read then is in ``pending``.
        """
        params = query.params()
        members = ("search", "match", "where")
        wanted: dict[str, Json] = {name: params[name] for name in members if name in params}
        if attribute is None:
            return self._object("documents.stats", wanted)
        return self._object("documents.stats", {**wanted, "attribute": attribute}, self.timeout + 10)

    def items(self, query: Query = Query()) -> list[Item]:
        """The rows of a query, once. An answer that does not fit into a line is refused: request a window."""
        return [Item.read(item) for item in _list(self._object("items.get", query.params()), "items")]

    def page(
        self, index: int = 1, size: int = 20, query: Query = Query(), token: str | None = None
    ) -> dict[str, Json]:
        """One page of a query: ``results``, ``count`` of all, the indices of the pages before and after.

        With the ``token`` of another page of the same query, this one goes on from there: of the items that
        did not change meanwhile, none comes twice and none is left out.
        """
        params = {name: value for name, value in query.params().items() if name != "window"}
        if token is not None:
            params["token"] = token
        return self._object("items.page", {**params, "index": index, "size": size})

    def like(self, key: str, liked: bool | None = None) -> bool:
        """Likes a document, or removes the like; without ``liked``, reverses it. Returns the new value."""
        params: dict[str, Json] = {"key": key}
        if liked is not None:
            params["liked"] = liked
        return bool(self._object("items.like", params).get("liked"))

    def drop(self, key: str) -> None:
        """Drops a document from every list; the file stays."""
        self.request("items.drop", {"key": key})

    def restore(self, key: str | None = None) -> None:
        """Restores one dropped document, or all."""
        self.request("items.restore", {"all": True} if key is None else {"key": key})

    def visited(self, *keys: str) -> None:
        """Counts a visit of each of these documents."""
        self.request("items.visited", {"keys": list(keys)})

    def actions(self, keys: Sequence[str]) -> list[dict[str, Json]]:
        """The actions that can be done to all of these documents."""
        listed = self.request("actions.list", {"keys": list(keys)})
        return [_dict(action, "an action") for action in _list(listed, "actions")]

    def act(
        self, action: str, keys: Sequence[str], args: Params | None = None, *, confirm: bool = False
    ) -> list[dict[str, Json]]:
        """Does something to documents. What became of each has ``ok``, or an ``error``; an action that writes
        needs ``confirm``."""
        params: dict[str, Json] = {"action": action, "keys": list(keys)}
        if args is not None:
            params["args"] = dict(args)
        if confirm:
            params["confirm"] = True
        items = _list(self._object("actions.run", params), "items")
        return [_dict(item, "an item") for item in items]

    def publish(self, topic: str, data: Json = None) -> int:
        """Publishes an event; returns its number."""
        params: dict[str, Json] = {"topic": topic}
        if data is not None:
            params["data"] = data
        return _int(self._object("events.publish", params), "seq")

    def replay(self, topics: Sequence[str], count: int | None = None) -> list[Event]:
        """The latest matching events that are kept, oldest first."""
        params: dict[str, Json] = {"topics": list(topics)}
        if count is not None:
            params["count"] = count
        events = _list(self._object("events.replay", params), "events")
        return [Event.read(_dict(event, "event"), None) for event in events]

    def batch(self, calls: Sequence[tuple[str, Params]]) -> list[Json | Refused]:
        """Requests that are answered together, at one revision: results and errors."""
        listed = [{"method": method, "params": dict(params)} for method, params in calls]
        results = _list(self._object("batch", {"calls": listed}), "results")
        answers: list[Json | Refused] = []
        for entry in results:
            answer = _dict(entry, "results")
            if "error" in answer:
                answers.append(Refused(_dict(answer["error"], "error")))
            else:
                answers.append(answer.get("result"))
        return answers


class _Backoff:
    """Pauses between tries to connect, which double from try to try, and are short again after a connection
    that lasted. After a connection was lost the first try is at once."""

    first: Final = 0.1
    longest: Final = 5.0

    def __init__(self) -> None:
        self._pause = self.first
        self._connected_at: float | None = None
        #: When the next attempt is due, by ``time.monotonic``.
        self.due = 0.0

    def connected(self) -> None:
        self._connected_at = time.monotonic()

    def failed(self) -> None:
        """Delays the next attempt by the next pause."""
        now = time.monotonic()
        if self._connected_at is not None and now - self._connected_at >= self.longest:
            self._pause = self.first
        self._connected_at = None
        self.due = now + self._pause
        self._pause = min(self._pause * 2, self.longest)

    def wait(self, deadline: float | None) -> bool:
        """Waits until the next attempt is due. False if the deadline comes first."""
        now = time.monotonic()
        if now >= self.due:
            return True
        end = self.due if deadline is None else min(self.due, deadline)
        time.sleep(max(0.0, end - now))
        return end == self.due


class _TimerSpec(ctypes.Structure):
    """``struct itimerspec``: the interval, then the first time, as seconds and nanoseconds."""

    _fields_ = [(name, ctypes.c_long) for name in ("interval_s", "interval_ns", "first_s", "first_ns")]


class _Timer:
    """A descriptor that is readable from a moment on. Python has none of its own before 3.13."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        number = self._libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if number < 0:
            raise OSError(ctypes.get_errno(), f"no timer can be made: {os.strerror(ctypes.get_errno())}")
        self._file = io.FileIO(number)
        self._at: float | None = None

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()

    def set(self, at: float | None) -> None:
        """Readable from ``at`` on, a time of ``time.monotonic``; never if that is None. Setting it also
        takes back that it was readable."""
        if at == self._at:
            return
        self._at = at
        # All zero stops a timer, so one that is due at once is due a nanosecond after the start.
        seconds, nanoseconds = (0, 0) if at is None else divmod(max(1, round(at * 1e9)), 10**9)
        spec = _TimerSpec(0, 0, seconds, nanoseconds)
        absolute = 1
        if self._libc.timerfd_settime(self.fileno(), absolute, ctypes.byref(spec), None):
            raise OSError(ctypes.get_errno(), f"the timer is not set: {os.strerror(ctypes.get_errno())}")


class _Readiness:
    """One descriptor that stays the same while sockets come and go: readable when there is something to do.

    That is: a socket (or another of these) is readable, or a moment has come, which may be now.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._timer = _Timer()
        self._epoll.register(self._timer, select.EPOLLIN)
        self._source: int | None = None
        self._holder: object = None

    def fileno(self) -> int:
        return self._epoll.fileno()

    def close(self) -> None:
        self._epoll.close()
        self._timer.close()

    def follow(self, source: Connection | _Readiness | None) -> None:
        """Follows ``source`` from now on. The kernel has removed a closed descriptor."""
        if source is self._holder:
            return
        if self._source is not None:
            try:
                self._epoll.unregister(self._source)
            except OSError:
                pass
        self._holder, self._source = source, None
        if source is not None and source.fileno() >= 0:
            self._source = source.fileno()
            self._epoll.register(self._source, select.EPOLLIN)

    def due(self, at: float | None) -> None:
        """Readable from ``at`` on, regardless of the source; None for never."""
        self._timer.set(at)


# ---- Live lists ----------------------------------------------------------------------------------


class Item:
    """A row of a list: a document, or the row for a new one. Equal if all members are."""

    __slots__ = ("raw",)

    def __init__(self, raw: dict[str, Json]) -> None:
        #: The members as on the wire.
        self.raw = raw

    @staticmethod
    def read(value: Json) -> Item:
        """Validates an item."""
        raw = _dict(value, "item")
        if raw.get("kind") not in ("new", "document") or not isinstance(raw.get("key"), str):
            _bad(f"an item without kind or key: {raw!r:.60}")
        for name in ("name", "path", "root", "type", "uri", "icon", "genericIcon", "thumbnail"):
            if name in raw and not isinstance(raw[name], str):
                _bad(f"the '{name}' of an item is {raw[name]!r:.60}")
        if "size" in raw and not _is_int(raw["size"]):
            _bad(f"the size of an item is {raw['size']!r:.60}")
        for name in ("modified", "created"):
            if name in raw and not (isinstance(raw[name], float) or _is_int(raw[name])):
                _bad(f"the '{name}' date of an item is {raw[name]!r:.60}")
        if "m" in raw and not _are_matches(raw["m"], raw.get("name")):
            _bad(f"the found parts of a name are {raw['m']!r:.60}")
        if "mf" in raw and not _are_matches(raw["mf"], _folder(raw.get("path"))):
            _bad(f"the found parts of a folder are {raw['mf']!r:.60}")
        return Item(raw)

    def patched(self, changes: dict[str, Json]) -> Item:
        """The item after a change; None removes a member."""
        if "kind" in changes or "key" in changes:
            _bad("an item's kind and key never change")
        merged = {**self.raw, **changes}
        return Item.read({name: value for name, value in merged.items() if value is not None})

    @property
    def is_new(self) -> bool:
        """Whether this is the row for a new document."""
        return self.raw.get("kind") == "new"

    @property
    def key(self) -> str:
        """The identity of a document across renames, moves and saves."""
        return str(self.raw["key"])

    @property
    def name(self) -> str | None:
        """The file's name, with U+FFFD for bytes that are not UTF-8."""
        return self.raw.get("name")

    @property
    def matches(self) -> list[tuple[int, int]] | None:
        """The parts of ``name`` that the search has found, each ``name[start:end]``; no part if all was found
        in the folder. None unless the query has ``highlights`` and a search, and items have names."""
        return _matches(self.raw.get("m"), self.name)

    @property
    def folder_matches(self) -> list[tuple[int, int]] | None:
        """The parts of ``path`` up to its last slash that a fuzzy search has found, each ``path[start:end]``.
        None if all was found in the name, and unless the query has ``highlights`` and items have paths."""
        return _matches(self.raw.get("mf"), self.path)

    @property
    def path(self) -> str | None:
        """The path below the root, with U+FFFD for bytes that are not UTF-8."""
        return self.raw.get("path")

    @property
    def root(self) -> str | None:
        """The watched folder."""
        return self.raw.get("root")

    @property
    def size(self) -> int | None:
        """In bytes."""
        return self.raw.get("size")

    @property
    def modified(self) -> float | None:
        """Seconds since 1970."""
        return self.raw.get("modified")

    @property
    def uri(self) -> str | None:
        """The URI of its absolute path. Only ``Client.document`` answers it, and the members below up to
        ``thumbnail``; None from a daemon that does not send it yet."""
        return self.raw.get("uri")

    @property
    def icon(self) -> str | None:
        """The name of the icon of its type."""
        return self.raw.get("icon")

    @property
    def generic_icon(self) -> str | None:
        """The name of the icon of types like its, for a theme without ``icon``."""
        return self.raw.get("genericIcon")

    @property
    def created(self) -> float | None:
        """When the file was made, in seconds since 1970; None if the file system does not know."""
        return self.raw.get("created")

    @property
    def thumbnail(self) -> str | None:
        """The absolute path of an image that shows the document as it was when it was asked for."""
        return self.raw.get("thumbnail")

    @property
    def liked(self) -> bool:
        """Whether the document is liked."""
        return self.raw.get("liked") is True

    @property
    def dropped(self) -> bool:
        """Whether the document is dropped. Only lists that ask for ``["dropped"]`` have such."""
        return self.raw.get("dropped") is True

    @property
    def absolute_path(self) -> bytes | None:
        """The path with its original bytes, including those that are not UTF-8."""
        if self.root is None or self.path is None:
            return None
        path = os.fsencode(self.path)
        if isinstance(encoded := self.raw.get("pathB64"), str):
            try:
                path = base64.b64decode(encoded, validate=True)
            except binascii.Error:
                return None
        return os.path.join(os.fsencode(self.root), path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Item({self.raw!r})"


def _folder(path: str | None) -> str | None:
    """The path up to its last slash."""
    return None if path is None else path[: path.rfind("/") + 1]


def _matches(ends: Json, text: str | None) -> list[tuple[int, int]] | None:
    """The parts between these positions, which count bytes of UTF-8."""
    if ends is None or text is None:
        return None
    coded = text.encode("utf-8", "surrogatepass")
    places = [len(coded[:end].decode("utf-8", "ignore")) for end in ends]
    return list(zip(places[::2], places[1::2]))


def _are_matches(value: Json, name: str | None) -> bool:
    """Whether these are pairs of ascending positions, and in the text, if it is there. No unit counts more
    of them in it than UTF-8."""
    if not isinstance(value, list) or len(value) % 2 or not all(_is_int(end) for end in value):
        return False
    if value != sorted(value) or value and value[0] < 0:
        return False
    return not value or name is None or value[-1] <= len(name.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Change:
    """What happened to a list. Positions of ``deleted``, and the first of ``moved``, count before it, all
    others after it."""

    list: LiveList
    #: ``reset``: all is new; ``delta``: as told below; ``lost``: the connection is, the items stay.
    kind: Literal["reset", "delta", "lost"]
    reason: str = ""
    deleted: Sequence[int] = ()
    moved: Sequence[tuple[int, int]] = ()
    inserted: Sequence[int] = ()
    updated: Sequence[int] = ()


class _Disagreement(Exception):
    pass


class LiveList:
    """A list that the daemon keeps current, with a connection of its own that is made again when it ends.

    ``items`` is what is known now; ``read`` waits for what happens next, and iterating does so for ever.
    Without a daemon at the start, ``read`` waits for one.

    After a lost connection the daemon is told which rows are here, and of which revision they are. If it
    still knows that revision, the next change is a ``delta`` from there; else it is a ``reset``. So it is as
    well if the rows may be wrong, have other fields or marks than are wanted now, or are more than
    ``MOST_RESUMED``.
    """

    def __init__(self, query: Query = Query(), path: str | None = None) -> None:
        self.path = socket_path(path)
        self.query = query
        self.items: list[Item] = []
        #: The length of the whole list; perhaps not the right one while the items are not complete.
        self.total = 0
        self.start = 0
        self.rev = 0
        self.token = ""
        #: Whether the items are complete: False while more are to come, and without a connection.
        self.complete = False
        #: The number of times that the list was opened anew after an inconsistency.
        self.reopened = 0
        self._connection: Connection | None = None
        self._sub = 0
        self._gen = 0
        self._asked = 0
        #: The query of each generation that was requested and not replaced yet.
        self._queries: dict[int, Query] = {}
        #: Whether there are items that a delta can change.
        self._has_items = False
        #: Whether the items are, in full, those of ``_shown`` at ``token``.
        self._is_whole = False
        self._shown = query
        self._chunks: list[Item] | None = None
        self._changes: deque[Change] = deque()
        self._disagreements = 0
        self._backoff = _Backoff()
        #: The layouts of this list, which are opened with it.
        self._layouts: list[LiveLayout] = []
        #: The connection, or when to try again; and that together with what waits to be read. Made when a
        #: descriptor is asked for. A layout goes by the first alone: what is read of the list is not its own.
        self._wire: _Readiness | None = None
        self._readiness: _Readiness | None = None

    def fileno(self) -> int:
        """A descriptor that is readable when ``read`` has something to do: see the top of this file. It
        stays the same until ``close``."""
        if self._readiness is None:
            self._readiness = _Readiness()
            self._readiness.follow(self._followed())
            self._rouse()
        return self._readiness.fileno()

    def close(self) -> None:
        """Closes the list. Reading it opens it again."""
        self._hang_up()
        if self._readiness is not None:
            self._readiness.close()
            self._readiness = None
        if not any(layout._readiness for layout in self._layouts):
            self._forget_wire()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.complete = False
        for layout in self._layouts:
            layout._leave()
        self._rouse()

    def _followed(self) -> _Readiness:
        if self._wire is None:
            self._wire = _Readiness()
            self._rouse()
        return self._wire

    def _forget_wire(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def _rouse(self) -> None:
        """Updates the descriptors; without any it costs nothing."""
        if self._wire is not None:
            self._wire.follow(self._connection)
            if self._connection is None:
                self._wire.due(self._backoff.due)
            else:
                is_behind = self._connection.is_behind or any(layout._is_waiting for layout in self._layouts)
                self._wire.due(0.0 if is_behind else None)
        if self._readiness is not None:
            self._readiness.due(0.0 if self._changes else None)
        for layout in self._layouts:
            layout._rouse()

    def __enter__(self) -> LiveList:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Change]:
        while True:
            if (change := self.read()) is not None:
                yield change

    def read(self, timeout: float | None = None) -> Change | None:
        """Waits for the next change; None when none came in time. Raises ``Refused`` if the daemon does
        not take the query, and ``BadMessage`` if it does not make sense again and again."""
        deadline = _deadline(timeout)
        try:
            while not self._changes:
                if not self._step(deadline):
                    return None
            return self._changes.popleft()
        finally:
            self._rouse()

    def wait_until_complete(self, timeout: float | None = None) -> bool:
        """Reads until the items are complete, or the time is up."""
        deadline = _deadline(timeout)
        while not self.complete:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            self.read(left)
        return True

    def update(self, query: Query, timeout: float | None = 30.0) -> None:
        """Changes what the list shows. The items stay until those of the new query have come. Raises
        ``Refused`` if the daemon does not take it; the list then goes on as it was."""
        before, self.query = self.query, query
        if self._connection is None:
            return
        params = query.changes_from(before)
        if params is None:
            # It is opened anew, with the new query, by the next reading.
            self._hang_up()
            return
        self._asked += 1
        self._queries[self._asked] = query
        asked = {"sub": self._sub, "gen": self._asked, **params}
        try:
            self._connection.request("items.update", asked, timeout)
        except Disconnected as error:
            # The next reading opens it with the new query.
            self._lose(str(error))
        except BadMessage as error:
            self._disagree(str(error))
        except BaseException:
            self.query = before
            raise
        finally:
            self._rouse()

    # -- Opening

    def _step(self, deadline: float | None) -> bool:
        """Makes the connection, opens a layout or handles a line; False if none came before the deadline."""
        try:
            if self._connection is None:
                if not self._backoff.wait(deadline):
                    return False
                self._open()
                return True
            for layout in self._layouts:
                if layout._is_waiting:
                    layout._open(self._connection)
                    return True
            return self._connection.pump(deadline)
        except (NoDaemon, Disconnected) as error:
            was_open = self._connection is not None
            self._lose(str(error))
            if not was_open:
                self._backoff.failed()
        except BadMessage as error:
            self._disagree(str(error))
        return True

    def _open(self) -> None:
        connection = Connection(self.path)
        self._backoff.connected()
        connection.on_notification = self._receive
        self._connection = connection
        place = self._place()
        try:
            try:
                self._ask(connection, place)
            except Refused:
                if not place:
                    raise
                # Perhaps a daemon that is older than this. If the query is at fault it says so again.
                self._ask(connection, {})
        except BaseException:
            self._hang_up()
            raise

    def _place(self) -> dict[str, Json]:
        """What says which rows are here, for a daemon to go on from; nothing if it must not."""
        is_sound = self._is_whole and self.token.rpartition(":")[2] == str(self.rev)
        has_fields = self._shown.params().get("fields") == self.query.params().get("fields")
        # The daemon says nothing of marks that are no longer wanted.
        has_marks = self._shown.marks() == self.query.marks()
        if not is_sound or not has_fields or not has_marks or len(self.items) > MOST_RESUMED:
            return {}
        have = [item.key for item in self.items]
        # The rest of the request must fit into the line as well.
        return {"since": self.token, "have": have} if len(json.dumps(have)) <= LINE_LIMIT // 2 else {}

    def _ask(self, connection: Connection, place: Params) -> None:
        self._has_items = False
        self._chunks = None
        self._asked += 1
        self._gen = self._asked
        self._queries = {self._gen: self.query}
        # The reply comes before the first notification, and names the list as the request did.
        self._sub = connection._last_id + 1
        params = {**self.query.params(), **place, "gen": self._gen}
        answer = _dict(connection.request("items.open", params, 30.0), "result")
        self._has_items = bool(place) and answer.get("resumed") is True

    def _lose(self, why: str) -> None:
        was_open = self._connection is not None
        for layout in self._layouts:
            layout._lose(why)
        self._hang_up()
        if was_open:
            self._tell(Change(self, "lost", why))

    def _disagree(self, what: str) -> None:
        self._disagreements += 1
        self.reopened += 1
        self._is_whole = False
        self._hang_up()
        if self._disagreements > MOST_DISAGREEMENTS:
            count, self._disagreements = self._disagreements, 0
            raise BadMessage(f"the list was given up after {count} tries: {what}")

    def _tell(self, change: Change) -> None:
        if len(self._changes) >= MOST_CHANGES:
            self._changes.clear()
            change = Change(self, "reset", "many")
        self._changes.append(change)

    # -- Messages

    def _receive(self, method: str, params: dict[str, Json]) -> None:
        if params.get("sub") != self._sub:
            for layout in self._layouts:
                if layout._sub is not None and params.get("sub") == layout._sub:
                    layout._receive(method, params)
            return
        try:
            if method == "items.reset":
                self._take_reset(params)
            elif method == "items.delta":
                self._take_delta(params)
            elif method == "$/closed":
                raise _closed(params)
        except _Disagreement as error:
            raise BadMessage(str(error)) from error

    def _check(self, count: int, params: dict[str, Json]) -> tuple[int, int, int]:
        gen, start, total = _int(params, "gen"), _int(params, "start"), _int(params, "total")
        if not self._gen <= gen <= self._asked:
            raise _Disagreement(f"a message of generation {gen}, where {self._asked} was asked for")
        if count > total or count > 0 and start > total - count:
            raise _Disagreement(f"{count} items from {start} on, of {total}")
        asked = self._queries[gen].count
        most = MOST_ITEMS if asked is None else asked
        if count > most:
            raise _Disagreement(f"{count} items, where {most} were asked for")
        return gen, start, total

    def _settle(self, gen: int, start: int, total: int, token: str, complete: Json) -> None:
        self._gen, self.start, self.total, self.token = gen, start, total, token
        self._queries = {asked: query for asked, query in self._queries.items() if asked >= gen}
        self._shown = self._queries[gen]
        self.complete = self._is_whole = complete is True
        self._disagreements = 0

    def _take_reset(self, params: dict[str, Json]) -> None:
        chunk = _int(params, "chunk")
        self._is_whole = False
        if chunk == 0:
            self._chunks = []
        if self._chunks is None:
            raise _Disagreement(f"chunk {chunk} came without those before it")
        self._chunks += [Item.read(item) for item in _list(params, "items")]
        gen, start, total = self._check(len(self._chunks), params)
        rev, token = _int(params, "rev"), _str(params, "token")
        if params.get("last") is not True:
            return
        self.items, self._chunks = self._chunks, None
        self._has_items = True
        self.rev = rev
        self._settle(gen, start, total, token, params.get("complete"))
        self._tell(Change(self, "reset", str(params.get("reason", ""))))

    def _take_delta(self, params: dict[str, Json]) -> None:
        if not self._has_items or self._chunks is not None:
            raise _Disagreement("a delta came before the items it changes")
        since, rev, token = _int(params, "from"), _int(params, "to"), _str(params, "token")
        if since != self.rev:
            raise _Disagreement(f"a delta from revision {since}, the items are at {self.rev}")
        if rev < since:
            raise _Disagreement(f"a delta from revision {since} back to {rev}")
        deleted = _indices(params, "deleted")
        moved = [(at, _index(to, "moved")) for at, to in _pairs(params, "moved")]
        inserted = [(at, Item.read(item)) for at, item in _pairs(params, "inserted")]
        updated = [(at, _dict(changes, "updated")) for at, changes in _pairs(params, "updated")]
        items = _arranged(self.items, deleted, moved, inserted)
        for at, changes in updated:
            if at >= len(items):
                raise _Disagreement(f"an update of item {at} of {len(items)}")
            items[at] = items[at].patched(changes)
        gen, start, total = self._check(len(items), params)
        self.items = items
        self.rev = rev
        self._settle(gen, start, total, token, params.get("complete"))
        self._tell(
            Change(
                self, "delta", deleted=deleted, moved=moved,
                inserted=[at for at, _ in inserted], updated=[at for at, _ in updated],
            )
        )  # fmt: skip


def _index(value: Json, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        _bad(f"'{name}' has {value!r:.60} for a position")
    return value


def _indices(params: dict[str, Json], name: str) -> list[int]:
    return [_index(value, name) for value in _list(params, name)]


def _pairs(params: dict[str, Json], name: str) -> list[tuple[int, Json]]:
    pairs: list[tuple[int, Json]] = []
    for pair in _list(params, name):
        if not isinstance(pair, list) or len(pair) != 2:
            _bad(f"'{name}' has {pair!r:.60} for a pair")
        pairs.append((_index(pair[0], name), pair[1]))
    return pairs


def _arranged(
    items: list[Item], deleted: list[int], moved: list[tuple[int, int]], inserted: list[tuple[int, Item]]
) -> list[Item]:
    """The items after rows have left and arrived: the same as taking out from the highest position down
    and putting in from the lowest up, in one pass."""
    leaving = deleted + [at for at, _ in moved]
    if len(set(leaving)) != len(leaving):
        raise _Disagreement("an item leaves its place twice")
    if leaving and max(leaving) >= len(items):
        raise _Disagreement(f"position {max(leaving)} is outside the {len(items)} items")
    arriving = dict(inserted) | {to: items[at] for at, to in moved}
    if len(arriving) != len(inserted) + len(moved):
        raise _Disagreement("two items arrive at one place")
    count = len(items) - len(leaving) + len(arriving)
    if arriving and max(arriving) >= count:
        raise _Disagreement(f"position {max(arriving)} is outside the {count} items")
    gone = set(leaving)
    staying = (item for at, item in enumerate(items) if at not in gone)
    return [arriving[at] if at in arriving else next(staying) for at in range(count)]


# ---- Layouts -------------------------------------------------------------------------------------


class Frame(NamedTuple):
    """The frame of an item, in pixels: its upper left corner (``y`` grows downwards) and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class LayoutChange:
    """A change of a layout."""

    layout: LiveLayout
    #: ``reset``: so far there are no frames but those below; ``frames``: some are new, or none are, of a
    #: revision of the list that moves none; ``finished``: the
    #: cells of a force layout stand still, the reason being ``rest``, or ``ticks`` if they were given no
    #: more of those; ``lost``: the connection is, the frames stay.
    kind: Literal["reset", "frames", "finished", "lost"]
    reason: str = ""
    #: The new and changed frames, by key.
    changed: dict[str, Frame] = field(default_factory=dict)
    #: The keys of items that left.
    gone: set[str] = field(default_factory=set)


class LiveLayout:
    """Where the items of a live list are shown, kept current by the daemon.

    ``frames`` is what is known now; ``read`` waits for what happens next, and iterating does so for ever.
    It goes by its list, over the list's connection: reading either keeps both current, and the rows that
    frames belong to are always there first. With the list the layout is opened anew; its frames stay as
    they are until the first new ones come, as a ``reset``. Changes that are not read are told as one.

    An item that has just come may have no frame for a while. A ``force`` layout moves on until it is
    ``finished``, and then its frames are exact.
    """

    def __init__(
        self,
        list: LiveList,
        kind: Literal["list", "grid", "flow", "force"],
        bounds: tuple[float, float],
        options: Params | None = None,
    ) -> None:
        self.list = list
        self.kind = kind
        #: The width and the height of the window.
        self.bounds = bounds
        #: As the protocol has them; what is left out is as the daemon likes it.
        self.options: dict[str, Json] = dict(options or {})
        # A value that is not JSON is an error here, not in later reads.
        json.dumps([*bounds, self.options], allow_nan=False)
        self.frames: dict[str, Frame] = {}
        #: The width and the height of the window and all frames together.
        self.content = (0.0, 0.0)
        #: The revision of the rows that the frames belong to. It comes to be the list's, whether or not a
        #: change moves a frame.
        self.rev = 0
        #: The ticks of a force layout since the last change.
        self.tick = 0
        #: The distance that all cells together moved in the last tick.
        self.movement = 0.0
        #: Whether the cells of a force layout are at rest.
        self.finished = False
        self._sub: int | None = None
        self._failure: PickerdError | None = None
        #: Whether the failure has not been reported yet.
        self._is_failure_news = False
        #: Whether the frames are of an earlier opening.
        self._is_stale = False
        self._changes: deque[LayoutChange] = deque()
        self._readiness: _Readiness | None = None
        list._layouts.append(self)

    def fileno(self) -> int:
        """A descriptor that is readable when ``read`` has something to do: see the top of this file. It
        stays the same until ``close``."""
        if self._readiness is None:
            self._readiness = _Readiness()
            self._readiness.follow(self.list._followed())
            self.list._rouse()
        return self._readiness.fileno()

    def close(self) -> None:
        """Closes the layout, and leaves its list open. Reading it opens it again."""
        if self in self.list._layouts:
            self.list._layouts.remove(self)
        self._end()
        self._leave()
        if self._readiness is not None:
            self._readiness.close()
            self._readiness = None
        self.list._rouse()

    def _rouse(self) -> None:
        if self._readiness is not None:
            self._readiness.due(0.0 if self._changes or self._is_failure_news else None)

    def __enter__(self) -> LiveLayout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[LayoutChange]:
        while True:
            if (change := self.read()) is not None:
                yield change

    def read(self, timeout: float | None = None) -> LayoutChange | None:
        """Waits for the next change; None when none came in time. Raises ``Refused`` if the daemon does
        not take the layout or its list, ``LayoutClosed`` if it has closed it, and ``BadMessage`` for frames
        that are none: such a layout stays closed for as long as its list is open."""
        deadline = _deadline(timeout)
        if self not in self.list._layouts:
            self.list._layouts.append(self)
        try:
            while not self._changes:
                self._check()
                if not self.list._step(deadline):
                    return None
            return self._changes.popleft()
        finally:
            self.list._rouse()

    def wait_until_finished(self, timeout: float | None = None) -> bool:
        """Reads until the cells of a force layout stand still, or for too long. Others never do."""
        deadline = _deadline(timeout)
        while not self.finished:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            self.read(left)
        return True

    # -- Requests

    def update(
        self,
        bounds: tuple[float, float] | None = None,
        options: Params | None = None,
        timeout: float | None = 30.0,
    ) -> None:
        """Changes the window, and those options that are given. Raises ``Refused`` if the daemon does not
        take it; the layout then goes on as it was."""
        before = self.bounds, self.options
        params: dict[str, Json] = {}
        if bounds is not None:
            self.bounds = bounds
            params["bounds"] = [*bounds]
        if options is not None:
            params["options"] = dict(options)
            # Of these two the one that was given last counts, and they may not be given together.
            other = {"cell": "minWidth", "minWidth": "cell"}
            dropped = {other[name] for name in options if name in other}
            kept = {name: value for name, value in self.options.items() if name not in dropped}
            self.options = {**kept, **options}
        try:
            self._request("layout.update", params, timeout)
        except BaseException:
            self.bounds, self.options = before
            raise

    def measure(self, sizes: Mapping[str, tuple[float, float]], timeout: float | None = 30.0) -> bool:
        """Says how wide and high items turned out, for lists and flows; by key. False if it is not
        open. The daemon keeps it for all layouts of the list, and for as long as the connection has
        one: after a ``reset`` it is to be said again."""
        listed = [[key, *size] for key, size in sizes.items()]
        return self._request("layout.measure", {"sizes": listed}, timeout)

    def push(self, key: str, dx: float, dy: float, timeout: float | None = 30.0) -> bool:
        """Pushes a cell of a force layout, for one tick: so far to the right and down. False if it is not
        open."""
        return self._request("layout.push", {"key": key, "force": [dx, dy]}, timeout)

    def _request(self, method: str, params: Params, timeout: float | None) -> bool:
        self._check()
        connection = self.list._connection
        if connection is None or self not in self.list._layouts:
            return False
        try:
            if self._is_waiting:
                self._open(connection)
                self._check()
            connection.request(method, {"sub": self._sub, **params}, timeout)
            return True
        except Disconnected as error:
            self.list._lose(str(error))
        except BadMessage as error:
            self.list._disagree(str(error))
        finally:
            self.list._rouse()
        return False

    def _check(self) -> None:
        if self._failure is not None:
            self._is_failure_news = False
            raise self._failure.with_traceback(None)

    # -- Opening

    @property
    def _is_waiting(self) -> bool:
        """Whether to open it when its list is open."""
        return self._sub is None and self._failure is None

    def _open(self, connection: Connection) -> None:
        self._is_stale = True
        params = {
            "items": self.list._sub, "kind": self.kind, "bounds": [*self.bounds],
            "options": self.options,
        }  # fmt: skip
        self._sub = connection._last_id + 1
        try:
            connection.request("layout.open", params, 30.0)
        except Refused as error:
            self._fail(error)
        except (Disconnected, BadMessage):
            raise
        except BaseException:
            # Whether it is open there cannot be told: another connection has none.
            self.list._hang_up()
            raise

    def _end(self) -> None:
        """Closes it in the daemon."""
        if self._sub is None or self.list._connection is None:
            return
        try:
            self.list._connection.notify("layout.close", {"sub": self._sub})
        except PickerdError:
            # The next reading says so.
            pass

    def _leave(self) -> None:
        """Continues without the daemon, until the list is opened anew."""
        self._sub = None
        self._failure = None
        self._is_failure_news = False
        self.finished = False

    def _lose(self, why: str) -> None:
        if self._sub is not None:
            self._leave()
            self._tell(LayoutChange(self, "lost", why))

    def _fail(self, error: PickerdError) -> None:
        self._leave()
        self._failure = error
        self._is_failure_news = True

    def _tell(self, change: LayoutChange) -> None:
        if len(self._changes) >= MOST_CHANGES:
            self._changes.clear()
            self._changes.append(LayoutChange(self, "reset", "many", dict(self.frames)))
        self._changes.append(change)

    # -- Messages

    def _receive(self, method: str, params: dict[str, Json]) -> None:
        try:
            if method == "layout.frames":
                self._take_frames(params)
            elif method == "layout.finished":
                ticks, movement = _int(params, "ticks"), _number(params.get("movement"), "movement")
                self.tick, self.movement, self.finished = ticks, movement, True
                reason = "ticks" if params.get("rest") is False else "rest"
                self._tell(LayoutChange(self, "finished", reason))
            elif method == "$/closed":
                self._fail(LayoutClosed(str(params.get("message", "")), "plugin"))
            elif method == "layout.closed":
                message, reason = str(params.get("message", "")), str(params.get("reason", ""))
                self._fail(LayoutClosed(message, reason))
        except BadMessage as error:
            # The list is none the worse for it.
            self._end()
            self._fail(error)

    def _take_frames(self, params: dict[str, Json]) -> None:
        rev, tick = _int(params, "rev"), _int(params, "tick")
        movement = _number(params.get("movement"), "movement")
        content = [_number(value, "content") for value in _list(params, "content")]
        if len(content) != 2:
            _bad(f"the content of a layout is {content!r:.60}")
        changed: dict[str, Frame] = {}
        for row in _list(params, "frames"):
            if not isinstance(row, list) or len(row) != 5 or not isinstance(row[0], str):
                _bad(f"'frames' has {row!r:.60} for a frame")
            changed[row[0]] = Frame(*(_number(value, "frames") for value in row[1:]))
        gone = _list(params, "gone")
        if not all(isinstance(key, str) for key in gone):
            _bad(f"'gone' has {gone!r:.60} for keys")
        is_reset = self._is_stale
        if is_reset:
            self.frames = {}
            self._is_stale = False
        for key in gone:
            self.frames.pop(key, None)
        self.frames.update(changed)
        if len(self.frames) > MOST_ITEMS:
            _bad(f"more than {MOST_ITEMS} frames")
        self.content = (content[0], content[1])
        # Cells at rest stay so if this revision moves none of them.
        self.finished = self.finished and not changed and not gone and tick == self.tick
        self.rev, self.tick, self.movement = rev, tick, movement
        last = self._changes[-1] if self._changes else None
        if is_reset:
            self._tell(LayoutChange(self, "reset", "open", changed))
        elif last is None or last.kind not in ("reset", "frames"):
            self._tell(LayoutChange(self, "frames", "", changed, set(gone) - changed.keys()))
        else:
            for key in gone:
                last.changed.pop(key, None)
            last.changed.update(changed)
            last.gone.update(gone)
            last.gone.difference_update(changed)


# ---- Events --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """An event from the daemon's bus."""

    seq: int
    #: Seconds since 1970.
    time: float
    topic: str
    data: Json = None
    #: Whether it was published before the subscription.
    replayed: bool = False
    #: The position after it, ``EPOCH:SEQ``, to resume with ``since``.
    position: str | None = None

    @staticmethod
    def read(params: dict[str, Json], epoch: str | None) -> Event:
        """Validates an event."""
        seq = _int(params, "seq")
        return Event(
            seq, _number(params.get("time"), "time"), _str(params, "topic"), params.get("data"),
            params.get("replayed") is True, None if epoch is None else f"{epoch}:{seq}",
        )  # fmt: skip


@dataclass(frozen=True)
class Lost:
    """Events that will not come. Numbers count events of all topics, so they are an upper bound."""

    #: The numbers that are missing right here; None if only ``gaps`` are.
    numbers: tuple[int, int] | None
    #: The number of later gaps among the kept events.
    gaps: int
    #: ``notKept``: the daemon has them no more; ``newEpoch``: its events were begun anew, and what is kept
    #: may come again; or the daemon's own word, as ``slow``.
    reason: str
    position: str | None

    @property
    def count(self) -> int:
        """The number of lost events."""
        return self.gaps + (self.numbers[1] - self.numbers[0] + 1 if self.numbers else 0)


@dataclass(frozen=True)
class Interrupted:
    """The connection was lost and will be restored. Missed events come then."""

    reason: str
    position: str | None


def _place(text: str) -> tuple[str, int]:
    epoch, _, digits = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,16}", digits) or int(digits) > GREATEST_SEQ:
        raise ValueError(f"'{text}' is no place: EPOCH:NUMBER is")
    if not 1 <= len(epoch.encode()) <= 128 or re.search(r"[\s\x00-\x1f\x7f]", epoch):
        raise ValueError(f"'{text}' is no place: EPOCH:NUMBER is")
    return epoch, int(digits)


class EventFeed:
    """Events of some topics, from a place on, over a connection of its own that is made again when it ends.

    It begins with what is new; with the last ``replay`` of those that are kept; with all of them
    (``kept``); or after a place (``since``). Each event comes once and in order. ``position`` is the place
    up to which everything has been read or told as lost: keep it, and give it to the next run.
    """

    def __init__(
        self,
        topics: Sequence[str],
        *,
        since: str | None = None,
        replay: int = 0,
        kept: bool = False,
        path: str | None = None,
    ) -> None:
        self.path = socket_path(path)
        self.topics = list(topics)
        self._epoch: str | None = None
        self._seq = 0
        if since is not None:
            self._epoch, self._seq = _place(since)
        self._replay = (1 << 31) - 1 if kept else max(0, replay)
        self._known_gaps = 0
        self._connection: Connection | None = None
        self._sub = 0
        self._messages: deque[Event | Lost | Interrupted] = deque()
        self._backoff = _Backoff()
        self._readiness: _Readiness | None = None

    @property
    def position(self) -> str | None:
        """The position up to which everything was received; None before the daemon names its epoch."""
        return None if self._epoch is None else f"{self._epoch}:{self._seq}"

    def fileno(self) -> int:
        """A descriptor that is readable when ``read`` has something to do: see the top of this file. It
        stays the same until ``close``."""
        if self._readiness is None:
            self._readiness = _Readiness()
            self._rouse()
        return self._readiness.fileno()

    def close(self) -> None:
        """Ends the subscription. Reading resumes after ``position``."""
        self._hang_up()
        if self._readiness is not None:
            self._readiness.close()
            self._readiness = None

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rouse(self) -> None:
        """Updates the descriptor; without one it costs nothing."""
        if self._readiness is None:
            return
        self._readiness.follow(self._connection)
        if self._messages or self._connection is not None and self._connection.is_behind:
            self._readiness.due(0.0)
        else:
            self._readiness.due(self._backoff.due if self._connection is None else None)

    def __enter__(self) -> EventFeed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event | Lost | Interrupted]:
        while True:
            if (message := self.read()) is not None:
                yield message

    def read(self, timeout: float | None = None) -> Event | Lost | Interrupted | None:
        """Waits for the next event, or what happened to it; None when nothing came in time. Raises
        ``Refused`` if the daemon does not take the subscription, ``BadMessage`` if it talks nonsense."""
        deadline = _deadline(timeout)
        try:
            while not self._messages:
                if (interruption := self._step(deadline)) is not None:
                    return interruption or None
            return self._messages.popleft()
        finally:
            self._rouse()

    def _step(self, deadline: float | None) -> Interrupted | Literal[False] | None:
        """Connects or handles a line; False if nothing came before the deadline."""
        try:
            if self._connection is None:
                if not self._backoff.wait(deadline):
                    return False
                self._subscribe()
            elif not self._connection.pump(deadline):
                return False
        except (NoDaemon, Disconnected) as error:
            was_open = self._connection is not None
            self._hang_up()
            if was_open:
                return Interrupted(str(error), self.position)
            self._backoff.failed()
        except BadMessage:
            self._hang_up()
            raise
        return None

    def _subscribe(self) -> None:
        connection = Connection(self.path)
        self._backoff.connected()
        connection.on_notification = self._receive
        params: dict[str, Json] = {"topics": self.topics}
        if self.position is not None:
            params["since"] = self.position
        elif self._replay:
            params["replay"] = self._replay
        try:
            # The reply comes before the first event.
            answer = _dict(connection.request("events.subscribe", params, 30.0), "result")
            self._sub = connection._last_id
            self._begin(answer)
        except PickerdError:
            connection.close()
            raise
        self._connection = connection

    def _begin(self, answer: dict[str, Json]) -> None:
        epoch, first = _str(answer, "epoch"), _int(answer, "from")
        lost, oldest = _int(answer, "lost"), _int(answer, "oldest")
        try:
            _place(f"{epoch}:{first}")
        except ValueError as error:
            _bad(str(error))
        if self._epoch is None:
            self._epoch, self._seq = epoch, max(0, first - 1)
            return
        is_same = epoch == self._epoch
        before = self._seq if is_same else 0
        leading = max(0, first - 1 - before)
        # A daemon that skips events that do not match starts after the missing ones.
        are_leading = 0 < leading <= lost
        numbers = (before + 1, before + leading) if are_leading else None
        gaps = lost - leading if are_leading else lost
        is_news = numbers is not None or gaps > self._known_gaps or not is_same
        place = f"{epoch}:{before + leading}"
        if is_news and (lost or not is_same):
            reason = "notKept" if is_same else "newEpoch"
            self._messages.append(Lost(numbers, gaps, reason, place))
        self._known_gaps = gaps if lost else 0
        self._epoch, self._seq = epoch, before + leading
        del oldest  # of use only to those who ask for no place

    def _receive(self, method: str, params: dict[str, Json]) -> None:
        if method == "event":
            event = Event.read(params, self._epoch)
            if event.seq > GREATEST_SEQ:
                _bad(f"an event has the number {event.seq}")
            # An event that was received before is not delivered again.
            if event.seq <= self._seq:
                return
            self._seq = event.seq
            if not event.replayed:
                self._known_gaps = 0
            self._messages.append(event)
        elif method == "$/lost":
            first, last = _int(params, "from"), _int(params, "to")
            if not first <= last <= GREATEST_SEQ:
                _bad(f"$/lost from {first} to {last}")
            self._seq = max(self._seq, last)
            reason = str(params.get("reason", ""))
            self._messages.append(Lost((first, last), 0, reason, self.position))
        elif method == "$/closed":
            raise _closed(params)


# ---- The command line ----------------------------------------------------------------------------


def _visible(text: str) -> str:
    """Makes untrusted text safe for a terminal and for one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _show(item: Item) -> str:
    if item.is_new:
        return "+ new document"
    size = "?" if item.size is None else item.size
    return f"{size:>12}  {_visible(item.path or item.name or item.key)}"


def _print_json(value: Json) -> None:
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)


def _watch(path: str, query: Query) -> None:
    for change in LiveList(query, path):
        live = change.list
        if change.kind == "lost":
            print(f"pickerd.py: {change.reason}; trying again", file=sys.stderr)
            continue
        print(f"-- revision {live.rev}: {len(live.items)} of {live.total}")
        for item in live.items:
            print(_show(item))
        sys.stdout.flush()


def _follow(path: str, arguments: argparse.Namespace) -> None:
    feed = EventFeed(
        arguments.topics or ["*"], since=arguments.since, replay=arguments.replay, path=path
    )
    left = arguments.count
    while left != 0:
        message = feed.read()
        if isinstance(message, Event):
            shown = {"seq": message.seq, "time": message.time, "topic": message.topic}
            if message.data is not None:
                shown["data"] = message.data
            _print_json(shown)
            left -= 1
        elif isinstance(message, Lost):
            print(f"pickerd.py: {message.count} events lost ({message.reason})", file=sys.stderr)
        elif message is not None:
            print(f"pickerd.py: {message.reason}; trying again", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pickerd.py", description="Talk to pickerd from Python; for trying the client out."
    )
    parser.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (("list", "print the documents once"), ("watch", "print them whenever they change")):
        command = commands.add_parser(name, help=words)
        command.add_argument("--search", "-s", metavar="TEXT")
        command.add_argument("--sort", metavar="KEYS", help="with commas between; '-' in front reverses")
        command.add_argument("--limit", "-n", metavar="COUNT", type=int)
        command.add_argument("--where", metavar="JSON", help="a filter, as on the wire")
    events = commands.add_parser("events", help="print events as they come, one JSON object a line")
    events.add_argument("topics", nargs="*", metavar="TOPIC")
    events.add_argument("--since", metavar="EPOCH:NUMBER")
    events.add_argument("--replay", metavar="COUNT", type=int, default=0)
    events.add_argument("--count", "-n", metavar="COUNT", type=int, default=-1)
    publish = commands.add_parser("publish", help="publish an event, and print its number")
    publish.add_argument("topic")
    publish.add_argument("data", nargs="?", metavar="JSON")
    new = commands.add_parser("new", help="make a document")
    new.add_argument("name")
    new.add_argument("--content", metavar="TEXT")
    request = commands.add_parser("request", help="send any request, and print the result")
    request.add_argument("method")
    request.add_argument("params", nargs="?", metavar="JSON", default="{}")
    return parser


def _query(arguments: argparse.Namespace) -> Query:
    return Query(
        sort=arguments.sort.split(",") if arguments.sort else None,
        search=arguments.search,
        count=arguments.limit,
        where=json.loads(arguments.where) if arguments.where else None,
    )


def _run(arguments: argparse.Namespace) -> None:
    path = socket_path(arguments.socket)
    client = Client(path, name="pickerd.py")
    match arguments.command:
        case "list":
            with LiveList(_query(arguments), path) as live:
                client.ping()  # nobody there is an error here, and waited for by lists
                live.wait_until_complete()
                for item in live.items:
                    print(_show(item))
        case "watch":
            client.ping()
            _watch(path, _query(arguments))
        case "events":
            client.ping()
            _follow(path, arguments)
        case "publish":
            print(client.publish(arguments.topic, json.loads(arguments.data or "null")))
        case "new":
            print(os.fsdecode(client.create(arguments.name, content=arguments.content).absolute_path or b""))
        case _:
            _print_json(client.request(arguments.method, json.loads(arguments.params)))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Status 0: done; 1: the daemon said no; 2: wrong arguments; 3: no daemon."""
    try:
        _run(_parser().parse_args(arguments))
    except NoDaemon as error:
        print(f"pickerd.py: {error}", file=sys.stderr)
        return 3
    except PickerdError as error:
        print(f"pickerd.py: {_visible(str(error))}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"pickerd.py: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of the output has exited; nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
