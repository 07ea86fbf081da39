#!/usr/bin/env python3
"""pickerctl on a pseudo-terminal: its output there, and the state in which it leaves it.

Run by terminal.sh, with a daemon at $PICKERD_SOCKET that serves ROOT, where there are 40 documents.

usage: contrib/tests/pickerctl_on_terminal.py ROOT
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import terminals
from screens import Screen
from terminals import Terminal, check

# An arrow key, and letters that occur in no name and no title. None of them quits.
KEYS = b"\x1b[AZ~Z"


class Case:
    """A command, its expected screen, an action that changes it, and the expected screen after that."""

    def __init__(self, command: str, first: bytes, root: str = "", key: bytes = b"", later: bytes = b""):
        self.command, self.first, self.root, self.key, self.later = command, first, root, key, later
        self.count = 0

    def start(self) -> Terminal:
        terminal = Terminal(*self.command.split())
        check(f"{self.command}: it is drawn", terminal.shows(self.first), terminal.screen)
        return terminal

    def go_on(self, terminal: Terminal) -> bool:
        """Causes it to draw something new."""
        if self.key:
            terminal.press(self.key)
            return terminal.shows(self.later)
        self.count += 1
        name = f"0-{self.command.split()[1]}-{self.count}"
        Path(self.root, name).touch()
        return terminal.shows(self.later or re.escape(name.encode()))

    def leaves_keys_unseen(self, terminal: Terminal, when: str) -> None:
        terminal.forget()
        terminal.press(KEYS)
        drawn = self.go_on(terminal)
        unseen = b"Z~Z" not in terminal.screen and b"^[" not in terminal.screen
        check(f"{self.command}: keys typed {when} are not in the picture", drawn and unseen, terminal.screen)


ENDS = (
    ("q", b"q", 0), ("Ctrl-D", b"\x04", 0), ("Ctrl-C", b"\x03", -signal.SIGINT),
    ("Ctrl-\\", b"\x1c", -signal.SIGQUIT), ("SIGTERM", signal.SIGTERM, -signal.SIGTERM),
    ("SIGHUP", signal.SIGHUP, -signal.SIGHUP), ("SIGQUIT", signal.SIGQUIT, -signal.SIGQUIT),
)  # fmt: skip


def try_ends(case: Case) -> None:
    for what, how, expected in ENDS:
        terminal = case.start()
        check(f"{case.command}: the terminal does not write what is typed", not terminal.shows_keys)
        if what == "q":
            case.leaves_keys_unseen(terminal, "meanwhile")
        if isinstance(how, bytes):
            terminal.press(how)
        else:
            os.kill(terminal.process.pid, how)
        status = terminal.end()
        check(f"{case.command}: {what} ends it", status == expected, status)
        check(f"{case.command}: {what} leaves the terminal as it was", terminal.is_as_before)
        if case.command.startswith("pickerctl feed"):
            shown = True  # it never hides the cursor
        else:
            shown = terminal.screen.rfind(b"\x1b[?25h") > terminal.screen.rfind(b"\x1b[?25l")
        check(f"{case.command}: {what} leaves the cursor", shown, terminal.screen[-200:])
        terminal.close()


def try_pause(case: Case) -> None:
    terminal = case.start()
    terminal.press(b"\x1a")
    check(f"{case.command}: Ctrl-Z stops it", terminal.comes(terminal.has_stopped))
    check(f"{case.command}: Ctrl-Z leaves the terminal as it was", terminal.is_as_before)
    terminal.forget()
    # What a shell's fg does: the process group still owns the terminal.
    os.kill(terminal.process.pid, signal.SIGCONT)
    check(f"{case.command}: fg has it go on", terminal.comes(lambda: not terminal.shows_keys))
    case.leaves_keys_unseen(terminal, "after fg")
    terminal.press(b"q")
    status = terminal.end()
    check(f"{case.command}: q ends it after fg", status == 0, status)
    check(f"{case.command}: and leaves the terminal as it was", terminal.is_as_before)
    terminal.close()


class Watch(Terminal):
    """A watch, and what the terminal shows."""

    def __init__(self, *words: str) -> None:
        super().__init__("pickerctl", "watch", *words)
        self.model = Screen()
        self.fed = 0

    @property
    def rows(self) -> list[str]:
        self.model.feed(self.screen[self.fed :])
        self.fed = len(self.screen)
        return self.model.text.split("\n")

    def has(self, what: str, *patterns: str) -> None:
        """Whether the first rows eventually match these."""
        found = self.comes(lambda: all(map(re.search, patterns, self.rows)))
        check(f"watch: {what}", found, self.rows)


def try_watch(root: str) -> None:
    watch = Watch("n", "type:md")
    watch.has("what it shows is said", "documents · with 'n' · type:md", "40 · by name", "n10", "n11")
    watch.press(b"\x1b[B")
    watch.has("an arrow scrolls", "", "", "n11", "n12")
    watch.press(b"\x1b[6~")
    watch.has("so does page down", "", "", "n28")
    watch.press(b"gG")
    watch.has("G shows the end", *[""] * 22, "n48", "n49")
    watch.press(b"/")
    watch.has("a slash begins a search", '/"n"')
    watch.press(b"\x152")
    watch.has("in which text is typed", "/2", "13 · by score", "n2")
    watch.press(b"\r")
    watch.has("Enter leaves the line, and takes nothing", "^/2", "13 · by score", "n2")
    watch.press(b"\x1b")
    watch.has("Esc ends the search", "documents · with 'n'", "40 · by name", "n10")
    watch.press(b"\x1bOP")
    watch.has("F1 shows the keys", "", "Keys", "scroll")
    watch.press(b"\x1b")
    watch.has("Esc leads back", "documents", "40 · by name", "n10")
    # None of these does anything to a document: to drop, like, trash, mark, show actions.
    watch.press(b"\x1bx\x1bl\x1b[3;3~y\x00\x0f\r")
    watch.press(b"\x13")
    watch.has("ctrl-s sorts, and nothing was done before", "documents", "40 · by date")
    watch.press(b"q")
    status = watch.end()
    check("watch: q ends it", status == 0, status)
    shown = [row for row in watch.rows if re.search(r"n\d\d\.md", row)]
    # But for its first row, for which the next prompt has no room.
    check("watch: its last picture stays", len(shown) == 22 and "by date" in watch.rows[0], watch.rows)
    check("watch: on the screen of before", watch.model.modes == {"25", "7"}, watch.model.modes)
    watch.close()

    watch = Watch("--limit", "3", "--with-new", "--sort", "-name")
    watch.has("its options are obeyed", "documents", "3 · by -name", "new document", "n49", "n48", "n47", "^$")
    watch.press(b"/zzz")
    watch.has("nothing matches", "/zzz", "0", "nothing matches")
    Path(root, "zzz.md").touch()
    watch.has("what comes in is there at once", "/zzz", "1", "zzz")
    os.remove(f"{root}/zzz.md")
    watch.has("and what goes is gone", "/zzz", "0", "nothing matches")
    watch.press(b"\x03")
    status = watch.end()
    check("watch: Ctrl-C ends it in a search, too", status == -signal.SIGINT, status)
    watch.close()

    status, text = said("pickerctl", "watch", "--in", "no:such")
    check("watch: a collection that is none is an error", status == 1 and b"no:such" in text, (status, text))
    os.environ["TERM"] = "dumb"
    watch = Terminal("pickerctl", "watch", "n10")
    check("watch: where nothing can be redrawn, it prints lines", watch.shows(rb"\+ n10\.md"), watch.screen)
    check("watch: without a control byte", b"\x1b" not in watch.screen, watch.screen)
    os.environ["TERM"] = "xterm"
    watch.press(b"\x03")
    watch.end()
    watch.close()


def said(*command: str, **elsewhere: int) -> tuple[int, bytes]:
    terminal = Terminal(*command, **elsewhere)
    status = terminal.end()
    terminal.close()
    return status, terminal.screen


def try_no_match() -> None:
    for words in ("nothing-has-this", "is:dropped"):
        found = said("pickerctl", "list", words)
        check(f"list {words} says so on a terminal", found == (0, b"No document matches.\r\n"), found)
    for what, stream in (("its output", "stdout"), ("its messages", "stderr")):
        reading, writing = os.pipe()
        found = said("pickerctl", "list", "nothing-has-this", **{stream: writing})
        os.close(writing)
        with open(reading, "rb") as pipe:
            piped = pipe.read()
        check(f"nothing is said with {what} in a pipe", (found, piped) == ((0, b""), b""), (found, piped))
    found = said("pickerctl", "list", "n10")
    marked = b"\x1b[1mn10\x1b[0m.md"
    check("nor where there are rows", marked in found[1] and b"No document" not in found[1], found)
    os.environ["NO_COLOR"] = "1"
    found = said("pickerctl", "list", "n10")
    del os.environ["NO_COLOR"]
    check("what is found is bold, unless NO_COLOR is set", found[1].startswith(b"n10.md  "), found)


def try_hint() -> None:
    for topic in ("documents", "layout"):
        terminal = Terminal("pickerctl", "events", topic)
        hint = f"nothing is published as '{topic}' itself: '{topic}.*' is all below it".encode()
        check(f"events {topic} says what is meant", terminal.shows(re.escape(hint)), terminal.screen)
        check("and goes on", terminal.process.poll() is None)
        terminal.press(b"\x03")
        terminal.end()
        terminal.close()
    terminal = Terminal("pickerctl", "events", "-n", "1", "--replay", "1", "documents.*")
    terminal.end()
    check("events documents.* says nothing of that", b"nothing is published" not in terminal.screen, terminal.screen)
    terminal.close()


def main(root: str) -> int:
    cases = (
        Case("pickerctl watch", rb"n10\.md", root),
        Case("pickerctl layout force --watch", rb"\d+ items", root, later=rb"\d+ items"),
        Case("pickerctl feed --size 5", rb"q: quit", key=b"\n", later=rb"q: quit"),
    )
    for case in cases:
        try_ends(case)
        try_pause(case)
    try_watch(root)
    try_no_match()
    try_hint()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
