#!/usr/bin/python3 -B
"""pickerd-desktop as what shows the dialogs of programs: calls as those of xdg-desktop-portal, in a terminal that the
test plays.

usage: contrib/tests/portal.py BINARIES
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import socket
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from gi.repository import Gio, GLib

import search_provider
from screens import Screen
from search_provider import NAME, Desktop
from test_pickerd import PATIENCE, eventually, run

PORTAL, CHOOSER = "/org/freedesktop/portal/desktop", "org.freedesktop.impl.portal.FileChooser"
REQUEST = "org.freedesktop.impl.portal.Request"
HANDLE = "/org/freedesktop/portal/desktop/request/1_7/"
DONE, CANCELLED, FAILED = 0, 1, 2
# The dialogs that there may be at once.
MOST = 100
ESCAPE, ENTER, TAB, DOWN = b"\x1b", b"\r", b"\t", b"\x1b[B"

# A terminal: it tells the test what it was given, and passes on the bytes in both directions. With `detach` in the
# home it is one of those whose first process ends at once.
TERMINAL = """#!/usr/bin/python3 -B
import fcntl, json, os, pty, select, socket, struct, sys, termios
home = os.environ["HOME"]
if os.path.exists(home + "/detach") and os.fork(): os._exit(0)
test = socket.socket(socket.AF_UNIX)
test.connect(home + "/windows")
pid, far = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvpe(sys.argv[1], sys.argv[1:], os.environ | {"TERM": "xterm"})
test.sendall(json.dumps({"words": sys.argv[1:], "terminal": os.getpid(), "picker": pid}).encode() + b"\\n")
while True:
    for ready in select.select([far, test], [], [])[0]:
        try: data = os.read(ready.fileno() if ready is test else ready, 65536)
        except OSError: data = b""
        if not data: sys.exit(0)
        if ready is test: os.write(far, data)
        else: test.sendall(data)
