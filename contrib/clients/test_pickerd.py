#!/usr/bin/env python3
"""Tests of pickerd.py: against a daemon by script, and against a real one.

The real one is $PICKERD_BINARIES/pickerd. PICKERD_TEST_SEED runs a random test again.

usage: PICKERD_BINARIES=FOLDER ./test_pickerd.py
"""

from __future__ import annotations

import json
import os
import random
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pickerd
from pickerd import (
    BadMessage,
    Client,
    Connection,
    Disconnected,
    Event,
    EventFeed,
    Frame,
    Interrupted,
    Item,
    LayoutClosed,
    LiveLayout,
    LiveList,
    Lost,
    NoDaemon,
    PickerdError,
    Progress,
    Query,
    Refused,
    TimedOut,
)

PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))


def seeded(test: str) -> random.Random:
    """Random numbers that can be had again."""
    seed = int(os.environ.get("PICKERD_TEST_SEED") or random.SystemRandom().getrandbits(32))
    print(f"{test}: PICKERD_TEST_SEED={seed}", file=sys.stderr)
    return random.Random(seed)


def eventually(condition: Callable[[], bool]) -> bool:
    """Looks at a condition until it holds or time is up."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def reads_until(live: LiveList | LiveLayout, condition: Callable[[], bool]) -> bool:
    """Reads what comes until a condition holds or time is up."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        live.read(0.02)
    return True


def turns_until(readers: list[Any], condition: Callable[[], bool]) -> tuple[bool, int]:
    """A loop of its own: waits for descriptors, and reads until nothing comes. Says whether the condition came
    to hold, and how often the loop was woken for nothing."""
    idle = 0
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(reader, selectors.EVENT_READ)
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                return False, idle
            for key, _ in selector.select(timeout=0.05):
                reader: Any = key.fileobj
                count = 0
                while reader.read(timeout=0) is not None:
                    count += 1
                idle += count == 0
    return True, idle


def is_readable(reader: Any) -> bool:
    return bool(select.select([reader], [], [], 0)[0])


