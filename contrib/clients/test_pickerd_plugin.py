#!/usr/bin/env python3
"""Tests of pickerd_plugin.py: plugins that run as the daemon runs them, with a test for the daemon.

``Host`` is of use to tests of other plugins. PICKERD_TEST_SEED runs a random test again.

usage: ./test_pickerd_plugin.py
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pickerd_plugin
from pickerd_plugin import LINE_LIMIT, Manifest, ManifestError, Plugin, PluginError
from test_pickerd import PATIENCE, eventually, run, seeded

Message = dict[str, Any]
CLIENTS = Path(__file__).resolve().parent


class Gone(Exception):
    """The plugin has closed its end."""


class Host:
    """Stands in for the daemon: starts a plugin with a socket on descriptor 3, and talks to it."""

    def __init__(self, program: Sequence[str | os.PathLike[str]], **environ: str) -> None:
        self._socket, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile()
        self._buffer = b""
        self._last_id = 0
        self.status: int | None = None
        #: What the plugin has sent besides replies.
        self.told: list[Message] = []
        self._replies: dict[Any, Message] = {}
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, self._log.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, self._log.fileno(), 2),
            (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3),
        ]
        words = [os.fspath(word) for word in program]
        self.pid = os.posix_spawn(
            words[0], words, {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environ}, file_actions=actions
        )
        theirs.close()
        self._process = os.pidfd_open(self.pid)

    # -- Lines

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send(self, *messages: Any) -> None:
        """Sends all in one piece."""
        self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def ask(self, method: str, params: Any = None) -> int:
        """Sends a request without waiting."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}})
        return self._last_id

    def next(self, timeout: float = PATIENCE) -> Message:
        """The next line of the plugin."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._buffer:
            if not select.select([self._socket], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the plugin says nothing; {self.log()}")
            try:
                data = self._socket.recv(1 << 20)
            except ConnectionResetError:
                data = b""
            if not data:
                raise Gone(self.log())
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        assert len(line) <= LINE_LIMIT, len(line)
        message: Message = json.loads(line)
        return message

    def _keep(self, message: Message) -> None:
        if "method" in message:
            self.told.append(message)
        else:
            self._replies[message.get("id")] = message

    def reply(self, number: Any) -> Message:
        """The reply to a request; what comes before is kept."""
        while number not in self._replies:
            self._keep(self.next())
        return self._replies.pop(number)

    def request(self, method: str, params: Any = None) -> Any:
        """The result of a request."""
        reply = self.reply(self.ask(method, params))
        if "result" not in reply:
            raise AssertionError(f"{method} is refused: {reply}")
        return reply["result"]

    def error(self, method: str, params: Any = None) -> Message:
        """The error of a request."""
        reply = self.reply(self.ask(method, params))
        if "error" not in reply:
            raise AssertionError(f"{method} is not refused: {reply}")
        error: Message = reply["error"]
        return error

    def hears(self, method: str) -> Message:
        """The next line that is no reply; it must call this method."""
        while not self.told:
            self._keep(self.next())
        message = self.told.pop(0)
        if message.get("method") != method:
            raise AssertionError(f"{method} was expected, and this came: {message}; {self.log()}")
        return message

    def answer(self, request: Message, result: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": {} if result is None else result})

    # -- What the daemon does

    def hello(self, **params: Any) -> Any:
        return self.request("plugin.hello", {"api": 1, "capabilities": ["extract"], "config": {}, **params})

    def extract(self, group: str, paths: Sequence[Any], want: Sequence[str] = ()) -> list[Message]:
        files = [file_of(path) for path in paths]
        params = {"group": group, "want": list(want), "priority": 0, "files": files}
        answers: list[Message] = self.request("attributes.extract", params)["files"]
        return answers

    # -- The process

    def log(self) -> str:
        """What was printed."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def hang_up(self) -> None:
        self._socket.close()

    def signal(self, number: int) -> None:
        signal.pidfd_send_signal(self._process, number)

    def wait(self, timeout: float = PATIENCE) -> int | None:
        """The exit status, negative for a signal; None if it still runs."""
        if self.status is None and select.select([self._process], [], [], timeout)[0]:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def close(self) -> None:
        self.hang_up()
        if self.wait(10) is None:
            self.signal(signal.SIGKILL)
            self.wait()
        os.close(self._process)
        self._log.close()

    def memory(self) -> int:
        """Its resident bytes."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def file_of(path: Any) -> Message:
    """A file as the daemon names it."""
    raw = os.fsencode(path)
    try:
        return {"key": "f1", "path": raw.decode(), "type": "text/plain", "size": 1}
    except UnicodeDecodeError:
        return {"key": "f1", "pathB64": base64.b64encode(raw).decode()}


MANIFEST: dict[str, Any] = {
    "id": "sample", "name": "Sample", "version": "1.2.3", "api": {"min": 1, "max": 1}, "exec": ["./sample"],
    "methods": [{"name": f"sample.{name}"} for name in
                ("echo", "ask", "spin", "wait", "fail", "big", "nan", "held", "refuse", "publish", "change", "state")],
    "topics": ["sample.done"],
    "attributes": [
        {"name": "sample.first", "type": "text", "for": ["true"], "group": "text"},
        {"name": "sample.length", "type": "integer", "for": ["true"], "group": "text"},
        {"name": "sample.flag", "type": "boolean", "for": ["true"], "group": "any"},
        {"name": "sample.count", "type": "integer", "for": ["true"], "group": "any"},
        {"name": "sample.share", "type": "number", "for": ["true"], "group": "any"},
        {"name": "sample.when", "type": "time", "for": ["true"], "group": "any"},
        {"name": "sample.words", "type": "text", "for": ["true"], "group": "any"},
        {"name": "sample.even", "type": "boolean", "for": ["true"], "group": "batch"},
        *({"name": f"sample.t{n}", "type": "text", "for": ["true"], "group": "long"} for n in range(50)),
    ],
    "sources": [{"name": "things", "title": "Things"}],
    "actions": [{"id": "touch", "title": "Touch", "many": True, "writes": True},
                {"id": "all", "title": "All", "many": True, "writes": True}],
    "needs": {}, "keep": "demand",
}  # fmt: skip

PROGRAM = """
import json, os, sys, time
from pickerd_plugin import Plugin, Refused, Retry

plugin = Plugin()
print("printed before the start")
events = []
items = {}

