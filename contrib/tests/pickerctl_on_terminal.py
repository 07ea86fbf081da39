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
    try_no_match()
    try_hint()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
