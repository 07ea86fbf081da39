"""A pseudo-terminal with a command, for the tests that need one, and their output."""

from __future__ import annotations

import fcntl
import os
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time
import traceback
from pathlib import Path

PATIENCE = float(os.environ.get("PICKERD_TEST_PATIENCE", "120"))
#: How many checks have failed.
failures = 0


def check(what: str, holds: bool, found: object = "") -> None:
    global failures
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    if not holds:
        failures += 1
        print(f"    {found!r:.2000}", flush=True)


class Terminal:
    """A terminal with a command, which has exclusive use of it. `elsewhere` names the streams of the command
    that are not the terminal's."""

    def __init__(self, *command: str, columns: int = 80, **elsewhere: int) -> None:
        self.far, self.near = os.openpty()
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.before = termios.tcgetattr(self.near)
        self.screen = b""

        def owns_terminal() -> None:
            fcntl.ioctl(self.near, termios.TIOCSCTTY, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # The test's parent may have ignored some of them.
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)

        streams = {"stdin": self.near, "stdout": self.near, "stderr": self.near} | elsewhere
        self.process = subprocess.Popen(
            command, **streams, start_new_session=True, preexec_fn=owns_terminal
        )

    def take(self) -> None:
        if select.select([self.far], [], [], 0.02)[0]:
            self.screen += os.read(self.far, 1 << 16)

    def shows(self, pattern: bytes) -> bool:
        """Whether the output since the last `forget` eventually matches."""
        return self.comes(lambda: re.search(pattern, self.screen, re.DOTALL) is not None)

    def comes(self, holds) -> bool:
        """Whether a condition eventually holds; reads the terminal meanwhile. To have waited in vain is a failure, whatever
        is made of it."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                callers = traceback.extract_stack()[:-1]
                where = ", ".join(f"{Path(call.filename).name}:{call.lineno}" for call in callers[-4:])
                check(f"what is waited for comes ({where})", False, self.screen[-400:])
                return False
            self.take()
        return True

    def forget(self) -> None:
        self.screen = b""

    def press(self, keys: bytes) -> None:
        os.write(self.far, keys)

    def has_stopped(self) -> bool:
        pid, status = os.waitpid(self.process.pid, os.WNOHANG | os.WUNTRACED)
        return pid != 0 and os.WIFSTOPPED(status)

    def end(self) -> int:
        """Its status, once it has ended; `screen` then has all its output."""
        if not self.comes(lambda: self.process.poll() is not None):
            os.killpg(self.process.pid, signal.SIGKILL)
        status = self.process.wait()
        while select.select([self.far], [], [], 0)[0]:
            self.screen += os.read(self.far, 1 << 16)
        return status

    def close(self) -> None:
        os.close(self.near)
        os.close(self.far)

    @property
    def is_as_before(self) -> bool:
        return termios.tcgetattr(self.near) == self.before

    @property
    def shows_keys(self) -> bool:
        """Whether the terminal echoes typed text."""
        return bool(termios.tcgetattr(self.near)[3] & termios.ECHO)