@plugin.extract("text")
def text(file, want):
    print("reading", file.name)
    os.write(1, b"written by other means\\n")
    data = file.read(1 << 16)
    if data.startswith(b"replace"):
        os.rename(file.path_bytes + b".new", file.path_bytes)
        file.read(1)
    if data.startswith(b"own"):
        return {"sample.length": os.stat(file.path_bytes).st_size}
    if data.startswith(b"memory"):
        bytearray(1 << 60)
    if data.startswith(b"deep"):
        def deeper():
            deeper()
        deeper()
    if data.startswith(b"cut"):
        raise ValueError("cut short: " + "ä" * 300 + "\\n")
    if data.startswith(b"ask"):
        plugin.call("documents.get")
    return {"sample.first": data[:9].decode("latin-1"), "sample.length": len(data)} if data else None

@plugin.extract("any")
def anything(file, want):
    return eval(file.read(1 << 20).decode())

@plugin.extract("long")
def long(file, want):
    return {name: "\\x01" * 1024 for name in want}

@plugin.extract("batch", batch=True)
def together(files, want):
    for file in files:
        if file.name == "fail":
            yield file, ValueError("no good")
        elif file.name == "end":
            raise OSError(5, "the disk is gone")
        elif file.name != "unmentioned":
            yield file, {"sample.even": len(file.name) % 2 == 0}

@plugin.method("sample.echo")
def echo(params):
    return params

@plugin.method("sample.state")
def state(params):
    return {"config": plugin.config, "roots": plugin.roots, "events": events, "fd": os.get_inheritable(3)}

@plugin.method("sample.ask")
def ask(params):
    try:
        sent = {"x": "x" * params["fill"]} if "fill" in params else params.get("params")
        return plugin.call(params["method"], sent, params.get("timeout", 60))
    except Refused as error:
        return {"kind": error.kind, "code": error.code, "message": str(error)}

@plugin.method("sample.spin")
def spin(params):
    events.append("spinning")
    try:
        if params.get("cancellable"):
            while not plugin.cancelled():
                pass
            return "cancelled"
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass
            except BaseException:
                if not params.get("stubborn"):
                    raise
    finally:
        if "trail" in params:
            open(params["trail"], "w").close()

@plugin.method("sample.wait")
def wait(params):
    time.sleep(3600)

@plugin.method("sample.held")
def held(params):
    with plugin.uninterrupted():
        open(params["trail"], "w").close()
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
        os.rename(params["trail"], params["trail"] + ".whole")
    while True:
        pass

@plugin.method("sample.fail")
def fail(params):
    raise KeyError("nothing there")

@plugin.method("sample.refuse")
def refuse(params):
    raise Refused("noSuchItem", "there is no such thing", {"at": "key"})

@plugin.method("sample.big")
def big(params):
    return "x" * (1 << 20)

@plugin.method("sample.nan")
def nan(params):
    return float("nan")

@plugin.method("sample.publish")
def publish(params):
    for number in range(params["count"]):
        plugin.publish("sample.done", {"number": number})
    return {}

@plugin.method("sample.change")
def change(params):
    count = params.get("count")
    plugin.changed(params["group"], None if count is None else [f"f{number}" for number in range(count)])
    return {}

@plugin.action("touch")
def touch(file, args):
    if file.name == "no":
        raise PermissionError(13, "Permission denied")
    os.utime(file.path_bytes, (args["to"], args["to"]))

@plugin.action("all", batch=True)
def all_of_them(files, args):
    for file in files[:-1]:
        yield file, None if file.name != "no" else ValueError("not this one")

@plugin.source("things")
def things():
    return items.values()

@plugin.method("sample.echo")
def echo(params):
    if "items" in params:
        items.clear()
        items.update((item["id"], item) for item in params["items"])
        things.refresh()
    if "put" in params:
        items.update((item["id"], item) for item in params["put"])
        things.put(params["put"])
    if "remove" in params:
        for name in params["remove"]:
            items.pop(name, None)
        things.remove(params["remove"])
    return params.get("answer", params)

@plugin.configure
def configured(config):
    if config.get("bad"):
        raise ValueError("bad is not good")
    events.append("configured")

@plugin.stop
def stopped():
    print("the stop hook ran")

if os.environ.get("SAMPLE_ITEMS"):
    items.update((item["id"], item) for item in json.loads(os.environ["SAMPLE_ITEMS"]))