"""


def lives(pid: int) -> bool:
    """Whether a process is there that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Window:
    """A terminal that was started."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        stream.settimeout(PATIENCE)
        line = b""
        while not line.endswith(b"\n"):
            byte = stream.recv(1)
            assert byte, "the terminal has ended"
            line += byte
        told = json.loads(line)
        self.words, self.terminal, self.picker = told["words"], told["terminal"], told["picker"]
        self.screen = Screen()

    @property
    def text(self) -> str:
        while select.select([self.stream], [], [], 0)[0]:
            try:
                data = self.stream.recv(1 << 16)
            except OSError:
                break
            if not data:
                break
            self.screen.feed(data)
        return self.screen.text

    def shows(self, *patterns: str) -> bool:
        """Whether the screen eventually has all of these at once."""
        return eventually(lambda: all(re.search(pattern, self.text) for pattern in patterns))

    def press(self, keys: bytes) -> None:
        self.stream.sendall(keys)

    def close(self) -> None:
        self.stream.close()


class Dialogs(Desktop):
    """A home, a bus, and a terminal."""

    def setUp(self) -> None:
        super().setUp()
        self.windows = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.windows.close)
        self.windows.bind(str(self.home / "windows"))
        self.windows.listen(64)
        self.windows.settimeout(PATIENCE)
        (self.home / "bin/xdg-terminal-exec").write_text(TERMINAL)
        # The names of a type, also where the system has no list.
        (self.home / "data/mime").mkdir()
        (self.home / "data/mime/globs2").write_text("50:text/markdown:*.md\n")
        self.answers: dict[str, Any] = {}

    def start_bus(self) -> None:
        (self.home / "run").mkdir(mode=0o700)
        self.environment["XDG_RUNTIME_DIR"] = str(self.home / "run")
        super().start_bus()

    def ask(self, method: str, token: str = "t", **options: tuple[str, Any]) -> None:
        """Calls as the portal does; the answer comes to `answers`."""

        def finished(connection: Gio.DBusConnection, outcome: Gio.AsyncResult) -> None:
            try:
                self.answers[token] = connection.call_finish(outcome).unpack()
            except GLib.Error as error:
                self.answers[token] = error.message

        values = {name: GLib.Variant(*value) for name, value in options.items()}
        arguments = GLib.Variant("(osssa{sv})", (HANDLE + token, "org.app", "", "Choose something", values))
        self.bus.call(
            NAME, PORTAL, CHOOSER, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None, finished
        )  # fmt: skip
        self.bus.flush_sync(None)

    def window(self) -> Window:
        window = Window(self.windows.accept()[0])
        self.addCleanup(window.close)
        return window

    def dialog(self, method: str, token: str = "t", **options: tuple[str, Any]) -> Window:
        self.ask(method, token, **options)
        return self.window()

    def answer(self, token: str = "t") -> Any:
        self.assertTrue(self.dispatches_until(lambda: token in self.answers), self.log())
        return self.answers.pop(token)

    def picked(self, token: str = "t") -> list[str]:
        response, results = self.answer(token)
        self.assertEqual(response, DONE, self.log())
        return [GLib.filename_from_uri(uri)[0] for uri in results["uris"]]

    def close_request(self, token: str = "t") -> None:
        self.call("Close", interface=REQUEST, path=HANDLE + token)

    def nothing_is_left(self, *windows: Window) -> None:
        for window in windows:
            self.assertTrue(eventually(lambda window=window: not lives(window.picker)), window.words)
            self.assertTrue(eventually(lambda window=window: not lives(window.terminal)), window.words)
        self.assertTrue(eventually(lambda: not os.listdir(self.home / "run")), os.listdir(self.home / "run"))


def path_option(path: object) -> tuple[str, bytes]:
    """A path as the portal passes it: its bytes with a NUL behind."""
    return ("ay", os.fsencode(str(path)) + b"\0")


MARKDOWN = ("Markdown", [(1, "text/markdown")])
TEXTS = ("Texts", [(0, "*.[tT][xX][tT]"), (0, "LICENSE*")])
EVERYTHING = ("All files", [(0, "*")])


class OpenTests(Dialogs):
    """OpenFile."""

    def test_a_file_is_opened(self) -> None:
        self.start_daemon()
        window = self.dialog("OpenFile", choices=("a(ssa(ss)s)", [
            ("code", "Coding", [("u", "UTF-8"), ("l", "Latin")], "l"), ("first", "?", [("a", "A")], ""), ("mark", "?", [], ""),
        ]))  # fmt: skip
        self.assertTrue(window.shows("Choose something · org.app", r"report-\d+\.md"), window.text)
        self.assertTrue(os.access(window.words[0], os.X_OK), window.words)
        window.press(b"report-7.md")
        self.assertTrue(window.shows(r"(?m)^> .*report-7\.md"), window.text)
        window.press(ENTER)
        response, results = self.answer()
        self.assertEqual(response, DONE, self.log())
        self.assertEqual(results, {
            "uris": [f"file://{self.root}/reports/report-7.md"], "writable": True,
            "choices": [("code", "l"), ("first", "a"), ("mark", "false")],
        })  # fmt: skip
        self.nothing_is_left(window)

    def test_names_of_any_bytes_are_opened(self) -> None:
        for name in (b"odd\n1", b"odd\xff2", "odd ü%#?3".encode()):
            Path(os.fsdecode(bytes(self.root) + b"/" + name)).write_text("x")
        self.start_daemon()
        window = self.dialog("OpenFile", multiple=("b", True))
        window.press(b"odd")
        self.assertTrue(window.shows("odd.*1", "odd.*2", "odd.*3"), window.text)
        self.assertTrue(window.shows("1/3 "), window.text)
        window.press(TAB * 3)
        self.assertTrue(window.shows(r"3 marked"), window.text)
        window.press(ENTER)
        names = sorted(os.fsencode(os.path.basename(path)) for path in self.picked())
        self.assertEqual(names, sorted([b"odd\n1", b"odd\xff2", "odd ü%#?3".encode()]))

    def test_one_is_opened_where_one_is_wanted(self) -> None:
        self.start_daemon()
        window = self.dialog("OpenFile", multiple=("b", False))
        self.assertTrue(window.shows("report-"), window.text)
        window.press(TAB * 3 + ENTER)
        self.assertEqual(len(self.picked()), 1)

    def test_filters_are_conditions(self) -> None:
        (self.root / "LICENSE.2").write_text("x")
        (self.root / "UPPER.TXT").write_text("x")
        self.start_daemon()
        window = self.dialog("OpenFile", filters=("a(sa(us))", [TEXTS, MARKDOWN]))
        self.assertTrue(window.shows("Texts", r"type:txt or imatch:license\*", "UPPER.TXT", "LICENSE.2"), window.text)
        self.assertNotIn("report-", window.text)
        window.press(b"upper")
        self.assertTrue(window.shows(r"(?m)^> .*UPPER\.TXT"), window.text)
        window.press(ENTER)
        self.assertEqual(self.answer()[1]["current_filter"], TEXTS)

        both = ("a(sa(us))", [TEXTS, MARKDOWN, EVERYTHING])
        window = self.dialog("OpenFile", filters=both, current_filter=("(sa(us))", MARKDOWN))
        self.assertTrue(window.shows("Markdown", r"(type|ext):\S*md", r"report-\d+\.md"), window.text)
        self.assertNotIn("other ", window.text)
        # Whoever takes the condition away has chosen another filter.
        window.press(b"\x15other 17")
        self.assertTrue(window.shows(r"(?m)^> .*other 17\.txt"), window.text)
        window.press(ENTER)
        self.assertEqual(self.answer()[1]["current_filter"], TEXTS)

        (self.root / "neither.xyz").write_text("x")
        window = self.dialog("OpenFile", filters=("a(sa(us))", [TEXTS, MARKDOWN]))
        window.press(b"\x15neither.xyz")
        self.assertTrue(window.shows(r"(?m)^> .*neither\.xyz"), window.text)
        window.press(ENTER)
        self.assertNotIn("current_filter", self.answer()[1])

    def test_a_filter_that_no_name_tells_hides_nothing(self) -> None:
        self.start_daemon()
        for rule in ((1, "text/plain"), (1, "application/x-no-such"), (0, "*"), (7, "?"), (0, "x" * 5000)):
            window = self.dialog("OpenFile", filters=("a(sa(us))", [("Odd", [(0, "*.md"), rule])]))
            self.assertTrue(window.shows(r"(?m)^> *$", "report-|other "), window.text)
            window.press(ESCAPE)
            self.assertEqual(self.answer(), (CANCELLED, {}))
        window = self.dialog("OpenFile", current_filter=("(sa(us))", ("Images", [(1, "image/*")])))
        self.assertTrue(window.shows("Images", "> type:image"), window.text)

    def test_the_folder_is_looked_in_besides(self) -> None:
        self.start_daemon()
        elsewhere = self.home / "else where"
        elsewhere.mkdir()
        (elsewhere / "far away.md").write_text("x")
        window = self.dialog("OpenFile", current_folder=path_option(elsewhere))
        window.press(b"far")
        self.assertTrue(window.shows(r"(?m)^> .*far away\.md"), window.text)
        window.press(b"\x15report-7.md")
        self.assertTrue(window.shows(r"(?m)^> .*report-7\.md"), window.text)
        window.press(b"\x15far")
        self.assertTrue(window.shows(r"(?m)^> .*far away\.md"), window.text)
        window.press(ENTER)
        self.assertEqual(self.picked(), [str(elsewhere / "far away.md")])
        for folder in ("/", "/no such", "", "no such", "/dev/null", "-x"):
            window = self.dialog("OpenFile", current_folder=path_option(folder))
            self.assertTrue(window.shows(r"(?m)^> *$", "report-|other "), window.text)
            window.press(ESCAPE)
            self.assertEqual(self.answer(), (CANCELLED, {}))

    def test_a_folder_is_opened(self) -> None:
        window = self.dialog("OpenFile", directory=("b", True), current_folder=path_option(self.root),
                             filters=("a(sa(us))", [TEXTS]))  # fmt: skip
        self.assertTrue(window.shows("reports/"), window.text)
        window.press(b"reports" + ENTER)
        self.assertTrue(window.shows("0 folders"), window.text)
        window.press(ENTER)
        response, results = self.answer()
        self.assertEqual((response, results["uris"]), (DONE, [f"file://{self.root}/reports"]))
        self.assertNotIn("current_filter", results)
        window = self.dialog("OpenFile", directory=("b", True), multiple=("b", True))
        self.assertTrue(window.shows("root/"), window.text)
        window.press(ENTER)
        self.assertEqual(self.picked(), [str(self.home)])


class SaveTests(Dialogs):
    """SaveFile and SaveFiles, which need no daemon."""

    def test_a_file_is_saved(self) -> None:
        window = self.dialog("SaveFile", current_name=("s", "a/new.txt"), current_folder=path_option(self.root),
                             filters=("a(sa(us))", [MARKDOWN, TEXTS]))  # fmt: skip
        self.assertTrue(window.shows(r"Save as: new\.txt", "reports/"), window.text)
        window.press(ENTER)
        response, results = self.answer()
        self.assertEqual(response, DONE, self.log())
        self.assertEqual(results, {"uris": [f"file://{self.root}/new.txt"], "choices": [], "current_filter": TEXTS})
        window = self.dialog("SaveFile", current_file=path_option(self.root / "other 1.txt"), current_name=("s", "b"))
        self.assertTrue(window.shows(r"Save as: other 1\.txt"), window.text)
        window.press(ENTER)
        self.assertTrue(window.shows("overwrite"), window.text)
        window.press(b"y")
        self.assertEqual(self.picked(), [str(self.root / "other 1.txt")])
        window = self.dialog("SaveFile", filters=("a(sa(us))", [MARKDOWN]))
        self.assertTrue(window.shows("Save as:", "root/"), window.text)
        window.press(b"x.xyz" + ENTER)
        _, results = self.answer()
        self.assertEqual((results["uris"], results["current_filter"]), ([f"file://{self.home}/x.xyz"], MARKDOWN))

    def test_files_are_saved_without_overwriting(self) -> None:
        names = [b"other 1.txt\0", b"other 1.txt\0", b"new\xff\0", b"../..\0", b"/etc/.x\0", b"\0"]
        window = self.dialog("SaveFiles", files=("aay", names), current_folder=path_option(self.root))
        self.assertTrue(window.shows("reports/"), window.text)
        window.press(ENTER)
        found = [os.path.relpath(path, self.root) for path in self.picked()]
        expected = ["other 1 (1).txt", "other 1 (2).txt", os.fsdecode(b"new\xff"), "file", ".x", "file (1)"]
        self.assertEqual(found, expected)


class EndTests(Dialogs):
    """The ways in which dialogs end."""

    def test_cancel_is_cancel(self) -> None:
        self.start_daemon()
        for method in ("OpenFile", "SaveFile", "SaveFiles"):
            for keys in (ESCAPE, b"\x03"):
                window = self.dialog(method)
                self.assertTrue(window.shows("root|report-|other "), window.text)
                window.press(keys)
                self.assertEqual(self.answer(), (CANCELLED, {}))
            window = self.dialog(method)
            self.assertTrue(window.shows("root|report-|other "), window.text)
            window.close()
            self.assertEqual(self.answer(), (CANCELLED, {}))
            self.nothing_is_left(window)
        window = self.dialog("OpenFile")
        window.press(b"no such name")
        self.assertTrue(window.shows("nothing matches"), window.text)
        window.press(ENTER)
        self.assertEqual(self.answer(), (CANCELLED, {}))

    def test_close_ends_it(self) -> None:
        self.start_daemon()
        for detached in (False, True):
            if detached:
                (self.home / "detach").touch()
            for method in ("OpenFile", "SaveFile"):
                window = self.dialog(method)
                self.assertTrue(window.shows("root|report-|other "), window.text)
                self.close_request()
                self.assertEqual(self.answer(), (FAILED, {}))
                self.nothing_is_left(window)
                self.fails("UnknownObject", "Close", interface=REQUEST, path=HANDLE + "t")

    def test_close_ends_a_terminal_that_has_not_begun(self) -> None:
        slow = f"#!/bin/sh\necho $$ >{self.home}/pid.new; mv {self.home}/pid.new {self.home}/pid; exec sleep 1000\n"
        (self.home / "bin/xdg-terminal-exec").write_text(slow)
        self.ask("OpenFile")
        self.assertTrue(self.dispatches_until(lambda: (self.home / "pid").exists()))
        self.close_request()
        self.assertEqual(self.answer(), (FAILED, {}))
        pid = int((self.home / "pid").read_text())
        self.assertTrue(eventually(lambda: not lives(pid)))
        self.nothing_is_left()

    def test_a_terminal_whose_first_process_ends_is_waited_for(self) -> None:
        (self.home / "detach").touch()
        window = self.dialog("SaveFile", current_name=("s", "n"))
        self.assertTrue(window.shows("Save as: n"), window.text)
        window.press(ENTER)
        self.assertEqual(self.picked(), [f"{self.home}/n"])

    def test_what_can_not_begin_has_failed_and_the_log_says_why(self) -> None:
        terminal = self.home / "bin/xdg-terminal-exec"
        window = self.dialog("OpenFile")
        self.assertEqual(self.answer(), (FAILED, {}))
        self.assertIn("daemon", self.log())
        self.nothing_is_left(window)
        terminal.write_text("#!/bin/sh\nexit 3\n")
        self.ask("OpenFile")
        self.assertEqual(self.answer(), (FAILED, {}))
        self.assertIn("has ended with status 3", self.log())
        self.nothing_is_left()

    def test_a_picker_that_is_killed_has_failed(self) -> None:
        window = self.dialog("SaveFile")
        self.assertTrue(window.shows("root/"), window.text)
        os.kill(window.picker, signal.SIGKILL)
        self.assertEqual(self.answer(), (FAILED, {}))
        self.assertIn("without an answer", self.log())
        self.nothing_is_left(window)

    def test_the_end_of_the_program_ends_dialogs(self) -> None:
        for how in (signal.SIGTERM, signal.SIGKILL):
            windows = [self.dialog("SaveFile", f"t{number}") for number in range(3)]
            for window in windows:
                self.assertTrue(window.shows("root/"), window.text)
            os.kill(self.pid(), how)
            for number in range(3):
                self.answer(f"t{number}")
            self.nothing_is_left(*windows)


class NoTerminalTests(Dialogs):
    """A machine without a terminal."""

    def start_bus(self) -> None:
        (self.home / "bin/dbus-daemon").symlink_to(shutil.which("dbus-daemon") or "")
        self.environment["PATH"] = str(self.home / "bin")
        super().start_bus()

    def test_without_a_terminal_it_fails_and_the_log_says_so(self) -> None:
        (self.home / "bin/xdg-terminal-exec").unlink()
        for method in ("OpenFile", "SaveFile", "SaveFiles"):
            self.ask(method)
            self.assertEqual(self.answer(), (FAILED, {}))
        self.assertEqual(self.log().count("no terminal is installed"), 3)
        self.nothing_is_left()


class ManyTests(Dialogs):
    """Many at once, and callers that are no portal."""

    def test_ten_at_once(self) -> None:
        self.start_daemon()
        windows = [self.dialog("OpenFile", f"t{number}") for number in range(10)]
        for number, window in reversed(list(enumerate(windows))):
            window.press(f"report-{number}.md".encode())
            self.assertTrue(window.shows(rf"(?m)^> .*report-{number}\.md"), window.text)
            window.press(ENTER)
            self.assertEqual(self.picked(f"t{number}"), [f"{self.root}/reports/report-{number}.md"])
        self.nothing_is_left(*windows)

    def test_beyond_the_most_is_refused_and_none_leaves_anything(self) -> None:
        # A terminal that never begins costs little.
        (self.home / "bin/xdg-terminal-exec").write_text("#!/bin/sh\nexec sleep 1000\n")
        for number in range(MOST):
            self.ask("SaveFile", f"t{number}")
        self.ask("SaveFile", "more")
        self.assertEqual(self.answer("more"), (FAILED, {}))
        before = self.files()
        for number in range(MOST):
            self.close_request(f"t{number}")
            self.assertEqual(self.answer(f"t{number}"), (FAILED, {}))
        self.nothing_is_left()
        self.assertTrue(eventually(lambda: self.files() < before - MOST), self.files())
        children = Path(f"/proc/{self.pid()}/task/{self.pid()}/children")
        self.assertTrue(eventually(lambda: children.read_text().split() == []))

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.pid()}/fd"))

    def test_odd_calls(self) -> None:
        window = self.dialog("SaveFile", multiple=("s", "yes"), filters=("as", ["x"]), current_folder=("s", "/"),
                             current_name=("ay", b"x\0"), choices=("a(ss)", [("a", "b")]), unknown=("a{sv}", {}))  # fmt: skip
        self.assertTrue(window.shows("Save as:", "root/"), window.text)
        self.ask("OpenFile", "t")
        again = self.dispatches_until(lambda: "t" in self.answers)
        self.assertTrue(again and "already" in self.answers.pop("t"))
        self.assertFalse("t" in self.answers)
        window.press(ESCAPE)
        many = [("f" * 200, [(0, f"*.{number}") for number in range(50)])] * 2000
        window = self.dialog("SaveFile", "u", filters=("a(sa(us))", many),
                             choices=("a(ssa(ss)s)", [("c", "", [], "")] * 5000))  # fmt: skip
        self.close_request("u")
        self.assertEqual(self.answer("u"), (FAILED, {}))
        self.ask("SaveFiles", "v", files=("aay", [b"x\0"] * 5000))
        self.assertIn("4096", self.answer("v"))
        self.fails("InvalidArgs", "OpenFile", "(s)", "x", interface=CHOOSER, path=PORTAL)
        self.fails("UnknownMethod", "OpenFile", "(s)", "x", interface=CHOOSER)
        self.fails("UnknownMethod", "Match", "(s)", "x", interface="org.kde.krunner1", path=PORTAL)

    def test_the_object_is_described(self) -> None:
        text = self.call("Introspect", interface="org.freedesktop.DBus.Introspectable", path=PORTAL)
        node = ElementTree.fromstring(text.split("?>")[-1])
        methods = {
            method.get("name"): "".join(argument.get("type", "") for argument in method)
            for each in node if each.get("name") == CHOOSER for method in each
        }  # fmt: skip
        self.assertEqual(methods, dict.fromkeys(("OpenFile", "SaveFile", "SaveFiles"), "osssa{sv}ua{sv}"))
        told = self.call("GetAll", "(s)", CHOOSER, interface="org.freedesktop.DBus.Properties", path=PORTAL)
        self.assertEqual(told, {})


class IdleTests(Dialogs):
    """A program that would end soon."""

    idle = "0.3"

    def test_it_does_not_end_while_a_dialog_is_open(self) -> None:
        window = self.dialog("SaveFile", current_name=("s", "n"))
        pid = self.pid()
        end = time.monotonic() + 1
        self.assertTrue(self.dispatches_until(lambda: time.monotonic() > end))
        self.assertTrue(lives(pid))
        window.press(ENTER)
        self.assertEqual(self.picked(), [f"{self.home}/n"])
        self.assertTrue(eventually(lambda: not lives(pid)))
        self.nothing_is_left(window)


if __name__ == "__main__":
    search_provider.BINARIES = os.path.realpath(sys.argv[1])
    sys.exit(run(OpenTests, SaveTests, EndTests, NoTerminalTests, ManyTests, IdleTests, about="dialogs"))
