#!/usr/bin/env python3
"""contrib/pickers: what each shows, how it stays current, and that a file's name is only ever a name.

Run by pickers.sh, with the pickers, pickerd and a gio that writes down what it is to open on the PATH. A program that is
not here is left out, and named.

usage: contrib/tests/pickers.py PLACE
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import xml.etree.ElementTree
from pathlib import Path

import terminals
from pick_on_terminal import Daemon
from terminals import PATIENCE, Terminal, check

HERE = Path(__file__).resolve().parent
PLACE = Path(sys.argv[1])
ROOT = PLACE / "root"
OPENED = PLACE / "home" / "opened"
#: Names that shells, editors, menus and markup would take for more than names.
HOSTILE = [
    b"plain.md", b"two words.txt", b"it's \"quoted\".txt", b"new\nline.txt", b"tab\ttab.txt",
    b"$(touch pwned) `touch pwned`; touch pwned &.md", b"'; touch pwned; '.md", b"-rf.md", b"back\\slash\\n.txt",
    b"e\nlet g:pwned=1\nlua vim.g.pwned=1\n|qa!|\n.md", b"%#<cword>*?[a].txt", b"{} {q} {1} $HOME.txt",
    b"<b>bold &amp; <i.md", b"esc\x1b[31m\x07\xc2\x9b31m\x08.pdf", b"bad\xff\xc3.txt",
    "turned \u202e round \u200b.txt".encode(), b"\0icon\x1fx\x1finfo\x1fy"[1:] + b".txt", "größe 名.md".encode(),
]  # fmt: skip
#: What no line of a picker may hold: control characters, and those that turn or hide text.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f]")


def is_here(*programs: str) -> bool:
    missing = [each for each in programs if not shutil.which(each)]
    if missing:
        print(f"skip - {programs[0]}: {' and '.join(missing)} missing", flush=True)
    return not missing


def comes(holds) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, env=os.environ | environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=4 * PATIENCE, cwd=PLACE
    )


def at(name: bytes) -> bytes:
    return os.fsencode(ROOT) + b"/" + name


def opened() -> list[bytes]:
    """The paths that were opened since it was last asked."""
    lines = OPENED.read_text().splitlines() if OPENED.exists() else []
    OPENED.unlink(missing_ok=True)
    return [urllib.parse.unquote_to_bytes(line.removeprefix("open file://")) for line in lines]


def keys() -> dict[str, bytes]:
    listed = run("pickerctl", "list", "-0", "--format", "{key} {path}").stdout.split(b"\0")[:-1]
    return {key.decode(): name for key, name in (line.split(b" ", 1) for line in listed)}


# ---- rofi ----------------------------------------------------------------------------------------


def rofi(state: int, chosen: str = "", *typed: str, **environment: str) -> tuple[dict[str, str], list[tuple[str, dict[str, str]]]]:
    """The options and the rows that the script answers, as rofi would read them."""
    done = run("pickerd-rofi", *typed, ROFI_RETV=str(state), ROFI_INFO=chosen, **environment)
    options, rows = {}, []
    for line in done.stdout.decode().split("\n")[:-1]:
        text, _, rest = line.partition("\0")
        fields = rest.split("\x1f")
        named = dict(zip(fields[::2], fields[1::2]))
        if text:
            rows.append((text, named))
        else:
            options |= named
    return options, rows


def text_of(markup: str) -> str:
    """What markup says without any tag; nothing if it has one or can't be read."""
    try:
        element = xml.etree.ElementTree.fromstring(f"<m>{markup}</m>")
    except xml.etree.ElementTree.ParseError:
        return ""
    return "" if len(element) else element.text or ""


