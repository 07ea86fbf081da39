#!/usr/bin/env python3
"""picker.sh pick on a pseudo-terminal: the state in which it leaves it, and names that are hard to show.

Run by clients.sh, with a daemon at $PICKERD_SOCKET that serves ROOT.

usage: contrib/tests/picker_on_terminal.py PICKER ROOT
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import terminals
from terminals import Terminal, check


class Picker(Terminal):
    """A terminal of 40 columns with the picker, whose standard output goes elsewhere."""

    def __init__(self, picker: str, socket: str = os.environ["PICKERD_SOCKET"]) -> None:
        super().__init__(picker, "--socket", socket, "pick", columns=40, stdout=subprocess.PIPE)

    def shows(self, pattern: bytes) -> bool:
        """Whether the output since the last match eventually matches."""
        found = super().shows(pattern)
        if found:
            self.forget()
        return found

    def finish(self) -> tuple[int, bytes]:
        """Its status and its output."""
        status = self.end()
        assert self.process.stdout
        with self.process.stdout as printed:
            return status, printed.read()


class Relay:
    """A proxy socket of the daemon, which can be removed with all its connections."""

    def __init__(self, root: str) -> None:
        self.path = f"{root}-relay.sock"

    def start(self) -> None:
        # socat interprets some characters of a path unless they are escaped by a backslash.
        here, daemon = (re.sub(r"[\\:,]", r"\\\g<0>", path) for path in (self.path, os.environ["PICKERD_SOCKET"]))
        command = ("socat", f"UNIX-LISTEN:{here},fork", f"UNIX-CONNECT:{daemon}")
        self.process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + terminals.PATIENCE
        while not Path(self.path).is_socket() and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        Path(self.path).unlink(missing_ok=True)

    def __enter__(self) -> Relay:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.stop()


def main(picker: str, root: str) -> int:
    folder = os.fsencode(root)
    odd = b"line\nbreak 'odd' \xff.txt"
    for name in (odd, b"turned \xe2\x80\xae round.txt", b"wide " + b"w" * 200 + b".txt"):
        Path(os.fsdecode(folder + b"/" + name)).touch()
    for number in range(14):
        Path(root, f"many {number:02}.txt").touch()

    for what, keys, expected in (("Ctrl-C", b"\x03", 130), ("Escape", b"\x1b", 1), ("Ctrl-D", b"\x04", 1)):
        terminal = Picker(picker)
        check(f"before {what} it shows documents", terminal.shows(rb"\d+ of \d+"), terminal.screen)
        terminal.press(b"ma")
        check("and what was typed", terminal.shows(rb"> ma.*10 of 1[45]"), terminal.screen)
        terminal.press(keys)
        status, printed = terminal.finish()
        check(f"{what} ends it with status {expected}", (status, printed) == (expected, b""), (status, printed))
        check("and leaves the terminal as it was", terminal.is_as_before)
        check("and says nothing", b"picker.sh:" not in terminal.screen and b"stty" not in terminal.screen, terminal.screen)
        terminal.close()

    terminal = Picker(picker)
    check("names with every byte are shown", terminal.shows(rb"line\?break 'odd'"), terminal.screen)
    terminal.press(b"line\n")
    status, printed = terminal.finish()
    check("and printed as they are", (status, printed) == (0, folder + b"/" + odd + b"\n"), (status, printed))
    check("Enter leaves the terminal as it was", terminal.is_as_before)
    terminal.close()

    terminal = Picker(picker)
    terminal.press(b"many 0")
    check("there are more rows than fit", terminal.shows(rb"> many 0.*10 of 10"), terminal.screen)
    terminal.press(b"\x7f")
    check("a letter can be taken back", terminal.shows(rb"> many [^0].*10 of 14"), terminal.screen)
    terminal.press(b"\x1b[B" * 12)
    check("the mark goes beyond them", terminal.shows(rb"\x1b\[7m[^\x1b]*many 12.txt"), terminal.screen)
    terminal.press(b"\n")
    status, printed = terminal.finish()
    check("and is chosen there", printed == folder + b"/many 12.txt\n", (status, printed))
    terminal.close()

    terminal = Picker(picker)
    terminal.press(b"round")
    terminal.shows(rb"> round.*1 of 1")
    check("what turns text round is not shown", b"\xe2\x80\xae" not in terminal.screen, terminal.screen)
    terminal.press(b"\x1b")
    terminal.finish()
    terminal.close()

    # Keys are handled at once even without the daemon, and the typed text is searched for later.
    for what, keys, expected in (("Ctrl-C", b"\x03", 130), ("Escape", b"\x1b", 1)):
        with Relay(root) as relay:
            terminal = Picker(picker, relay.path)
            check("through a relay it shows documents", terminal.shows(rb"\d+ of \d+"), terminal.screen)
            relay.stop()
            check("a lost connection is told", terminal.shows(rb"connection was lost"), terminal.screen)
            terminal.press(b"many 0")
            check("keys are shown meanwhile", terminal.shows(rb"> many 0"), terminal.screen)
            if what == "Escape":
                relay.start()
                check("and searched for afterwards", terminal.shows(rb"> many 0.*10 of 10"), terminal.screen)
            terminal.press(keys)
            status, printed = terminal.finish()
            check(f"{what} ends it then", (status, printed) == (expected, b""), (status, printed))
            check("and leaves the terminal as it was then", terminal.is_as_before)
            terminal.close()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
