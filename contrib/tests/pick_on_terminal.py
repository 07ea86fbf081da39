#!/usr/bin/env python3
"""pickerctl pick on a pseudo-terminal: what it picks, and the state in which it leaves the terminal.

Run by pick.sh, which tells how a daemon is started that serves ROOT.

usage: contrib/tests/pick_on_terminal.py ROOT
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import terminals
from screens import Screen
from terminals import Terminal, check

SOCKET = os.environ["PICKERD_SOCKET"]


class Daemon:
    def __init__(self, root: str, *others: str) -> None:
        self.root = root
        self.roots = root, *others
        self.start()

    def start(self) -> None:
        with open(f"{self.root}.log", "ab") as log:
            command = ("pickerd", "--socket", SOCKET, *self.roots)
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(1000):
            if subprocess.run(("pickerctl", "sync"), capture_output=True).returncode == 0:
                return
            select.select([], [], [], 0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


class Picker(Terminal):
    """A terminal with a picker, and what the terminal shows."""

    def __init__(
        self, *words: str, command: tuple[str, ...] = ("pickerctl", "pick"), prints_there: bool = False
    ) -> None:
        super().__init__(*command, *words, **({} if prints_there else {"stdout": subprocess.PIPE}))
        self.model = Screen()
        self.fed = 0

    @property
    def text(self) -> str:
        self.model.feed(self.screen[self.fed :])
        self.fed = len(self.screen)
        return self.model.text

    def pictures(self, *patterns: str) -> bool:
        """Whether the screen eventually has all of these at once."""
        return self.comes(lambda: all(re.search(pattern, self.text) for pattern in patterns))

    def finish(self) -> tuple[int, bytes]:
        """Its status and its output."""
        status = self.end()
        _ = self.text
        printed = b""
        if self.process.stdout:
            with self.process.stdout as stream:
                printed = stream.read()
        return status, printed

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_given_back(self, what: str) -> None:
        check(f"{what}: the modes of the terminal are those of before", self.is_as_before)
        modes = self.model.modes
        check(f"{what}: the cursor, the screen and the keys, too", modes == {"25", "7"}, modes)
        check(f"{what}: nothing of the picture is left", "note" not in self.model.text, self.model.text)

    def wakes_for(self, keys: bytes) -> None:
        """Presses keys, and waits until the process has seen them. The terminal is not read meanwhile."""
        before = self.wakes()
        self.press(keys)
        deadline = time.monotonic() + terminals.PATIENCE
        while self.wakes() == before and time.monotonic() < deadline:
            select.select([], [], [], 0.001)

    def is_at_rest(self) -> bool:
        """Whether nothing is written, and the process does not wake up, for a second."""
        before = self.wakes()
        quiet = not select.select([self.far], [], [], 1)[0]
        return quiet and self.wakes() == before

    def wakes(self) -> list[str]:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return [line for line in lines if "ctxt_switches" in line]


def picks(what: str, keys: bytes, expected: tuple[int, bytes], *words: str) -> None:
    picker = Picker(*words)
    check(f"{what}: documents are shown", picker.pictures(r"note-\d+\.md"), picker.text)
    picker.press(keys)
    found = picker.finish()
    check(what, found == expected, found)
    picker.is_given_back(what)
    picker.close()


def try_picking(root: str) -> None:
    picker = Picker()
    check("documents are shown", picker.pictures("(?m)^>", r"note-\d+\.md"), picker.text)
    picker.press(b"t12")
    check("what is typed filters them", picker.comes(lambda: picker.text.count("note-") == 1), picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("Enter prints the path", found == (0, f"{root}/note-12.md\n".encode()), found)
    picker.is_given_back("Enter")
    picker.close()

    path = f"{root}/note-12.md".encode()
    picks("a query may be an argument", b"\r", (0, path + b"\n"), "note-12")
    picks("-0 ends paths with NUL", b"\r", (0, path + b"\0"), "-0", "note-12")
    picks("--format has its form", b"\r", (0, b"note-12.md:5\n"), "--format", "{name}:{size}", "note-12")
    picks("Esc cancels it", b"\x1b", (130, b""))
    picks("Ctrl-C cancels it", b"\x03", (130, b""))

    picker = Picker("--json", "note-12")
    picker.pictures(r"note-12\.md")
    picker.press(b"\r")
    status, printed = picker.finish()
    check("--json prints JSON", status == 0 and b'"absolutePath":"' + path + b'"' in printed, printed)
    picker.close()

    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    picker.press(b"nothing-has-this")
    picker.comes(lambda: "note-" not in picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("Enter with nothing that matches ends with status 1", found == (1, b""), found)
    picker.close()


def try_changes(root: str) -> None:
    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    picker.press(b"fresh")
    picker.comes(lambda: "note-" not in picker.text)
    Path(root, "fresh-1.md").touch()
    check("a file that is created meanwhile appears", picker.pictures(r"fresh-1\.md"), picker.text)
    os.rename(f"{root}/fresh-1.md", f"{root}/fresh-2.md")
    check("a rename is seen", picker.pictures(r"fresh-2\.md"), picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("Enter prints the new path", found == (0, f"{root}/fresh-2.md\n".encode()), found)
    picker.close()
    os.remove(f"{root}/fresh-2.md")


def try_signals() -> None:
    for name in ("TERM", "HUP", "INT", "QUIT", "SEGV", "ABRT", "BUS", "ILL", "TRAP", "FPE"):
        number = signal.Signals[f"SIG{name}"]
        picker = Picker()
        check(f"before SIG{name} documents are shown", picker.pictures(r"note-\d+\.md"), picker.text)
        os.kill(picker.process.pid, number)
        found = picker.finish()
        check(f"SIG{name} ends it by that signal", found == (-number, b""), found)
        picker.is_given_back(f"SIG{name}")
        picker.close()
    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    os.close(picker.near)
    os.close(picker.far)
    try:
        status = picker.process.wait(terminals.PATIENCE)
    except subprocess.TimeoutExpired:
        picker.process.kill()
        status = None
    check("a terminal that is gone ends it", status == -signal.SIGHUP, status)


def try_pause(root: str) -> None:
    # A shell of its own has job control, so that there is somebody to go back to.
    picker = Picker(command=("bash", "--norc", "--noprofile", "-i"), prints_there=True)
    picker.pictures("[$#]")
    picker.press(b"pickerctl pick\n")
    check("in a shell documents are shown", picker.pictures(r"note-\d+\.md"), picker.text)
    picker.press(b"\x1a")
    check("Ctrl-Z leads back to the shell", picker.pictures("Stopped"), picker.text)
    check("and gives the screen back", picker.model.modes & {"1049", "25", "7"} == {"25", "7"}, picker.model.modes)
    picker.press(b"fg\n")
    check("fg has it go on", picker.comes(lambda: "1049" in modes(picker)), picker.text)
    check("with its picture", picker.pictures(r"note-\d+\.md"), picker.text)
    picker.press(b"t12")
    check("and with its keys", picker.comes(lambda: picker.text.count("note-") == 1), picker.text)
    picker.press(b"\r")
    check("to its end", picker.pictures(rf"{re.escape(root)}/note-12\.md"), picker.text)
    picker.press(b"exit\n")
    picker.end()
    picker.close()


def modes(picker: Picker) -> set[str]:
    _ = picker.text
    return picker.model.modes


def try_daemon(daemon: Daemon, root: str) -> None:
    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    daemon.kill()
    check("a lost daemon is told", picker.pictures("(?i)reconnect"), picker.text)
    check("and the rows stay", picker.pictures(r"note-\d+\.md"), picker.text)
    picker.press(b"after")
    check("keys are shown meanwhile", picker.pictures("(?m)^> after"), picker.text)
    Path(root, "after-1.md").touch()
    daemon.start()
    check("and searched for when it is back", picker.pictures(r"after-1\.md"), picker.text)
    os.rename(f"{root}/after-1.md", f"{root}/after-2.md")
    check("the list is live again", picker.pictures(r"after-2\.md"), picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("and Enter picks", found == (0, f"{root}/after-2.md\n".encode()), found)
    picker.is_given_back("a daemon that was killed")
    picker.close()
    os.remove(f"{root}/after-2.md")


def try_outputs(root: str) -> None:
    path = f"{root}/note-12.md".encode()
    for what, script, expected in (
        ("$(…)", 'x=$(pickerctl pick note-12); echo "<$x>"', b"<" + path + b">\n"),
        ("a pipe", "pickerctl pick note-12 | cat", path + b"\n"),
        ("head", "pickerctl pick note-12 | head -c 5; echo", path[:5] + b"\n"),
    ):
        picker = Picker(command=("bash", "-c", script))
        check(f"with {what} documents are shown", picker.pictures(r"note-12\.md"), picker.text)
        picker.press(b"\r")
        found = picker.finish()
        check(f"the output goes into {what}", found == (0, expected), found)
        picker.is_given_back(what)
        picker.close()
    script = 'vim() { [[ -f $1 ]] && echo "a file"; }; vim "$(pickerctl pick type:md)"'
    picker = Picker(command=("bash", "-c", script))
    check("the documents of a condition are shown", picker.pictures(r"note-\d\d\.md"), picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("an editor is given one", found == (0, b"a file\n"), found)
    picker.close()
    for what, script in (("closed", ">&-"), ("full", ">/dev/full")):
        picker = Picker(command=("bash", "-c", f"pickerctl pick note-12 {script}"))
        picker.pictures(r"note-12\.md")
        picker.press(b"\r")
        status, _ = picker.finish()
        # The last words come after the screen of before is back.
        last = picker.screen[picker.screen.rfind(b"?1049l") :]
        check(f"output that is {what} is an error", status == 2 and b"cannot write" in last, (status, last))
        picker.is_given_back(f"output that is {what}")
        picker.close()


def try_places(root: str) -> None:
    outside = f"{root}-outside"
    Path(outside, "deep").mkdir(parents=True)
    Path(outside, "deep", "note-here.md").touch()
    picker = Picker(f"{outside}/")
    check("a folder that is in no root is looked in", picker.pictures(r"note-here\.md"), picker.text)
    check("and no other", "note-1" not in picker.text, picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("and picked from", found == (0, f"{outside}/deep/note-here.md\n".encode()), found)
    picker.close()

    picker = Picker(command=("bash", "-c", "echo above >&2; pickerctl pick --height 5"))
    check("--height has it below the prompt", picker.pictures("above", r"note-\d+\.md"), picker.text)
    check("as high as asked for", picker.text.count("note-") <= 4, picker.text)
    check("and on the same screen", "1049" not in picker.model.modes, picker.model.modes)
    picker.press(b"\x1b")
    found = picker.finish()
    check("what was above stays", found[0] == 130 and picker.text.startswith("above"), picker.text)
    picker.is_given_back("--height")
    picker.close()


def try_refusals() -> None:
    # A session of its own has no terminal.
    ran = subprocess.run(("pickerctl", "pick"), capture_output=True, stdin=subprocess.DEVNULL, start_new_session=True)
    said = ran.stderr.decode()
    check("without a terminal it is refused", ran.returncode == 2 and "pickerctl list" in said, (ran.returncode, said))
    for kind in ("dumb", "xterm"):
        picker = with_environment(PICKERD_SOCKET="/none", TERM=kind)
        status, printed = picker.finish()
        check("no daemon: status 2, and a message", (status, printed) == (2, b"") and picker.screen, picker.screen)
        check("no daemon: nothing is drawn", b"\x1b" not in picker.screen, picker.screen)
        picker.close()
    for words in (("--height", "0"), ("--sort", "nam"), ("--paths", "--json"), ("-n", "0")):
        ran = subprocess.run(("pickerctl", "pick", *words), capture_output=True)
        check(f"{' '.join(words)} is refused", ran.returncode == 2 and ran.stderr != b"", ran)


def with_environment(*words: str, **change: str) -> Picker:
    before = dict(os.environ)
    os.environ.update(change)
    picker = Picker(*words)
    os.environ.clear()
    os.environ.update(before)
    return picker


def try_lines(root: str) -> None:
    def path(number: int) -> bytes:
        return f"{root}/note-{number}.md\n".encode()

    for kind in ("dumb", ""):
        picker = with_environment("--sort", "name", TERM=kind)
        check(f"TERM={kind}: rows are numbered", picker.shows(rb"\n +2  note-11\.md .*> $"), picker.screen)
        check(f"TERM={kind}: as many as there is room for", picker.shows(rb"\n20  .*\d more"), picker.screen)
        picker.forget()
        picker.press(b"t12\n")
        check(f"TERM={kind}: text is searched for", picker.shows(rb"\n1  note-12\.md[^\n]*\r\n> $"), picker.screen)
        picker.press(b"1\n")
        found = picker.finish()
        check(f"TERM={kind}: a number takes a row", found == (0, path(12)), found)
        check(f"TERM={kind}: no control byte is written", b"\x1b" not in picker.screen, picker.screen)
        check(f"TERM={kind}: the terminal is as before", picker.is_as_before)
        picker.close()
    for what, keys, expected in (
        ("several rows", b"2,4-5\n", (0, path(11) + path(13) + path(14))), ("q", b"q\n", (130, b"")),
        ("the end of input", b"\x04", (130, b"")), ("Ctrl-C", b"\x03", (-signal.SIGINT, b"")),
        ("Enter where nothing matches", b"nothing-has-this\n\n", (1, b"")),
    ):  # fmt: skip
        picker = with_environment("--multi", "--sort", "name", TERM="dumb")
        picker.shows(rb"> $")
        picker.press(keys)
        found = picker.finish()
        check(f"in lines: {what}", found == expected, found)
        picker.close()


def try_mouse(root: str) -> None:
    picker = Picker(command=("bash", "-c", "echo above >&2; pickerctl pick --height 5 --sort name"))
    picker.pictures(r"note-10\.md")
    asked = b"\x1b[6n"
    check("--height asks where it is", picker.screen.count(asked) == 1, picker.screen)
    check("and the mouse is not told before that is known", "1002" not in modes(picker), picker.model.modes)
    # The cursor is in the prompt, in the second row of the terminal.
    picker.press(b"\x1b[2;3R")
    check("then the mouse is told", picker.comes(lambda: "1002" in modes(picker)), picker.model.modes)
    # Button 0 in the sixth row of the terminal, which is the third one of the list.
    picker.press(b"\x1b[<0;9;6M\x1b[<0;9;6m")
    check("a click is where it is", picker.pictures(r"(?m)^> +note-12"), picker.text)
    check("it is asked once", picker.screen.count(asked) == 1, picker.screen.count(asked))
    picker.press(b"\x1b[<0;9;5M\x1b[<0;9;5m\x1b[<0;9;5M")
    found = picker.finish()
    check("two take what is clicked", found == (0, f"{root}/note-11.md\n".encode()), found)
    check("and the mouse is given back", picker.model.modes == {"25", "7"}, picker.model.modes)
    picker.close()


def try_marks(daemon: Daemon, root: str) -> None:
    for name in ("marked-a", "marked-b", "marked-c"):
        Path(root, name).touch()
    picker = Picker("--multi", "--sort", "name", "marked")
    picker.pictures("marked-a", "marked-b", "marked-c")
    picker.press(b"\t\t\t")
    check("Tab marks", picker.pictures("3 marked"), picker.text)
    picker.press(b"\x15t12")
    check("marks stay in another search", picker.pictures("note-12", "3 marked"), picker.text)
    os.rename(f"{root}/marked-a", f"{root}/other")
    os.remove(f"{root}/marked-b")
    check("what vanishes is told", picker.pictures("3 marked, 1 gone", "(?m)^ • marked-b"), picker.text)
    daemon.kill()
    picker.pictures("(?i)reconnect")
    os.remove(f"{root}/marked-c")
    daemon.start()
    check("also while there is no daemon", picker.pictures("3 marked, 2 gone", "(?m)^ • marked-c"), picker.text)
    picker.press(b"\r")
    check("Enter asks", picker.pictures("2 of 3 are gone"), picker.text)
    picker.press(b"\r")
    found = picker.finish()
    check("and takes the rest, by its new name", found == (0, f"{root}/other\n".encode()), found)
    picker.close()
    os.remove(f"{root}/other")


def try_sizes() -> None:
    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    for step in range(200):
        picker.resize(2 + step % 40, 1 + step * 7 % 200)
        if step % 10 == 0:
            picker.take()
    _ = picker.comes(picker.is_at_rest)
    # What was drawn for other sizes is nothing for the model.
    picker.fed = len(picker.screen)
    picker.model.resize(30, 100)
    picker.resize(30, 100)
    check("after many sizes it fits the last one", picker.pictures("(?m)^>", r"note-\d+\.md"), picker.text)
    picker.press(b"t12")
    check("and goes on", picker.comes(lambda: picker.text.count("note-") == 1), picker.text)
    picker.press(b"\r")
    status, _ = picker.finish()
    check("to its end", status == 0, status)
    picker.close()


def try_slow() -> None:
    picker = Picker()
    picker.resize(50, 200)
    picker.model.resize(50, 200)
    picker.pictures(r"note-\d+\.md")
    picker.comes(picker.is_at_rest)
    _ = picker.text
    before = len(picker.screen)
    for number in range(150):
        # Each one changes the whole screen, in a turn of the loop of its own.
        picker.wakes_for(b"\x7f" if number % 2 else b"1")
    picker.comes(picker.is_at_rest)
    written = len(picker.screen) - before
    # The terminal keeps 64 KiB at most; one frame waits here, and one is made when that is gone.
    check("a slow terminal is not sent every frame", written < (64 << 10) + 3 * 16000, written)
    picker.press(b"t12")
    check("then it shows the last state", picker.comes(lambda: picker.text.count("note-") == 1), picker.text)
    for number in range(150):
        picker.wakes_for(b"1" if number % 2 else b"\x7f")
    picker.press(b"\x1b")
    try:
        status = picker.process.wait(terminals.PATIENCE)
    except subprocess.TimeoutExpired:
        status = None
    check("one that is not read at all does not keep it", status == 130, status)
    picker.finish()
    picker.is_given_back("a terminal that is not read")
    picker.close()


def try_rest() -> None:
    picker = Picker()
    picker.pictures(r"note-\d+\.md")
    check("at rest nothing wakes it", picker.comes(picker.is_at_rest), picker.wakes())
    picker.press(b"t12")
    picker.pictures(r"note-12\.md")
    check("nor after keys", picker.comes(picker.is_at_rest), picker.wakes())
    picker.press(b"\x1b")
    picker.finish()
    picker.close()


def main(root: str) -> int:
    daemon = Daemon(root)
    try:
        try_picking(root)
        try_changes(root)
        try_signals()
        try_pause(root)
        try_daemon(daemon, root)
        try_outputs(root)
        try_places(root)
        try_refusals()
        try_lines(root)
        try_mouse(root)
        try_marks(daemon, root)
        try_sizes()
        try_slow()
        try_rest()
    finally:
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
