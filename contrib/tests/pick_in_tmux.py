#!/usr/bin/env python3
"""pickerctl pick in tmux: keys, colors, sizes down to one column, below a prompt, and while nobody is attached.

usage: contrib/tests/pick_in_tmux.py ROOT
"""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import terminals
from pick_on_terminal import Daemon
from terminals import Terminal, check

TMUX = ("tmux", "-S", f"{os.environ['HOME']}/tmux", "-f", "/dev/null")


def tmux(*words: str) -> str:
    return subprocess.run((*TMUX, *words), capture_output=True, check=False).stdout.decode()


def keys(*names: str) -> None:
    tmux("send-keys", "-t", "it:0.0", *names)


def screen(*options: str) -> str:
    rows = tmux("capture-pane", "-p", *options, "-t", "it:0.0").split("\n")
    return "\n".join(row.rstrip() for row in rows)


def shows(what: str, *patterns: str, without: str | None = None, options: tuple[str, ...] = ()) -> None:
    """Checks that the pane eventually has all of these at once."""
    deadline = time.monotonic() + terminals.PATIENCE

    def holds() -> bool:
        found = screen(*options)
        return all(re.search(pattern, found) for pattern in patterns) and not (without and re.search(without, found))

    while not (is_so := holds()) and time.monotonic() < deadline:
        select.select([], [], [], 0.02)
    check(what, is_so, screen(*options))


def start(command: str, rows: int = 24, columns: int = 80) -> None:
    tmux("new-session", "-d", "-s", "it", "-x", str(columns), "-y", str(rows), command)


def end() -> None:
    subprocess.run((*TMUX, "kill-session", "-t", "it"), capture_output=True, check=False)


def try_keys(root: str, result: Path) -> None:
    start(f"pickerctl pick --multi --sort name >{result}; printf 'status %s\\n' $?; exec cat")
    shows("documents are shown", "(?m)^>$", "1/20 · by name", r"(?m)^>  note-10\.md")
    keys("t", "1", "2")
    shows("what is typed is found", "(?m)^> t12$", "1/1 · by name")
    shows("and has its colors", "\x1b\\[[0-9;]*m", r"\x1b\[[0-9;]*32[0-9;]*m", options=("-e",))
    keys("Tab", "C-u", "Down", "Tab")
    shows("keys by their names are those that are meant", "2 marked", "(?m)^ • note-11", "(?m)^>• note-12")
    keys("C-s")
    shows("Ctrl-S is one of them", "by date")
    tmux("resize-window", "-t", "it", "-x", "40", "-y", "8")
    shows("a smaller window has less", r"(?m)^>$", r"2 marked", without=r"today \d\d:")
    tmux("resize-window", "-t", "it", "-x", "120", "-y", "30")
    shows("a larger one has more", r"(?m)^.  note-29\.md .* today \d\d:\d\d$", "2 marked")
    tmux("split-window", "-h", "-d", "-t", "it:0.0", "-l", "118", "cat")
    shows("one column has what fits", r"(?m)^>$", without="[^>\n]")
    check("and it is one", tmux("display-message", "-p", "-t", "it:0.0", "#{pane_width}") == "1\n")
    keys("t", "1", "5")
    tmux("kill-pane", "-t", "it:0.1")
    shows("the whole width has what was typed meanwhile", "(?m)^> t15$", "1/1 · 2 marked")
    keys("C-u", "Enter")
    shows("the screen of before is back", "(?m)^status 0$", without="by date")
    printed = result.read_text()
    check("the marked ones were printed", printed == f"{root}/note-12.md\n{root}/note-11.md\n", printed)
    end()


def try_below(root: str) -> None:
    start("PS1='$ ' exec bash --norc --noprofile", rows=30)
    shows("a shell", r"\A\$")
    keys("echo above; pickerctl pick --height 40% --sort name", "Enter")
    shows("--height has the picker below the prompt", r"\A\$ echo above.*\nabove\n>\n  1/20 · by name\n>  note-10")
    check("as high as was asked for", screen().count("note-") == 10, screen())
    keys("Down")
    shows("keys are taken", "2/20", "(?m)^>  note-11")
    tmux("resize-window", "-t", "it", "-x", "100", "-y", "20")
    shows("another size keeps what is above", r"\A\$ echo above.*\nabove\n>\n  2/20", "(?m)^>  note-11")
    keys("Enter")
    shows("then the output is there", rf"(?m)^above\n{re.escape(root)}/note-11\.md\n\$", without="by name")
    keys("clear; seq 40; pickerctl pick --height 5", "Enter")
    shows("at the end of the screen there is room, too", r"(?m)^40\n>\n  1/20 · by date\n>  note")
    keys("Escape")
    shows("which is given back", r"(?m)^40\n\$", without="by date")
    end()


def try_absence(root: str) -> None:
    client = Terminal(*TMUX, "new-session", "-s", "it", "pickerctl pick --sort name")
    shows("a client is attached", "1/20 · by name")
    keys("Down")
    tmux("detach-client", "-s", "it")
    client.comes(lambda: client.process.poll() is not None)
    client.end()
    client.close()
    Path(root, "note-00.md").touch()
    keys("Down")
    shows("keys and files count while nobody looks", "3/21|4/21", "(?m)^   note-00", "(?m)^>  note-12")
    client = Terminal(*TMUX, "attach-session", "-t", "it", columns=60)
    shows("who comes back sees it", "(?m)^>  note-12")
    check("in the size of the terminal", client.shows(rb"note-12\.md"))
    keys("Escape")
    check("the end of the picker is the end of the session", client.comes(lambda: client.process.poll() is not None))
    client.end()
    client.close()
    os.remove(f"{root}/note-00.md")


def main(root: str) -> int:
    for number in range(10, 30):
        Path(root, f"note-{number}.md").write_text(f"n {number}\n")
    daemon = Daemon(root)
    try:
        try_keys(root, Path(root).parent / "picked")
        try_below(root)
        try_absence(root)
    finally:
        subprocess.run((*TMUX, "kill-server"), capture_output=True, check=False)
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