plugin.run()
print("run has returned")
"""


class Sample(unittest.TestCase):
    """Tests with a plugin of their own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(suffix="-pickerd-plugin"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = self.folder / "sample"
        self.write_plugin(PROGRAM)

    def write_plugin(self, program: str, **manifest: Any) -> None:
        (self.folder / "plugin.json").write_text(json.dumps({**MANIFEST, **manifest}))
        self.program.write_text(program)

    def start(self, greet: bool = True, **environ: str) -> Host:
        host = Host([sys.executable, self.program], PYTHONPATH=str(CLIENTS), **environ)
        self.addCleanup(host.close)
        if greet:
            host.hello()
        return host

    def file(self, name: str | bytes, content: bytes | str = b"text") -> bytes:
        path = os.fsencode(self.folder) + b"/" + os.fsencode(name)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def seen(self, path: bytes) -> list[int]:
        status = os.stat(path)
        return [status.st_ino, status.st_size, *divmod(status.st_mtime_ns, 10**9)]


class WireTests(Sample):
    """Lines, requests and calls."""

    def test_hello_is_answered_with_what_is_decorated(self) -> None:
        host = self.start(greet=False)
        result = host.hello(roots=["/a", "/b"], config={"x": 1}, locale="de_DE.UTF-8", unknown=[{}])
        provides = ["extract", "source", "action"]
        self.assertEqual(result, {"api": 1, "version": "1.2.3", "provides": provides})
        state = host.request("sample.state")
        self.assertEqual((state["config"], state["roots"], state["fd"]), ({"x": 1}, ["/a", "/b"], False))
        self.assertEqual(state["events"], ["configured"])

    def test_another_api_is_refused_with_both_ranges(self) -> None:
        host = self.start(greet=False)
        for api in (0, 99, None, "1", True, 1.0):
            with self.subTest(api):
                error = host.error("plugin.hello", {"api": api, "config": {}})
                self.assertEqual((error["code"], error["data"]["kind"]), (1004, "unsupported"))
                self.assertIn("made for 1 to 1, and pickerd_plugin.py speaks 1 to 1", error["message"])
        self.assertEqual(host.error("sample.echo")["data"]["kind"], "notReady")
        self.assertEqual(host.request("plugin.ping"), {})
        self.assertEqual(host.hello()["api"], 1)

    def test_requests_come_as_they_like(self) -> None:
        host = self.start()
        requests = [{"id": number, "method": "sample.echo", "params": {"n": number}} for number in (71, 72)]
        host.send(*requests)
        self.assertEqual([host.next() for _ in requests], [
            {"jsonrpc": "2.0", "id": 71, "result": {"n": 71}},
            {"jsonrpc": "2.0", "id": 72, "result": {"n": 72}},
        ])  # fmt: skip
        for byte in b'\n  \n{"id":"a","method":"sample.echo","params":{"\\u00e4":"\xc3\xa4"},"more":[1]}\r\n':
            host.write(bytes([byte]))
        self.assertEqual(host.next()["result"], {"ä": "ä"})
        host.send({"method": "sample.echo", "params": {}}, {"method": "$/what"}, {"id": 9, "result": {}})
        self.assertEqual(host.request("plugin.ping"), {})

    def test_a_line_of_the_limit_is_taken_and_a_longer_one_ends_the_plugin(self) -> None:
        host = self.start()
        for more, is_taken in ((0, True), (1, False)):
            line = b'{"id":5,"method":"sample.echo","params":{"answer":1,"x":"' + b"x" * LINE_LIMIT
            line = line[: LINE_LIMIT + more - 3] + b'"}}'
            try:
                host.write(line + b"\n")
            except OSError:
                pass
            if is_taken:
                self.assertEqual(host.next()["result"], 1)
        self.assertEqual(host.wait(), 1)
        self.assertIn("a line of more than 1048576 bytes", host.log())

    def test_what_is_no_request_is_answered_with_an_error(self) -> None:
        host = self.start()
        lines = {
            b"nonsense": -32700, b"\xff": -32700, b"[" * 100_000: -32700, b'{"id":1,"method":NaN}': -32700,
            b"[]": -32600, b'{"id":1,"method":7}': -32600, b'{"id":[],"method":"x"}': -32600,
            b'{"id":1,"method":"sample.echo","params":[]}': -32602,
            b'{"id":1,"method":"sample.none"}': -32601, b'{"id":1,"method":"plugin.none"}': -32601,
        }  # fmt: skip
        for line, code in lines.items():
            with self.subTest(line[:40]):
                host.write(line + b"\n")
                self.assertEqual(host.next()["error"]["code"], code)
        self.assertEqual(host.request("plugin.ping"), {})

    def test_requests_are_handled_while_a_call_waits(self) -> None:
        host = self.start()
        outer = host.ask("sample.ask", {"method": "documents.stats", "params": {"x": 1}})
        call = host.hears("documents.stats")
        self.assertEqual(call["params"], {"x": 1})
        self.assertEqual(host.request("plugin.ping"), {})
        self.assertEqual(host.request("sample.echo", {"a": 1}), {"a": 1})
        path = self.file("a", "0123456789")
        self.assertEqual(host.extract("text", [path], ["sample.length"])[0]["values"], {"sample.length": 10})
        inner = host.ask("sample.ask", {"method": "documents.get"})
        second = host.hears("documents.get")
        host.answer(call, {"count": 2})
        host.answer(second, {"name": "b"})
        self.assertEqual(host.reply(inner)["result"], {"name": "b"})
        self.assertEqual(host.reply(outer)["result"], {"count": 2})

    def test_so_many_requests_are_handled_within_each_other_and_the_rest_waits(self) -> None:
        host = self.start()
        numbers = [host.ask("sample.ask", {"method": "sync", "params": {"n": n}}) for n in range(20)]
        waiting = [host.hears("sync") for _ in range(pickerd_plugin.MOST_NESTED)]
        self.assertEqual(host.request("plugin.ping"), {})
        self.assertEqual(host.told, [])
        many = [host.ask("sample.echo") for _ in range(pickerd_plugin.MOST_WAITING)]
        refused = host.reply(many[-1])["error"]
        self.assertEqual((refused["code"], refused["data"]["kind"]), (1012, "overloaded"))
        answered = 0
        while answered < 20:
            call = waiting.pop() if waiting else host.hears("sync")
            host.answer(call, call["params"]["n"])
            answered += 1
        self.assertEqual([host.reply(number)["result"] for number in numbers], list(range(20)))

    def test_a_refusal_and_a_late_answer_are_told_to_the_caller(self) -> None:
        host = self.start()
        number = host.ask("sample.ask", {"method": "documents.get"})
        error = {"code": 1011, "message": "none", "data": {"kind": "noSuchItem"}}
        host.send({"id": host.hears("documents.get")["id"], "error": error})
        self.assertEqual(
            host.reply(number)["result"], {"kind": "noSuchItem", "code": 1011, "message": "none"}
        )
        number = host.ask("sample.ask", {"method": "sync", "timeout": 0.01})
        call = host.hears("sync")
        self.assertIn("did not answer sync", host.reply(number)["error"]["message"])
        self.assertEqual(host.hears("$/cancel")["params"], {"id": call["id"]})
        host.answer(call)
        host.send({"id": True, "result": {}}, {"id": None}, {"id": 10**400, "error": 7})
        self.assertEqual(host.request("plugin.ping"), {})
        for length, words in ((LINE_LIMIT - 200, None), (LINE_LIMIT, "longer than the daemon takes")):
            number = host.ask("sample.ask", {"method": "x", "params": {}, "fill": length})
            if words is None:
                host.answer(host.hears("x"))
                self.assertEqual(host.reply(number)["result"], {})
            else:
                self.assertIn(words, host.reply(number)["error"]["message"])

    def test_faults_refusals_and_results_that_cannot_be_sent_are_errors(self) -> None:
        host = self.start()
        cases = [
            ("sample.fail", -32603, "KeyError: 'nothing there'"),
            ("sample.refuse", 1011, "there is no such thing"),
            ("sample.big", 1008, "longer than the daemon takes"),
            ("sample.nan", -32603, "no JSON"),
        ]
        for method, code, words in cases:
            with self.subTest(method):
                error = host.error(method)
                self.assertEqual(error["code"], code)
                self.assertIn(words, error["message"])
        self.assertEqual(host.error("sample.refuse")["data"], {"at": "key", "kind": "noSuchItem"})
        self.assertIn("raise KeyError", host.log())

    def test_a_cancelled_request_is_given_up(self) -> None:
        host = self.start()
        spinning = host.ask("sample.spin", {"cancellable": True})
        self.assertEqual(host.request("plugin.ping"), {})
        waiting = host.ask("sample.echo")
        host.send(
            {"method": "$/cancel", "params": {"id": waiting}}, {"method": "$/cancel", "params": {"id": 7777}}
        )
        self.assertEqual(host.reply(waiting)["error"]["code"], 1002)
        host.send({"method": "$/cancel", "params": {"id": spinning}})
        self.assertEqual(host.reply(spinning)["result"], "cancelled")
        # Within a call.
        number = host.ask("sample.ask", {"method": "sync"})
        call = host.hears("sync")
        host.send({"method": "$/cancel", "params": {"id": number}})
        self.assertEqual(host.reply(number)["error"]["code"], 1002)
        self.assertEqual(host.hears("$/cancel")["params"], {"id": call["id"]})
        # In one piece with its request.
        host.send({"id": 900, "method": "sample.echo"}, {"method": "$/cancel", "params": {"id": 900}})
        self.assertEqual(host.next()["error"]["code"], 1002)

    def test_events_are_published_without_waiting_up_to_a_limit(self) -> None:
        host = self.start()
        number = host.ask("sample.publish", {"count": 100})
        first = [host.hears("events.publish") for _ in range(pickerd_plugin.MOST_PUBLISHED)]
        self.assertEqual(first[1]["params"], {"topic": "sample.done", "data": {"number": 1}})
        self.assertEqual(host.request("plugin.ping"), {})
        self.assertEqual(host.told, [])
        host.send({"id": first[0]["id"], "error": {"message": "not now"}})
        for call in first[1:]:
            host.answer(call, {"seq": 1})
        for _ in range(36):
            host.answer(host.hears("events.publish"), {"seq": 1})
        self.assertEqual(host.reply(number)["result"], {})
        self.assertIn("not now", host.log())

    def test_changes_of_attributes_are_told_in_parts_of_a_thousand(self) -> None:
        host = self.start()
        self.assertEqual(pickerd_plugin.MOST_CHANGED, 1000)
        for count, parts in ((None, [None]), (0, []), (1, [1]), (1000, [1000]), (1001, [1000, 1]), (2500, [1000, 1000, 500])):
            with self.subTest(count):
                number = host.ask("sample.change", {"group": "text", "count": count})
                told = [host.hears("attributes.changed") for _ in parts]
                keys = [call["params"].get("keys") for call in told]
                self.assertEqual([part if part is None else len(part) for part in keys], parts)
                self.assertEqual({call["params"]["group"] for call in told}, {"text"} if parts else set())
                if count:
                    self.assertEqual([key for part in keys for key in part], [f"f{n}" for n in range(count)])
                for call in told:
                    host.answer(call, {})
                self.assertEqual(host.reply(number)["result"], {})
        self.assertEqual(host.told, [])
        self.assertIn("which is not there", host.error("sample.change", {"group": "else"})["message"])
        host.ask("sample.change", {"group": "text"})
        host.send({"id": host.hears("attributes.changed")["id"], "error": {"message": "not now"}})
        self.assertEqual(host.request("plugin.ping"), {})
        self.assertTrue(eventually(lambda: "refused a change of text: not now" in host.log()))

    def test_a_plugin_is_configured_and_keeps_its_settings_when_new_ones_are_bad(self) -> None:
        host = self.start()
        self.assertEqual(host.request("plugin.configure", {"config": {"a": 2}}), {})
        error = host.error("plugin.configure", {"config": {"bad": 1}})
        self.assertEqual((error["code"], error["data"]["at"]), (-32602, "config"))
        self.assertIn("bad is not good", error["message"])
        self.assertEqual(host.error("plugin.configure", {"config": 7})["code"], -32602)
        self.assertEqual(host.request("sample.state")["config"], {"a": 2})
        self.assertIn(
            "bad is not good", host.error("plugin.hello", {"api": 1, "config": {"bad": 1}})["message"]
        )

    def test_lines_are_traced_and_prints_are_kept_off_the_wire(self) -> None:
        host = self.start(PICKERD_PLUGIN_TRACE="1")
        host.extract("text", [self.file("a")])
        log = host.log()
        for words in ("→ {", "← {", '"method": "plugin.hello"', "printed before the start", "reading a"):
            self.assertIn(words, log)
        self.assertIn("written by other means", log)
        self.assertNotIn("→", self.start().log())

    def test_a_plugin_without_a_daemon_says_what_to_do(self) -> None:
        words = [sys.executable, str(self.program)]
        environ = {**os.environ, "PYTHONPATH": str(CLIENTS), "PYTHONDONTWRITEBYTECODE": "1"}
        with tempfile.TemporaryFile() as file:
            for actions in ([], [(os.POSIX_SPAWN_DUP2, file.fileno(), 3)]):
                redirected = [
                    (os.POSIX_SPAWN_DUP2, file.fileno(), 2),
                    (os.POSIX_SPAWN_DUP2, file.fileno(), 1),
                ]
                pid = os.posix_spawn(words[0], words, environ, file_actions=[*actions, *redirected])
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 2)
            file.seek(0)
            self.assertEqual(file.read().decode().count(f"pickerctl plugin run {self.folder}"), 2)


