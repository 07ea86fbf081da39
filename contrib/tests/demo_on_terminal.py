#!/usr/bin/env python3
"""contrib/demo on a pseudo-terminal: it has a picker, lights up what changes, and ends with it.

Run by demo.sh.

usage: contrib/tests/demo_on_terminal.py DEMO FOLDER
"""

from __future__ import annotations

import os
import re
import signal
import sys

# It imports what needs a socket's name, which the demo chooses itself.
os.environ.setdefault("PICKERD_SOCKET", "")

import terminals  # noqa: E402
from pick_on_terminal import Picker  # noqa: E402
from terminals import check  # noqa: E402

LIT = re.compile(rb"\x1b\[[0-9;]*48;5;22[0-9;]*m")


def started(demo: str) -> Picker:
    picker = Picker(command=(demo,), prints_there=True)
    # The socket's path is long here.
    picker.resize(24, 160)
    picker.model.resize(24, 160)
    check("on a terminal the demo has a picker", picker.pictures("(?m)^>", r"1/\d+ · by date"), picker.text)
    return picker


def main(demo: str, folder: str) -> int:
    os.environ.update(TMPDIR=folder, TERM="xterm", PYTHONDONTWRITEBYTECODE="1")
    picker = started(demo)
    found = re.search(r"(?m)^  socket: (\S+/pickerd\.sock)", picker.text)
    check("its socket is named above the list", found and os.path.exists(found.group(1)), picker.text)
    check("what changes is lit up", picker.comes(lambda: LIT.search(picker.screen)), picker.text)
    picker.press(b"budget2026")
    check("it can be searched", picker.pictures(r"Budget 2026\.ods|nothing matches"), picker.text)
    picker.press(b"\x1b")
    status, _ = picker.finish()
    check("Esc ends it", status == 0, status)
    check("the screen of before is back", "The daemon listens at" in picker.text, picker.text)
    check("so are the modes", picker.is_as_before)
    picker.close()

    picker = started(demo)
    os.kill(picker.process.pid, signal.SIGTERM)
    status, _ = picker.finish()
    check("SIGTERM ends it", status == 143, status)
    check("and the modes are those of before", picker.is_as_before)
    picker.close()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
