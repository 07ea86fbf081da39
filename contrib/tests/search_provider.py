#!/usr/bin/python3 -B
"""pickerd-desktop on a bus of its own: what GNOME's shell and KRunner call, hostile callers, its start and its end.

usage: contrib/tests/search_provider.py BINARIES
"""

from __future__ import annotations

import hashlib
import os
import random
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path
from typing import Any

from gi.repository import Gio, GLib

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "contrib" / "clients")]

from pickerd import Client  # noqa: E402
from test_pickerd import PATIENCE, eventually, run  # noqa: E402

NAME, PLACE = "org.pickerd.Desktop", "/org/pickerd/Desktop"
SHELL, RUNNER = "org.gnome.Shell.SearchProvider2", "org.kde.krunner1"

# The methods of the interfaces, as the desktops have published them: what they take and what they give.
PUBLISHED = {
    SHELL: {
        "GetInitialResultSet": (["as"], ["as"]),
        "GetSubsearchResultSet": (["as", "as"], ["as"]),
        "GetResultMetas": (["as"], ["aa{sv}"]),
        "ActivateResult": (["s", "as", "u"], []),
        "LaunchSearch": (["as", "u"], []),
    },
    RUNNER: {
        "Actions": ([], ["a(sss)"]),
        "Match": (["s"], ["a(sssida{sv})"]),
        "Run": (["s", "s"], []),
        "Config": ([], ["a{sv}"]),
        "Teardown": ([], []),
        "SetActivationToken": (["s"], []),
    },
}

BUS = """<busconfig>
<type>session</type><listen>unix:path={home}/bus</listen><auth>EXTERNAL</auth><servicedir>{home}/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"""

# Programs of the desktop, which say what they were given.
TOLD = '#!/bin/sh\nprintf \'%s\\0\' "${0##*/}" "$@" >"$HOME/told.$$" && mv "$HOME/told.$$" "$HOME/told-${0##*/}"\n'