class EndTests(Sample):
    """How a plugin ends."""

    def ends(self, host: Host, timeout: float = 2.0) -> float:
        """Waits for the end, which must be a good one, and says how long it took."""
        start = time.monotonic()
        self.assertEqual(host.wait(timeout), 0, host.log())
        return time.monotonic() - start

    def test_the_end_of_the_socket_is_the_end(self) -> None:
        host = self.start()
        host.hang_up()
        self.ends(host)
        self.assertIn("the stop hook ran\nrun has returned", host.log())

    def test_the_end_of_the_socket_ends_whatever_runs(self) -> None:
        for method, params in (
            ("sample.spin", {"trail": str(self.folder / "trail")}),
            ("sample.spin", {"stubborn": True}),
            ("sample.wait", {}),
            ("sample.ask", {"method": "sync"}),
        ):
            with self.subTest(method, params=params):
                host = self.start()
                host.ask(method, params)
                if method == "sample.ask":
                    host.request("plugin.ping")
                else:
                    self.begins(host)
                host.hang_up()
                self.ends(host)
                self.assertEqual("run has returned" in host.log(), "stubborn" not in params)
        self.assertTrue((self.folder / "trail").exists())

    def begins(self, host: Host) -> None:
        """Waits until the plugin has taken what was sent."""
        import fcntl
        import struct
        import termios

        def is_taken() -> bool:
            unread = fcntl.ioctl(host._socket, termios.TIOCOUTQ, b"\0" * 4)
            return bool(struct.unpack("i", unread)[0] == 0)

        self.assertTrue(eventually(is_taken))

    def test_what_was_asked_before_half_the_socket_was_closed_is_answered(self) -> None:
        host = self.start()
        numbers = [host.ask("sample.echo", {"n": n}) for n in range(3)]
        host._socket.shutdown(socket.SHUT_WR)
        self.assertEqual([host.reply(number)["result"]["n"] for number in numbers], [0, 1, 2])
        with self.assertRaises(Gone):
            host.next()
        self.ends(host)

    def test_sigterm_ends_whatever_runs(self) -> None:
        for method in ("plugin.ping", "sample.spin", "sample.wait", "sample.ask"):
            with self.subTest(method):
                host = self.start()
                host.ask(method, {"method": "sync"})
                self.begins(host)
                host.signal(signal.SIGTERM)
                self.ends(host)

    def test_what_must_not_be_interrupted_is_done_first(self) -> None:
        host = self.start()
        trail = self.folder / "trail"
        host.ask("sample.held", {"trail": str(trail)})
        self.assertTrue(eventually(trail.exists))
        host.signal(signal.SIGTERM)
        self.ends(host)
        self.assertTrue((self.folder / "trail.whole").exists())

    def test_plugin_stop_is_answered_and_ends_it(self) -> None:
        host = self.start()
        self.assertEqual(host.request("plugin.stop"), {})
        self.ends(host)
        self.assertEqual(host.log().count("the stop hook ran"), 1)
        with self.assertRaises(Gone):
            host.next()

    def test_an_interrupt_from_the_keyboard_ends_it(self) -> None:
        host = self.start()
        host.ask("sample.spin")
        self.begins(host)
        host.signal(signal.SIGINT)
        self.assertEqual(host.wait(), 130)