class FakeDaemon:
    """Hands each line of each client to a script, which answers with lines."""

    def __init__(self, script: Callable[[FakeDaemon, dict[str, Any]], None]) -> None:
        self.folder = tempfile.mkdtemp(suffix="-pickerd-py")
        self.path = os.path.join(self.folder, "sock")
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.clients: list[socket.socket] = []
        self.start()

    def start(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """Ends as a killed daemon does."""
        os.unlink(self.path)
        # Wakes the thread that waits for connections, which a close alone would not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Ends the connections."""
        clients, self.clients = self.clients, []
        for client in clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            client.close()

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client.makefile("rb") as lines:
                for line in lines:
                    request = json.loads(line)
                    self.current = client
                    self.requests.append(request)
                    self.script(self, request)
        except (OSError, ValueError):
            pass

    def send(self, *messages: Any) -> None:
        """Sends objects, or bytes as they are, to the client that asked last."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.current.sendall(line)

    def reply(self, request: dict[str, Any], result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: dict[str, Any], code: int, kind: str, **data: Any) -> None:
        error = {"code": code, "message": f"no: {kind}", "data": {"kind": kind, **data}}
        self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def methods(self) -> list[str]:
        return [request["method"] for request in self.requests]


class Relay:
    """Stands between clients and a daemon: connections can be cut while the daemon lives on."""

    def __init__(self, daemon: str, path: str) -> None:
        self.path = path
        self._daemon = daemon
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        #: The lines of the daemon, parsed.
        self.told: list[dict[str, Any]] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                daemon.connect(self._daemon)
            except OSError:
                client.close()
                continue
            self._pairs.append((client, daemon))
            threading.Thread(target=self._pass, args=(client, daemon, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(daemon, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_told: bool) -> None:
        try:
            with source.makefile("rb") as lines:
                for line in lines:
                    if is_told and line.endswith(b"\n"):
                        self.told.append(json.loads(line))
                    target.sendall(line)
        except OSError:
            pass
        self._end(source, target)

    @staticmethod
    def _end(*ends: socket.socket) -> None:
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self) -> None:
        """Ends the connections. Nothing more is passed on, and what was told is forgotten."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            self._end(*pair)
        self.told = []

    def close(self) -> None:
        self._end(self._listener)
        self._listener.close()
        self.cut()


def document(name: str, size: int = 1) -> dict[str, Any]:
    return {"kind": "document", "key": f"k-{name}", "name": name, "path": name, "size": size}


def reset(sub: int, items: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    params = {
        "sub": sub, "gen": 1, "rev": 0, "token": "e:0", "total": len(items), "start": 0, "chunk": 0,
        "last": True, "complete": True, "reason": "open", "items": items, **more,
    }  # fmt: skip
    return {"method": "items.reset", "params": params}


def delta(sub: int, since: int, to: int, total: int, **more: Any) -> dict[str, Any]:
    params = {
        "sub": sub, "gen": 1, "from": since, "to": to, "token": f"e:{to}", "total": total, "start": 0,
        "complete": True, "deleted": [], "moved": [], "inserted": [], "updated": [], **more,
    }  # fmt: skip
    return {"method": "items.delta", "params": params}


def frames(sub: int, rows: list[list[Any]], **more: Any) -> dict[str, Any]:
    params = {
        "sub": sub, "items": 1, "rev": 0, "tick": 0, "movement": 0, "content": [300, 200],
        "frames": rows, "gone": [], **more,
    }  # fmt: skip
    return {"method": "layout.frames", "params": params}


def finished(sub: int, **more: Any) -> dict[str, Any]:
    params = {"sub": sub, "rev": 0, "ticks": 9, "movement": 0.1, **more}
    return {"method": "layout.finished", "params": params}


class ScriptedTests(unittest.TestCase):
    """Against a daemon by script."""

    def daemon(self, script: Callable[[FakeDaemon, dict[str, Any]], None]) -> FakeDaemon:
        daemon = FakeDaemon(script)
        self.addCleanup(daemon.close)
        return daemon

    def test_socket_path_comes_from_the_argument_then_the_environment(self) -> None:
        both = {"PICKERD_SOCKET": "/p", "XDG_RUNTIME_DIR": "/run"}
        self.assertEqual(pickerd.socket_path("x", both), "x")
        self.assertEqual(pickerd.socket_path(None, both), "/p")
        self.assertEqual(
            pickerd.socket_path(None, {"XDG_RUNTIME_DIR": "/run"}), "/run/pickerd/pickerd.sock"
        )
        for environ in ({}, {"XDG_RUNTIME_DIR": "relative"}):
            with self.assertRaisesRegex(NoDaemon, "XDG_RUNTIME_DIR"):
                pickerd.socket_path(None, environ)

    def test_a_listener_of_another_user_is_sent_nothing(self) -> None:
        self.assertTrue(pickerd._may_talk(1000, 1000))
        self.assertTrue(pickerd._may_talk(0, 1000))
        self.assertTrue(pickerd._may_talk(1001, 0))
        self.assertFalse(pickerd._may_talk(1001, 1000))
        with tempfile.TemporaryDirectory(suffix="-pickerd-py") as folder:
            path = os.path.join(folder, "sock")
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
                server.bind(path)
                server.listen()
                with Connection(path) as connection:
                    self.assertEqual(connection._listener(), os.geteuid())
                    server.accept()[0].close()
                with (
                    unittest.mock.patch.object(Connection, "_listener", return_value=1001),
                    unittest.mock.patch.object(os, "geteuid", return_value=1000),
                    self.assertRaisesRegex(PickerdError, f"user 1001 listens at {path}") as caught,
                ):
                    Client(path).ping()
                self.assertNotIsInstance(caught.exception, NoDaemon)
                peer, _ = server.accept()
                with peer:
                    self.assertEqual(peer.recv(100), b"")

    def test_nobody_there_is_said_with_the_path(self) -> None:
        with self.assertRaisesRegex(NoDaemon, "/nowhere/sock"):
            Client("/nowhere/sock").ping()

    def test_a_refusal_keeps_its_kind_code_message_and_place(self) -> None:
        daemon = self.daemon(lambda d, r: d.refuse(r, 1007, "badExpression", at="where[1]"))
        with Client(daemon.path) as client, self.assertRaises(Refused) as caught:
            client.items()
        error = caught.exception
        self.assertEqual((error.kind, error.code, error.at), ("badExpression", 1007, "where[1]"))
        self.assertIn("(at where[1])", str(error))

    def test_progress_is_told_to_the_request_that_waits(self) -> None:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            counts = {"documents": 9, "folders": 2, "foldersWaiting": 1}
            for number in (request["id"] + 1, request["id"]):
                daemon.send({"method": "$/progress", "params": {"id": number, **counts}})
            daemon.reply(request, {"rev": 3, "items": []})
            daemon.send({"method": "$/progress", "params": {"id": request["id"], **counts}})

        daemon = self.daemon(script)
        told: list[Progress] = []
        with Client(daemon.path) as client:
            client.sync()
            client.on_progress = told.append
            self.assertEqual(client.sync(), 3)
            client.items()
            client.ping()
        self.assertEqual(told, [Progress(9, 2, 1)] * 2)
        asked = [request["params"].get("progress") for request in daemon.requests]
        self.assertEqual(asked, [None, True, True, None])

    def test_a_late_answer_is_a_timeout_and_cancels_the_request(self) -> None:
        held: list[dict[str, Any]] = []

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if request["method"] == "sync":
                held.append(request)
            elif "id" in request:
                daemon.reply(held.pop() if held else request, {"rev": 9})
                daemon.reply(request, {})

        daemon = self.daemon(script)
        with Client(daemon.path) as client:
            with self.assertRaises(TimedOut):
                client.request("sync", timeout=0.01)
            self.assertTrue(eventually(lambda: "$/cancel" in daemon.methods()))
            self.assertEqual(daemon.requests[-1]["params"], {"id": 1})
            # The answer that comes after all is nobody's.
            client.ping()

    def test_a_lost_connection_fails_the_request_and_the_next_connects_again(self) -> None:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if request["method"] == "daemon.stop":
                daemon.send({"method": "$/goodbye", "params": {"reason": "stopping"}})
                daemon.cut()
            elif request["method"] == "sync":
                daemon.cut()
            else:
                daemon.reply(request, {})

        daemon = self.daemon(script)
        client = Client(daemon.path)
        client.ping()
        with self.assertRaises(Disconnected):
            client.sync()
        client.ping()
        client.stop()
        # One that ended while nothing was on its way is no error at all.
        client.ping()
        daemon.cut()
        client.ping()

    def test_what_is_no_line_of_the_protocol_ends_the_connection(self) -> None:
        lines = [
            b"nonsense\n", b"[]\n", b"{}\n", b'{"id":1}\n', b"\xff\n", b"[" * 100000 + b"\n",
            b'{"id":1,"result":NaN}\n', b'{"id":1,"result":1,"error":{}}\n', b'{"method":7}\n',
            b'{"id":3,"method":"x"}\n', b'{"id":null,"error":{"code":1008}}\n',
            b'{"id":1,"error":7}\n', b'{"method":"x","params":[]}\n', b"x" * (pickerd.LINE_LIMIT + 2),
            b'{"id":1,"result":' + b"9" * 5000 + b"}\n",
        ]  # fmt: skip
        for line in lines:
            with self.subTest(line[:40]):
                daemon = FakeDaemon(lambda d, r, line=line: d.send(line))  # type: ignore[misc]
                with Client(daemon.path, timeout=PATIENCE) as client:
                    with self.assertRaises((BadMessage, Refused)):
                        client.ping()
                daemon.close()

    def test_a_request_longer_than_a_line_is_not_sent(self) -> None:
        daemon = self.daemon(lambda d, r: d.reply(r, {}))
        with Client(daemon.path) as client:
            with self.assertRaisesRegex(PickerdError, "longer"):
                client.create("n", content="x" * pickerd.LINE_LIMIT)
            client.ping()

    def test_a_batch_has_results_and_refusals_in_order(self) -> None:
        error = {"code": 1011, "message": "none", "data": {"kind": "noSuchItem"}}
        daemon = self.daemon(
            lambda d, r: d.reply(r, {"rev": 1, "results": [{"result": {}}, {"error": error}]})
        )
        with Client(daemon.path) as client:
            first, second = client.batch([("daemon.ping", {}), ("documents.get", {"key": "x"})])
        self.assertEqual(first, {})
        self.assertIsInstance(second, Refused)

    # -- Lists

    def list_of(self, *lines: Any, query: Query = Query()) -> tuple[FakeDaemon, LiveList]:
        """A list whose first opening is answered by these lines, and later ones by a sound reset."""
        answers = [lines]

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if "id" in request:
                daemon.reply(request, {"sub": request["id"]})
            if request["method"] == "items.open":
                gen = request["params"]["gen"]
                told = answers.pop() if answers else (reset(1, [document("sound")], gen=gen),)
                daemon.send(*told)

        daemon = self.daemon(script)
        live = LiveList(query, daemon.path)
        self.addCleanup(live.close)
        return daemon, live

    def test_chunks_are_taken_over_with_the_last(self) -> None:
        first = reset(1, [document("a")], last=False, total=3)
        last = reset(1, [document("b"), document("c")], chunk=1, total=3)
        _, live = self.list_of(first, last)
        change = live.read(PATIENCE)
        assert change is not None
        self.assertEqual((change.kind, change.reason), ("reset", "open"))
        self.assertEqual([item.name for item in live.items], ["a", "b", "c"])

    def test_a_delta_deletes_moves_inserts_and_patches(self) -> None:
        _, live = self.list_of(
            reset(1, [document(name) for name in "abcd"]),
            delta(1, 0, 3, 4, deleted=[1], moved=[[3, 0]], inserted=[[2, document("x")]],
                  updated=[[1, {"size": 9, "path": None}]]),
        )  # fmt: skip
        live.read(PATIENCE)
        change = live.read(PATIENCE)
        assert change is not None
        self.assertEqual([item.name for item in live.items], ["d", "a", "x", "c"])
        self.assertEqual((live.items[1].size, live.items[1].path), (9, None))
        self.assertEqual((change.kind, change.deleted, change.moved), ("delta", [1], [(3, 0)]))
        self.assertEqual((change.inserted, change.updated, live.rev), ([2], [1], 3))

    def test_the_found_parts_of_names_follow_the_changes(self) -> None:
        rows = [
            {**document("abc"), "m": [0, 1, 2, 3]}, {**document("é日x"), "m": [2, 5]},
            {**document("x"), "m": []}, document("y"),
        ]  # fmt: skip
        changes = [[0, {"m": [1, 3]}], [1, {"size": 9}], [2, {"m": None}], [3, {"m": [0, 1]}]]
        query = Query(search="x", match="fuzzy", highlights=True)
        daemon, live = self.list_of(reset(1, rows), delta(1, 0, 1, 4, updated=changes), query=query)
        live.read(PATIENCE)
        self.assertEqual([item.matches for item in live.items], [[(0, 1), (2, 3)], [(1, 2)], [], None])
        live.read(PATIENCE)
        self.assertEqual([item.matches for item in live.items], [[(1, 3)], [(1, 2)], None, [(0, 1)]])
        asked = daemon.requests[0]["params"]
        self.assertEqual((asked["match"], asked["highlights"]), ("fuzzy", True))
        # Without its name, nobody can say which letters they are.
        self.assertIsNone(Item.read({"kind": "document", "key": "k", "m": [3, 9]}).matches)

    def test_the_found_parts_of_folders_follow_the_changes(self) -> None:
        def row(name: str, path: str) -> dict[str, object]:
            return {**document(name), "path": path}

        rows = [{**row("x", "é日/a/x"), "m": [0, 1], "mf": [2, 5, 6, 7]}, {**row("y", "b/y"), "m": [0, 1]}]
        changes = [[0, {"path": "ab/x", "mf": [1, 3]}], [1, {"mf": [0, 2]}]]
        query = Query(search="x", match="fuzzy", highlights=True)
        _, live = self.list_of(reset(1, rows), delta(1, 0, 1, 2, updated=changes), query=query)
        live.read(PATIENCE)
        self.assertEqual([item.folder_matches for item in live.items], [[(1, 2), (3, 4)], None])
        live.read(PATIENCE)
        self.assertEqual([item.folder_matches for item in live.items], [[(1, 3)], [(0, 2)]])
        for path, ends in (("b/y", [0, 3]), ("y", [0, 1]), ("b/y", [1]), ("b/y", "x")):
            with self.assertRaises(BadMessage):
                Item.read({**row("y", path), "mf": ends})

    def test_a_document_has_details_of_the_kinds_that_the_protocol_says(self) -> None:
        whole = {
            **document("a.md"), "uri": "file:///a.md", "icon": "text-markdown",
            "genericIcon": "text-x-generic", "created": 1.5, "thumbnail": "/t/0.png",
        }  # fmt: skip
        item = Item.read(whole)
        self.assertEqual((item.uri, item.icon), ("file:///a.md", "text-markdown"))
        self.assertEqual(item.generic_icon, "text-x-generic")
        self.assertEqual((item.created, item.thumbnail), (1.5, "/t/0.png"))
        self.assertIsNone(Item.read(document("a.md")).uri)
        for name in ("uri", "icon", "genericIcon", "created", "thumbnail"):
            with self.assertRaises(BadMessage):
                Item.read({**whole, name: []})

    def test_a_query_says_how_it_matches_and_an_update_what_has_changed(self) -> None:
        plain = Query(search="a")
        words = Query(search="a", match="words", highlights=True)
        self.assertEqual(words.changes_from(plain), {"match": "words", "highlights": True})
        fuzzy = Query(search="a", match="fuzzy")
        self.assertEqual(fuzzy.changes_from(words), {"match": "fuzzy", "highlights": False})
        self.assertIsNone(plain.changes_from(words))
        self.assertNotIn("highlights", plain.params())
        # Marks are a field: with a list of fields, only another list has them.
        few, marked = Query(fields=("name",)), Query(fields=["name"], highlights=True)
        self.assertEqual(marked.params()["fields"], ["name", "m"])
        self.assertEqual(Query(fields=["path"], highlights=True).params()["fields"], ["path", "m", "mf"])
        self.assertEqual(Query(fields=["m"], highlights=True).params()["fields"], ["m"])
        self.assertIsNone(marked.changes_from(few))
        self.assertEqual(Query(fields=["name"]).changes_from(few), {})

    def test_a_window_that_follows_an_item_says_where_it_begins(self) -> None:
        query = Query(anchor="f1", offset=2, count=5)
        window = {"anchor": "key:f1", "offset": 2, "count": 5}
        self.assertEqual(query.params()["window"], window)
        self.assertEqual(query.changes_from(Query(count=5)), {"window": window})
        sound = reset(1, [document("a")], total=9, start=4)
        _, live = self.list_of(sound, delta(1, 0, 1, 10, start=5), query=query)
        live.read(PATIENCE)
        self.assertEqual(live.start, 4)
        live.read(PATIENCE)
        self.assertEqual((live.start, live.total, len(live.items)), (5, 10, 1))
        self.assertEqual(live.reopened, 0)

    def test_a_window_past_the_end_is_empty_and_right(self) -> None:
        _, live = self.list_of(reset(1, [], total=41, start=200), query=Query(start=200, count=10))
        self.assertTrue(live.wait_until_complete(PATIENCE))
        self.assertEqual((live.items, live.total, live.reopened), ([], 41, 0))

    def test_whatever_does_not_fit_opens_the_list_anew(self) -> None:
        sound = reset(1, [document("a"), document("b")])
        wrong: list[tuple[Any, ...]] = [
            (sound, delta(1, 0, 1, 1, deleted=[2])), (sound, delta(1, 0, 1, 0, deleted=[1, 1])),
            (sound, delta(1, 0, 1, 2, gen=2)), (sound, delta(1, 0, 1, 1)), (sound, delta(1, 0, -1, 2)),
            (sound, delta(1, 5, 6, 2)), (delta(1, 0, 1, 1, inserted=[[0, document("a")]]),),
            (reset(1, [document("a")], chunk=1),), (sound, delta(1, 0, 1, 2, updated=[[0, {"size": "x"}]])),
            (sound, delta(1, 0, 1, 2, updated=[[2, {"size": 1}]])),
            (sound, delta(1, 0, 1, 2, updated=[[0, {"key": "x"}]])),
            (sound, delta(1, 0, 1, 3, inserted=[[7, document("x")]])),
            (sound, delta(1, 0, 1, 4, inserted=[[1, document("x")], [1, document("y")]])),
            (sound, delta(1, 0, 1, 2, moved=[[0, True]])), (sound, delta(1, 0, 1, 2, deleted="x")),
            (reset(1, [{"kind": "odd", "key": "x"}]),), (reset(1, [document("a")], total=0),),
            (b"nonsense\n",), (reset(1, [{**document("a"), "m": [1, 0]}]),),
            *((sound, delta(1, 0, 1, 2, updated=[[0, {"m": ends}]]))
              for ends in ("x", [1], [1, 0], [0, 2], [-1, 1], [0, True], [0, 1.0], [0, 1, 0, 1])),
        ]  # fmt: skip
        for lines in wrong:
            with self.subTest(str(lines[-1])[:120]):
                daemon, live = self.list_of(*lines)
                deadline = time.monotonic() + PATIENCE
                while [item.name for item in live.items] != ["sound"]:
                    self.assertLess(time.monotonic(), deadline)
                    live.read(0.1)
                self.assertEqual(live.reopened, 1)
                self.assertEqual(daemon.methods().count("items.open"), 2)
                daemon.script = lambda d, r: None

    def test_more_items_than_were_asked_for_are_not_taken(self) -> None:
        _, live = self.list_of(reset(1, [document("a"), document("b")]), query=Query(count=1))
        live.read(PATIENCE)
        self.assertEqual((live.reopened, [item.name for item in live.items]), (1, ["sound"]))

    def test_a_daemon_that_is_always_wrong_is_given_up(self) -> None:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if "id" in request:
                daemon.reply(request, {})
                daemon.send(delta(1, 0, 1, 1))

        daemon = self.daemon(script)
        with self.assertRaisesRegex(BadMessage, "given up after 9 tries"):
            LiveList(path=daemon.path).read(PATIENCE)

    def test_a_refused_query_raises(self) -> None:
        daemon = self.daemon(lambda d, r: d.refuse(r, -32602, "invalidParams", at="sort[0]"))
        with self.assertRaises(Refused) as caught:
            LiveList(Query(sort=["sise"]), daemon.path).read(PATIENCE)
        self.assertEqual(caught.exception.at, "sort[0]")
        self.assertEqual(len(daemon.requests), 1)

    def test_a_query_that_is_no_json_raises_each_time(self) -> None:
        daemon = self.daemon(lambda d, r: None)
        live = LiveList(Query(where=["size", "gt", float("nan")]), daemon.path)
        for _ in range(2):
            with self.assertRaises(ValueError):
                live.read(0.1)

    def test_a_lost_connection_is_told_and_the_list_comes_back(self) -> None:
        daemon, live = self.list_of(reset(1, [document("a")]))
        live.read(PATIENCE)
        daemon.stop()
        lost = live.read(PATIENCE)
        assert lost is not None
        self.assertEqual((lost.kind, live.complete, len(live.items)), ("lost", False, 1))
        self.assertIsNone(live.read(0.05))
        daemon.start()
        change = live.read(PATIENCE)
        assert change is not None
        self.assertEqual(([item.name for item in live.items], live.complete), (["sound"], True))

    def test_a_list_goes_on_from_its_rows_after_a_lost_connection(self) -> None:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            params, sub = request["params"], request["id"]
            if "since" in params:
                daemon.reply(request, {"sub": sub, "token": "e:4", "resumed": True})
                later = {"name": "bb", "path": None, "size": 2}
                change = {"deleted": [0], "inserted": [[1, document("c")]], "updated": [[0, later]]}
                daemon.send(delta(sub, 3, 4, 2, gen=params["gen"], **change))
            else:
                daemon.reply(request, {"sub": sub, "token": "e:3", "resumed": False})
                daemon.send(reset(sub, [document("a"), document("b")], rev=3, token="e:3"))

        daemon = self.daemon(script)
        live = LiveList(path=daemon.path)
        self.addCleanup(live.close)
        self.assertTrue(live.wait_until_complete(PATIENCE))
        daemon.cut()
        lost = live.read(PATIENCE)
        assert lost is not None
        self.assertEqual((lost.kind, live.complete), ("lost", False))
        change = live.read(PATIENCE)
        assert change is not None
        self.assertEqual((change.kind, change.deleted, change.inserted), ("delta", [0], [1]))
        self.assertEqual(
            [item.raw for item in live.items],
            [{"kind": "document", "key": "k-b", "name": "bb", "size": 2}, document("c")],
        )
        self.assertEqual((live.rev, live.token, live.complete, live.reopened), (4, "e:4", True, 0))
        opened = daemon.requests[-1]["params"]
        self.assertEqual((opened["since"], opened["have"]), ("e:3", ["k-a", "k-b"]))
        self.assertNotIn("since", daemon.requests[0]["params"])

    def opened_again(
        self, *lines: Any, query: Query = Query(), then: Query | None = None
    ) -> dict[str, Any]:
        """What a list asks for that was cut off after these lines, each of which is a change."""
        daemon, live = self.list_of(*lines, query=query)
        told = daemon.script

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            told(daemon, request)
            if len(daemon.requests) == 1:
                daemon.cut()

        daemon.script = script
        while (change := live.read(PATIENCE)) is not None and change.kind != "lost":
            pass
        if then is not None:
            live.update(then)
        self.assertTrue(live.wait_until_complete(PATIENCE))
        self.assertEqual([item.name for item in live.items], ["sound"])
        return dict(daemon.requests[1]["params"])

    def test_only_rows_that_are_trusted_and_whole_are_gone_on_from(self) -> None:
        def rows(count: int, key: str = "k") -> tuple[Any, ...]:
            items = [{**document("a"), "key": f"{key}{n}"} for n in range(count)]
            half = len(items) // 2
            return (
                reset(1, items[:half], last=False, total=count),
                reset(1, items[half:], chunk=1, total=count),
            )

        sound = reset(1, [document("a"), document("b")])
        self.assertEqual(self.opened_again(sound)["have"], ["k-a", "k-b"])
        self.assertEqual(self.opened_again(sound, delta(1, 0, 7, 1, deleted=[0]))["have"], ["k-b"])
        self.assertEqual(self.opened_again(sound, delta(1, 0, 7, 1, deleted=[0]))["since"], "e:7")
        other = self.opened_again(sound, then=Query(search="x", sort="name", count=1))
        self.assertEqual((other["since"], other["search"]), ("e:0", "x"))
        same = self.opened_again(sound, query=Query(fields=["name"]), then=Query(fields=("name",)))
        self.assertEqual(same["since"], "e:0")
        marked = Query(search="a", highlights=True)
        self.assertEqual(self.opened_again(sound, query=marked, then=marked)["since"], "e:0")
        self.assertEqual(self.opened_again(reset(1, []))["have"], [])
        self.assertEqual(len(self.opened_again(*rows(10_000))["have"]), 10_000)
        others: list[dict[str, Any]] = [
            self.opened_again(),
            self.opened_again(reset(1, [document("a")], last=False, total=2)),
            self.opened_again(sound, reset(1, [document("c")], last=False, total=2)),
            self.opened_again(reset(1, [document("a")], complete=False)),
            self.opened_again(sound, delta(1, 0, 1, 2, complete=False)),
            self.opened_again(reset(1, [document("a")], rev=1)),
            self.opened_again(sound, then=Query(fields=["name"])),
            self.opened_again(sound, query=Query(fields=["name"]), then=Query()),
            self.opened_again(sound, query=marked, then=Query(search="a")),
            self.opened_again(sound, query=marked, then=Query(search="b", highlights=True)),
            self.opened_again(sound, query=marked, then=Query(search="a", match="words", highlights=True)),
            self.opened_again(sound, query=Query(search="a"), then=marked),
            self.opened_again(*rows(10_001)),
            self.opened_again(*rows(2000, "k" * 300)),
        ]
        for number, params in enumerate(others):
            with self.subTest(number):
                self.assertEqual((params.get("since"), params.get("have")), (None, None))

    def test_rows_that_turned_out_wrong_are_not_gone_on_from(self) -> None:
        wrong = delta(1, 0, 1, 1, deleted=[7])
        daemon, live = self.list_of(reset(1, [document("a")]), wrong)
        live.read(PATIENCE)
        live.read(PATIENCE)
        self.assertEqual((live.reopened, [item.name for item in live.items]), (1, ["sound"]))
        self.assertNotIn("since", daemon.requests[1]["params"])

    def test_an_answer_that_goes_on_from_elsewhere_opens_the_list_anew(self) -> None:
        answers: list[tuple[bool, dict[str, Any]]] = [
            (True, {"since": 2, "to": 4}), (True, {"since": 3, "to": 4, "deleted": [1]}),
            (True, {"since": 3, "to": 4, "gen": 1}), (False, {"since": 3, "to": 4}),
        ]  # fmt: skip
        for resumed, change in answers:
            with self.subTest(change, resumed=resumed):

                def script(
                    daemon: FakeDaemon,
                    request: dict[str, Any],
                    resumed: bool = resumed,
                    change: dict[str, Any] = change,
                ) -> None:
                    params, sub = request["params"], request["id"]
                    daemon.reply(request, {"resumed": resumed and "since" in params})
                    if "since" in params:
                        daemon.send(delta(sub, total=1, **{"gen": params["gen"], **change}))
                    else:
                        row = document(f"a{len(daemon.requests)}")
                        daemon.send(reset(sub, [row], rev=3, token="e:3", gen=params["gen"]))

                daemon = self.daemon(script)
                live = LiveList(path=daemon.path)
                self.addCleanup(live.close)
                self.assertTrue(live.wait_until_complete(PATIENCE))
                daemon.cut()
                kinds = [told.kind for _ in range(2) if (told := live.read(PATIENCE))]
                self.assertEqual((kinds, live.reopened), (["lost", "reset"], 1))
                self.assertEqual([item.name for item in live.items], ["a3"])
                self.assertEqual(["since" in r["params"] for r in daemon.requests], [False, True, False])

    def test_a_daemon_that_cannot_go_on_from_rows_is_asked_for_all(self) -> None:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if "since" in request["params"]:
                daemon.refuse(request, 1004, "unsupported", at="since")
            else:
                daemon.reply(request, {})
                rows = [document(f"a{len(daemon.requests)}")]
                daemon.send(reset(request["id"], rows, gen=request["params"]["gen"]))

        daemon = self.daemon(script)
        live = LiveList(path=daemon.path)
        self.addCleanup(live.close)
        self.assertTrue(live.wait_until_complete(PATIENCE))
        daemon.cut()
        kinds = [change.kind for _ in range(2) if (change := live.read(PATIENCE))]
        self.assertEqual((kinds, live.reopened), (["lost", "reset"], 0))
        self.assertEqual([item.name for item in live.items], ["a3"])
        # Of that daemon, but for the answer the same, the query itself may be refused.
        daemon.script = lambda d, r: d.refuse(r, -32602, "invalidParams", at="sort[0]")
        daemon.cut()
        with self.assertRaises(Refused):
            while live.read(PATIENCE):
                pass

    def test_lists_that_are_cut_off_at_random_equal_the_daemons(self) -> None:
        rng = seeded("cuts")
        histories: dict[int, list[dict[str, Any]]] = {0: []}
        resumed: list[int] = []
        wrong: list[dict[str, Any]] = []
        lock = threading.Lock()
        opened: dict[socket.socket, tuple[int, int, int]] = {}

        def difference(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, Any]:
            """The parameters of a delta; a row that changed has all its fields in it."""
            before = {row["key"]: row for row in old}
            after = {row["key"]: row for row in new}
            places = {row["key"]: at for at, row in enumerate(new)}
            # Each that is behind all those before it stays where it is.
            kept: set[str] = set()
            next_place = 0
            for row in old:
                if (place := places.get(row["key"], -1)) >= next_place:
                    kept.add(row["key"])
                    next_place = place + 1
            gone = {name: None for row in old for name in row}
            return {
                "deleted": [at for at, row in enumerate(old) if row["key"] not in after],
                "moved": [
                    [at, places[row["key"]]]
                    for at, row in enumerate(old)
                    if row["key"] in after and row["key"] not in kept
                ],
                "inserted": [[at, row] for at, row in enumerate(new) if row["key"] not in before],
                "updated": [
                    [at, {n: v for n, v in {**gone, **row}.items() if n not in ("key", "kind")}]
                    for at, row in enumerate(new)
                    if row["key"] in before and before[row["key"]] != row
                ],
            }

        def change() -> None:
            with lock:
                rev = max(histories)
                rows = [dict(row) for row in histories[rev]]
                for _ in range(rng.randint(1, 3)):
                    if rows and rng.random() < 0.4:
                        rows.pop(rng.randrange(len(rows)))
                    if rows and rng.random() < 0.5:
                        row = rows[rng.randrange(len(rows))]
                        row["size"] = rng.randrange(9)
                        row.pop("path", None)
                    if rng.random() < 0.2:
                        rng.shuffle(rows)
                    if rng.random() < 0.6:
                        rows.insert(rng.randint(0, len(rows)), document(f"n{rng.getrandbits(40)}"))
                histories[rev + 1] = rows
                for client, (sub, gen, had) in list(opened.items()):
                    more = difference(histories[had], rows)
                    line = delta(sub, had, rev + 1, len(rows), gen=gen, **more)
                    client.sendall(json.dumps(line).encode() + b"\n")
                    opened[client] = (sub, gen, rev + 1)

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            params, sub = request["params"], request["id"]
            with lock:
                rev, since = max(histories), params.get("since")
                opened.clear()
                opened[daemon.current] = (sub, params["gen"], rev)
                rows = histories[rev]
                daemon.reply(request, {"resumed": since is not None})
                if since is None:
                    daemon.send(reset(sub, rows, rev=rev, token=f"e:{rev}", gen=params["gen"]))
                    return
                had = int(since.rpartition(":")[2])
                if params["have"] != [row["key"] for row in histories[had]]:
                    wrong.append(params)
                resumed.append(had)
                more = difference(histories[had], rows)
                daemon.send(delta(sub, had, rev, len(rows), gen=params["gen"], **more))

        daemon = self.daemon(script)
        live = LiveList(path=daemon.path)
        self.addCleanup(live.close)
        live._backoff._pause = 0.001
        self.assertTrue(live.wait_until_complete(PATIENCE))
        for turn in range(150):
            for _ in range(rng.randint(0, 3)):
                change()
                live.read(rng.choice([0, 0.002]))
            if rng.random() < 0.4:
                with lock:
                    opened.clear()
                    daemon.cut()
            expected = histories[max(histories)]
            deadline = time.monotonic() + PATIENCE
            while [item.raw for item in live.items] != expected and time.monotonic() < deadline:
                live.read(0.05)
            self.assertEqual([item.raw for item in live.items], expected, f"turn {turn}")
        self.assertEqual((live.reopened, wrong), (0, []))
        self.assertGreater(len(resumed), 20)

    def test_rows_are_arranged_as_the_rules_say(self) -> None:
        rng = seeded("arranged")
        for _ in range(2000):
            items = [Item(document(str(n))) for n in range(rng.randrange(9))]
            leaving = rng.sample(range(len(items)), rng.randint(0, len(items)))
            cut = rng.randint(0, len(leaving))
            deleted, movers = sorted(leaving[:cut]), leaving[cut:]
            newcomers = [Item(document(f"new{n}")) for n in range(rng.randrange(4))]
            count = len(items) - len(deleted) + len(newcomers)
            places = rng.sample(range(count), len(movers) + len(newcomers))
            moved = list(zip(movers, places))
            inserted = list(zip(places[len(movers) :], newcomers))
            # Word for word: out from the highest down, in from the lowest up.
            plain = list(items)
            for at in sorted(deleted + movers, reverse=True):
                del plain[at]
            arrivals = inserted + [(to, items[at]) for at, to in moved]
            for at, item in sorted(arrivals, key=lambda arrival: arrival[0]):
                plain.insert(at, item)
            self.assertEqual(pickerd._arranged(items, deleted, moved, inserted), plain)

    def test_random_messages_are_survived(self) -> None:
        rng = seeded("random messages")
        values: list[Any] = [0, 1, 2, 5, -1, 1 << 80, 1.5, "x", None, True, [], {}, [[0, 0]], [0, 1]]
        for _ in range(60):
            lines: list[Any] = [reset(1, [document("a"), document("b")])]
            for rev in range(6):
                message = delta(1, rev, rev + 1, 2) if rng.random() < 0.7 else reset(1, [document("c")])
                for _ in range(rng.randrange(3)):
                    message["params"][rng.choice(list(message["params"]))] = rng.choice(values)
                lines.append(message)
            daemon, live = self.list_of(*lines)
            deadline = time.monotonic() + PATIENCE
            try:
                while live.read(0.02) is not None:
                    self.assertLess(time.monotonic(), deadline)
            except BadMessage:
                pass
            daemon.script = lambda d, r: None
            live.close()

    # -- Layouts

    def layout_of(self, options: dict[str, Any] | None = None) -> tuple[FakeDaemon, LiveLayout]:
        """A layout, open under the id 2, of a list under the id 1 of a daemon that refuses nothing."""

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            if "since" in request["params"]:
                return daemon.refuse(request, 1004, "unsupported", at="since")
            if "id" in request:
                daemon.reply(request, {"sub": request["id"]})
            if request["method"] == "items.open":
                rows = [document("a"), document("b")]
                daemon.send(reset(request["id"], rows, gen=request["params"]["gen"]))

        daemon = self.daemon(script)
        layout = LiveLayout(LiveList(path=daemon.path), "grid", (300, 200.5), options)
        self.addCleanup(layout.list.close)
        self.assertIsNone(layout.read(0))
        self.assertTrue(layout.list.wait_until_complete(PATIENCE))
        layout.list.read(0)
        return daemon, layout

    def test_the_descriptor_tells_of_what_was_read_with_something_else(self) -> None:
        daemon, layout = self.layout_of()
        number, listed = layout.fileno(), layout.list.fileno()
        self.assertNotEqual(number, listed)
        # What a request finds on the way is not in the socket any more.
        daemon.send(frames(2, [["a", 0, 0, 1, 1]]), delta(1, 0, 1, 1, deleted=[0]))
        layout.update(bounds=(5, 5))
        self.assertTrue(is_readable(layout))
        self.assertTrue(is_readable(layout.list))
        # What nobody reads of the list wakes nobody who reads the layout.
        while layout.read(0) is not None:
            pass
        self.assertFalse(is_readable(layout))
        self.assertTrue(is_readable(layout.list))
        while layout.list.read(0) is not None:
            pass
        self.assertFalse(is_readable(layout.list))
        # Two lines in one piece: the first read takes both from the socket.
        lines = [json.dumps(delta(1, at, at + 1, 1, updated=[[0, {"size": at}]])) for at in (1, 2)]
        daemon.send("".join(f"{line}\n" for line in lines).encode())
        self.assertIsNotNone(layout.list.read(PATIENCE))
        self.assertTrue(is_readable(layout.list))
        self.assertIsNotNone(layout.list.read(PATIENCE))
        # A failure that is found by reading the list is told to who reads the layout, once.
        daemon.send(frames(2, [["a"]]))
        self.assertTrue(eventually(lambda: layout.list.read(0) is None and layout._failure is not None))
        self.assertTrue(is_readable(layout))
        with self.assertRaises(BadMessage):
            layout.read(0)
        self.assertFalse(is_readable(layout))
        self.assertEqual((layout.fileno(), layout.list.fileno()), (number, listed))

    def test_a_layout_is_opened_behind_its_list(self) -> None:
        daemon, layout = self.layout_of({"cell": [20, 30]})
        self.assertEqual(daemon.methods(), ["items.open", "layout.open"])
        asked = {"items": 1, "kind": "grid", "bounds": [300, 200.5], "options": {"cell": [20, 30]}}
        self.assertEqual(daemon.requests[1]["params"], asked)
        # One of a list that is open is opened by whichever is read first.
        second = LiveLayout(layout.list, "force", (1, 1))
        self.assertIsNone(layout.list.read(0))
        asked = {"items": 1, "kind": "force", "bounds": [1, 1], "options": {}}
        self.assertEqual(daemon.requests[2]["params"], asked)
        daemon.send(frames(3, [["a", 1, 2, 3, 4]]))
        self.assertIsNotNone(second.read(PATIENCE))
        self.assertEqual((layout.frames, second.frames), ({}, {"a": Frame(1, 2, 3, 4)}))
        # A closed one is out of the way of its list, and can be read again.
        second.close()
        self.assertTrue(eventually(lambda: daemon.methods()[-1] == "layout.close"))
        self.assertEqual(daemon.requests[-1]["params"], {"sub": 3})
        self.assertFalse(second.push("a", 1, 1))
        daemon.send(frames(3, [["b", 1, 2, 3, 4]]), frames(2, []))
        self.assertIsNotNone(layout.read(PATIENCE))
        self.assertEqual((list(second.frames), daemon.methods().count("layout.open")), (["a"], 2))
        self.assertIsNone(second.read(0))
        self.assertEqual(daemon.requests[-1]["method"], "layout.open")

    def test_a_layout_whose_opening_fails_here_leaves_nothing_half_open(self) -> None:
        daemon, layout = self.layout_of()
        for bounds, options in (((1.0, float("inf")), {}), ((1.0, 1.0), {"cell": [float("nan"), 1]})):
            with self.assertRaises(ValueError):
                LiveLayout(layout.list, "grid", bounds, options)
        with self.assertRaises(ValueError):
            layout.update((1, float("nan")))
        self.assertEqual(layout.bounds, (300, 200.5))
        with self.assertRaises(ValueError):
            layout.list.update(Query(where=["size", "gt", float("nan")]))
        self.assertEqual(layout.list.query, Query())
        daemon.send(frames(2, [["a", 0, 0, 1, 1]]))
        self.assertIsNotNone(layout.read(PATIENCE))
        # Nobody knows whether it is open there.
        LiveLayout(layout.list, "flow", (1, 1))
        with unittest.mock.patch.object(Connection, "request", side_effect=TimedOut("late")):
            with self.assertRaises(TimedOut):
                layout.read(PATIENCE)
        self.assertIsNone(layout.list._connection)
        self.assertTrue(reads_until(layout, lambda: daemon.methods().count("layout.open") == 3))

    def test_the_newest_frame_of_each_key_counts_and_what_is_gone_has_none(self) -> None:
        daemon, layout = self.layout_of()
        daemon.send(frames(2, [["a", 0, 0, 10, 10], ["b", 20, 0, 10, 10]]))
        change = layout.read(PATIENCE)
        assert change is not None
        self.assertEqual((change.kind, sorted(change.changed)), ("reset", ["a", "b"]))
        more = {"rev": 4, "tick": 3, "movement": 1.5, "content": [300, 250.5]}
        daemon.send(frames(2, [["b", 5, 6, 7, 8.5], ["c", 1, 1, 1, 1]], gone=["a"], **more))
        change = layout.read(PATIENCE)
        assert change is not None
        changed = {"b": Frame(5, 6, 7, 8.5), "c": Frame(1, 1, 1, 1)}
        self.assertEqual((change.kind, change.changed, change.gone), ("frames", changed, {"a"}))
        self.assertEqual(layout.frames, changed)
        self.assertEqual((layout.rev, layout.tick, layout.movement), (4, 3, 1.5))
        self.assertEqual((layout.content, layout.finished), ((300, 250.5), False))

    def test_the_rest_of_a_layout_is_told(self) -> None:
        daemon, layout = self.layout_of()
        self.assertFalse(layout.wait_until_finished(0.01))
        for more, reason in (({}, "rest"), ({"rest": False}, "ticks")):
            daemon.send(frames(2, []), finished(2, **more))
            frames_change, change = layout.read(PATIENCE), layout.read(PATIENCE)
            assert frames_change is not None and change is not None
            self.assertEqual((change.kind, change.reason), ("finished", reason))
            self.assertEqual((layout.finished, layout.tick, layout.movement), (True, 9, 0.1))
        self.assertTrue(layout.wait_until_finished(PATIENCE))
        # Of a revision that moves none; and of one that moves some, or sets them going.
        daemon.send(frames(2, [], rev=5, tick=9))
        layout.read(PATIENCE)
        self.assertEqual((layout.rev, layout.finished), (5, True))
        daemon.send(frames(2, []))
        layout.read(PATIENCE)
        self.assertFalse(layout.finished)

    def test_reading_either_keeps_both_and_unread_frames_are_told_as_one(self) -> None:
        daemon, layout = self.layout_of()
        live = layout.list
        daemon.send(
            frames(2, [["a", 0, 0, 1, 1], ["b", 1, 0, 1, 1], ["c", 2, 0, 1, 1]]),
            frames(2, [["a", 9, 0, 1, 1]], gone=["b", "c"]), frames(2, [["c", 3, 0, 1, 1]]),
            delta(1, 0, 1, 1, deleted=[0]), frames(2, [], gone=["a"]), finished(2),
            frames(2, [["d", 1, 1, 1, 1]]), frames(2, [["e", 1, 1, 1, 1]], gone=["d"]),
            delta(1, 1, 2, 0, deleted=[0]),
        )  # fmt: skip
        self.assertIsNotNone(live.read(PATIENCE))
        self.assertIsNotNone(live.read(PATIENCE))
        self.assertEqual((live.rev, layout.frames.keys()), (2, {"c", "e"}))
        told = [layout.read(0) for _ in range(3)]
        first, second, third = (change for change in told if change is not None)
        self.assertEqual((first.kind, first.changed), ("reset", {"c": Frame(3, 0, 1, 1)}))
        self.assertEqual((first.gone, second.kind), ({"a", "b"}, "finished"))
        self.assertEqual((third.kind, third.changed.keys(), third.gone), ("frames", {"e"}, {"d"}))
        self.assertIsNone(layout.read(0))
        # Nor do changes grow without a limit that cannot be told as one.
        for rev in range(2, 2 + 2 * pickerd.MOST_CHANGES // 64):
            daemon.send(*[finished(2)] * 64, delta(1, rev, rev + 1, 0))
            self.assertIsNotNone(live.read(PATIENCE))
        told = [layout.read(0) for _ in range(pickerd.MOST_CHANGES + 1)]
        kinds = [change.kind for change in told if change is not None]
        self.assertLessEqual(len(kinds), pickerd.MOST_CHANGES)
        self.assertEqual((kinds[0], kinds[-1]), ("reset", "finished"))
        assert told[0] is not None
        self.assertEqual((told[0].reason, told[0].changed.keys()), ("many", {"c", "e"}))

    def test_what_is_asked_of_a_layout_is_sent_and_remembered(self) -> None:
        daemon, layout = self.layout_of({"cell": [20, 30], "seed": 1})
        told = daemon.script
        layout.update((10, 20), {"minWidth": 5})
        self.assertTrue(layout.measure({"a": (3, 4.5)}))
        self.assertTrue(layout.push("a", -1, 2))
        self.assertEqual(
            [(request["method"], request["params"]) for request in daemon.requests[2:]],
            [
                ("layout.update", {"sub": 2, "bounds": [10, 20], "options": {"minWidth": 5}}),
                ("layout.measure", {"sub": 2, "sizes": [["a", 3, 4.5]]}),
                ("layout.push", {"sub": 2, "key": "a", "force": [-1, 2]}),
            ],
        )
        daemon.script = lambda d, r: d.refuse(r, -32602, "invalidParams", at="bounds[0]")
        with self.assertRaises(Refused) as caught:
            layout.update((0, 20), {"seed": 2})
        self.assertEqual(caught.exception.at, "bounds[0]")
        daemon.script = told
        with unittest.mock.patch.object(Connection, "request", side_effect=BadMessage("no line")):
            self.assertFalse(layout.push("a", 1, 1))
        self.assertEqual(layout.list.reopened, 1)
        self.assertTrue(reads_until(layout, lambda: daemon.methods().count("layout.open") == 2))
        daemon.stop()
        change = layout.read(PATIENCE)
        assert change is not None
        self.assertEqual(change.kind, "lost")
        self.assertFalse(layout.push("a", 1, 1))
        self.assertFalse(layout.measure({"a": (1, 1)}))
        layout.update(options={"start": "center"})
        daemon.start()
        self.assertTrue(reads_until(layout, lambda: daemon.methods().count("layout.open") == 3))
        asked = {"items": 2, "kind": "grid", "bounds": [10, 20]}
        options = {"minWidth": 5, "seed": 1, "start": "center"}
        self.assertEqual(daemon.requests[-1]["params"], {**asked, "options": options})
        # Whether it was read yet or not.
        third = LiveLayout(layout.list, "force", (1, 1))
        self.assertTrue(third.push("a", 1, 1))
        self.assertEqual(daemon.methods()[-2:], ["layout.open", "layout.push"])
        # What ends on the way of a request is told by the next reading.
        daemon.script = lambda d, r: d.cut()
        self.assertFalse(third.push("a", 1, 1))
        change = third.read(0)
        assert change is not None
        self.assertEqual(change.kind, "lost")

    def test_a_layout_follows_its_list_over_connections(self) -> None:
        daemon, layout = self.layout_of()
        daemon.send(frames(2, [["a", 0, 0, 1, 1]]), finished(2))
        self.assertTrue(layout.wait_until_finished(PATIENCE))
        daemon.cut()
        change, lost = layout.read(PATIENCE), layout.list.read(PATIENCE)
        assert change is not None and lost is not None
        self.assertEqual((change.kind, lost.kind), ("lost", "lost"))
        self.assertEqual((list(layout.frames), layout.finished), (["a"], False))
        self.assertTrue(reads_until(layout, lambda: daemon.methods().count("layout.open") == 2))
        self.assertEqual(list(layout.frames), ["a"])
        # Whose list was refused at first, with its place, and has the second id.
        self.assertEqual(daemon.requests[-1]["params"]["items"], 2)
        daemon.send(frames(3, [["b", 0, 0, 1, 1]]))
        change = layout.read(PATIENCE)
        assert change is not None
        self.assertEqual((change.kind, list(layout.frames)), ("reset", ["b"]))
        # The two sides disagree about the list: a delta without the rows that it changes.
        daemon.send(delta(2, 5, 6, 1, gen=layout.list._gen))
        self.assertTrue(reads_until(layout, lambda: daemon.methods().count("layout.open") == 3))
        self.assertEqual(list(layout.frames), ["b"])
        self.assertEqual(daemon.methods()[-2:], ["items.open", "layout.open"])
        daemon.send(frames(2, [["c", 0, 0, 1, 1]]))
        self.assertIsNotNone(layout.read(PATIENCE))
        self.assertEqual((list(layout.frames), layout.list.reopened), (["c"], 1))

    def test_a_connection_that_ends_while_a_layout_is_opened_is_made_again(self) -> None:
        daemon, layout = self.layout_of()
        told = daemon.script

        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            daemon.script = told
            daemon.cut()

        daemon.script = script
        second = LiveLayout(layout.list, "flow", (1, 1))
        change = layout.read(PATIENCE)
        assert change is not None
        self.assertEqual(change.kind, "lost")
        self.assertTrue(reads_until(second, lambda: daemon.methods().count("layout.open") == 4))
        self.assertEqual(daemon.methods()[-3:], ["items.open", "layout.open", "layout.open"])

    def test_a_refused_layout_raises_and_leaves_its_list_alone(self) -> None:
        daemon, layout = self.layout_of()
        told = daemon.script
        daemon.script = lambda d, r: d.refuse(r, -32602, "invalidParams", at="options.cells")
        wrong = LiveLayout(layout.list, "grid", (1, 1), {"cells": [1, 1]})
        calls: list[Callable[[], Any]] = [
            lambda: wrong.read(PATIENCE), lambda: wrong.push("a", 1, 1), lambda: wrong.update((2, 2)),
            lambda: wrong.wait_until_finished(PATIENCE),
        ]  # fmt: skip
        for call in calls:
            with self.assertRaises(Refused) as caught:
                call()
            self.assertEqual(caught.exception.at, "options.cells")
        self.assertEqual(daemon.methods()[2:], ["layout.open"])
        daemon.send(delta(1, 0, 1, 1, deleted=[0]), frames(2, [["b", 0, 0, 1, 1]]))
        self.assertIsNotNone(layout.read(PATIENCE))
        self.assertEqual((len(layout.list.items), layout.list.reopened), (1, 0))
        # It is tried again with its list.
        daemon.script = told
        daemon.cut()
        self.assertIsNotNone(layout.read(PATIENCE))
        self.assertTrue(reads_until(wrong, lambda: daemon.methods().count("layout.open") == 4))

    def test_a_layout_that_the_daemon_closes_says_why(self) -> None:
        daemon, layout = self.layout_of()
        daemon.send(frames(2, [["a", 0, 0, 1, 1]]))
        closed = {"sub": 2, "items": 1, "reason": "limit", "message": "too long"}
        daemon.send({"method": "layout.closed", "params": closed}, frames(2, [["b", 0, 0, 1, 1]]))
        self.assertIsNotNone(layout.read(PATIENCE))
        for _ in range(2):
            with self.assertRaisesRegex(LayoutClosed, "too long") as caught:
                layout.read(PATIENCE)
            self.assertEqual(caught.exception.reason, "limit")
        self.assertEqual((list(layout.frames), daemon.methods().count("layout.open")), (["a"], 1))

    def test_frames_that_are_none_end_the_layout_and_not_its_list(self) -> None:
        row: list[Any] = ["a", 1, 2, 3, 4]
        wrong: list[dict[str, Any]] = [
            frames(2, [row[:4]]), frames(2, [row + [5]]), frames(2, [[7, *row[1:]]]), frames(2, [row[0]]),
            frames(2, [["a", 1, 2, 3, "4"]]), frames(2, [["a", 1, 2, 3, True]]),
            frames(2, [["a", 1, 2, 3, 10**400]]), frames(2, [row], gone=[7]), frames(2, [row], gone="a"),
            frames(2, [row], content=[1]), frames(2, [row], content=[1, None]), frames(2, [row], rev=-1),
            frames(2, [row], tick="x"), frames(2, [row], movement=None), frames(2, row[1:]),
            finished(2, ticks=-1), finished(2, movement="x"),
        ]  # fmt: skip
        for message in wrong:
            with self.subTest(str(message)[-120:]):
                daemon, layout = self.layout_of()
                daemon.send(message, delta(1, 0, 1, 1, deleted=[0]), frames(2, [row]))
                with self.assertRaises(BadMessage):
                    layout.read(PATIENCE)
                self.assertIsNotNone(layout.list.read(PATIENCE))
                self.assertEqual((layout.list.rev, layout.list.reopened, layout.frames), (1, 0, {}))
                self.assertTrue(eventually(lambda: "layout.close" in daemon.methods()))
        with unittest.mock.patch("pickerd.MOST_ITEMS", 2):
            daemon, layout = self.layout_of()
            daemon.send(frames(2, [[key, 1, 2, 3, 4] for key in "abc"]))
            with self.assertRaisesRegex(BadMessage, "more than 2"):
                layout.read(PATIENCE)
        infinite = json.dumps(frames(2, [["a", 1, 2, 3, 4.5]])).replace("4.5", "1e999").encode() + b"\n"
        daemon, layout = self.layout_of()
        daemon.send(infinite)
        with self.assertRaises(BadMessage):
            layout.read(PATIENCE)

    def test_random_messages_of_layouts_are_survived(self) -> None:
        rng = seeded("random frames")
        values: list[Any] = [0, 1, -1, 1 << 80, 1.5, "a", None, True, [], {}, [["a", 0, 0, 1, 1]], ["a"]]
        for _ in range(60):
            daemon, layout = self.layout_of()
            for _ in range(8):
                rows: list[list[Any]] = [[rng.choice("ab"), 0, 0, 1, 1] for _ in range(rng.randrange(3))]
                message = frames(2, rows) if rng.random() < 0.7 else finished(2)
                for _ in range(rng.randrange(3)):
                    name = rng.choice([name for name in message["params"] if name != "sub"])
                    message["params"][name] = rng.choice(values)
                daemon.send(message)
            daemon.send(delta(1, 0, 1, 2))
            self.assertIsNotNone(layout.list.read(PATIENCE))
            self.assertEqual((layout.list.rev, layout.list.reopened), (1, 0))
            try:
                while layout.read(0) is not None:
                    pass
            except BadMessage:
                pass
            daemon.script = lambda d, r: None
            layout.list.close()

    # -- Events

    def feed_of(
        self, answer: dict[str, Any], *events: Any, **options: Any
    ) -> tuple[FakeDaemon, EventFeed]:
        def script(daemon: FakeDaemon, request: dict[str, Any]) -> None:
            daemon.reply(request, {"sub": request["id"], "epoch": "e", "lost": 0, "oldest": 1, **answer})
            daemon.send(*events)

        daemon = self.daemon(script)
        feed = EventFeed(["*"], path=daemon.path, **options)
        self.addCleanup(feed.close)
        return daemon, feed

    @staticmethod
    def event(seq: int, **more: Any) -> dict[str, Any]:
        return {"method": "event", "params": {"sub": 1, "seq": seq, "time": 1, "topic": "a", **more}}

    def test_events_come_once_and_in_order_with_their_places(self) -> None:
        lost = {"method": "$/lost", "params": {"sub": 1, "from": 8, "to": 20, "reason": "slow"}}
        events = [self.event(seq) for seq in (5, 5, 4, 7)]
        daemon, feed = self.feed_of({"from": 5}, *events, lost, self.event(20), self.event(21, data=[1]))
        first = feed.read(PATIENCE)
        assert isinstance(first, Event)
        self.assertEqual((first.seq, first.position), (5, "e:5"))
        second, third, fourth = (feed.read(PATIENCE) for _ in range(3))
        assert isinstance(second, Event) and isinstance(fourth, Event)
        self.assertEqual((second.seq, fourth.seq, fourth.data), (7, 21, [1]))
        self.assertEqual(third, Lost((8, 20), 0, "slow", "e:20"))
        self.assertEqual(feed.position, "e:21")
        self.assertEqual(daemon.requests[0]["params"], {"topics": ["*"]})

    def test_a_place_is_gone_on_from_and_what_is_missing_is_told(self) -> None:
        cases: list[tuple[dict[str, Any], Lost | None]] = [
            ({"from": 5, "lost": 0}, None), ({"from": 7, "lost": 0}, None),
            ({"from": 8, "lost": 3}, Lost((5, 7), 0, "notKept", "e:7")),
            ({"from": 8, "lost": 5}, Lost((5, 7), 2, "notKept", "e:7")),
            ({"from": 5, "lost": 2}, Lost(None, 2, "notKept", "e:4")),
            ({"epoch": "f", "from": 1, "lost": 0}, Lost(None, 0, "newEpoch", "f:0")),
            ({"epoch": "f", "from": 4, "lost": 3}, Lost((1, 3), 0, "newEpoch", "f:3")),
        ]  # fmt: skip
        for answer, expected in cases:
            with self.subTest(answer):
                daemon, feed = self.feed_of(answer, self.event(40), since="e:4")
                if expected is not None:
                    self.assertEqual(feed.read(PATIENCE), expected)
                message = feed.read(PATIENCE)
                assert isinstance(message, Event)
                self.assertEqual(message.seq, 40)
                self.assertEqual(daemon.requests[0]["params"], {"topics": ["*"], "since": "e:4"})

    def test_a_lost_connection_is_told_and_gone_on_after(self) -> None:
        daemon, feed = self.feed_of({"from": 1}, self.event(1))
        feed.read(PATIENCE)
        daemon.cut()
        message = feed.read(PATIENCE)
        assert isinstance(message, Interrupted)
        self.assertEqual(message.position, "e:1")
        self.assertIsNone(feed.read(0.3))
        self.assertEqual(daemon.requests[-1]["params"]["since"], "e:1")

    def test_numbers_that_are_missing_further_on_are_told_once(self) -> None:
        daemon, feed = self.feed_of({"from": 5, "lost": 2}, since="e:4")
        self.assertEqual(feed.read(PATIENCE), Lost(None, 2, "notKept", "e:4"))
        daemon.cut()
        self.assertIsInstance(feed.read(PATIENCE), Interrupted)
        self.assertIsNone(feed.read(0.5))
        self.assertEqual(daemon.methods().count("events.subscribe"), 2)

    def test_a_daemon_that_is_away_is_asked_after_with_growing_pauses(self) -> None:
        tries: list[float] = []

        def connect(path: str) -> Connection:
            tries.append(time.monotonic())
            raise NoDaemon(path)

        with unittest.mock.patch("pickerd.Connection", connect):
            self.assertIsNone(LiveList(path="x").read(1.0))
            self.assertIn(len(tries), range(3, 7))
            tries.clear()
            self.assertIsNone(EventFeed(["*"], path="x").read(1.0))
            self.assertIn(len(tries), range(3, 7))

    def test_answers_and_events_that_make_no_sense_are_errors(self) -> None:
        for answer in ({"from": -1}, {"from": "x"}, {"from": 1, "epoch": "a b"}, {"from": 1, "lost": None}):
            with self.subTest(answer), self.assertRaises(BadMessage):
                self.feed_of(answer)[1].read(PATIENCE)
        for event in (
            self.event(-1), self.event(1 << 60), self.event(2, time="x"), self.event(2, topic=1),
            self.event(2, time=10**400),
        ):  # fmt: skip
            with self.subTest(event), self.assertRaises(BadMessage):
                self.feed_of({"from": 1}, event)[1].read(PATIENCE)

    def test_only_places_are_taken_for_places(self) -> None:
        for text in ("e:0", "a:b:7", f"é:{1 << 53}"):
            self.assertEqual(EventFeed([], since=text, path="x").position, text)
        for text in ("", "7", ":7", "e:", "e:-1", "e:+1", f"e:{(1 << 53) + 1}", "e f:1", "e:1 ", "e:٣"):
            with self.subTest(text), self.assertRaises(ValueError):
                EventFeed([], since=text, path="x")


@unittest.skipUnless(os.environ.get("PICKERD_BINARIES"), "PICKERD_BINARIES is not set")
class DaemonTests(unittest.TestCase):
    """Against the real one."""

    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(suffix="-pickerd-py"))
        self.addCleanup(shutil.rmtree, self.place)
        self.root = self.place / "root"
        self.root.mkdir()
        self.socket = str(self.place / "sock")
        self.process: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.kill)
        self.start()
        self.client = Client(self.socket, name="test")
        self.addCleanup(self.client.close)

    def start(self) -> None:
        program = os.path.join(os.environ["PICKERD_BINARIES"], "pickerd")
        arguments = [program, str(self.root), "--socket", self.socket, "--state", str(self.place / "state")]
        environment = {"HOME": str(self.place), "PATH": os.environ["PATH"]}
        with open(self.place / "log", "ab") as log:
            self.process = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment)
        with Client(self.socket) as client:
            client.wait_for_daemon(PATIENCE)

    def kill(self) -> None:
        """As hard as can be."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def edit(self, rng: random.Random) -> None:
        """One random change of the folder."""
        names = sorted(self.root.iterdir())
        choice = rng.randrange(5)
        if choice == 0 or not names:
            made = self.root / f"n{rng.randrange(60)}.{rng.choice(['md', 'txt'])}"
            made.write_text("x" * rng.randrange(99))
        elif choice == 1:
            rng.choice(names).unlink()
        elif choice == 2:
            rng.choice(names).rename(self.root / f"r{rng.randrange(60)}")
        elif choice == 3:
            beside = self.root / ".save"
            beside.write_text("y" * rng.randrange(99))
            beside.rename(rng.choice(names))
        else:
            with rng.choice(names).open("a") as file:
                file.write("z")

    def test_lists_equal_what_the_daemon_says_after_each_round_of_edits(self) -> None:
        rng = seeded("edits")
        queries = [
            Query(), Query(sort="date", count=10), Query(sort=["-size", "name"], start=3, count=7),
            Query(search="r"), Query(start=500, count=5),
            Query(search="n1 !9", match="fuzzy", sort=["score"], count=8, highlights=True),
            Query(search="md n", match="words", highlights=True),
            Query(sort=["path"], fields=["name", "size"]),
        ]  # fmt: skip
        lists = [LiveList(query, self.socket) for query in queries]
        for live in lists:
            self.addCleanup(live.close)
            self.assertTrue(live.wait_until_complete(PATIENCE))
        for turn in range(60):
            for _ in range(rng.randint(1, 30)):
                self.edit(rng)
            if rng.random() < 0.3:
                changed = rng.randrange(len(lists) - 1)
                query = Query(
                    sort=rng.choice([["name"], ["-modified"], "date"]), count=rng.choice([None, 4, 20]),
                    search=rng.choice([None, "n", "md"]), start=rng.choice([0, 2]),
                    match=rng.choice([None, "words", "fuzzy"]), highlights=rng.random() < 0.5,
                )  # fmt: skip
                lists[changed].update(query)
            self.client.sync(PATIENCE)
            for live in lists:
                expected = self.client.items(live.query)
                deadline = time.monotonic() + PATIENCE
                while live.items != expected and time.monotonic() < deadline:
                    live.read(0.05)
                self.assertEqual(live.items, expected, f"turn {turn}, {live.query}")
                self.assertEqual(live.reopened, 0)

    def test_a_loop_of_its_own_goes_on_over_restarts_by_the_same_descriptors(self) -> None:
        (self.root / "a.md").write_text("x")
        live = LiveList(Query(sort=["name"]), self.socket)
        layout = LiveLayout(LiveList(path=self.socket), "grid", (300, 200))
        feed = EventFeed(["app.*"], path=self.socket)
        readers = [live, layout, feed]
        for reader in (*readers, layout.list):
            self.addCleanup(reader.close)
        numbers = [reader.fileno() for reader in readers]

        def shows(name: str) -> bool:
            keys = {item.key for item in live.items if item.name == name}
            return live.complete and bool(keys) and keys <= layout.frames.keys()

        is_there, idle = turns_until(readers, lambda: shows("a.md") and feed.position is not None)
        self.assertTrue(is_there)
        for turn in range(2):
            self.kill()
            self.assertTrue(turns_until(readers, lambda: live._connection is None)[0])
            # While nobody listens they are woken for each try, and for nothing else.
            tries: set[float] = set()
            is_so, woken = turns_until(readers, lambda: tries.add(live._backoff.due) or len(tries) > 2)
            self.assertTrue(is_so)
            self.assertLess(woken, 20)
            (self.root / f"b{turn}.md").write_text("x")
            self.start()
            self.assertTrue(turns_until(readers, lambda: shows(f"b{turn}.md"))[0], f"turn {turn}")
            self.assertEqual([reader.fileno() for reader in readers], numbers)
            before = feed.position
            self.client.publish("app.x", turn)
            self.assertTrue(turns_until(readers, lambda: feed.position != before)[0])
        # With nothing to do they sleep.
        self.assertTrue(eventually(lambda: all(reader.read(0) is None for reader in readers)))
        self.assertEqual([is_readable(reader) for reader in readers], [False] * 3)

    def relay(self) -> Relay:
        relay = Relay(self.socket, str(self.place / "relay"))
        self.addCleanup(relay.close)
        return relay

    def test_a_list_goes_on_over_cut_connections_from_the_rows_that_it_has(self) -> None:
        rng = seeded("cut connections")
        relay = self.relay()
        queries = [
            Query(), Query(sort="date", count=10), Query(sort=["-size", "name"], start=3, count=7),
            Query(search="r"), Query(sort=["path"], fields=["name", "size"]),
        ]  # fmt: skip
        for _ in range(40):
            self.edit(rng)
        self.client.sync(PATIENCE)
        lists = [LiveList(query, relay.path) for query in queries]
        for live in lists:
            self.addCleanup(live.close)
            self.assertTrue(live.wait_until_complete(PATIENCE))
            while live.read(0):
                pass
        for turn in range(15):
            relay.cut()
            for _ in range(rng.choice([0, 1, 20])):
                self.edit(rng)
            # Else a file that has just been removed might be liked.
            self.client.sync(PATIENCE)
            keys = [item.key for item in self.client.items() if not item.is_new]
            if keys:
                self.client.like(rng.choice(keys))
            self.client.sync(PATIENCE)
            for live in lists:
                with self.subTest(live.query, turn=turn):
                    if rng.random() < 0.2 and live.query.fields is None:
                        live.update(Query(sort=rng.choice(["name", "date"]), count=rng.choice([3, None])))
                    live._backoff._pause = 0.001
                    kinds: list[str] = []
                    while not live.complete or not kinds:
                        change = live.read(PATIENCE)
                        assert change is not None
                        kinds.append(change.kind)
                    self.assertEqual(kinds, ["lost", "delta"])
                    self.assertEqual(live.items, self.client.items(live.query))
                    self.assertEqual(live.reopened, 0)
        methods = [line.get("method") for line in relay.told]
        self.assertEqual(methods.count("items.reset"), 0)
        answers = [line["result"]["resumed"] for line in relay.told if "result" in line]
        self.assertEqual(answers, [True] * len(lists))

    def test_a_list_that_missed_too_much_comes_anew(self) -> None:
        relay = self.relay()
        key = self.client.create("a.md").key
        live = LiveList(path=relay.path)
        self.addCleanup(live.close)
        self.assertTrue(live.wait_until_complete(PATIENCE))
        relay.cut()
        with Connection(self.socket) as connection:
            # Each time other than before, and so a change each.
            likes = [{"key": key, "liked": number % 2 == 0} for number in range(5001)]
            numbers = [connection.send("items.like", params) for params in likes]
            for number in numbers:
                connection.answer(number, time.monotonic() + PATIENCE)
        lost, change = live.read(PATIENCE), live.read(PATIENCE)
        assert lost is not None and change is not None
        self.assertEqual((lost.kind, change.kind, change.reason), ("lost", "reset", "open"))
        self.assertEqual((live.items, live.items[1].liked), (self.client.items(), True))

    # -- Layouts

    @staticmethod
    def in_rows(layout: LiveLayout) -> dict[str, Frame]:
        """Where a list has its items: below each other, as wide as there is room."""
        options = {"rowHeight": 44, "spacing": 0, "insets": [0, 0, 0, 0], **layout.options}
        top, left, _, right = options["insets"]
        width, step = layout.bounds[0] - left - right, options["rowHeight"] + options["spacing"]
        return {
            item.key: Frame(left, top + at * step, width, options["rowHeight"])
            for at, item in enumerate(layout.list.items)
        }

    @staticmethod
    def in_cells(layout: LiveLayout) -> dict[str, Frame]:
        """Where a grid has its items: as many in a row as fit."""
        options = {"cell": [50, 50], "spacing": [10, 10], "insets": [0, 0, 0, 0], **layout.options}
        top, left, _, right = options["insets"]
        width, height = options["cell"]
        across, down = width + options["spacing"][0], height + options["spacing"][1]
        room = layout.bounds[0] - left - right + options["spacing"][0]
        columns = max(1, int(room // across))
        return {
            item.key: Frame(left + at % columns * across, top + at // columns * down, width, height)
            for at, item in enumerate(layout.list.items)
        }

    def test_frames_equal_the_closed_form_after_each_round_of_edits(self) -> None:
        rng = seeded("frames")
        relay = self.relay()
        lists = [LiveList(path=relay.path), LiveList(Query(sort="date", start=1, count=9), relay.path)]
        layouts = [
            LiveLayout(lists[0], "grid", (500, 300)), LiveLayout(lists[1], "list", (500, 300)),
            LiveLayout(lists[1], "grid", (90, 40), {"cell": [20, 30], "insets": [1, 2, 3, 4]}),
        ]  # fmt: skip
        for live in lists:
            self.addCleanup(live.close)
        for turn in range(40):
            for _ in range(rng.randint(0, 12)):
                self.edit(rng)
            self.client.sync(PATIENCE)
            what = rng.randrange(4)
            if what == 0:
                relay.cut()
            elif what == 1:
                layouts[0].update((rng.randint(1, 900), 300), {"spacing": [rng.randrange(9), 3]})
                layouts[1].update(options={"rowHeight": rng.randint(0, 60), "spacing": rng.randrange(5)})
            elif what == 2:
                lists[1].update(Query(sort="name", start=rng.randrange(3), count=rng.randrange(1, 30)))
            for layout in layouts:
                live = layout.list
                live._backoff._pause = 0.001
                expected = self.in_rows if layout.kind == "list" else self.in_cells
                self.assertTrue(
                    reads_until(
                        layout,
                        lambda: live.complete
                        and live.items == self.client.items(live.query)
                        and layout.frames == expected(layout),
                    ),
                    f"turn {turn}: {layout.kind} in {layout.bounds} with {layout.options}",
                )
                self.assertEqual(live.reopened, 0)

    def test_frames_of_items_that_go_are_gone(self) -> None:
        keys = [self.client.create(f"a{number}.md").key for number in range(4)]
        layout = LiveLayout(LiveList(Query(search="a"), self.socket), "list", (100, 100))
        self.addCleanup(layout.list.close)
        self.assertTrue(reads_until(layout, lambda: len(layout.frames) == 4))
        self.assertEqual(layout.content, (100, 176))
        (self.root / "a1.md").unlink()
        change = layout.read(PATIENCE)
        assert change is not None
        self.assertEqual((change.kind, change.gone), ("frames", {keys[1]}))
        # Those above it stay where they are.
        self.assertEqual(change.changed, {keys[2]: Frame(0, 44, 100, 44), keys[3]: Frame(0, 88, 100, 44)})
        self.assertEqual(layout.frames.keys(), {keys[0], keys[2], keys[3]})
        self.assertEqual((layout.rev, layout.content), (layout.list.rev, (100, 132)))
        # Nothing of a layout is left behind in the daemon.
        layouts = LiveLayout(layout.list, "force", (9, 9)), LiveLayout(layout.list, "grid", (9, 9))
        self.assertTrue(reads_until(layout, lambda: all(len(more.frames) == 3 for more in layouts)))
        self.assertEqual(self.client.info()["layouts"]["open"], 3)
        for more in layouts:
            more.close()
        self.assertTrue(eventually(lambda: self.client.info()["layouts"]["open"] == 1))
        self.assertEqual(layout.list.reopened, 0)

    def test_force_layouts_of_one_seed_are_equal_to_the_bit(self) -> None:
        for number in range(30):
            (self.root / f"a{number}.md").touch()
        self.client.sync(PATIENCE)

        def settled(seed: int) -> dict[str, Frame]:
            options = {"seed": seed, "start": "random", "threshold": 3}
            layout = LiveLayout(LiveList(path=self.socket), "force", (400, 300), options)
            with layout.list:
                self.assertTrue(layout.wait_until_finished(PATIENCE))
                self.assertEqual(layout.frames.keys(), {item.key for item in layout.list.items})
                self.assertGreater(layout.tick, 1)
                self.assertLessEqual(layout.movement, 3)
                return layout.frames

        first = settled(7)
        self.assertEqual(first, settled(7))
        self.assertNotEqual(first, settled(8))

    def test_a_force_layout_moves_on_when_it_is_disturbed(self) -> None:
        key = self.client.create("a.md").key
        layout = LiveLayout(LiveList(path=self.socket), "force", (400, 300), {"mode": "final"})
        self.addCleanup(layout.list.close)
        self.assertTrue(layout.wait_until_finished(PATIENCE))
        ticks, frames = layout.tick, dict(layout.frames)
        self.assertTrue(layout.push(key, 90, -50))
        kinds: list[str] = []
        while not kinds or kinds[-1] != "finished":
            change = layout.read(PATIENCE)
            assert change is not None
            kinds.append(change.kind)
        self.assertEqual(kinds, ["frames", "finished"])
        self.assertNotEqual(layout.frames[key], frames[key])
        self.assertGreater(layout.tick, 0)
        self.assertGreater(ticks, 0)
        with self.assertRaises(Refused) as caught:
            layout.push("nobody", 1, 1)
        self.assertEqual(caught.exception.kind, "noSuchItem")
        # Another item, and it goes on from where it is.
        self.client.create("b.md")
        self.assertTrue(reads_until(layout, lambda: layout.finished and len(layout.frames) == 3))

    def test_measured_items_have_their_sizes(self) -> None:
        keys = [self.client.create(f"a{number}.md").key for number in range(3)]
        live = LiveList(Query(search="a"), self.socket)
        self.addCleanup(live.close)
        layout = LiveLayout(live, "flow", (100, 100), {"spacing": [0, 0], "estimated": [40, 10]})
        self.assertTrue(reads_until(layout, lambda: len(layout.frames) == 3))
        self.assertTrue(layout.measure({keys[0]: (90.5, 20)}))
        expected = {
            keys[0]: Frame(0, 0, 90.5, 20), keys[1]: Frame(0, 20, 40, 10), keys[2]: Frame(40, 20, 40, 10),
        }  # fmt: skip
        self.assertTrue(reads_until(layout, lambda: layout.frames == expected))
        with self.assertRaises(Refused) as caught:
            layout.measure({keys[1]: (1, 1), "nobody": (1, 1)})
        self.assertEqual(caught.exception.at, "sizes[1]")
        self.assertIsNone(layout.read(0))
        # As all sizes go by the connection, so they do with it.
        live.close()
        self.assertTrue(reads_until(layout, lambda: layout.frames[keys[0]] == Frame(0, 0, 40, 10)))

    def test_layouts_and_options_that_are_none_are_refused(self) -> None:
        live = LiveList(path=self.socket)
        self.addCleanup(live.close)
        sound = LiveLayout(live, "grid", (100, 100))
        wrong: list[tuple[Any, tuple[float, float], dict[str, Any], str]] = [
            ("spiral", (1, 1), {}, "kind"), ("list", (0, 1), {}, "bounds[0]"),
            ("grid", (1, 1), {"cells": [1, 1]}, "options.cells"),
            ("grid", (1, 1), {"cell": [1, -1]}, "options.cell[1]"),
            ("force", (1, 1), {"charge": "much"}, "options.charge"),
        ]  # fmt: skip
        for kind, bounds, options, at in wrong:
            with self.subTest(at):
                with LiveLayout(live, kind, bounds, options) as layout:
                    with self.assertRaises(Refused) as caught:
                        layout.read(PATIENCE)
                self.assertEqual((caught.exception.kind, caught.exception.at), ("invalidParams", at))
        with self.assertRaises(Refused) as caught:
            sound.update((50, 50), {"minWidth": 0})
        self.assertEqual(caught.exception.at, "options.minWidth")
        self.assertEqual((sound.bounds, sound.options), ((100, 100), {}))
        # One after the other they go together, here and there.
        sound.update(options={"cell": [20, 20]})
        sound.update((90, 100), {"minWidth": 40})
        live.close()
        self.assertTrue(reads_until(sound, lambda: sound.frames == {"new": Frame(0, 0, 40, 40)}))

    def test_layouts_come_back_with_a_killed_daemon(self) -> None:
        for number in range(5):
            self.client.create(f"a{number}.md")
        live = LiveList(path=self.socket)
        self.addCleanup(live.close)
        rows, force = LiveLayout(live, "list", (300, 200)), LiveLayout(live, "force", (300, 200))
        self.assertTrue(force.wait_until_finished(PATIENCE))
        self.assertTrue(reads_until(rows, lambda: rows.frames == self.in_rows(rows)))
        while rows.read(0) or force.read(0) or live.read(0):
            pass
        before = dict(rows.frames)
        self.kill()
        (self.root / "a2.md").unlink()
        lost = [rows.read(PATIENCE), force.read(0), live.read(0)]
        self.assertEqual([change.kind for change in lost if change is not None], ["lost"] * 3)
        self.assertEqual((rows.frames, force.finished), (before, False))
        self.start()
        self.client.sync(PATIENCE)
        self.assertTrue(force.wait_until_finished(PATIENCE))
        self.assertTrue(
            reads_until(rows, lambda: len(rows.frames) == 5 and rows.frames == self.in_rows(rows))
        )
        self.assertEqual(force.frames.keys(), rows.frames.keys())
        self.assertEqual(live.reopened, 0)

    # -- The daemon's end

    def test_a_killed_daemon_is_come_back_to(self) -> None:
        (self.root / "a.md").write_text("a")
        self.client.sync(PATIENCE)
        live = LiveList(path=self.socket)
        self.addCleanup(live.close)
        feed = EventFeed(["app.*"], path=self.socket)
        self.addCleanup(feed.close)
        self.assertTrue(live.wait_until_complete(PATIENCE))
        self.assertIsNone(feed.read(0))
        self.client.publish("app.one", {"n": 1})
        first = feed.read(PATIENCE)
        assert isinstance(first, Event)
        self.assertEqual(first.data, {"n": 1})

        self.kill()
        with self.assertRaises((Disconnected, NoDaemon)):
            self.client.ping()
        (self.root / "b.md").write_text("b")
        lost, interrupted = live.read(PATIENCE), feed.read(PATIENCE)
        assert lost is not None
        self.assertEqual(lost.kind, "lost")
        self.assertIsInstance(interrupted, Interrupted)
        self.start()
        number = self.client.publish("app.two", {"n": 2})
        self.assertGreater(number, first.seq)
        self.client.sync(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while live.items != self.client.items() and time.monotonic() < deadline:
            live.read(0.05)
        self.assertEqual([item.name for item in live.items], [None, "a.md", "b.md"])
        while not isinstance(message := feed.read(PATIENCE), Event):
            # Numbers that the killed daemon may have given out.
            self.assertIsInstance(message, Lost)
        self.assertEqual((message.data, message.seq), ({"n": 2}, number))

    def test_a_feed_has_each_event_once_over_many_restarts(self) -> None:
        rng = seeded("restarts")
        feed = EventFeed(["app.*"], kept=True, path=self.socket)
        self.addCleanup(feed.close)
        seen: list[int] = []
        published = 0
        for _ in range(4):
            for _ in range(rng.randint(1, 40)):
                published += 1
                self.client.publish("app.count", published)
            assert self.process is not None
            # In good order, so that nothing is lost.
            self.process.terminate()
            self.process.wait()
            self.start()
        deadline = time.monotonic() + PATIENCE
        while len(seen) < published and time.monotonic() < deadline:
            message = feed.read(0.1)
            self.assertNotIsInstance(message, Lost)
            if isinstance(message, Event):
                seen.append(message.data)
        self.assertEqual(seen, list(range(1, published + 1)))

    def test_a_feed_that_is_not_read_loses_only_what_the_daemon_says(self) -> None:
        feed = EventFeed(["app.*"], path=self.socket)
        self.addCleanup(feed.close)
        self.assertIsNone(feed.read(0))
        with Connection(self.socket) as connection:
            event = {"topic": "app.flood", "data": "x" * 10_000}
            numbers = [connection.send("events.publish", event) for _ in range(6000)]
            last = [connection.answer(number)["seq"] for number in numbers][-1]
        expected = last - len(numbers) + 1
        while expected <= last:
            message = feed.read(PATIENCE)
            if isinstance(message, Event):
                self.assertEqual(message.seq, expected)
                expected += 1
            else:
                assert isinstance(message, Lost) and message.numbers is not None
                self.assertEqual(message.numbers[0], expected)
                expected = message.numbers[1] + 1

    def test_requests_do_what_they_say(self) -> None:
        self.assertIn("items", self.client.hello(required=["items"])["capabilities"])
        with self.assertRaises(Refused) as caught:
            self.client.hello(required=["time-travel"])
        self.assertEqual(caught.exception.kind, "unsupported")
        made = self.client.create("made.md", content="text")
        self.assertEqual(made.absolute_path, os.fsencode(self.root / "made.md"))
        self.assertEqual((self.root / "made.md").read_text(), "text")
        with self.assertRaises(Refused) as caught:
            self.client.create("made.md")
        self.assertEqual(caught.exception.kind, "conflict")
        self.assertEqual(self.client.document(key=made.key), made)
        self.assertEqual(self.client.document(path="made.md"), made)
        self.assertEqual(self.client.info()["roots"][0]["documents"], 1)
        ping, missing = self.client.batch([("daemon.ping", {}), ("documents.get", {"key": "none"})])
        self.assertEqual(ping, {})
        assert isinstance(missing, Refused)
        self.assertEqual(missing.kind, "noSuchItem")
        self.client.publish("app.x", [1])
        self.assertEqual([event.data for event in self.client.replay(["app.*"])], [[1]])
        with self.assertRaises(Refused) as caught:
            self.client.publish("daemon.x")
        self.assertEqual(caught.exception.kind, "permissionDenied")

    def test_pages_go_on_where_they_were_and_likes_and_drops_are_kept(self) -> None:
        keys = [self.client.create(f"a{number}.md").key for number in range(5)]
        query = Query(search="a", sort="name")

        def found(page: dict[str, Any]) -> list[str]:
            return [item["key"] for item in page["results"]]

        first = self.client.page(1, 2, query)
        self.assertEqual((found(first), first["count"], first["nextPageIndex"]), (keys[:2], 5, 2))
        # One comes in front: without the token, the next page would begin with one that was there.
        self.client.create("a.md")
        token = first["token"]
        self.assertEqual(found(self.client.page(2, 2, query, token)), keys[2:4])
        with self.assertRaises(Refused) as caught:
            self.client.page(2, 2, Query(search="md"), token)
        self.assertEqual(caught.exception.at, "token")
        self.assertTrue(self.client.like(keys[3]))
        self.client.drop(keys[0])
        self.client.close()
        self.kill()
        self.start()
        self.client = Client(self.socket, name="test")
        self.addCleanup(self.client.close)
        self.client.sync(PATIENCE)
        names = [item.name for item in self.client.items(Query(sort=["-liked", "name"], search="a"))]
        self.assertEqual(names, ["a3.md", "a.md", "a1.md", "a2.md", "a4.md"])
        self.client.restore()
        self.assertEqual(self.client.stats()["count"], 6)

    def test_names_that_are_not_text_keep_their_bytes(self) -> None:
        name = b"caf\xe9\x01.md"
        path = os.path.join(os.fsencode(self.root), name)
        with open(path, "wb"):
            pass
        self.client.sync(PATIENCE)
        self.assertEqual(self.client.items()[1].absolute_path, path)

    def command(self, *arguments: str, status: int = 0) -> str:
        program = [sys.executable, pickerd.__file__, "--socket", self.socket, *arguments]
        done = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_the_command_line(self) -> None:
        self.assertEqual(self.command("new", "a\x1b[31m.md"), f"{self.root}/a\x1b[31m.md\n")
        self.assertEqual(self.command("list", "-s", "a").split(), ["0", "a\\x1b[31m.md"])
        self.assertEqual(self.command("publish", "app.x", "[1]").strip().isdigit(), True)
        event = json.loads(self.command("events", "app.*", "--replay", "1", "-n", "1"))
        self.assertEqual((event["topic"], event["data"]), ("app.x", [1]))
        self.assertEqual(json.loads(self.command("request", "daemon.ping")), {})
        self.assertIn("no method", self.command("request", "no.such", status=1))
        self.assertIn("EPOCH:NUMBER", self.command("events", "--since", "x", status=2))
        self.kill()
        self.assertIn("no daemon listens", self.command("list", status=3))


class Lines(unittest.TestResult):
    """Says what came of each test on a line of standard output, as the shell tests do."""

    #: What the tests are of.
    about = "pickerd.py"

    def _say(self, word: str, test: unittest.TestCase) -> None:
        name = test.id().split(".")[-1].removeprefix("test_").replace("_", " ")
        print(f"{word} - {self.about}: {name}", flush=True)

    def _fail(self, test: unittest.TestCase, error: Any) -> None:
        self._say("not ok", test)
        for line in "".join(traceback.format_exception(*error)).splitlines()[-12:]:
            print(f"    {line}", flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self._say("ok", test)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._fail(test, err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._fail(test, err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._say("skip", test)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail(test, err)
            print(f"    with {subtest.id()[-300:]}", flush=True)


def run(*cases: type[unittest.TestCase], about: str = Lines.about) -> int:
    """Runs all tests of these classes, and says what came of each."""
    result = Lines()
    result.about = about
    for case in cases:
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(run(ScriptedTests, DaemonTests))
