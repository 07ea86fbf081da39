#!/usr/bin/env python3
"""pickerctl pick --directory and --save on a pseudo-terminal.

Run by pick-folders.sh. DISK is a folder that is made for the test.

usage: contrib/tests/pick_folders.py DISK
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import terminals
from pick_on_terminal import Picker
from terminals import check


def browse(*words: str, **more: tuple[str, ...]) -> Picker:
    return Picker(*words, **more)


def ends(what: str, picker: Picker, expected: tuple[int, bytes]) -> None:
    found = picker.finish()
    check(what, found == expected, found)
    picker.is_given_back(what)
    picker.close()


def make_disk(disk: str) -> None:
    for folder in ("Documents/Work/2024", "Documents/Archive", "Music", ".hidden/inner"):
        Path(disk, folder).mkdir(parents=True)
    Path(disk, "old.txt").write_text("old\n")
    Path(disk, "Documents/report.pdf").write_text("report\n")


def try_directory(disk: str) -> None:
    picker = browse("--directory", disk)
    check("folders are shown, without a daemon", picker.pictures("Documents/", "Music/"), picker.text)
    check("and no files, and nothing hidden", "old.txt" not in picker.text and ".hidden" not in picker.text, picker.text)
    check("it says what Enter does", picker.pictures("Enter chooses this folder · 2 folders · 1 hidden"), picker.text)
    picker.press(b"\r")
    ends("Enter chooses the folder where it begins", picker, (0, disk.encode() + b"\n"))

    picker = browse("--directory", disk)
    picker.pictures("Documents/")
    picker.press(b"doc")
    check("what is typed filters", picker.comes(lambda: "Music/" not in picker.text), picker.text)
    check("and Enter would go in", picker.pictures("Enter goes into 'Documents'"), picker.text)
    picker.press(b"\r")
    check("Enter goes in", picker.pictures("Archive/", "Work/"), picker.text)
    picker.press(b"\r")
    ends("and chooses there", picker, (0, f"{disk}/Documents\n".encode()))

    picker = browse("--directory", f"{disk}/Documents/Work")
    picker.pictures("2024/")
    picker.press(b"\x1b[D")
    check("Left leads up, with the cursor where it came from", picker.pictures("(?m)^>  Work/"), picker.text)
    picker.press(b"\x7f")
    check("Backspace too", picker.pictures("(?m)^>  Documents/"), picker.text)
    picker.press(b"\x1b[C")
    check("Right goes in again", picker.pictures("Archive/", "Work/"), picker.text)
    picker.press(b"\x1b[B\x1b[B\x1b\r")
    ends("Alt-Enter chooses what is under the cursor", picker, (0, f"{disk}/Documents/Work\n".encode()))

    picker = browse("--directory", "-0", "/")
    picker.pictures("Enter chooses this folder")
    picker.press(f"{disk[1:]}/documents/work/\r".encode())
    ends("a path may be typed at once, and -0 ends it with NUL", picker, (0, f"{disk}/Documents/Work\0".encode()))

    picker = browse("--directory", "--json", "Documents", command=("bash", "-c", f'cd {disk}; exec pickerctl pick "$@"', ""))
    picker.pictures("Archive/")
    picker.press(b"\r")
    ends("--json prints JSON, of a folder that is relative", picker,
         (0, f'{{"absolutePath":"{disk}/Documents"}}\n'.encode()))

    for what, keys in (("Esc", b"\x1b"), ("Ctrl-C", b"\x03")):
        picker = browse("--directory", disk)
        picker.pictures("Music/")
        picker.press(keys)
        ends(f"{what} cancels", picker, (130, b""))


def try_changes(disk: str) -> None:
    picker = browse("--directory", disk)
    picker.pictures("Documents/")
    Path(disk, "Fresh").mkdir()
    check("a folder that is made meanwhile appears", picker.pictures("Fresh/"), picker.text)
    os.rename(f"{disk}/Fresh", f"{disk}/Afresh")
    check("a rename is seen", picker.pictures("Afresh/"), picker.text)
    picker.press(b"afresh\r")
    check("an empty folder has but itself", picker.pictures("Afresh/", "0 folders"), picker.text)
    os.rmdir(f"{disk}/Afresh")
    check("when it is removed, the one above is shown", picker.pictures("'Afresh' is not there", "Music/"), picker.text)

    picker.press(b"\x1bn")
    check("Alt-N asks for a name", picker.pictures("New folder:"), picker.text)
    picker.press(b"Music\r")
    check("one that is there is refused", picker.pictures("'Music' is there already"), picker.text)
    picker.press(b"\x15a/b\r")
    check("and so is one with a slash", picker.pictures("can't have a '/'"), picker.text)
    picker.press(b"\x15New one\r")
    check("a new one is made, and shown", picker.pictures("New one/", "0 folders"), picker.text)
    picker.press(b"\r")
    ends("and chosen", picker, (0, f"{disk}/New one\n".encode()))
    check("it is on the disk", Path(disk, "New one").is_dir())
    os.rmdir(f"{disk}/New one")


def try_save(disk: str) -> None:
    picker = browse("--save", "draft.txt", disk)
    check("the name is there, and files, too", picker.pictures(r"Save as: draft\.txt", r"old\.txt"), picker.text)
    picker.press(b"letter\r")
    ends("what is typed takes the place of the name, but not of its extension", picker,
         (0, f"{disk}/letter.txt\n".encode()))

    picker = browse("--save", "draft.txt", "--json", disk)
    picker.pictures("Music/")
    picker.press(b"\x1b[B\r")
    check("Enter on a folder goes in", picker.pictures("Archive/", r"report\.pdf"), picker.text)
    picker.press(b"\r")
    ends("and on the first row saves there", picker,
         (0, f'{{"absolutePath":"{disk}/Documents/draft.txt","exists":false}}\n'.encode()))

    picker = browse("--save", "old.txt", disk)
    picker.pictures("Music/")
    picker.press(b"\r")
    check("a file that is there: a question", picker.pictures(r"'old\.txt' is there already: overwrite it\?"), picker.text)
    picker.press(b"\r")
    picker.press(b"n")
    check("n goes back", picker.pictures(r"Enter saves 'old\.txt' here"), picker.text)
    picker.press(b"\ry")
    ends("y overwrites", picker, (0, f"{disk}/old.txt\n".encode()))
    check("which the caller does", Path(disk, "old.txt").read_text() == "old\n")

    picker = browse("--save", "draft.txt", disk)
    picker.pictures("Music/")
    picker.press(b"\x1b[1;5F\x1b[B\x1b[B\x1b[B\r")
    check("Enter on a file takes its name", picker.pictures(r"Save as: old\.txt"), picker.text)
    for typed, said in ((b"", "There is no name yet"), (b"a/b", "can't have a '/'"), (b"..", "name of a folder"),
                        (b"Music", "'Music' is a folder here"), (b"x" * 256, "256 bytes")):
        picker.press(b"\x05\x15" + typed + b"\r")
        check(f"{typed[:9]!r} is refused as a name", picker.pictures(said), picker.text)
    picker.press(b"\x05\x15\xc3\xa4 b.txt\t../music/\t\r")
    ends("Tab leads to the folder and back", picker, (0, f"{Path(disk).parent}/music/ä b.txt\n".encode()))


def try_example(disk: str) -> None:
    Path(disk, "draft.txt").write_text("a draft\n")
    script = 'mv draft.txt "$(pickerctl pick --save draft.txt)"'
    picker = browse(command=("bash", "-c", f"cd '{disk}/Music/..'; {script}"))
    picker.pictures("Music/", r"Save as: draft\.txt")
    picker.press(b"\x1b[F\t\x15music/\tnew\r")
    check("a shell is given the path", picker.finish()[0] == 0, picker.text)
    check("and what is moved there is there", Path(disk, "Music/draft.txtnew").read_text() == "a draft\n")
    picker.close()
    os.remove(f"{disk}/Music/draft.txtnew")


def try_refusals(disk: str) -> None:
    for words in (("--directory", "--save", "a"), ("--save", "a/b"), ("--directory", "--multi"),
                  ("--directory", "--format", "{name}"), ("--directory", "--sort", "name"),
                  ("--directory", "--preview", "cat {}"), ("--save", "a", "--in", "documents"),
                  ("--directory", f"{disk}/old.txt"), ("--directory", f"{disk}/none"), ("--directory", disk, "b")):
        ran = subprocess.run(("pickerctl", "pick", *words), capture_output=True)
        check(f"{' '.join(words)} is refused", ran.returncode == 2 and ran.stderr != b"" and not ran.stdout, ran)
    ran = subprocess.run(("pickerctl", "pick", "--directory"), capture_output=True, stdin=subprocess.DEVNULL,
                         start_new_session=True)
    check("without a terminal it is refused", ran.returncode == 2 and b"terminal" in ran.stderr, ran)


def try_permissions(disk: str) -> None:
    """As somebody who is not root: root may write everywhere."""
    closed, full = Path(disk, "closed"), Path(disk, "full")
    for folder, mode in ((closed, 0o000), (full, 0o555)):
        folder.mkdir()
        folder.chmod(mode)
    command = ("pickerctl", "pick")
    if os.getuid() == 0:
        command = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command)
        # The way to the program and to the disk may be closed to others.
        program = shutil.which("pickerctl") or ""
        open_program = Path(disk).parent / "pickerctl"
        shutil.copy(program, open_program)
        for place in (Path(disk).parent, Path(disk), open_program):
            place.chmod(0o755)
        command = (*command[:4], str(open_program), "pick")
    picker = browse("--save", "a.txt", str(full), command=command)
    picker.pictures("Save as: ")
    picker.press(b"\r")
    check("a folder that can't be written is said", picker.pictures("You may not write in this folder"), picker.text)
    picker.press(b"\x1bnb\r")
    check("also to who makes a folder", picker.pictures("New folder: b", "You may not write in this folder"), picker.text)
    picker.press(b"\x1b")
    picker.press(b"\x1b")
    ends("and nothing is saved", picker, (130, b""))
    picker = browse("--directory", str(closed), command=command)
    check("a folder that can't be read is said", picker.pictures("You may not read this folder"), picker.text)
    picker.press(b"\x7f")
    check("and can be left", picker.pictures("(?m)^>  closed/"), picker.text)
    picker.press(b"\x1b")
    ends("to the end", picker, (130, b""))
    closed.chmod(0o755)


def try_rest(disk: str) -> None:
    picker = browse("--directory", "--height", "6", "--header", "Where to?", disk)
    check("--height and --header do what they do elsewhere", picker.pictures(r"Where to\?", "Documents/"), picker.text)
    check("at rest nothing wakes it", picker.comes(picker.is_at_rest), picker.wakes())
    picker.press(b"\x1b")
    ends("below the prompt, too, the terminal is given back", picker, (130, b""))


def main(disk: str) -> int:
    make_disk(disk)
    Path(disk).parent.joinpath("music").mkdir()
    try_directory(disk)
    try_changes(disk)
    try_save(disk)
    try_example(disk)
    try_refusals(disk)
    try_permissions(disk)
    try_rest(disk)
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