class FileTests(Sample):
    """Attributes of files."""

    def test_values_have_what_was_opened(self) -> None:
        host = self.start()
        path = self.file("a.txt", "0123456789")
        os.utime(path, ns=(5, 1_700_000_000_123_456_789))
        (answer,) = host.extract("text", [path])
        self.assertEqual(answer, {
            "values": {"sample.first": "012345678", "sample.length": 10}, "seen": self.seen(path)
        })  # fmt: skip
        (answer,) = host.extract("text", [path], ["sample.length", "other.unknown"])
        self.assertEqual(answer["values"], {"sample.length": 10})
        self.assertEqual(host.extract("text", [path], ["other.unknown"]), [{"none": True}])
        self.assertEqual(host.extract("text", []), [])
        faulty: list[Any] = ["none", None, []]
        for group in faulty:
            error = host.error("attributes.extract", {"group": group, "files": []})
            self.assertEqual(error["data"]["at"], "group")
        self.assertEqual(host.error("attributes.extract", {"group": "text", "files": 7})["code"], -32602)

    def test_any_kind_of_file_costs_at_most_its_own_answer(self) -> None:
        host = self.start()
        good, empty, secret = self.file("good"), self.file("empty", ""), self.file("secret")
        folder = os.fsencode(self.folder)
        os.chmod(secret, 0)
        pipe, bound, link, odd = (folder + b"/" + name for name in (b"pipe", b"bound", b"link", b"\xff\xfe"))
        os.mkfifo(pipe)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(bound)
        os.symlink(good, link)
        self.file(b"\xff\xfe", "odd")
        sparse = self.file("sparse", "")
        os.truncate(sparse, 5 << 30)
        names = [
            good,
            folder + b"/missing",
            secret,
            empty,
            pipe,
            bound,
            folder,
            b"/dev/zero",
            link,
            odd,
            sparse,
        ]
        before = host.memory()
        answers = host.extract("text", names + [good])
        kinds = [next(iter(answer)) for answer in answers]
        unreadable = "error" if os.geteuid() else "values"
        self.assertEqual(kinds, [
            "values", "error", unreadable, "none", "error", "error", "error", "error", "values", "values",
            "values", "values",
        ])  # fmt: skip
        self.assertEqual(answers[1], {"error": "No such file or directory"})
        self.assertEqual(answers[3], {"none": True, "seen": self.seen(empty)})
        for index, words in ((4, "a named pipe"), (5, "a socket"), (6, "a folder"), (7, "a device")):
            self.assertEqual(answers[index], {"error": f"it is {words}, not a file"})
        self.assertEqual(answers[8]["seen"], self.seen(good))
        self.assertEqual(answers[9]["values"]["sample.first"], "odd")
        self.assertEqual(answers[10]["values"]["sample.length"], 1 << 16)
        self.assertLess(host.memory() - before, 8 << 20)

    def test_a_pipe_is_not_opened(self) -> None:
        host = self.start()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with self.assertRaises(OSError):
            os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        writer = subprocess.Popen(["/bin/sh", "-c", 'echo text >"$0"', str(pipe)])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        host.extract("text", [pipe] * 200)
        self.assertIsNone(writer.poll())

    def test_requests_that_name_no_file_are_errors_of_their_own(self) -> None:
        host = self.start()
        good = file_of(self.file("good"))
        files = [
            7, {}, {"path": "relative"}, {"path": 7}, {"pathB64": "!"}, {"path": "/a\0b"}, {"path": "/\ud800"},
            {"pathB64": base64.b64encode(b"relative").decode()}, {**good, "size": "x", "key": 7, "type": 1},
        ]  # fmt: skip
        for group in ("text", "batch"):
            answers = host.request("attributes.extract", {"group": group, "files": files})["files"]
            kinds = [next(iter(answer)) for answer in answers]
            self.assertEqual(kinds[:5] + kinds[6:], ["error"] * 7 + ["values"])

    def test_a_file_that_changes_meanwhile_is_what_was_opened(self) -> None:
        host = self.start()
        path, new = self.file("a", "replace"), self.file("a.new", "new text")
        self.assertEqual(host.extract("text", [path]), [{"retry": True}])
        self.assertEqual(host.extract("text", [path])[0]["values"]["sample.first"], "new text")
        self.assertFalse(os.path.exists(new))

    def test_a_fault_is_the_error_of_one_file(self) -> None:
        host = self.start()
        names = [self.file(name, name) for name in ("memory", "deep", "cut", "good")]
        memory, deep, cut, good = host.extract("text", names)
        self.assertEqual(memory["error"], "not enough memory")
        self.assertIn("RecursionError", deep["error"])
        self.assertIn("values", good)
        self.assertTrue(cut["error"].startswith("cut short: ää"))
        self.assertIn(len(cut["error"].encode()), (199, 200))
        number = host.ask(
            "attributes.extract", {"group": "text", "files": [file_of(self.file("b", "ask"))] * 2}
        )
        for _ in range(2):
            call = host.hears("documents.get")
            host.send({"id": call["id"], "error": {"code": 1011, "message": "gone"}})
        self.assertEqual([file["error"] for file in host.reply(number)["result"]["files"]], ["gone"] * 2)

    def test_values_are_of_their_types(self) -> None:
        host = self.start()
        good = [
            ("flag", "True", True), ("flag", "None", None), ("count", "-2**63", -(2**63)), ("count", "7", 7),
            ("share", "0.5", 0.5), ("share", "3", 3), ("when", "1e9", 1e9), ("words", "'a'", "a"),
            ("when", "__import__('datetime').datetime.fromtimestamp(5)", 5), ("words", "'ä' * 600", "ä" * 512),
            ("words", "'x' + 'ä' * 600", "x" + "ä" * 511), ("words", "'\\ud800'", "?"), ("words", "''", ""),
        ]  # fmt: skip
        for name, value, sent in good:
            with self.subTest(name, value=value):
                (answer,) = host.extract("any", [self.file("v", f"{{'sample.{name}': {value}}}")])
                self.assertEqual(answer.get("values"), None if sent is None else {f"sample.{name}": sent})
        bad = [
            "{'sample.flag': 1}", "{'sample.flag': 'yes'}", "{'sample.count': 2**63}", "{'sample.count': 1.0}",
            "{'sample.count': True}", "{'sample.share': float('nan')}", "{'sample.share': 10**400}",
            "{'sample.share': float('inf')}", "{'sample.when': 'now'}", "{'sample.words': b'a'}",
            "{'sample.words': 7}", "{'sample.none': 7}", "[1]", "7", "False",
        ]  # fmt: skip
        for text in bad:
            with self.subTest(text):
                (answer,) = host.extract("any", [self.file("v", text)])
                self.assertIn("error", answer)
                self.assertRegex(answer["error"], "must|manifest")
        self.assertIn("none", host.extract("any", [self.file("v", "None")])[0])

    def test_answers_that_do_not_fit_are_asked_for_again(self) -> None:
        host = self.start()
        answers = host.extract("long", [self.file("a")] * 10)
        kinds = [next(iter(answer)) for answer in answers]
        self.assertEqual(kinds, ["values"] * 3 + ["retry"] * 7)
        self.assertEqual(len(answers[2]["values"]), 50)

    def test_a_batch_is_answered_by_file(self) -> None:
        host = self.start()
        names = ["a", "fail", "unmentioned", "bb"]
        answers = host.extract("batch", [self.folder / name for name in names])
        self.assertEqual(answers, [
            {"values": {"sample.even": False}}, {"error": "no good"}, {"none": True},
            {"values": {"sample.even": True}},
        ])  # fmt: skip
        answers = host.extract("batch", [self.folder / name for name in ("a", "end", "bb")])
        self.assertEqual(answers[0], {"values": {"sample.even": False}})
        self.assertEqual(answers[1:], [{"error": "the disk is gone"}] * 2)

    def test_the_same_files_again_take_no_more_memory_and_no_descriptors(self) -> None:
        host = self.start()
        names = [self.file(f"f{n}", "text") for n in range(256)]
        first = host.extract("text", names)
        before = host.memory()
        for _ in range(40):
            self.assertEqual(host.extract("text", names), first)
        self.assertLess(host.memory(), before * 1.1)
        self.assertLess(len(os.listdir(f"/proc/{host.pid}/fd")), 12)

    def test_a_batch_is_cancelled_between_two_files(self) -> None:
        host = self.start()
        names = [file_of(self.file("v", "__import__('time').sleep(0.005)"))] * 2000
        number = host.ask("attributes.extract", {"group": "any", "files": names})
        self.assertEqual(host.request("plugin.ping"), {})
        host.send({"method": "$/cancel", "params": {"id": number}})
        self.assertEqual(host.reply(number)["error"]["code"], 1002)