def thumbnail(uri: str, modified: int) -> bytes:
    """A small image that says whose it is."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    facts = {"Thumb::URI": uri, "Thumb::MTime": str(modified)}
    texts = [chunk(b"tEXt", name.encode() + b"\0" + value.encode()) for name, value in facts.items()]
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0\0\0"))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(texts) + pixels + chunk(b"IEND", b"")


class Desktop(unittest.TestCase):
    """A home with documents, a daemon, and a bus that starts pickerd-desktop."""

    idle = "60"

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(suffix="-pickerd-search-test"))
        self.addCleanup(shutil.rmtree, self.home)
        self.root = self.home / "root"
        for folder in ("root/reports", "bin", "services", "config", "data"):
            (self.home / folder).mkdir(parents=True)
        for number in range(40):
            (self.root / "reports" / f"report-{number}.md").write_text("x")
            (self.root / f"other {number}.txt").write_text("x")
        for program in ("gio", "gdbus", "xdg-terminal-exec"):
            (self.home / "bin" / program).write_text(TOLD)
            (self.home / "bin" / program).chmod(0o755)
        self.socket = str(self.home / "sock")
        self.environment = {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "PICKERD_SOCKET": self.socket,
            "XDG_CONFIG_HOME": str(self.home / "config"), "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CACHE_HOME": str(self.home / "cache"), "XDG_DATA_DIRS": "/usr/share",
            "PATH": f"{self.home}/bin:{BINARIES}:/usr/bin:/bin",
        }  # fmt: skip
        self.daemon: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.end_daemon)
        self.start_bus()

    def start_bus(self) -> None:
        (self.home / "bus.conf").write_text(BUS.format(home=self.home))
        (self.home / f"services/{NAME}.service").write_text(
            f"[D-BUS Service]\nName={NAME}\nExec={BINARIES}/pickerd-desktop --idle {self.idle}\n"
        )
        with open(self.home / "log", "wb") as log:
            bus = subprocess.Popen(
                ["dbus-daemon", f"--config-file={self.home}/bus.conf", "--nofork", "--nopidfile", "--print-address"],
                env=self.environment, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        assert bus.stdout
        self.addCleanup(bus.stdout.close)
        self.addCleanup(bus.wait)
        self.addCleanup(bus.kill)
        # Printed when it listens.
        self.assertTrue(bus.stdout.readline())
        self.bus = self.connect()

    def connect(self) -> Gio.DBusConnection:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        return Gio.DBusConnection.new_for_address_sync(f"unix:path={self.home}/bus", flags, None, None)

    def start_daemon(self) -> Client:
        self.daemon = subprocess.Popen(
            [BINARIES + "/pickerd", self.root, "--state", self.home / "state"],
            env=self.environment, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        client = Client(self.socket)
        client.wait_for_daemon(PATIENCE)
        client.sync(PATIENCE)
        return client

    def end_daemon(self, how: int = signal.SIGTERM) -> None:
        if self.daemon:
            self.daemon.send_signal(how)
            self.daemon.wait()
            self.daemon = None
            if how == signal.SIGKILL:
                os.unlink(self.socket)

    def call(self, method: str, types: str = "()", *values: Any, interface: str = SHELL, path: str = PLACE) -> Any:
        """The result of a call; the only one, or all."""
        result = self.bus.call_sync(
            NAME, path, interface, method, GLib.Variant(types, values), None, Gio.DBusCallFlags.NONE,
            int(PATIENCE * 1000), None,
        ).unpack()  # fmt: skip
        return result[0] if len(result) == 1 else result

    def begin(self, answers: list[Any], bus: Gio.DBusConnection, method: str, types: str, *values: Any,
              interface: str = SHELL) -> None:  # fmt: skip
        """Calls, and adds what comes to `answers`."""

        def finished(connection: Gio.DBusConnection, outcome: Gio.AsyncResult) -> None:
            answers.append(connection.call_finish(outcome).unpack()[0])

        bus.call(
            NAME, PLACE, interface, method, GLib.Variant(types, values), None, Gio.DBusCallFlags.NONE,
            int(PATIENCE * 1000), None, finished,
        )  # fmt: skip

    def dispatches_until(self, condition: Any) -> bool:
        def holds() -> bool:
            while GLib.MainContext.default().iteration(False):
                pass
            return bool(condition())

        return eventually(holds)

    def search(self, *terms: str) -> list[str]:
        found: list[str] = self.call("GetInitialResultSet", "(as)", list(terms))
        return found

    def fails(self, name: str, *arguments: Any, **more: Any) -> None:
        with self.assertRaises(GLib.Error) as caught:
            self.call(*arguments, **more)
        self.assertEqual(Gio.DBusError.get_remote_error(caught.exception), "org.freedesktop.DBus.Error." + name)

    def told(self, program: str) -> list[str]:
        file = self.home / f"told-{program}"
        self.assertTrue(eventually(file.exists), program)
        words = file.read_bytes().split(b"\0")[1:-1]
        file.unlink()
        return [os.fsdecode(word) for word in words]

    def asked(self, client: Client, text: str) -> list[str]:
        """The keys that the daemon has for a fuzzy search."""
        parameters = {"search": text, "match": "fuzzy", "sort": ["score"], "window": {"start": 0, "count": 24}}
        return [item["key"] for item in client.request("items.get", parameters)["items"]]

    def pid(self) -> int:
        return int(self.ask_bus("GetConnectionUnixProcessID"))

    def has_name(self) -> bool:
        return bool(self.ask_bus("NameHasOwner"))

    def ask_bus(self, method: str) -> Any:
        return self.bus.call_sync(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", method, GLib.Variant("(s)", (NAME,)), None,
            Gio.DBusCallFlags.NONE, -1, None,
        ).unpack()[0]  # fmt: skip

    def log(self) -> str:
        return (self.home / "log").read_text(errors="replace")


class CallTests(Desktop):
    """What desktops call."""

    def test_the_interfaces_are_those_that_the_desktops_have_published(self) -> None:
        text = self.call("Introspect", interface="org.freedesktop.DBus.Introspectable")
        found: dict[str, dict[str, tuple[list[str], list[str]]]] = {}
        for interface in ElementTree.fromstring(text).iter("interface"):
            methods = found.setdefault(interface.attrib["name"], {})
            for method in interface.iter("method"):
                takes, gives = (
                    [each.attrib["type"] for each in method.iter("arg") if each.attrib["direction"] == direction]
                    for direction in ("in", "out")
                )
                methods[method.attrib["name"]] = (takes, gives)
        for name, methods in PUBLISHED.items():
            self.assertEqual(found[name], methods)
        tree = subprocess.run(
            ["busctl", f"--address=unix:path={self.home}/bus", "tree", "--list", NAME], capture_output=True, text=True,
            timeout=PATIENCE,
        ).stdout  # fmt: skip
        self.assertIn(PLACE, tree.split())
        self.assertEqual(self.call("GetAll", "(s)", SHELL, interface="org.freedesktop.DBus.Properties"), {})
        self.assertEqual(self.call("Ping", interface="org.freedesktop.DBus.Peer"), ())

    def test_gnome_shell_types_a_word_goes_back_and_opens_a_document(self) -> None:
        client = self.start_daemon()
        results = self.search("r")
        self.assertEqual(results, self.asked(client, "r"))
        for text in ("re", "rep", "rep 7", "rep", "re"):
            results = self.call("GetSubsearchResultSet", "(asas)", results, text.split())
            self.assertEqual(results, self.asked(client, text), text)
        self.assertEqual(len(results), 24)
        metas = self.call("GetResultMetas", "(as)", results[:5])
        self.assertEqual([meta["id"] for meta in metas], results[:5])
        for meta in metas:
            self.assertTrue(meta["name"].startswith("report-"))
            self.assertEqual(meta["description"], "~/root/reports")
            kind, names = meta["icon"]
            self.assertEqual(kind, "themed")
            self.assertIn("text-markdown", names)
            icon = Gio.icon_deserialize(GLib.Variant("(sv)", (kind, GLib.Variant("as", names))))
            self.assertEqual(icon.get_names()[:1], names[:1])
        before = client.request("daemon.info")["feed"]["visited"]
        self.call("ActivateResult", "(sasu)", results[0], ["re"], 0)
        self.assertEqual(self.told("gio"), ["open", f"file://{self.root}/reports/{metas[0]['name']}"])
        self.assertTrue(eventually(lambda: client.request("daemon.info")["feed"]["visited"] == before + 1))

    def test_the_example_of_the_manual_page_prints_matches(self) -> None:
        self.start_daemon()
        page = (PROJECT / "contrib/man/pickerd-desktop.1").read_text()
        (line,) = [line for line in page.splitlines() if line.startswith("gdbus ")]
        done = subprocess.run(
            shlex.split(line.replace("--session", f"--address=unix:path={self.home}/bus")), capture_output=True,
            text=True, timeout=PATIENCE,
        )  # fmt: skip
        self.assertIn("'report-", done.stdout, done.stderr)

    def test_words_of_queries_are_conditions(self) -> None:
        self.start_daemon()
        names = [meta["name"] for meta in self.call("GetResultMetas", "(as)", self.search("type:txt", "7"))]
        self.assertEqual(sorted(names), ["other 17.txt", "other 27.txt", "other 37.txt", "other 7.txt"])
        self.assertEqual(len(self.search("type:md limit:3")), 3)
        for nothing in ((), ("",), (" ",), ("type:",), ("no-such-name-anywhere",)):
            self.assertEqual(self.search(*nothing), [])

    def test_the_icon_is_a_thumbnail_if_there_is_one(self) -> None:
        document = self.root / "reports/report-7.md"
        uri = GLib.filename_to_uri(str(document), None)
        image = self.home / f"cache/thumbnails/normal/{hashlib.md5(uri.encode()).hexdigest()}.png"
        image.parent.mkdir(parents=True)
        image.write_bytes(thumbnail(uri, int(document.stat().st_mtime)))
        self.start_daemon()
        (meta,) = self.call("GetResultMetas", "(as)", self.search("report-7.md")[:1])
        self.assertEqual(meta["icon"], ("file", f"file://{image}"))

    def test_a_document_that_is_gone_is_still_described(self) -> None:
        client = self.start_daemon()
        results = self.search("report-7.md")
        (self.root / "reports/report-7.md").unlink()
        client.sync(PATIENCE)
        (meta,) = self.call("GetResultMetas", "(as)", results[:1])
        self.assertEqual((meta["id"], meta["name"]), (results[0], "report-7.md"))
        self.assertEqual(self.search("report-7.md"), self.asked(client, "report-7.md"))
        self.call("ActivateResult", "(sasu)", results[0], [], 0)
        self.assertTrue(eventually(lambda: results[0] in self.log()))

    def test_krunner_types_overlapping_and_runs_a_match(self) -> None:
        client = self.start_daemon()
        answers: list[Any] = []
        for text in ("r", "re", "rep"):
            self.begin(answers, self.bus, "Match", "(s)", text, interface=RUNNER)
        self.assertTrue(self.dispatches_until(lambda: len(answers) == 3))
        matches = self.call("Match", "(s)", "rep", interface=RUNNER)
        self.assertEqual(answers[2], matches)
        self.assertEqual([match[0] for match in matches], self.asked(client, "rep"))
        relevances = [match[4] for match in matches]
        self.assertEqual(relevances, sorted(relevances, reverse=True))
        self.assertTrue(all(0 < each <= 1 for each in relevances))
        key, text, icon, kind, _, more = matches[0]
        self.assertEqual((icon, kind, more["subtext"]), ("text-markdown", 30, "~/root/reports"))
        self.assertEqual(more["urls"], [f"file://{self.root}/reports/{text}"])
        ((_, _, _, kind, relevance, _), *_) = self.call("Match", "(s)", "report-7", interface=RUNNER)
        self.assertEqual((kind, relevance > 0.99), (100, True))
        self.assertEqual(self.call("Config", interface=RUNNER), {"MinLetterCount": 2})
        self.call("SetActivationToken", "(s)", "token", interface=RUNNER)
        self.call("Run", "(ss)", key, "", interface=RUNNER)
        self.assertEqual(self.told("gio"), ["open", more["urls"][0]])
        for action, _, _ in self.call("Actions", interface=RUNNER):
            self.call("Run", "(ss)", key, action, interface=RUNNER)
            self.assertIn(f"['{more['urls'][0]}']", self.told("gdbus"))
        self.call("Teardown", interface=RUNNER)
        self.assertEqual(self.call("Match", "(s)", "rep", interface=RUNNER), matches)

    def test_a_search_is_launched_in_a_terminal(self) -> None:
        self.call("LaunchSearch", "(asu)", ["$(rep", "'ort", "-x"], 0)
        words = self.told("xdg-terminal-exec")
        self.assertEqual((words[:2], words[-3:]), (["/bin/sh", "-c"], ["$(rep", "'ort", "-x"]))
        self.assertTrue(os.access(words[3], os.X_OK), words)
        pid = self.pid()
        (self.home / "bin/xdg-terminal-exec").write_text("#!/bin/sh\nexit 3\n")
        self.call("LaunchSearch", "(asu)", [], 0)
        self.assertTrue(eventually(lambda: "has ended with status 3" in self.log()))
        self.assertEqual(self.pid(), pid)


class DaemonTests(Desktop):
    """With no daemon, and with one that comes, goes, or says nothing."""

    def test_without_a_daemon_there_is_nothing_and_with_one_all(self) -> None:
        self.assertEqual(self.search("rep"), [])
        self.assertEqual(self.call("GetSubsearchResultSet", "(asas)", ["k"], ["rep"]), [])
        self.assertEqual(self.call("GetResultMetas", "(as)", ["k", ""]), [])
        self.assertEqual(self.call("Match", "(s)", "rep", interface=RUNNER), [])
        self.call("ActivateResult", "(sasu)", "k", ["rep"], 0)
        self.call("Run", "(ss)", "k", "no such", interface=RUNNER)
        self.call("Teardown", interface=RUNNER)
        self.assertTrue(eventually(lambda: "no daemon" in self.log() and "no such" in self.log()))
        pid = self.pid()
        for how in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
            client = self.start_daemon()
            self.assertEqual(self.search("rep"), self.asked(client, "rep"))
            self.assertEqual(len(self.call("Match", "(s)", "rep", interface=RUNNER)), 24)
            self.end_daemon(how)
            self.assertEqual(self.search("rep 7"), [])
        self.assertEqual(self.pid(), pid)

    def test_a_daemon_that_says_nothing_delays_an_answer_by_a_second(self) -> None:
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(self.socket)
            silent.listen()
            start = time.monotonic()
            answers: list[Any] = []
            others = [self.connect() for _ in range(10)]
            for each in others:
                self.begin(answers, each, "GetInitialResultSet", "(as)", ["rep"])
            self.begin(answers, self.bus, "GetResultMetas", "(as)", ["k", "l"])
            self.assertTrue(self.dispatches_until(lambda: len(answers) == 11))
            self.assertEqual(answers, [[]] * 11)
            self.assertLess(time.monotonic() - start, 8)
        os.unlink(self.socket)
        client = self.start_daemon()
        self.assertEqual(self.search("rep"), self.asked(client, "rep"))


class HostileTests(Desktop):
    """What no desktop does."""

    def test_calls_that_are_none_are_refused(self) -> None:
        self.fails("InvalidArgs", "GetInitialResultSet", "(s)", "rep")
        self.fails("InvalidArgs", "GetSubsearchResultSet", "(as)", ["rep"])
        self.fails("InvalidArgs", "ActivateResult")
        self.fails("InvalidArgs", "Match", "(as)", ["rep"], interface=RUNNER)
        self.fails("UnknownMethod", "GetInitialResultSe")
        self.fails("UnknownMethod", "Match")
        self.fails("UnknownMethod", "Match", "(s)", "rep", interface="org.kde.krunner2")
        self.fails("UnknownObject", "GetInitialResultSet", "(as)", ["rep"], path="/org/pickerd")
        self.fails("UnknownObject", "Introspect", interface="org.freedesktop.DBus.Introspectable", path="/x")
        self.fails("UnknownProperty", "Get", "(ss)", SHELL, "x", interface="org.freedesktop.DBus.Properties")

    def test_what_is_huge_or_odd_is_answered(self) -> None:
        client = self.start_daemon()
        many = ["report"] * 100_000
        # The first answers are of what is ranked so far, if so many words take long.
        expected = self.asked(client, " ".join(["report"] * 64))
        self.assertTrue(eventually(lambda: self.search(*many) == expected))
        self.assertEqual(self.search("é" * 4_000_000), [])
        self.assertEqual(len(self.call("GetSubsearchResultSet", "(asas)", ["k"] * 200_000, ["rep"])), 24)
        self.assertEqual(self.call("GetResultMetas", "(as)", ["k"] * 200_000), [])
        found = self.search("rep")
        self.assertEqual(len(self.call("GetResultMetas", "(as)", found * 1000)), 64)
        self.call("ActivateResult", "(sasu)", "k" * 2_000_000, many, 7)
        self.call("Run", "(ss)", "\n\x1b", "\x1b[31m\ufdd0", interface=RUNNER)
        for text in ("\n", "\x1b[31m", "'", "!", "^ $ | |", "((((", '"', "a:b", "sort:x", "\ufffe", "x" * 70_000, "\\"):
            self.assertIsInstance(self.search(text), list)
            self.assertIsInstance(self.call("Match", "(s)", text, interface=RUNNER), list)
        source = random.Random(time.time_ns())
        for _ in range(300):
            codes = [source.choice((source.randrange(1, 128), source.randrange(0xA0, 0xD000))) for _ in range(9)]
            text = "".join(map(chr, codes))
            self.assertIsInstance(self.search(text), list, repr(text))
        self.assertEqual(self.search("rep"), self.asked(client, "rep"))

    def test_names_of_any_bytes_reach_the_desktop_as_text(self) -> None:
        for name in (b"odd\n1", b"odd\xff2", b"odd\xef\xbf\xbe3", b"odd\xe2\x80\xae4", b"odd 5 %$'\"", b"odd\x1b6"):
            (Path(os.fsdecode(bytes(self.root) + b"/" + name))).write_text("x")
        self.start_daemon()
        metas = self.call("GetResultMetas", "(as)", self.search("odd"))
        names = sorted(meta["name"] for meta in metas)
        expected = ["odd\\n1", "odd\ufffd2", "odd\ufffd3", "odd\\u{202e}4", "odd 5 %$'\"", "odd\\x1b6"]
        self.assertEqual(names, sorted(expected))
        matches = self.call("Match", "(s)", "odd", interface=RUNNER)
        self.assertEqual(sorted(match[1] for match in matches), names)
        for match in matches:
            self.assertTrue(os.path.exists(GLib.filename_from_uri(match[5]["urls"][0])[0]))

    def facts(self) -> tuple[int, int, int]:
        """The descriptors, the kilobytes that are resident, and the child processes."""
        process = f"/proc/{self.pid()}"
        status = dict(line.split(":\t") for line in Path(process, "status").read_text().splitlines())
        children = Path(process, "task", process.split("/")[2], "children").read_text().split()
        return len(os.listdir(process + "/fd")), int(status["VmRSS"].split()[0]), len(children)

    def test_ten_thousand_searches_and_a_hundred_at_once_leave_nothing_behind(self) -> None:
        client = self.start_daemon()
        words = ["r", "re", "rep", "repo", "report", "report 7", "oth", "other 1", "zzz", "type:md"]

        def calls(count: int) -> None:
            answers: list[Any] = []
            for number in range(count):
                word = words[number % len(words)]
                if number % 3:
                    self.begin(answers, self.bus, "GetInitialResultSet", "(as)", [word])
                else:
                    self.begin(answers, self.bus, "Match", "(s)", word, interface=RUNNER)
                if number % 50 == 49:
                    self.assertTrue(self.dispatches_until(lambda: len(answers) == number + 1))

        def at_once() -> None:
            answers: list[Any] = []
            others = [self.connect() for _ in range(100)]
            for number, each in enumerate(others):
                self.begin(answers, each, "GetInitialResultSet", "(as)", [words[number % 5]])
                self.begin(answers, each, "GetResultMetas", "(as)", found)
                self.begin(answers, each, "Match", "(s)", "oth", interface=RUNNER)
            self.assertTrue(self.dispatches_until(lambda: len(answers) == 300))
            # The last search of each counts, as far as so many may wait.
            self.assertGreaterEqual(sum(1 for each in answers if len(each) == 24), 64)
            for each in others:
                each.close_sync(None)

        def growth() -> int:
            before = self.facts()
            calls(10_000)
            at_once()
            # Callers that do not wait for their answers.
            for _ in range(20):
                gone = self.connect()
                for _ in range(20):
                    self.begin([], gone, "GetInitialResultSet", "(as)", ["rep"])
                gone.flush_sync(None)
                gone.close_sync(None)
            # Behind all of that, a search may get its answer of a second: nothing yet.
            self.assertTrue(eventually(lambda: self.search("rep") == self.asked(client, "rep")))
            after = self.facts()
            self.assertEqual((after[0], after[2]), (before[0], before[2]))
            return after[1] - before[1]

        found = self.search("rep")
        at_once()
        calls(2_000)
        # What many callers take at once differs, and the most of it stays the process's: that grows sometimes. What is lost
        # grows each time, by 400 bytes a call or more.
        growths = [growth()]
        while growths[-1] >= 4096:
            self.assertLess(len(growths), 5, f"{growths}")
            growths.append(growth())
        # One list of one client, until nobody asks any more.
        self.assertEqual(client.request("daemon.info")["clients"], 2)


class EndTests(Desktop):
    """The end of a program that nobody calls."""

    idle = "0.5"

    def test_it_ends_and_is_started_again(self) -> None:
        client = self.start_daemon()
        self.assertEqual(self.search("rep"), self.asked(client, "rep"))
        first = self.pid()
        self.assertTrue(eventually(lambda: not self.has_name()))
        self.assertTrue(eventually(lambda: not os.path.exists(f"/proc/{first}")))
        self.assertEqual(self.search("rep"), self.asked(client, "rep"))
        self.assertNotEqual(self.pid(), first)
        second = subprocess.run(
            [BINARIES + "/pickerd-desktop"], capture_output=True, text=True, timeout=PATIENCE,
            env=self.environment | {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.home}/bus"},
        )  # fmt: skip
        self.assertEqual((second.returncode, NAME in second.stderr), (1, True), second.stderr)


class RaceTests(Desktop):
    """Calls that come just when it ends."""

    idle = "0.01"

    def test_no_call_is_lost(self) -> None:
        self.start_daemon()
        seed = time.time_ns()
        source = random.Random(seed)
        pids = set()
        for _ in range(120):
            self.assertEqual(len(self.search("rep")), 24, f"seed {seed}")
            if self.has_name():
                pids.add(self.owner())
            end = time.monotonic() + source.uniform(0.006, 0.016)
            while time.monotonic() < end:
                pass
        self.assertGreater(len(pids), 2)

    def owner(self) -> str:
        try:
            return str(self.ask_bus("GetNameOwner"))
        except GLib.Error:
            return ""


if __name__ == "__main__":
    BINARIES = os.path.realpath(sys.argv[1])
    sys.exit(run(CallTests, DaemonTests, HostileTests, EndTests, RaceTests, about="pickerd-desktop"))