def check_rofi() -> None:
    options, rows = rofi(0)
    check("rofi gets a row for each document", len(rows) == len(HOSTILE), rows)
    check("with nothing in it that is more than text", not any(UNSAFE.search(text) for text, _ in rows), rows)
    known = keys()
    check("its key", {named["info"] for _, named in rows} == set(known), rows)
    icons = {text: named["icon"] for text, named in rows}
    check("and its icon", (icons["plain.md"], icons["esc?[31m??31m?.pdf"]) == ("text-x-generic", "application-pdf"), icons)
    check("rows are no markup", options["markup-rows"] == "false", options)
    wrong = []
    for key, name in known.items():
        answer = rofi(1, key)
        if opened() != [at(name)] or answer != ({}, []):
            wrong.append((name, answer))
    check("each is opened, by its key, and then rofi is told to end", not wrong, wrong)

    by_name = {name: key for key, name in known.items()}
    marked = by_name[b"<b>bold &amp; <i.md"]
    said, rows = rofi(10, marked)
    liked = run("pickerctl", "list", "-0", "is:liked").stdout
    check("a document can be liked", liked == at(b"<b>bold &amp; <i.md\0"), liked)
    expected = f"liked: {ROOT}/<b>bold &amp; <i.md "
    check("which is said, as markup that is text", text_of(said["message"]) == expected, said)
    check("and the rows are there again", len(rows) == len(HOSTILE), rows)
    _, rows = rofi(2, "", "type:pdf")
    check("what is typed is a query", [text for text, _ in rows] == ["esc?[31m??31m?.pdf"], rows)
    _, rows = rofi(2, "", 'quote "')
    check("or else searched for as it is", [text for text, _ in rows] == ["it's \"quoted\".txt"], rows)
    said, rows = rofi(12, by_name[b"new\nline.txt"])
    check("before the trash it asks", [text for text, _ in rows] == ["No", "Yes, into the trash"], rows)
    rofi(1, "trash " + by_name[b"new\nline.txt"])
    deeds = OPENED.read_text() if OPENED.exists() else ""
    check("and then puts it there", deeds.startswith("trash ") and "new" in deeds, deeds)
    opened()
    (ROOT / "f0000").touch()
    run("pickerctl", "sync")
    said, rows = rofi(1, "f0000")
    check("a document that is gone is said to be", "gone" in said.get("message", ""), said)
    check("and no other is taken for it", not opened())
    (ROOT / "f0000").unlink()
    run("pickerctl", "sync")
    said, rows = rofi(0, PICKERD_SOCKET="/nowhere")
    check("so is a missing daemon", "no daemon listens at /nowhere" in said["message"], said)
    check("with a row that tries again", [text for text, _ in rows] == ["Try again"], rows)


class Display:
    """An X server of its own, which nobody sees."""

    def __enter__(self) -> Display:
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ("Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"),
            pass_fds=(writer,), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(writer)
        with os.fdopen(reader) as number:
            os.environ["DISPLAY"] = ":" + number.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()
        del os.environ["DISPLAY"]

    def type(self, of: str, *keys: str) -> bool:
        """Types into the window of a class, once it has the keyboard."""
        shown = comes(lambda: run("xdotool", "search", "--onlyvisible", "--class", of).stdout)
        return shown and run("xdotool", *keys).returncode == 0


def check_on_display() -> None:
    if is_here("rofi", "Xvfb", "xdotool"):
        with Display() as display:
            command = ("rofi", "-modi", "documents:pickerd-rofi", "-show", "documents", "-show-icons")
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            display.type("rofi", "type", "type:pdf")
            # The first Enter asks for what was typed, the next opens the one row that there is then.
            ended = comes(lambda: process.poll() is not None or run("xdotool", "key", "Return").returncode)
            check("rofi itself opens what is searched for", opened() == [at(HOSTILE[13])])
            if not ended:
                process.kill()
            process.wait()
    if is_here("dmenu", "Xvfb", "xdotool"):
        with Display() as display:
            environment = os.environ | {"PICKERD_MENU": "dmenu -l 20"}
            process = subprocess.Popen(("pickerd-menu", "--print"), env=environment, stdout=subprocess.PIPE)
            display.type("dmenu", "type", "two w")
            display.type("dmenu", "key", "Return")
            printed, _ = process.communicate()
            check("dmenu itself gives what is chosen", printed == at(b"two words.txt\0"), printed)


# ---- Menus ---------------------------------------------------------------------------------------