class ActionTests(Sample):
    """What is done to documents."""

    def test_an_action_says_what_became_of_each_item(self) -> None:
        host = self.start()
        names = [self.file(name) for name in ("a", "no", "b")]
        params = {"action": "touch", "args": {"to": 5}, "items": [*map(file_of, names), {"key": "x"}]}
        result = host.request("action.run", params)
        self.assertEqual(result["items"][:3], [{"ok": True}, {"error": "Permission denied"}, {"ok": True}])
        self.assertIn("absolute path", result["items"][3]["error"])
        self.assertEqual(os.stat(names[2]).st_mtime, 5)
        told = [message["params"] for message in host.told if message["method"] == "$/progress"]
        self.assertEqual((told[-1]["done"], told[-1]["total"]), (4, 4))

    def test_an_action_for_all_at_once_says_what_it_did_not_get_to(self) -> None:
        host = self.start()
        items = [file_of(self.file(name)) for name in ("a", "no", "b")]
        result = host.request("action.run", {"action": "all", "items": items})
        self.assertEqual(result["items"][:2], [{"ok": True}, {"error": "not this one"}])
        self.assertIn("did not get to it", result["items"][2]["error"])
        self.assertEqual(host.error("action.run", {"action": "none", "items": []})["data"]["at"], "action")
        self.assertEqual(host.error("action.run", {"action": "all", "items": 7})["code"], -32602)


def thing(number: int, name: str = "thing") -> Message:
    return {"id": f"t{number}", "name": name}


