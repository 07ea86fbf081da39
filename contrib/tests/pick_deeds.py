#!/usr/bin/env python3
"""What pickerctl pick does to documents, and what its options and the mouse do, on a pseudo-terminal.

usage: contrib/tests/pick_deeds.py ROOT OTHER-ROOT
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import terminals
from pick_on_terminal import Daemon, Picker
from terminals import check

DOWN, UP = b"\x1b[B", b"\x1b[A"
TAB, CLEAR, RANGE, SORT, REVERSE, OFFER = b"\t", b"\x15", b"\0", b"\x13", b"\x1bs", b"\x0f"
ALL, INVERT, LIKE, DROP, TRASH, UNDO, PREVIEW = b"\x1ba", b"\x1bi", b"\x1bl", b"\x1bx", b"\x1b[3;3~", b"\x1bz", b"\x1bp"


def opened(*words: str, command: tuple[str, ...] = ("pickerctl", "pick")) -> Picker:
    """A picker that shows all its rows."""
    picker = Picker(*words, command=command)
    check(f"{' '.join((*command[2:], *words)) or 'a picker'}: there are rows", picker.pictures(r"(?m)^  \d+/\d+ · "), picker.text)
    return picker


def press(picker: Picker, keys: bytes, what: str, *patterns: str) -> None:
    picker.press(keys)
    check(what, picker.pictures(*patterns), picker.text)


def ends(picker: Picker, what: str, keys: bytes, status: int, *paths: str) -> None:
    picker.press(keys)
    found = picker.finish()
    check(what, found == (status, "".join(path + "\n" for path in paths).encode()), found)
    picker.close()


def at(picker: Picker, name: str) -> tuple[int, int]:
    """The row and the column of a name on the screen, from 1."""
    picker.pictures(re.escape(name))
    for row, line in enumerate(picker.text.split("\n"), 1):
        if name in line:
            return row, line.index(name) + 1
    return 1, 1


def click(picker: Picker, name: str, button: int = 0) -> bytes:
    row, column = at(picker, name)
    return b"\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm" % (button, column, row, button, column, row)


# ---- Marks ---------------------------------------------------------------------------------------


def try_marks(root: str) -> None:
    def note(number: int) -> str:
        return f"{root}/note-{number}.md"

    picker = opened("--multi", "--sort", "name")
    press(picker, b"t12", "what is typed is found", "1/1 ·")
    press(picker, TAB + CLEAR, "Tab marks it, and it stays so", r"/20 · 1 marked · by name", "(?m)^ • note-12")
    press(picker, b"t15", "another search", "1/1 · 1 marked")
    press(picker, TAB + CLEAR + SORT, "another order", "2 marked · by date")
    ends(picker, "Enter prints the marked ones in the order of marking", b"\r", 0, note(12), note(15))

    picker = opened("--multi", "--sort", "name")
    press(picker, TAB + DOWN * 3 + RANGE, "Ctrl-Space marks from the last mark on", "5 marked", "(?m)^>• note-14")
    press(picker, INVERT, "Alt-I marks the others", "15 marked", "(?m)^   note-12", "(?m)^ • note-15")
    press(picker, ALL, "Alt-A all", "20 marked")
    press(picker, INVERT, "or none", r"/20 · by name")
    press(picker, UP * 9 + RANGE + b"\x1b[1;5F" + RANGE, "a range beyond the screen", "20 marked")
    ends(picker, "is printed from one end to the other", b"\r", 0, *(note(number) for number in range(10, 30)))

    picker = opened("--multi", "--sort", "name")
    press(picker, TAB * 3, "three are marked", "3 marked")
    os.rename(note(10), f"{root}/renamed-10.md")
    os.rename(note(11), f"{root}.hidden")
    press(picker, b"", "what is gone stays, and is told", "3 marked, 1 gone", "(?m)^ • note-11.md$", "(?m)^ • renamed-10")
    press(picker, b"\r", "Enter asks", "1 of 3 is gone: Enter prints the 2, Esc goes back")
    press(picker, b"\x1b", "Esc goes back", "3 marked, 1 gone")
    press(picker, b"\r", "and asks again", "1 of 3 is gone")
    ends(picker, "and prints the others, one under its new name", b"\r", 0, f"{root}/renamed-10.md", note(12))
    os.rename(f"{root}.hidden", note(11))
    os.rename(f"{root}/renamed-10.md", note(10))

    picker = opened("--sort", "name")
    press(picker, TAB + TAB + DOWN, "without --multi Tab marks nothing", "2/20 · by name")
    ends(picker, "and one is printed", b"\r", 0, note(11))

    script = "pickerctl pick --multi --sort name -0 | xargs -0 -n 1 basename"
    picker = opened(command=("bash", "-c", script))
    picker.press(TAB + TAB + b"\r")
    found = picker.finish()
    check("marked documents go to xargs", found == (0, b"note-10.md\nnote-11.md\n"), found)
    picker.close()


# ---- Options -------------------------------------------------------------------------------------


def try_options(root: str) -> None:
    picker = opened("--prompt", "which? ", "--header", "a line above", "-n", "7", "--sort", "name")
    check("a prompt, a header and a limit", picker.pictures("^which\\?", "(?m)^  a line above$", "1/7 · by name"), picker.text)
    press(picker, SORT, "Ctrl-S has the next order", "by date")
    press(picker, REVERSE, "Alt-S the other way round", "by -date")
    press(picker, b"\x1bOP", "F1 shows keys", "ctrl-ctrl|enter +choose")
    picker.press(b"\x1b")
    check("Esc hides them", picker.comes(lambda: "choose" not in picker.text), picker.text)
    press(picker, b"typ" + TAB + b"m" + TAB, "Tab completes words of a query", "^which\\? type:m")
    press(picker, CLEAR + b"size:>x", "a fault is told", "'size:' must be followed by a size", "1/7")
    press(picker, b"\r", "and nothing is taken for it", r"(?m)^  'size:' must be followed")
    check("it goes on", picker.process.poll() is None)
    ends(picker, "Ctrl-C ends it", b"\x03", 130)

    picker = opened("--track", "--sort", "name")
    press(picker, DOWN * 5, "the cursor goes down", "6/20", "(?m)^>  note-15")
    press(picker, b"5", "with --track it stays at its document", "1/2 ·", "(?m)^>  note-15", "(?m)^   note-25")
    press(picker, b"\x7f", "also when letters are deleted", "6/20", "(?m)^>  note-15")
    ends(picker, "and is taken", b"\r", 0, f"{root}/note-15.md")
    picker = opened("--sort", "name")
    press(picker, DOWN * 5, "without it", "6/20", "(?m)^>  note-15")
    press(picker, b"note", "it goes to the first row", "1/20", "(?m)^>  note-10")
    ends(picker, "and that is taken", b"\r", 0, f"{root}/note-10.md")


def try_roots(other: str) -> None:
    picker = opened("--in", other)
    check("--in has the documents of a root", picker.pictures("1/2 ·", "other-1", "other-2"), picker.text)
    press(picker, b"r1", "that are searched", "1/1 ·")
    ends(picker, "and taken", b"\r", 0, f"{other}/other-1.md")


def try_previews(root: str, place: Path) -> None:
    def is_there(pid: str) -> bool:
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
        return True

    picker = opened("--preview", 'printf "<%s|%s>\\n" "$(basename {})" {q}; cat {}', "--sort", "name", "note-1")
    check("--preview shows what a command prints", picker.pictures(r"<note-10\.md\|note-1>", "n 10"), picker.text)
    press(picker, DOWN, "of the document under the cursor", r"<note-11\.md\|", "n 11")
    Path(root, "note-11.md").write_text("changed\n")
    press(picker, b"", "and again when it changes", r"│changed")
    press(picker, PREVIEW, "Alt-P hides it", "(?m)^>  note-11.* today")
    check("and the list has its room", picker.comes(lambda: "│" not in picker.text), picker.text)
    ends(picker, "Esc ends it", b"\x1b", 130)
    Path(root, "note-11.md").write_text("n 11\n")

    pids = place / "pids"
    pids.touch()
    picker = opened("--preview", f"echo $$ >>{pids}; echo ready; sleep 1000 & wait; : {{}}", "--sort", "name")
    picker.pictures("│ready")
    picker.press(DOWN)
    picker.comes(lambda: len(pids.read_text().split()) >= 2)
    first, *_, last = pids.read_text().split()
    check("a command ends when the cursor moves", picker.comes(lambda: not is_there(first)), pids.read_text())
    check("and the next one runs", is_there(last))
    ends(picker, "Esc ends it", b"\x1b", 130)
    check("and the command with it", picker.comes(lambda: not is_there(last)))

    odd = Path(root, "odd '\"$(touch owned)`touch owned`;x.md")
    odd.write_text("a line in it\n")
    picker = opened("--preview", "cat {}", "odd")
    check("a name is one word of a command", picker.pictures("│a line in it"), picker.text)
    ends(picker, "and is printed as it is", b"\r", 0, str(odd))
    check("and is no command", not Path("owned").exists())
    odd.unlink()

    picker = opened("note-12")
    press(picker, PREVIEW, "Alt-P shows the text of a file", "│n 12")
    ends(picker, "Esc ends it", b"\x1b", 130)


# ---- Deeds ---------------------------------------------------------------------------------------


def try_deeds(root: str) -> None:
    picker = opened("--sort", "name")
    press(picker, LIKE, "Alt-L likes", "(?m)^> ♥note-10", "1 document liked; alt-z takes it back")
    press(picker, LIKE, "or no longer", "(?m)^>  note-10", "1 document no longer liked")
    press(picker, DROP, "Alt-X drops", "1/19|1 document dropped", "(?m)^>  note-11")
    press(picker, UNDO + UNDO, "Alt-Z takes back what was done, step by step", "(?m)^> .note-10", "Taken back: 1 document no")
    press(picker, UNDO, "all of it", "Taken back: 1 document liked")
    press(picker, UNDO + DOWN, "and it is as before", "/20 · by name", "(?m)^   note-10", "(?m)^>  note-1")
    ends(picker, "Esc ends it", b"\x1b", 130)

    picker = opened("--sort", "name")
    press(picker, OFFER, "Ctrl-O offers actions", "Open", "Show in the file manager", "Move to the trash")
    press(picker, b"\x1b", "Esc hides them", "(?m)^>  note-10")
    check("and does nothing", picker.comes(lambda: "Move to the trash" not in picker.text), picker.text)
    if shutil.which("gio"):
        path = Path(root, "note-10.md")
        press(picker, TRASH, "Alt-Delete asks", r"Move 'note-10\.md' to the trash\? y/n")
        press(picker, b"n", "and does nothing without a yes", "1/20 · by name")
        press(picker, OFFER, "among the actions", "Move to the trash")
        press(picker, DOWN * 9 + b"\r", "is one that asks, too", r"Move to the trash\? y/n")
        check("and nothing was done", path.exists())
        press(picker, b"y", "with a yes it goes to the trash", "1 document in the trash; alt-z takes it back", "(?m)^>  note-11")
        check("so it is there no more", picker.comes(lambda: not path.exists()))
        press(picker, UNDO, "Alt-Z brings it back", "(?m)^.  note-10")
        check("where it was", path.read_text() == "n 10\n")
    else:
        print("skip - the trash: gio is missing (Debian: apt-get install libglib2.0-bin)")
    ends(picker, "Esc ends it", b"\x1b", 130)


def try_visits(root: str) -> None:
    words = ("--sort", "score,-frecency", "twin")

    def first() -> str:
        ran = subprocess.run(("pickerctl", "list", "--fuzzy", "--format", "{name}", *words), capture_output=True, check=True)
        return ran.stdout.decode().partition("\n")[0]

    for name in ("twin-a.md", "twin-b.md"):
        Path(root, name).touch()
    subprocess.run(("pickerctl", "sync"), check=True, stdout=subprocess.DEVNULL)
    check("two that match alike are in the order of their names", first() == "twin-a.md")
    picker = opened(*words)
    press(picker, DOWN, "the second one", "(?m)^>  twin-b")
    ends(picker, "is taken", b"\r", 0, f"{root}/twin-b.md")
    check("then it is the first one", first() == "twin-b.md")
    picker = opened(*words)
    check("also in a picker", picker.pictures("(?m)^>  twin-b"), picker.text)
    ends(picker, "which is cancelled", DOWN + b"\x1b", 130)
    check("and that is no visit", first() == "twin-b.md")
    for name in ("twin-a.md", "twin-b.md"):
        Path(root, name).unlink()


# ---- Time, the mouse, crashes --------------------------------------------------------------------


def try_waiting(daemon: Daemon, root: str) -> None:
    picker = opened("--sort", "name")
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        press(picker, b"t15" + b"\r", "Enter waits for the rows of what is typed", "(?m)^> t15", "waiting")
        press(picker, b"", "a second, and says that there are none", "There are no rows for this yet")
        press(picker, DOWN, "other keys have the rows that are there", r"2/20 … · by name", "(?m)^>  note-11")
        check("and it goes on", picker.process.poll() is None)
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    press(picker, b"", "when they come, they are there", "1/1 · by name", "(?m)^>  note-15")
    ends(picker, "and are taken", b"\r", 0, f"{root}/note-15.md")

    picker = opened("--sort", "name")
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        press(picker, b"t16" + b"\r", "if they come within the second", "waiting")
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    ends(picker, "Enter takes one", b"", 0, f"{root}/note-16.md")


def try_mouse(root: str) -> None:
    picker = opened("--sort", "name")
    press(picker, b"\x1b[<65;5;5M" * 3, "the wheel moves the cursor", "4/20", "(?m)^>  note-13")
    press(picker, click(picker, "note-15"), "a click leads to a row", "6/20", "(?m)^>  note-15")
    # The time for the second click of a double one is over when nothing wakes the picker any more.
    picker.comes(picker.is_at_rest)
    picker.press(click(picker, "note-15"))
    picker.comes(picker.is_at_rest)
    check("two clicks that are slow take nothing", picker.process.poll() is None)
    press(picker, click(picker, "note-16"), "a click on another row", "7/20", "(?m)^>  note-16")
    ends(picker, "a double click takes a row", click(picker, "note-17") * 2, 0, f"{root}/note-17.md")

    picker = opened("--multi", "--sort", "name")
    press(picker, click(picker, "note-13", 2), "a right click marks", "1/20 · 1 marked", "(?m)^ • note-13")
    press(picker, click(picker, "note-14", 2), "and another one", "1/20 · 2 marked")
    press(picker, click(picker, "note-13", 2), "and marks no longer", "1/20 · 1 marked", "(?m)^   note-13")
    ends(picker, "a double click takes what is marked", click(picker, "note-16") * 2, 0, f"{root}/note-14.md")


def try_crashes() -> None:
    picker = Picker(command=("bash", "-c", "echo above >&2; exec pickerctl pick --height 6"))
    picker.pictures("above", "note-")
    os.kill(picker.process.pid, signal.SIGSEGV)
    found = picker.finish()
    check("below a prompt SIGSEGV ends it", found == (-signal.SIGSEGV, b""), found)
    check("and what was above stays", picker.text.startswith("above"), picker.text)
    picker.is_given_back("SIGSEGV below a prompt")
    picker.close()

    picker = opened()
    picker.resize(50, 200)
    for _ in range(150):
        # Nobody reads the terminal: it takes no more at last.
        picker.wakes_for(SORT)
    os.kill(picker.process.pid, signal.SIGSEGV)
    try:
        status = picker.process.wait(terminals.PATIENCE)
    except subprocess.TimeoutExpired:
        status = None
    check("with a terminal that is not read SIGSEGV ends it, too", status == -signal.SIGSEGV, status)
    check("and the modes are those of before", picker.is_as_before)
    picker.finish()
    picker.close()


def main(root: str, other: str) -> int:
    for number in range(10, 30):
        Path(root, f"note-{number}.md").write_text(f"n {number}\n")
    for number in (1, 2):
        Path(other, f"other-{number}.md").touch()
    daemon = Daemon(root)
    try:
        try_marks(root)
        try_options(root)
        try_previews(root, Path(root).parent)
        try_deeds(root)
        try_visits(root)
        try_waiting(daemon, root)
        try_mouse(root)
        try_crashes()
        daemon.end()
        daemon = Daemon(root, other)
        try_roots(other)
    finally:
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