def check_menu() -> None:
    stand_in = PLACE / "bin" / "stand-in"
    # Writes down what it is shown, and chooses the line with the number in PICK, or once what is in TYPE.
    stand_in.write_text(
        '#!/bin/sh\ncat >"$HOME/shown"\nif [ -n "$TYPE" ] && [ ! -e "$HOME/typed" ]; then\n'
        '    printf "%s\\n" "$TYPE"; touch "$HOME/typed"\nelse\n    sed -n "$PICK"p "$HOME/shown"\nfi\n'
    )
    stand_in.chmod(0o755)
    shown = PLACE / "home" / "shown"
    wrong, got = [], set()
    for number in range(1, len(HOSTILE) + 1):
        done = run("pickerd-menu", PICKERD_MENU="stand-in", PICK=str(number))
        got.update(opened())
        if done.returncode or done.stderr:
            wrong.append(done)
    check("a menu opens each document", not wrong and got == set(map(at, HOSTILE)), (wrong, got))
    lines = shown.read_text().split("\n")[:-1]
    check("its lines are safe", len(lines) == len(HOSTILE) and not any(map(UNSAFE.search, lines)), lines)
    twins = [b"twin \xff.txt", b"twin \xfe.txt"]
    for name in twins:
        (ROOT / os.fsdecode(name)).touch()
    run("pickerctl", "sync")
    printed = {run("pickerd-menu", "--print", "twin", PICKERD_MENU="stand-in", PICK=each).stdout for each in "12"}
    check("two that look alike are told apart", printed == {at(name + b"\0") for name in twins}, printed)
    for name in twins:
        (ROOT / os.fsdecode(name)).unlink()
    run("pickerctl", "sync")
    printed = run("pickerd-menu", "--print", PICKERD_MENU="stand-in", TYPE="type:pdf", PICK="1").stdout
    check("what is typed is a query", printed == at(HOSTILE[13] + b"\0"), printed)
    done = run("pickerd-menu", PICKERD_MENU="stand-in", PICK="1", PICKERD_SOCKET="/nowhere")
    check("without a daemon the menu says so", "no daemon listens" in shown.read_text(), shown.read_text())
    check("and the status is 3", done.returncode == 3, done)
    if is_here("bemenu"):
        if b"curses" not in run("sh", "-c", "ls /usr/lib/*/bemenu").stdout:
            print("skip - bemenu on a terminal: libbemenu-curses missing", flush=True)
            return
        os.environ["BEMENU_BACKEND"] = "curses"
        terminal = Terminal("pickerd-menu")
        # It draws, leaves the screen, and draws again; keys before that are lost.
        check("bemenu itself shows them", terminal.shows(rb"\[\?1049l.*plain\.md"), terminal.screen)
        terminal.forget()
        terminal.press(b"plain")
        check("and what is typed", terminal.shows(rb"plain"), terminal.screen)
        terminal.press(b"\r")
        status = terminal.end()
        check("and what is chosen is opened", (status, opened()) == (0, [at(b"plain.md")]), terminal.screen)
        terminal.close()
        del os.environ["BEMENU_BACKEND"]


# ---- Waybar --------------------------------------------------------------------------------------


def check_waybar(daemon: Daemon) -> None:
    told = PLACE / "waybar"
    with told.open("wb") as output:
        process = subprocess.Popen(("pickerd-waybar", "50"), stdout=output, stderr=subprocess.DEVNULL)

    try:
        follow_waybar(told, daemon)
    finally:
        process.terminate()
        process.wait()


def follow_waybar(told: Path, daemon: Daemon) -> None:
    def lines() -> list[dict[str, str]]:
        return [json.loads(line) for line in told.read_text().split("\n")[:-1]]

    check("Waybar gets a line of JSON", comes(lambda: len(lines()) == 1), lines())
    name = '<span size="900000">new & \\"newest\\"<\u2044span>.md'
    (ROOT / name).touch()
    check("and another when a document comes", comes(lambda: len(lines()) == 2), lines())
    last = lines()[-1]
    check("in whose markup its name is text", text_of(last["text"]) == name, last)
    text = text_of(last["tooltip"])
    check("as are all in the tooltip", len(text.split("\n")) == len(HOSTILE) + 1, text)
    check("which are safe", not UNSAFE.search(text.replace("\n", "")), text)
    (ROOT / name).unlink()
    check("it follows what goes", comes(lambda: len(lines()) == 3 and "newest" not in lines()[-1]["text"]), lines())
    daemon.kill()
    check("a lost daemon is told in the bar", comes(lambda: lines()[-1]["class"] == "lost"), lines()[-1])
    check("in words", lines()[-1]["text"] == "no pickerd", lines()[-1])
    daemon.start()
    check("and it goes on with the next", comes(lambda: lines()[-1]["class"] == "documents"), lines()[-1])


