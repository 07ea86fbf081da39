#!/usr/bin/python3
"""pickerctl pick under random keys, while files change, in pyte's model of a terminal.

The model is pyte's (Debian: python3-pyte), and what the screen should have is made of `pickerctl list` and of a plain
picker, below: a line, an order, a place, a list of marks. The seed is printed; PICKERD_TEST_SEED sets it, and
PICKERD_TEST_KEYS how many keys there are (6000).

usage: contrib/tests/pick_keys.py ROOT
       contrib/tests/pick_keys.py --change ROOT SEED    (changes files until it is ended)
"""

from __future__ import annotations

import fcntl
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte
import terminals
from pick_on_terminal import SOCKET, Daemon
from terminals import Terminal, check

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clients"))

from pickerd import Connection, Query  # noqa: E402

KEYS = int(os.environ.get("PICKERD_TEST_KEYS", "6000"))
SEED = int(os.environ.get("PICKERD_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
WORDS = ("rate", "tear", "east", "oats", "rose", "store", "treason", "aorta")
FOLDERS = ("", "east", "east/rest", "文書")

UP, DOWN, RIGHT, LEFT = (b"\x1b[" + letter for letter in (b"A", b"B", b"C", b"D"))
PAGE_UP, PAGE_DOWN, HOME, END, LAST = b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\x1b[1;5F"
TAB, BACK_TAB, BACKSPACE, CLEAR, TO_END, RANGE = b"\t", b"\x1b[Z", b"\x7f", b"\x15", b"\x05", b"\0"
SORT, REVERSE, TOP, ALL, INVERT, LIKE, PREVIEW = b"\x13", b"\x1bs", b"\x1bt", b"\x1ba", b"\x1bi", b"\x1bl", b"\x1bp"
PASTE = b"\x1b[200~east st\x1b[201~"
# Scrolls a preview, and is nothing where there is none.
NOTHING = b"\x1b[1;2A"
# What a picker writes for a screen of which nothing is known.
ERASED = b"\x1b[m\x1b[H\x1b[2J"
APART = "The last marked document is not in this list"

ORDERS = ("date", "name", "-size,name", "type,name", "path")


# ---- Files that change ---------------------------------------------------------------------------


class Files:
    """The files below a folder, and random changes of them. All names differ."""

    def __init__(self, root: str, seed: int) -> None:
        self.root = Path(root)
        self.random = random.Random(seed)
        self.count = 0
        self.paths: list[str] = []

    def path(self, suffix: str = "") -> str:
        folder, word = self.random.choice(FOLDERS), self.random.choice(WORDS)
        self.count += 1
        name = f"{word}-{self.count}{suffix}.md"
        return f"{folder}/{name}" if folder else name

    def create(self, suffix: str = "") -> str:
        path = self.path(suffix)
        (self.root / path).write_text("a line of text\n" * self.random.randrange(20))
        self.paths.append(path)
        return path

    def rename(self, path: str, suffix: str = "", folder: str | None = None) -> str:
        """Under another number: what is found by its word, and its folder if that stays, is found again."""
        self.count += 1
        word = path.rpartition("/")[2].partition("-")[0]
        folder = self.random.choice(FOLDERS) if folder is None else folder
        new = f"{folder}/{word}-{self.count}{suffix}.md".lstrip("/")
        os.rename(self.root / path, self.root / new)
        self.paths[self.paths.index(path)] = new
        return new

    def append(self, path: str) -> None:
        with open(self.root / path, "a", encoding="utf-8") as file:
            file.write("more\n" * self.random.randrange(1, 50))

    def remove(self, path: str) -> None:
        os.remove(self.root / path)
        self.paths.remove(path)


def change_files(root: str, seed: int) -> None:
    files = Files(root, seed)
    files.paths = [str(path.relative_to(root)) for path in sorted(Path(root).rglob("*.md"))]
    files.count = max(int(re.findall(r"\d+", path)[-1]) for path in files.paths)
    while True:
        for _ in range(files.random.choice((1, 1, 1, 2, 10))):
            deed = files.random.choice("crard")
            path = files.random.choice(files.paths)
            if deed == "c" and len(files.paths) < 150:
                files.create("c")
            elif deed == "r":
                files.rename(path, "c")
            elif deed == "a":
                files.append(path)
            elif len(files.paths) > 50:
                files.remove(path)
        select.select([], [], [], files.random.choice((0, 0.001, 0.01)))


# ---- The terminal --------------------------------------------------------------------------------


class Picker(Terminal):
    """A picker, and what pyte makes of it."""

    def __init__(self, *words: str) -> None:
        super().__init__("pickerctl", "pick", *words, stdout=subprocess.PIPE)
        self.model = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.model)
        # Lines do not wrap. The picker says so before it erases all, which is where the model begins to look.
        self.stream.feed(b"\x1b[?7l")
        self.fed = 0
        self.drawn: list[str] = []

    @property
    def rows(self) -> list[str]:
        if self.fed < len(self.screen) or not self.drawn:
            # The model is slow. What was drawn before all was erased is not to be seen, and so is not drawn.
            new = max(self.fed, self.screen.rfind(ERASED))
            # This character ends a sequence of which the end was not there.
            self.stream.feed((b"\x18" if new > self.fed else b"") + self.screen[new:])
            self.fed = len(self.screen)
            # Beside the list there may be a preview.
            self.drawn = [
                "".join(self.model.buffer[row][column].data for column in range(self.model.columns))
                .partition("│")[0].rstrip()
                for row in range(self.model.lines)
            ]  # fmt: skip
        return self.drawn

    def resize(self, rows: int, columns: int) -> None:
        self.drawn = []
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.model.resize(rows, columns)

    @property
    def unread(self) -> int:
        """The bytes that were typed, and not read by the picker."""
        return int.from_bytes(fcntl.ioctl(self.near, termios.FIONREAD, bytes(4)), sys.byteorder)

    def type(self, keys: bytes) -> None:
        """Presses keys, and waits until they are read. A terminal whose queue is full would forget some."""
        self.press(keys)
        self.comes(lambda: self.unread == 0)

    @property
    def status(self) -> str:
        return self.rows[1].strip()

    @property
    def is_quiet(self) -> bool:
        """Whether the picker sleeps, has written all that it has to say, and waits for nothing."""
        if self.unread > 0:
            return False
        # It has read all, and sleeps only when that is done and written.
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            state = stat.read().rpartition(")")[2].split()[0]
        is_silent = state == "S" and not select.select([self.far], [], [], 0)[0]
        return is_silent and re.match(r"\d+(/\d+)? · (?!.*(waiting|looking|working|connect))", self.status) is not None

    def finish(self) -> tuple[int, list[str]]:
        status = self.end()
        assert self.process.stdout
        with self.process.stdout as stream:
            return status, stream.read().decode().split("\n")[:-1]


class Seen:
    """What a screen says."""

    def __init__(self, rows: list[str]) -> None:
        self.line = rows[0][2:]
        marks = r"(?:(\d+) marked(?:, (\d+) gone)? · )?(?:\d+ new above · )?"
        found = re.match(rf"  (?:(\d+)/)?(\d+) · {marks}by (\S+)$", rows[1])
        self.is_known = found is not None
        place, total, marked, gone, self.sort = found.groups() if found else (None,) * 5
        self.place, self.total = int(place or 1) - 1, int(total or 0)
        self.marked, self.gone = int(marked or 0), int(gone or 0)
        self.rows = rows[2 + min(self.gone, (len(rows) - 2) // 3) :]
        self.pointer = next((index for index, row in enumerate(self.rows) if row.startswith(">")), None)
        self.names = [(row[3:].split() or [""])[0] for row in self.rows]

    def problem(self, listed: list[str]) -> str | None:
        """What differs from the paths of a list."""
        if not self.is_known:
            return "the status says that something is missing"
        if self.total != len(listed):
            return f"{self.total} documents, and {len(listed)} in the list"
        if not listed:
            return None if self.names[0] == "nothing" else "there is something"
        if self.pointer is None:
            return "the cursor is not on the screen"
        top = self.place - self.pointer
        expected = [path.rpartition("/")[2] for path in listed[max(0, top) :][: len(self.rows)]]
        expected += [""] * (len(self.rows) - len(expected))
        if top < 0 or self.names != expected:
            return f"from {top} on there should be {expected}"
        if top > 0 and len(listed) - top < len(self.rows):
            return "there is room below, and more above"
        return None


def keys_of(sort: str) -> str:
    """The sort keys for the order that is shown: of equally good documents the one that was picked before is first."""
    return {"score": "score,-frecency", "-score": "-score,frecency"}.get(sort, sort)


def listed(line: str, sort: str) -> list[str]:
    """The paths that pickerctl list has for a line."""
    command = ["pickerctl", "list", "--format", "{path}", "--sort", keys_of(sort)]
    ran = subprocess.run([*command, *(["--fuzzy", "--", line] if line else [])], capture_output=True, check=True)
    return ran.stdout.decode().split("\n")[:-1]


# ---- Keys without a plan -------------------------------------------------------------------------


def storm(root: str, count: int, random: random.Random) -> None:
    seed = random.randrange(1 << 30)
    changer = subprocess.Popen((sys.executable, os.path.abspath(__file__), "--change", root, str(seed)))
    picker = Picker("--multi")
    picker.comes(lambda: picker.is_quiet)
    letters = [letter.encode() for letter in "aeorst"]
    others = [UP, DOWN, DOWN, LEFT, RIGHT, PAGE_UP, PAGE_DOWN, HOME, END, LAST, TAB, TAB, BACK_TAB, BACKSPACE]
    others += [BACKSPACE, SORT, REVERSE, TOP, RANGE, INVERT, LIKE, PREVIEW, b" ", b"!", b":", PASTE, CLEAR]
    while count > 0 and picker.process.poll() is None:
        burst = min(count, random.choice((1, 5, 20, 60)))
        picker.type(b"".join(random.choice(random.choice((letters, others))) for _ in range(burst)))
        count -= burst
        if random.randrange(20) == 0:
            for _ in range(random.choice((1, 3, 30))):
                picker.resize(random.randrange(1, 50), random.randrange(1, 150))
    check("no key ends it", picker.process.poll() is None, (picker.process.poll(), picker.rows))
    changer.terminate()
    changer.wait()

    subprocess.run(("pickerctl", "sync"), check=True, stdout=subprocess.DEVNULL)
    picker.resize(random.randrange(8, 40), random.randrange(80, 150))

    def is_calm() -> bool:
        if picker.unread == 0 and not re.match(r"(…|\d+(/\d+)?( …)?) · ", picker.status):
            # What is said there goes away with the next key.
            picker.type(NOTHING)
        return picker.is_quiet

    # No more than 256 keys wait for rows; more would be dropped.
    picker.comes(is_calm)
    line = "".join(random.choices("aeorst", k=random.randrange(3)))
    picker.type(TO_END + CLEAR + line.encode())

    def is_listed(line: str, from_place: int = 0) -> bool:
        seen = Seen(picker.rows)
        if not picker.is_quiet or seen.line != line or seen.place < from_place:
            return False
        return seen.problem(listed(seen.line, seen.sort)) is None

    matches = picker.comes(lambda: is_listed(line))
    seen = Seen(picker.rows)
    check("after a storm of keys the screen has what the list has", matches, (picker.rows, seen.problem([])))
    check("and nothing waits", picker.comes(is_calm), picker.status)

    # All marked rows, page by page, are what is printed.
    picker.type(TO_END + CLEAR + TOP)
    picker.comes(lambda: is_listed("") and Seen(picker.rows).place == 0)
    marked: set[str] = set()
    while True:
        seen = Seen(picker.rows)
        marked |= {name for name, row in zip(seen.names, seen.rows) if row[1:2] == "•"}
        if seen.place + 1 >= seen.total:
            break
        picker.type(PAGE_DOWN)
        picker.comes(lambda place=seen.place: is_listed("", place + 1))
    if not marked:
        picker.type(b"\x03")
    else:
        picker.press(b"\r")
        if seen.gone:
            picker.comes(lambda: "gone: Enter" in picker.rows[1])
            picker.press(b"\r")
    status, printed = picker.finish()
    names = {path.rpartition("/")[2] for path in printed}
    differences = marked - names, names - marked, status, seen.total, seen.marked, seen.gone
    check(f"{len(marked)} rows are marked, and printed", names == marked and status in (0, 130), differences)
    check("what is printed is there", all(os.path.exists(path) for path in printed), printed)
    check("the terminal is as before", picker.is_as_before)
    picker.close()


# ---- Keys with a plan ----------------------------------------------------------------------------


class Plain:
    """A picker without windows, time or a screen: what each key does to the whole list."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.line, self.caret = "", 0
        self.order, self.is_reversed = "", False
        self.cursor: str | None = None
        self.place = 0
        self.marks: list[str] = []
        self.last: str | None = None
        self.known: dict[tuple[str, str], list[str]] = {}

    @property
    def sort(self) -> str:
        order = self.order if self.order in self.orders else self.orders[0]
        if not self.is_reversed:
            return order
        return ",".join(key[1:] if key[0] == "-" else "-" + key for key in order.split(","))

    @property
    def orders(self) -> tuple[str, ...]:
        return ("score", *ORDERS) if self.line else ORDERS

    @property
    def list(self) -> list[str]:
        place = self.line, self.sort
        if place not in self.known:
            # The same as `listed` has, without a process for each.
            query = Query(search=self.line, match="fuzzy", sort=keys_of(self.sort).split(","), fields=("path",))
            items = self.connection.request("items.get", query.params())["items"]
            self.known[place] = [item["path"] for item in items if item["kind"] == "document"]
        return self.known[place]

    def edit(self, line: str, caret: int) -> None:
        self.caret = caret
        if line != self.line:
            self.line = line
            self.top()

    def top(self) -> None:
        self.cursor, self.place = None, 0

    def here(self) -> str | None:
        """The document under the cursor. At the top, and not moved, it is whatever is the first."""
        return self.list[self.place] if self.list else None

    def settle(self) -> None:
        """The list is another one: the cursor is where its document is."""
        if not self.list or self.cursor not in self.list:
            return self.top()
        self.place = self.list.index(self.cursor)

    def move(self, count: int) -> None:
        place = max(0, min(self.place + count, len(self.list) - 1))
        if place != self.place:
            self.place, self.cursor = place, self.list[place]

    def mark(self, paths: list[str]) -> None:
        self.marks += [path for path in paths if path not in self.marks]

    def press(self, key: bytes, height: int) -> None:
        before, here = self.caret, self.here()
        if key in (UP, DOWN, PAGE_UP, PAGE_DOWN):
            self.move({UP: -1, DOWN: 1, PAGE_UP: -height, PAGE_DOWN: height}[key])
        elif key in (TAB, BACK_TAB) and here:
            if here in self.marks:
                self.marks.remove(here)
            else:
                self.marks.append(here)
                self.last = here
            self.move(1 if key == TAB else -1)
        elif key == TOP:
            self.top()
        elif key == LAST:
            self.move(len(self.list))
        elif key in (LEFT, RIGHT):
            self.caret = max(0, min(self.caret + (1 if key == RIGHT else -1), len(self.line)))
        elif key == BACKSPACE and before:
            self.edit(self.line[: before - 1] + self.line[before:], before - 1)
        elif key == CLEAR:
            self.edit(self.line[before:], 0)
        elif key == SORT:
            orders = self.orders
            order = self.order if self.order in orders else orders[0]
            self.order = orders[(orders.index(order) + 1) % len(orders)]
            self.settle()
        elif key == REVERSE:
            self.is_reversed = not self.is_reversed
            self.settle()
        elif key == ALL:
            self.mark(self.list)
        elif key == INVERT:
            others = [path for path in self.list if path not in self.marks]
            self.marks = [path for path in self.marks if path not in self.list] + others
        elif key == RANGE and here:
            if self.last is None or self.last == here or self.last not in self.marks:
                if here not in self.marks:
                    self.marks.append(here)
                    self.last = here
            elif self.last in self.list:
                one, other = self.list.index(self.last), self.place
                self.mark(self.list[one : other + 1] if one < other else self.list[other : one + 1][::-1])
                self.last = here
        elif key.isalpha():
            text = key.decode()
            self.edit(self.line[:before] + text + self.line[before:], before + 1)

    def problem(self, rows: list[str]) -> str | None:
        """What differs on a screen."""
        seen = Seen(rows)
        if seen.line != self.line:
            return f"the line should be {self.line!r}"
        if seen.sort != self.sort:
            return f"the order should be {self.sort}"
        if problem := seen.problem(self.list):
            return problem
        if self.list and seen.place != self.place:
            return f"the cursor should be at {self.place + 1}, {self.here()}"
        if seen.marked != len(self.marks):
            return f"{len(self.marks)} should be marked"
        shown = self.list[seen.place - (seen.pointer or 0) :][: len(seen.rows)]
        for path, row in zip(shown, seen.rows):
            if (row[1:2] == "•") != (path in self.marks):
                return f"{path} should be marked, or not"
        return None


def plan(files: Files, connection: Connection, count: int, random: random.Random) -> int:
    """Presses keys, and compares after each burst.
    - Returns: how many were compared."""
    picker, plain = Picker("--multi"), Plain(connection)
    height, columns = random.randrange(3, 40), random.randrange(80, 150)
    picker.resize(height + 2, columns)
    # Before, the terminal would take some keys for itself.
    picker.comes(lambda: picker.is_quiet)
    letters = [letter.encode() for letter in "aeort"]
    others = [UP, DOWN, DOWN, DOWN, PAGE_UP, PAGE_DOWN, TAB, TAB, BACK_TAB, BACKSPACE, LEFT, RIGHT, TOP, LAST]
    others += [SORT, REVERSE]
    many = [ALL, INVERT, RANGE, RANGE, RANGE, b""]
    pressed = 0
    while pressed < count:
        keys = [random.choice(others + letters[:3]) for _ in range(random.randrange(1, 30))]
        if len(plain.line) > 2:
            keys.insert(0, CLEAR)
        # What asks for all rows takes its time, so it comes last.
        keys.append(random.choice(many))
        began = time.monotonic()
        picker.type(b"".join(keys))
        picker.comes(lambda: picker.is_quiet or picker.status.startswith(APART))
        is_late = time.monotonic() > began + 0.9
        for key in keys:
            plain.press(key, height)

        def matches() -> bool:
            if picker.status.startswith(APART):
                picker.type(NOTHING)
            return plain.problem(picker.rows) is None

        if is_late or not picker.comes(matches):
            # Keys wait for rows a second at most, and then they may mean other ones.
            check("keys do what they do in a plain model", is_late, (plain.problem(picker.rows), keys, picker.rows))
            break
        pressed += len(keys)
    else:
        follow(picker, plain, files, random)
    if picker.process.poll() is None:
        picker.press(b"\x03")
        picker.finish()
    picker.close()
    return pressed


def follow(picker: Picker, plain: Plain, files: Files, random: random.Random) -> None:
    """Changes files without a key: the cursor and the marks stay at their documents."""
    names = {path: path for path in [*plain.marks, *([plain.cursor] if plain.cursor else [])]}
    gone: set[str] = set()
    for _ in range(60):
        path = random.choice(files.paths)
        deed = random.choice("crard")
        if deed == "c":
            files.create("p")
        elif deed == "a":
            files.append(path)
        else:
            is_kept = path == names.get(plain.cursor or "", "")
            new = None
            if deed == "r" or is_kept:
                new = files.rename(path, "p", path.rpartition("/")[0] if is_kept else None)
            for old, now in names.items():
                if now == path:
                    names[old] = new or ""
            if new is None:
                files.remove(path)
    subprocess.run(("pickerctl", "sync"), check=True, stdout=subprocess.DEVNULL)
    gone = {path for path in plain.marks if not names[path]}
    plain.known = {(plain.line, plain.sort): listed(plain.line, plain.sort)}
    if plain.cursor:
        plain.cursor = names[plain.cursor]
        plain.settle()
    expected = [names[path] for path in plain.marks if names[path]]

    def problem() -> str | None:
        seen = Seen(picker.rows)
        if problem := seen.problem(plain.list):
            return problem
        if (seen.marked, seen.gone) != (len(plain.marks), len(gone)):
            return f"{len(plain.marks)} should be marked, {len(gone)} of them gone"
        if plain.list and seen.place != plain.place:
            return f"the cursor should be at {plain.place + 1}, {plain.here()}"
        shown = plain.list[seen.place - (seen.pointer or 0) :][: len(seen.rows)]
        for path, row in zip(shown, seen.rows):
            if (row[1:2] == "•") != (path in expected):
                return f"{path} should be marked, or not"
        return None

    matches = picker.comes(lambda: problem() is None)
    if not matches:
        check("the cursor and the marks stay at their documents", False, (problem(), picker.rows))
    if not expected or not matches:
        return
    picker.press(b"\r")
    if gone:
        picker.comes(lambda: "gone: Enter" in picker.rows[1])
        picker.press(b"\r")
    status, printed = picker.finish()
    printed = [os.path.relpath(path, files.root) for path in printed]
    if (status, printed) != (0, expected):
        check("the marked documents are printed, in the order of marking", False, (status, printed, expected))


# ---- A slow terminal -----------------------------------------------------------------------------


def try_slow(files: Files) -> None:
    # For this terminal each frame says where it begins.
    os.environ["TERM"] = "alacritty"
    picker = Picker()
    os.environ["TERM"] = "xterm"
    picker.resize(45, 180)
    picker.comes(lambda: picker.is_quiet)
    before = len(picker.screen)

    def takes(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([picker.far], [], [], 0)[0]:
                picker.screen += os.read(picker.far, 1)
            select.select([], [], [], 0.001)

    def presses(count: int) -> None:
        for number in range(count):
            # Each changes all rows; while it is not read, the next one is not typed.
            picker.press(SORT if number % 3 else REVERSE)
            while picker.unread:
                select.select([], [], [], 0.001)

    presses(100)
    takes(1)
    slow = len(picker.screen) - before
    presses(50)
    picker.press(CLEAR + b"rate")

    def is_newest() -> bool:
        seen = Seen(picker.rows)
        return picker.is_quiet and seen.line == "rate" and seen.problem(listed(seen.line, seen.sort)) is None

    matches = picker.comes(is_newest)
    check("a terminal that takes a byte a millisecond shows the newest at last", matches, picker.rows)
    written = picker.screen[before:]
    frames = written.split(b"\x1b[?2026h")[1:]
    # The kernel takes 64 KiB. One frame waits behind that, and one is made when there is room again.
    held = sum(map(len, frames[:-3]))
    is_bound = slow < 1200 and held <= (64 << 10) + slow
    check("no more than one frame waits for it", is_bound, (slow, held, [*map(len, frames)]))
    picker.press(b"\x03")
    picker.finish()
    picker.close()


# ---- Hostile names -------------------------------------------------------------------------------


def try_names(root: str) -> None:
    names = {
        b"h1 \x1b[2J\x1b[31m.md": r"h1 \x1b[2J\x1b[31m.md", b"h2 \n\r\t\x08.md": r"h2 \n\r\t\x08.md",
        b"h3 \x1b]0;title\x07.md": r"h3 \x1b]0;title\x07.md", "h4 \x9b31m\x85.md".encode(): r"h4 \x9b31m\x85.md",
        "h5 \u202egnp\u2069.md".encode(): r"h5 \u{202e}gnp\u{2069}.md", "h6 漢字かな.md".encode(): "h6 漢字かな.md",
        "h7 e\u0301a\u0308.md".encode(): "h7 éä.md", b"h8 \xff\xfe.md": "h8 ��.md", b"h9 " + b"x" * 240 + b".md": "h9 " + "x" * 30,
    }  # fmt: skip
    for name in names:
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).touch()
    picker = Picker()
    picker.resize(30, 100)
    picker.type(b"^h .md$")
    shown = picker.comes(lambda: all(any(row[3:].startswith(text) for row in picker.rows) for text in names.values()))
    check("hostile names are shown as they are written", shown, (picker.rows, list(names.values())))
    controls = set(re.findall("\x1b[^\\[=>78]|[\0-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]", picker.screen.decode()))
    check("and say nothing to the terminal", not controls and not picker.model.title, (controls, picker.model.title))
    picker.press(b"\x03")
    picker.finish()
    picker.close()
    for name in names:
        os.remove(os.fsencode(root) + b"/" + name)


def main(root: str) -> int:
    print(f"PICKERD_TEST_SEED={SEED} PICKERD_TEST_KEYS={KEYS}", flush=True)
    chance = random.Random(SEED)
    for folder in FOLDERS:
        (Path(root) / folder).mkdir(parents=True, exist_ok=True)
    files = Files(root, SEED)
    for _ in range(100):
        files.create()
    daemon = Daemon(root)
    try:
        pressed = tries = 0
        with Connection(SOCKET) as connection:
            while pressed < KEYS // 4 and tries < 20 and not terminals.failures:
                tries += 1
                pressed += plan(files, connection, KEYS // 12, chance)
        check("keys do what they do in a plain model", pressed >= KEYS // 4 or terminals.failures > 0, pressed)
        try_slow(files)
        try_names(root)
        for _ in range(3):
            storm(root, KEYS // 4, chance)
    finally:
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--change":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        change_files(sys.argv[2], int(sys.argv[3]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