class Collection:
    """What the daemon has of a source, by the rules of the wire."""

    name = "things"

    def __init__(self, host: Host) -> None:
        self.host = host
        self.items: dict[str, Message] = {}
        self.rev = -1
        self.epoch = ""
        self.chunk: int | None = None
        self.resets = 0
        #: What it answers to those that it takes.
        self.result: Message = {}

    def open(self, since: str | None = None) -> Message:
        params = {"source": self.name} if since is None else {"source": self.name, "since": since}
        result: Message = self.host.request("source.open", params)
        self.epoch, self.rev = result["epoch"], result["rev"]
        if not result["resumed"]:
            self.chunk = 0
        return result

    def take(self, message: Message) -> None:
        """Takes a reset or a change without answering it."""
        params = message["params"]
        assert params["source"] == self.name
        put = {item["id"]: item for item in params["put"]}
        if message["method"] == "source.reset":
            assert params["chunk"] == (self.chunk or 0), message
            if params["chunk"] == 0:
                self.items, self.rev = {}, params["rev"]
            assert params["rev"] == self.rev
            self.chunk = None if params["last"] else params["chunk"] + 1
            self.resets += params["chunk"] == 0
        else:
            assert self.chunk is None
            assert params["from"] == self.rev and params["to"] > self.rev, message
            self.rev = params["to"]
            for identity in params["removed"]:
                # One that came and went before its turn may never have been put.
                self.items.pop(identity, None)
        self.items.update(put)

    def settle(self) -> None:
        """Takes and confirms until nothing comes."""
        while True:
            self.host.request("plugin.ping")
            if not self.host.told:
                return
            message = self.host.told.pop(0)
            self.take(message)
            self.host.answer(message, self.result)


class SourceTests(Sample):
    """Collections of items."""

    def put(self, host: Host, **params: Any) -> None:
        host.request("sample.echo", {**params, "answer": {}})

    def test_a_source_is_reset_and_followed(self) -> None:
        host = self.start(SAMPLE_ITEMS=json.dumps([thing(1), thing(2)]))
        list_ = Collection(host)
        self.assertFalse(list_.open()["resumed"])
        list_.settle()
        self.assertEqual(list_.items, {"t1": thing(1), "t2": thing(2)})
        self.put(host, put=[thing(3), thing(1, "other")], remove=["t2", "unknown"])
        list_.settle()
        self.assertEqual(list_.items, {"t1": thing(1, "other"), "t3": thing(3)})
        self.put(host, items=[thing(3), thing(4)])
        list_.settle()
        self.assertEqual(list_.items, {"t3": thing(3), "t4": thing(4)})
        self.put(host, items=[thing(3), thing(4)])
        host.request("plugin.ping")
        self.assertEqual((host.told, list_.resets), ([], 1))

    def test_an_empty_source_has_one_chunk(self) -> None:
        host = self.start()
        list_ = Collection(host)
        list_.open()
        reset = host.hears("source.reset")
        self.assertEqual(reset["params"]["put"], [])
        self.assertTrue(reset["params"]["last"])

    def test_changes_are_few_and_short_and_wait_for_the_daemon(self) -> None:
        host = self.start()
        list_ = Collection(host)
        list_.open()
        list_.settle()
        for part in range(10):
            self.put(host, put=[{**thing(part * 100 + n), "note": "x" * 3000} for n in range(100)])
        pending = [host.hears("source.change") for _ in range(pickerd_plugin.MOST_CHANGES)]
        self.put(host, remove=[f"t{n}" for n in range(990)])
        host.request("plugin.ping")
        self.assertEqual(host.told, [])
        while pending:
            message = pending.pop(0)
            self.assertLessEqual(len(json.dumps(message)), pickerd_plugin.CHANGE_LIMIT)
            list_.take(message)
            host.answer(message)
            host.request("plugin.ping")
            pending += host.told
            host.told.clear()
            self.assertLessEqual(len(pending), pickerd_plugin.MOST_CHANGES)
        self.assertEqual(sorted(list_.items), [f"t{n}" for n in range(990, 1000)])

    def test_a_long_reset_has_chunks_and_what_changes_meanwhile_comes_after(self) -> None:
        host = self.start()
        self.put(host, put=[{**thing(n), "note": "x" * 2000} for n in range(300)])
        self.put(host, put=[{**thing(n), "note": "x" * 2000} for n in range(300, 700)])
        list_ = Collection(host)
        list_.open()
        self.put(host, remove=["t0", "t699"], put=[thing(1, "new"), thing(800)])
        list_.settle()
        expected = {f"t{n}" for n in range(1, 699)} | {"t800"}
        self.assertEqual((set(list_.items), list_.items["t1"]["name"]), (expected, "new"))
        self.assertEqual(list_.resets, 1)

    def test_a_source_is_resumed_within_a_run_and_after_one_that_changed_nothing(self) -> None:
        items = json.dumps([thing(1), thing(2)])
        host = self.start(SAMPLE_ITEMS=items)
        list_ = Collection(host)
        list_.open()
        list_.settle()
        at = f"{list_.epoch}:{list_.rev}"
        self.put(host, put=[thing(3)])
        self.put(host, remove=["t1"])
        host.hears("source.change")
        host.hears("source.change")
        self.assertTrue(list_.open(at)["resumed"])
        list_.settle()
        self.assertEqual(sorted(list_.items), ["t2", "t3"])
        self.assertTrue(list_.open(f"{list_.epoch}:{list_.rev}")["resumed"])
        host.request("plugin.ping")
        self.assertEqual(host.told, [])
        for since in (
            "x:1",
            "",
            f"{list_.epoch}:99",
            f"{list_.epoch}:-1",
            list_.epoch,
            f"{list_.epoch}:²",
            7,
        ):
            self.assertFalse(list_.open(since)["resumed"])  # type: ignore[arg-type]
            list_.settle()
            self.assertEqual(sorted(list_.items), ["t2", "t3"])
        again = Collection(self.start(SAMPLE_ITEMS=items))
        again.items = {"t1": thing(1), "t2": thing(2)}
        self.assertTrue(again.open(at)["resumed"])
        again.settle()
        self.assertEqual(again.resets, 0)
        changed = Collection(self.start(SAMPLE_ITEMS=json.dumps([thing(1)])))
        self.assertFalse(changed.open(at)["resumed"])
        later = Collection(self.start(SAMPLE_ITEMS=items))
        self.assertFalse(later.open(f"{list_.epoch}:2")["resumed"])
        self.assertNotEqual(later.epoch, list_.epoch)

    def test_that_the_daemon_left_an_item_out_is_told_once_with_the_reason(self) -> None:
        host = self.start(SAMPLE_ITEMS=json.dumps([thing(1)]))
        list_ = Collection(host)
        list_.open()
        list_.settle()
        self.assertNotIn("left items", host.log())
        list_.result = {"leftOut": 2, "reason": "'put[0].uri' is long"}
        for number in range(2, 5):
            self.put(host, put=[thing(number)])
            list_.settle()
        told = [line for line in host.log().splitlines() if "left items" in line]
        self.assertEqual(told, ["the daemon left items of things out: 'put[0].uri' is long"])
        self.assertEqual(sorted(list_.items), ["t1", "t2", "t3", "t4"])

    def test_a_change_that_is_refused_is_followed_by_a_reset_a_few_times(self) -> None:
        host = self.start(SAMPLE_ITEMS=json.dumps([thing(1)]))
        list_ = Collection(host)
        list_.open()
        list_.settle()
        error = {"code": 1013, "message": "no", "data": {"kind": "conflict"}}
        self.put(host, put=[thing(2)])
        host.send({"id": host.hears("source.change")["id"], "error": error})
        list_.settle()
        self.assertEqual((sorted(list_.items), list_.resets), (["t1", "t2"], 2))
        self.put(host, put=[thing(3)])
        host.send({"id": host.hears("source.change")["id"], "error": error})
        host.send({"id": host.hears("source.reset")["id"], "error": error})
        host.request("plugin.ping")
        self.assertEqual(host.told, [])
        list_.open()
        list_.settle()
        self.assertEqual(sorted(list_.items), ["t1", "t2", "t3"])

    def test_items_that_are_none_change_nothing(self) -> None:
        host = self.start(SAMPLE_ITEMS=json.dumps([thing(1)]))
        list_ = Collection(host)
        list_.open()
        list_.settle()
        bad: list[Any] = [
            {"id": "", "name": "x"}, {"id": "x" * 1025, "name": "x"}, {"id": 7, "name": "x"}, {"id": "x"},
            {"id": "x", "name": "n", "note": "x" * 70_000}, {"id": "x", "name": "n", "sample.count": "many"},
        ]  # fmt: skip
        for item in bad:
            with self.subTest(str(item)[:60]):
                self.assertEqual(host.error("sample.echo", {"put": [thing(2), item]})["code"], -32603)
        list_.settle()
        self.assertEqual(sorted(list_.items), ["t1"])
        self.assertEqual(host.error("source.open", {"source": "none"})["data"]["at"], "source")

    def test_any_changes_at_any_time_end_in_the_same_items(self) -> None:
        random = seeded("sources")
        host = self.start()
        list_ = Collection(host)
        list_.open()
        expected: dict[str, Message] = {}
        for _ in range(300):
            match random.randrange(8):
                case 0:
                    while host.told:
                        message = host.told.pop(0)
                        list_.take(message)
                        host.answer(message)
                case 1:
                    # Comes back, and has what it has confirmed.
                    host.request("plugin.ping")
                    host.told.clear()
                    if list_.chunk is None:
                        list_.open(f"{list_.epoch}:{list_.rev}")
                    else:
                        list_.open()
                case _:
                    put = [
                        thing(random.randrange(30), f"n{random.random()}") for _ in range(random.randrange(4))
                    ]
                    gone = [f"t{random.randrange(30)}" for _ in range(random.randrange(3))]
                    expected.update((item["id"], item) for item in put)
                    for name in gone:
                        expected.pop(name, None)
                    self.put(host, put=put, remove=gone)
        list_.settle()
        self.assertEqual(list_.items, expected)