# ---- fzf -----------------------------------------------------------------------------------------


def check_fzf(daemon: Daemon) -> None:
    if not is_here("fzf"):
        return
    def start(*words: str) -> Terminal:
        return Terminal("pickerd-fzf", *words, stdout=subprocess.PIPE)

    def finish(terminal: Terminal) -> tuple[int, bytes]:
        status = terminal.end()
        assert terminal.process.stdout
        with terminal.process.stdout as printed:
            result = status, printed.read()
        terminal.close()
        return result

    terminal = start()
    total = len(HOSTILE)
    check("fzf shows the documents", terminal.shows(rb"%d/%d" % (total, total)), terminal.screen)
    check("and nothing of their names but text", b"\x07" not in terminal.screen and b"\xc2\x9b" not in terminal.screen)
    (ROOT / "zebra.md").write_text("stripes")
    check("a new one comes by itself", terminal.shows(rb"zebra\.md"), terminal.screen)
    check("with its preview", terminal.shows(rb"stripes"), terminal.screen)
    terminal.forget()
    terminal.press(b"zeb .md$")
    check("the daemon searches for what is typed", terminal.shows(rb"1/1"), terminal.screen)
    terminal.forget()
    (ROOT / "zebra.md").rename(ROOT / "zebra2.md")
    check("a renamed one is followed", terminal.shows(rb"zebra2\.md"), terminal.screen)
    terminal.forget()
    daemon.kill()
    check("a lost daemon is told", terminal.shows(rb"no daemon listens"), terminal.screen)
    daemon.start()
    terminal.forget()
    check("and the next one asked", terminal.shows(rb"zebra2\.md"), terminal.screen)
    terminal.press(b"\r")
    found = finish(terminal)
    check("Enter prints the path", found == (0, at(b"zebra2.md\n")), found)
    (ROOT / "zebra2.md").unlink()
    run("pickerctl", "sync")

    wrong = []
    for query, name in (("touch ^$( ", HOSTILE[5]), ("'bad", HOSTILE[14]), ("pwned=1", HOSTILE[9]), ("{q}", HOSTILE[11])):
        terminal = start("-0", query)
        terminal.shows(rb"1/1")
        terminal.press(b"\r")
        found = finish(terminal)
        if found != (0, at(name + b"\0")):
            wrong.append(found)
    check("a path is printed byte for byte", not wrong, wrong)
    terminal = start("-m", "type:txt")
    texts = sum(name.endswith(b".txt") for name in HOSTILE)
    terminal.shows(rb"%d/%d" % (texts, texts))
    terminal.press(b"\t\x1b[A\t\r")  # the first is at the bottom, where down is nowhere
    status, printed = finish(terminal)
    check("several can be marked", status == 0 and printed.count(b"\n") == 2, printed)
    terminal = start()
    terminal.shows(rb"%d/%d" % (total, total))
    terminal.press(b"\x1b")
    found = finish(terminal)
    check("Escape gives fzf's status", found == (130, b""), found)
    os.environ["PICKERD_SOCKET"] += "-not"
    terminal = start()
    found = finish(terminal)
    os.environ["PICKERD_SOCKET"] = os.environ["PICKERD_SOCKET"].removesuffix("-not")
    check("without a daemon it says so", found == (3, b"") and b"no daemon listens" in terminal.screen, terminal.screen)


# ---- Editors -------------------------------------------------------------------------------------


