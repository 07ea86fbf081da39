#!/usr/bin/env python3
"""Tests of pickerd.py: against a daemon by script, and against a real one.

The real one is $PICKERD_BINARIES/pickerd. PICKERD_TEST_SEED runs a random test again.

usage: PICKERD_BINARIES=FOLDER ./test_pickerd.py
"""

from __future__ import annotations

import json
import os
import random
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
    Interrupted,
    Item,
    LiveList,
    Lost,
    NoDaemon,
    PickerdError,
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
            (b"nonsense\n",),
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
        for event in (self.event(-1), self.event(1 << 60), self.event(2, time="x"), self.event(2, topic=1)):
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
            Query(search="r"), Query(start=500, count=5), Query(sort=["path"], fields=["name", "size"]),
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

    def _say(self, word: str, test: unittest.TestCase) -> None:
        name = test.id().split(".")[-1].removeprefix("test_").replace("_", " ")
        print(f"{word} - pickerd.py: {name}", flush=True)

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


def run(*cases: type[unittest.TestCase]) -> int:
    """Runs all tests of these classes, and says what came of each."""
    result = Lines()
    for case in cases:
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(run(ScriptedTests, DaemonTests))