class ManifestTests(Sample):
    """What is wrong with a manifest is said."""

    def test_a_faulty_manifest_is_refused_with_its_place(self) -> None:
        path = self.folder / "plugin.json"
        entry = {"name": "a", "type": "text", "group": "g"}
        cases: list[tuple[bytes, str]] = [
            (b"nonsense", "not JSON"), (b"[]", "not an object"), (b"{}", '"id"'), (b" " * 70_000, "longer"),
            *((json.dumps({**MANIFEST, **change}).encode(), words) for change, words in (
                ({"version": 7}, '"version"'), ({"api": {"min": 1}}, '"api"'), ({"api": 1}, '"api"'),
                ({"methods": [{"name": "other.x"}]}, "own"), ({"topics": ["other.x"]}, "own"),
                ({"topics": 7}, '"topics"'), ({"attributes": [7]}, '"attributes"'),
                ({"attributes": [{**entry, "type": "date"}]}, 'type "date"'),
                ({"attributes": [entry, entry]}, "twice"), ({"attributes": [{"name": "a"}]}, '"type"'),
                ({"attributes": [{**entry, "name": f"a{n}"} for n in range(65)]}, "65 attributes"),
            )),
        ]  # fmt: skip
        for data, words in cases:
            with self.subTest(words, data=data[:60]):
                path.write_bytes(data)
                with self.assertRaisesRegex(ManifestError, words) as caught:
                    Manifest(str(path))
                self.assertIn(str(path), str(caught.exception))
        with self.assertRaisesRegex(ManifestError, "No such file"):
            Manifest("/nowhere/plugin.json")

    def test_what_is_decorated_must_be_in_the_manifest(self) -> None:
        plugin = Plugin(self.folder / "plugin.json")
        decorators: list[tuple[Callable[[str], object], str]] = [
            (plugin.extract, "header"), (plugin.method, "sample.none"), (plugin.action, "none"),
            (plugin.source, "none"), (plugin.publish, "sample.none"),
        ]  # fmt: skip
        for decorator, name in decorators:
            with self.subTest(name), self.assertRaisesRegex(ManifestError, f'"{name}", which is not there'):
                decorator(name)
        with self.assertRaisesRegex(PluginError, "before plugin.run"):
            plugin.call("daemon.info")

    def test_a_program_finds_the_manifest_beside_it_or_its_target(self) -> None:
        for name, is_there in (("elsewhere", False), ("linked", True)):
            place = self.folder / name
            place.mkdir()
            if is_there:
                os.symlink(self.program, place / "sample")
            else:
                shutil.copy(self.program, place / "sample")
            host = Host([sys.executable, place / "sample"], PYTHONPATH=str(CLIENTS))
            self.addCleanup(host.close)
            if is_there:
                self.assertEqual(host.hello()["version"], "1.2.3")
            else:
                self.assertEqual(host.wait(), 1)
                self.assertIn("there is no plugin.json beside", host.log())


if __name__ == "__main__":
    tests = (WireTests, EndTests, FileTests, ActionTests, SourceTests, ManifestTests)
    sys.exit(run(*tests, about="pickerd_plugin.py"))