def check_editor(*command: str) -> None:
    if not is_here(command[0]):
        return
    buffers = PLACE / "buffers"
    # Whenever a buffer is shown, the names of all are written down; a newline in one becomes a NUL.
    names = "map(getbufinfo({'buflisted':1}),{_,b->b.name})"
    terminal = Terminal(*command, "--cmd", f"autocmd BufWinEnter * call writefile({names},'{buffers}')")
    terminal.press(b":set hidden | Pick\r")
    what = command[0]
    check(f"{what} shows the documents", terminal.shows(rb"1/%d " % len(HOSTILE)), terminal.screen)
    terminal.press(b"\t" * len(HOSTILE))
    check("which can be marked", terminal.shows(rb"%d marked" % len(HOSTILE)), terminal.screen)
    terminal.press(b"\r")

    def are_open() -> bool:
        lines = buffers.read_bytes().split(b"\n") if buffers.exists() else []
        return {line.replace(b"\0", b"\n") for line in lines if line} == set(map(at, HOSTILE))

    check("and are opened, each by its name", terminal.comes(are_open), buffers.exists() and buffers.read_bytes())
    buffers.unlink(missing_ok=True)
    terminal.press(b":let $PICKERD_SOCKET='/nowhere'\r:Pick\r")
    check("without a daemon its window says so", terminal.shows(rb"no daemon listens"), terminal.screen)
    terminal.press(b"\x1c\x0e\x1b\x1b:if exists('g:pwned') | call writefile([''], 'pwned') | endif\r:qa!\r")
    status = terminal.end()
    check("it ends as usual", status == 0, (status, terminal.screen))
    terminal.close()


def check_editors() -> None:
    share = PLACE / "inst" / "share"
    check_editor("vim", "-n", "-N", "-u", "NONE", "--cmd", f"set rtp^={share}/pickerd/vim", "-c", "runtime plugin/pickerd.vim")
    check_editor("nvim", "-n", "-u", "NONE", "--cmd", f"set rtp^={share}/nvim/site", "-c", "runtime plugin/pickerd.lua")
    if is_here("nvim"):
        done = run(
            "nvim", "--headless", "-n", "-u", "NONE", "--cmd", f"set rtp^={share}/nvim/site",
            "-c", f"luafile {HERE}/pickers.lua", "-c", "qa!",
        )  # fmt: skip
        said = (done.stdout + done.stderr).decode(errors="replace").replace("\r", "")
        for line in said.splitlines():
            if re.match(r"(not )?ok - ", line):
                print(line, flush=True)
        terminals.failures += len(re.findall(r"^not ok", said, re.MULTILINE))
        check("Neovim's list was checked to its end", done.returncode == 0 and "ok - the end" in said, said)


# ---- A desktop -----------------------------------------------------------------------------------


def check_desktop() -> None:
    share = PLACE / "inst" / "share"
    entry = share / "applications" / "pickerd-pick.desktop"
    if is_here("desktop-file-validate"):
        done = run("desktop-file-validate", str(entry))
        check("the desktop entry is valid", done.returncode == 0 and not done.stdout, done)
    command = re.search(r"^Exec=(.*)$", entry.read_text(), re.MULTILINE)
    tried = re.search(r"^TryExec=(.*)$", entry.read_text(), re.MULTILINE)
    check("it is there if pickerctl is", tried is not None and tried[1] == str(PLACE / "inst/bin/pickerctl"), tried)
    icon = re.search(r"^Icon=(.*)$", entry.read_text(), re.MULTILINE)
    assert command and icon
    icons = list(share.glob(f"icons/hicolor/scalable/apps/{icon[1]}.svg"))
    check("its icon is there", bool(icons) and xml.etree.ElementTree.parse(icons[0]).getroot().tag.endswith("svg"), icons)
    terminal = Terminal(command[1])
    check("it shows the documents", terminal.shows(rb"plain\.md"), terminal.screen)
    terminal.press(b"pwned=1")
    terminal.shows(rb"1/%d" % len(HOSTILE))
    terminal.press(b"\r")
    status = terminal.end()
    check("and opens what is picked", (status, opened()) == (0, [at(HOSTILE[9])]), terminal.screen)
    terminal.close()
    terminal = Terminal("env", "PICKERD_SOCKET=/nowhere", command[1])
    check("without a daemon it says so", terminal.shows(rb"no daemon listens.*Press a key"), terminal.screen)
    check("until a key is pressed", terminal.comes(lambda: not terminal.shows_keys))
    terminal.press(b"x")
    check("and its status is 1", terminal.end() == 1, terminal.screen)
    terminal.close()


def main() -> int:
    for name in HOSTILE:
        (ROOT / os.fsdecode(name)).write_text("text\n")
    daemon = Daemon(str(ROOT))
    try:
        check_rofi()
        check_menu()
        check_on_display()
        check_waybar(daemon)
        check_fzf(daemon)
        check_editors()
        check_desktop()
    finally:
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
