#!/usr/bin/env python3
"""picker.sh pick on a terminal of its own: how it leaves it, and names that are hard to show.

Run by clients.sh, with a daemon at $PICKERD_SOCKET that serves ROOT.

usage: contrib/tests/picker_on_terminal.py PICKER ROOT
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

PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))
failures = 0


def check(what: str, holds: bool, found: object = "") -> None:
    global failures
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    if not holds:
        failures += 1
        print(f"    {found!r:.2000}", flush=True)


class Terminal:
    """A terminal of 40 columns, and the picker on it."""

    def __init__(self, picker: str) -> None:
        self.far, self.near = os.openpty()
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        self.before = termios.tcgetattr(self.near)
        self.screen = b""

        def owns_terminal() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [picker, "pick"], stdin=self.near, stdout=subprocess.PIPE, stderr=self.near,
            start_new_session=True, preexec_fn=owns_terminal,
        )  # fmt: skip

    def shows(self, pattern: bytes) -> bool:
        """Whether what is drawn after this call comes to match."""
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, self.screen, re.DOTALL):
            if time.monotonic() > deadline:
                return False
            if select.select([self.far], [], [], 0.1)[0]:
                self.screen += os.read(self.far, 1 << 16)
        self.screen = b""
        return True

    def press(self, keys: bytes) -> None:
        os.write(self.far, keys)

    def end(self) -> tuple[int, bytes]:
        """Its status and what it printed; as it ends, its terminal is read, so that it can write there."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([self.far], [], [], 0.02)[0]:
                self.screen += os.read(self.far, 1 << 16)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        assert self.process.stdout
        return self.process.wait(), self.process.stdout.read()

    @property
    def is_as_before(self) -> bool:
        return termios.tcgetattr(self.near) == self.before


def main(picker: str, root: str) -> int:
    folder = os.fsencode(root)
    odd = b"line\nbreak 'odd' \xff.txt"
    for name in (odd, b"turned \xe2\x80\xae round.txt", b"wide " + b"w" * 200 + b".txt"):
        Path(os.fsdecode(folder + b"/" + name)).touch()
    for number in range(14):
        Path(root, f"many {number:02}.txt").touch()

    for what, keys, expected in (("Ctrl-C", b"\x03", 130), ("Escape", b"\x1b", 1), ("Ctrl-D", b"\x04", 1)):
        terminal = Terminal(picker)
        check(f"before {what} it shows documents", terminal.shows(rb"\d+ of \d+"), terminal.screen)
        terminal.press(b"ma")
        check("and what was typed", terminal.shows(rb"> ma.*10 of 1[45]"), terminal.screen)
        terminal.press(keys)
        status, printed = terminal.end()
        check(f"{what} ends it with status {expected}", (status, printed) == (expected, b""), (status, printed))
        check("and leaves the terminal as it was", terminal.is_as_before)
        check("and says nothing", b"picker.sh:" not in terminal.screen and b"stty" not in terminal.screen, terminal.screen)

    terminal = Terminal(picker)
    check("names with every byte are shown", terminal.shows(rb"line\?break 'odd'"), terminal.screen)
    terminal.press(b"line\n")
    status, printed = terminal.end()
    check("and printed as they are", (status, printed) == (0, folder + b"/" + odd + b"\n"), (status, printed))
    check("Enter leaves the terminal as it was", terminal.is_as_before)

    terminal = Terminal(picker)
    terminal.press(b"many 0")
    check("there are more rows than fit", terminal.shows(rb"> many 0.*10 of 10"), terminal.screen)
    terminal.press(b"\x7f")
    check("a letter can be taken back", terminal.shows(rb"> many [^0].*10 of 14"), terminal.screen)
    terminal.press(b"\x1b[B" * 12)
    check("the mark goes beyond them", terminal.shows(rb"\x1b\[7m[^\x1b]*many 12.txt"), terminal.screen)
    terminal.press(b"\n")
    status, printed = terminal.end()
    check("and is chosen there", printed == folder + b"/many 12.txt\n", (status, printed))

    terminal = Terminal(picker)
    terminal.press(b"round")
    terminal.shows(rb"> round.*1 of 1")
    check("what turns text round is not shown", b"\xe2\x80\xae" not in terminal.screen, terminal.screen)
    terminal.press(b"\x1b")
    terminal.end()
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
