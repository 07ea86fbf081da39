#!/usr/bin/env python3
"""What a subscriber is told while real programs save a document that somebody has liked.

Each case is a program, which saves a document 20 times. For each save a subscriber to documents.* is told of one
change of that document, and of nothing else: not of temporary files and backups, and not that the document went,
came or was renamed on the way. Its key stays, and so does the like. A list that is open meanwhile always has the
document, with its old size or its new one. A document that is new is added, once.

After each other save sync is called at once; before the others, only when the list has the new content, as then the
daemon decides by itself when a save is over.

Run by saves.sh, with a daemon at $PICKERD_SOCKET that serves ROOT, an empty folder.

usage: contrib/tests/saves.py [--only WORD] [--raw] [--summary] ROOT
  --only WORD   only the cases with this in their names
  --raw         the messages of the first save of each kind that failed, with their times
  --summary     the sequences of events of each case, and how many saves had each, also where all is well
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

import terminals
from terminals import PATIENCE, Terminal

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "clients"))
from pickerd import Client, Event, EventFeed, Item, LiveList, Query  # noqa: E402

TIMES = 20
#: Saves of a program that takes a second for each.
FEW = 5
#: What the daemon leaves between two events of a file that is being written, in seconds.
INTERVAL = 0.02
#: Between recorded steps: ten times what lies between them on an idle machine, as on a loaded one.
STEP = 0.001

Saves = Generator[None, None, None]  # each step is a save


# ---- What the subscriber sees --------------------------------------------------------------------


@dataclass
class Seen:
    """What was told from one marker to the next."""

    events: list[Event] = field(default_factory=list)
    #: The states of the list, by path, and when they came.
    shown: list[tuple[float, dict[str, Item]]] = field(default_factory=list)


class Subscriber:
    """A feed of events and an open list, each with a connection, and a third one for requests."""

    def __init__(self) -> None:
        self.client = Client(timeout=PATIENCE)
        self.list = LiveList(Query(sort="path"))
        self.list.wait_until_complete(PATIENCE)
        self.feed = EventFeed(["documents.*", "app.saves.*"])
        self.feed.read(timeout=0)  # which subscribes
        self.marks = 0
        self.seen = Seen()

    def documents(self) -> dict[str, Item]:
        return {item.path or "": item for item in self.list.items if not item.is_new}

    def follow(self, holds: Callable[[], bool]) -> bool:
        """Reads the list until this holds; whether it ever did."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if self.list.read(timeout=deadline - time.monotonic()) is None:
                return False
            self.seen.shown.append((time.time(), self.documents()))
        return True

    def shows(self, root: str, path: str) -> bool:
        """Whether the list comes to have the document as it is on disk."""
        found = os.stat(os.path.join(root, path))

        def has_come() -> bool:
            item = self.documents().get(path)
            is_same_time = item is not None and abs((item.modified or 0) - found.st_mtime) < 1e-5
            return is_same_time and item.size == found.st_size

        return self.follow(has_come)

    def settle(self) -> Seen:
        """All that is told of what has happened so far, since the last time."""
        self.client.sync(PATIENCE)
        self.marks += 1
        self.client.publish("app.saves.done", self.marks)
        while not self.is_mark(event := self.feed.read(PATIENCE)):
            if not isinstance(event, Event):
                raise SystemExit(f"the events ended: {event}")
            self.seen.events.append(event)
        # Perhaps no delta comes, where all was undone before it was sent.
        truth = {item.path or "": item for item in self.client.items(Query(sort="path")) if not item.is_new}
        if not self.follow(lambda: self.documents() == truth):
            raise SystemExit(f"the list stays {self.documents()}, and should be {truth}")
        seen, self.seen = self.seen, Seen()
        return seen

    def is_mark(self, event: object) -> bool:
        return isinstance(event, Event) and event.topic == "app.saves.done" and event.data == self.marks


# ---- The rules -----------------------------------------------------------------------------------


@dataclass
class Case:
    name: str
    #: Given the document's path, saves it with each step. Its end ends the program.
    saves: Callable[[Path], Saves]
    #: The program that must be there.
    needs: str = ""
    times: int = TIMES
    #: Whether each save makes a document; its path is then the given one with a number.
    makes: bool = False
    #: The most changes that may be told of one save, not counting `added`: more than one only for what writes in steps
    #: that are more than 50 ms apart.
    most: int = 1
    #: Whether it takes its time: one change more for each interval, and any size from the old one to the new one.
    grows: bool = False
    #: Whether it may be seen empty: only where it is so on disk, closed, for a long time.
    empties: bool = False
    #: Files that it leaves beside the document, of which is told, too.
    beside: tuple[str, ...] = ()


@dataclass
class Verdict:
    #: What was told of the document, in one line; and of other files, each once.
    told: str
    others: list[str]
    faults: list[str]
    seen: Seen
    #: Whether sync was called only when the list had the new content.
    by_itself: bool = False


#: What programs put into names so that they are new.
RANDOM = re.compile(r"(?<=^\.goutputstream-)\w+|(?<=F\.)(?!crdownload|osl-tmp)\w{6}$|(?<=^sed)\w{6}$|(?<=^tmp)\w{6}$"
                    r"|(?<=^lu12345)\w+|(?<=Chromium\.)\w+|(?<=^F\.)\w+(?=\.md\.part$)")  # fmt: skip


def shortened(path: str, document: str) -> str:
    """The name of a file, with F for the document's, and without what differs from save to save."""
    folder, _, name = document.rpartition("/")
    if path.startswith(f"{folder}/.git/"):
        return ".git/…"
    short = path.removeprefix(f"{folder}/").replace(name, "F").replace(name.removesuffix(".md"), "F")
    return RANDOM.sub("XXXXXX", short)


def member(event: Event, name: str) -> str:
    return str(event.data.get(name)) if isinstance(event.data, dict) else ""


def words_for(event: Event, document: str) -> str:
    name = shortened(member(event, "path"), document)
    if event.topic == "documents.moved":
        name = f"{shortened(member(event, 'from'), document)}→{name}"
    return f"{event.topic.removeprefix('documents.')} {name}"


def judged(
    case: Case, root: str, path: str, before: Item | None, seen: Seen, took: float, after: Item | None
) -> Verdict:
    """What is wrong with what was seen of one save."""
    keys = {item.key for item in (before, after) if item}
    mine, others = [], []
    for event in seen.events:
        is_mine = path in (member(event, "path"), member(event, "from")) or member(event, "key") in keys
        (mine if is_mine else others).append(event)
    told = ", ".join(
        word if (count := len(list(equal))) == 1 else f"{word} ×{count}"
        for word, equal in itertools.groupby(words_for(event, path) for event in mine)
    )
    verdict = Verdict(told or "nothing", sorted({words_for(event, path) for event in others}), [], seen)
    fault = verdict.faults.append

    topics = [event.topic.removeprefix("documents.") for event in mine]
    first = [] if before else ["added"]
    changes = topics[len(first) :]
    most = case.most - len(first) + (round(took / INTERVAL) if case.grows else 0)
    if topics[: len(first)] != first or set(changes) - {"changed"}:
        fault("it is told of as more than a change" if before else "it is not just added")
    elif len(changes) > most:
        fault("more changes are told than may be")
    elif before and not changes:
        fault("no change is told")
    if after is None:
        fault("it is gone")
        return verdict
    size = os.stat(os.path.join(root, path)).st_size
    if before and after.key != before.key:
        fault("it has another key")
    if before and not after.liked:
        fault("the like is lost")
    if after.size != size:
        fault("it has another size than the file")
    states = [items.get(path) for _, items in seen.shown]
    here = itertools.dropwhile(lambda state: not (before or state), states)
    if not all(here):
        fault("it was missing from the list")
    sizes = [state.size or 0 for state in states if state]
    old = (before.size or 0) if before else 0
    if 0 in sizes and not case.empties:
        fault("it was shown empty")
    if case.grows and [old, *sizes] != sorted([old, *sizes]):
        fault("it was shown shrinking")
    if not case.grows and case.most == 1 and set(sizes) - {old, size, 0}:
        fault("it was shown with a part of its content")
    return verdict


def run(case: Case, root: str, subscriber: Subscriber, options: argparse.Namespace) -> None:
    if case.needs and not shutil.which(case.needs):
        print(f"skip - {case.name}: there is no {case.needs} here", flush=True)
        return
    document = Path(root, f"case{CASES.index(case)}", "text.md")
    document.parent.mkdir()
    if not case.makes:
        document.write_bytes(lines(50))
    saves = case.saves(document)
    verdicts: list[Verdict] = []
    with contextlib.closing(saves):
        for turn in range(case.times):
            where = numbered(document, turn) if case.makes else document
            path = str(where.relative_to(root))
            before = None
            if not case.makes:
                before = prepared(subscriber, root, path, turn)
            subscriber.settle()
            start = time.monotonic()
            next(saves)
            took = time.monotonic() - start
            by_itself = turn % 2 == 1
            if by_itself and not subscriber.shows(root, path):
                print(f"not ok - {case.name}: save {turn + 1} is never listed", flush=True)
                terminals.failures += 1
                return
            seen = subscriber.settle()
            verdicts.append(judged(case, root, path, before, seen, took, subscriber.documents().get(path)))
            verdicts[-1].by_itself = by_itself
    end = subscriber.settle()
    report(case, verdicts, [words_for(event, str(document.relative_to(root))) for event in end.events], options)


def prepared(subscriber: Subscriber, root: str, path: str, turn: int) -> Item:
    """The document, once it is listed and liked: at first, and again where a failed save has lost it."""
    if not subscriber.shows(root, path):
        raise SystemExit(f"{path} is never listed")
    item = subscriber.documents()[path]
    if not item.liked:
        subscriber.client.like(item.key, True)
        subscriber.follow(lambda: path in subscriber.documents() and subscriber.documents()[path].liked)
    return subscriber.documents()[path]


def report(case: Case, verdicts: list[Verdict], after: list[str], options: argparse.Namespace) -> None:
    """A line for the document and one for other files, and what was told instead, how often of all."""
    total = len(verdicts)
    bad = [verdict for verdict in verdicts if verdict.faults]
    what = "it is added once" if case.makes else "each save is one change"
    print(f"{'not ok' if bad else 'ok'} - {case.name}: {what}, and the document is never less than it was", flush=True)
    if options.summary:
        for told, count in Counter(verdict.told for verdict in verdicts).most_common():
            print(f"    {count} of {total}: {told}")
    terminals.failures += bool(bad)
    faults = Counter(fault for verdict in bad for fault in verdict.faults)
    if bad:
        print("    " + "; ".join(f"{fault} ({count} of {total})" for fault, count in faults.most_common()))
    for told, count in Counter(verdict.told for verdict in bad).most_common():
        alike = [verdict for verdict in bad if verdict.told == told]
        at_once = sum(not verdict.by_itself for verdict in alike)
        print(f"    {count} of {total} told ({at_once} with sync at once): {told}", flush=True)
        if options.raw:
            show(alike[0])

    others = Counter(told for verdict in verdicts for told in verdict.others if told.split()[-1] not in case.beside)
    others.update(f"{told} at the end" for told in after if told.split()[-1] not in case.beside)
    print(f"{'not ok' if others else 'ok'} - {case.name}: no other file is told of", flush=True)
    if others:
        terminals.failures += 1
        print("    " + ", ".join(f"{told} ({count} of {total})" for told, count in others.most_common()), flush=True)


def show(verdict: Verdict) -> None:
    """Both streams of messages, by time: the daemon's of events, and this process's of the list's."""
    events = [(event.time, f"{event.topic} {event.data}") for event in verdict.seen.events]
    shown = []
    for when, items in verdict.seen.shown:
        rows = (f"{path} {item.key} {item.size}{' liked' * item.liked}" for path, item in items.items())
        shown.append((when, f"the list is: {', '.join(rows)}"))
    merged = sorted(events + shown)
    for when, text in merged:
        print(f"        {(when - merged[0][0]) * 1000:9.3f} ms  {text}", flush=True)


# ---- Real programs -------------------------------------------------------------------------------


def lines(count: int) -> bytes:
    return b"".join(b"line %d of the document\n" % number for number in range(count))


def numbered(document: Path, turn: int) -> Path:
    return document.with_name(f"{document.stem}{turn:02}{document.suffix}")


def program(*words: str, text: bytes | None = None, folder: Path | None = None) -> None:
    """Runs a program to its end; a failing one is a fault of the test."""
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.returncode} {done.stdout.decode(errors='replace')}")


def each(save: Callable[[Path, bytes], None], makes: bool = False) -> Callable[[Path], Saves]:
    """The saves of a program that is given the whole text, which is longer each time."""

    def saves(document: Path) -> Saves:
        for turn in range(sys.maxsize):
            save(numbered(document, turn) if makes else document, lines(51 + turn))
            yield

    return saves


# Without `backupskip` vim makes no backups of files in /tmp.
VIM = "set nocp backupskip= viminfo="


def vim(settings: str = "", makes: bool = False) -> Callable[[Path], Saves]:
    """A vim for each save."""

    def save(document: Path, text: bytes) -> None:
        del text
        words = ("vim", "-es", "-u", "NONE", "--cmd", f"{VIM} {settings}", "-c", "normal Gotext", "-c", "wq")
        program(*words, str(document))

    return each(save, makes)


def vim_session(document: Path) -> Saves:
    """One vim on a terminal, with a swap file from its start to its end."""
    terminal = Terminal("env", "-C", str(document.parent), "vim", "-u", "NONE", "--cmd", VIM, document.name)
    try:
        for turn in range(sys.maxsize):
            terminal.press(b"Gotext\x1b:w\r")
            # The message of :w comes before the backup is removed. What is typed is shown, but not in this spelling.
            terminal.press(b":echo 'sa'.'ved'.%d\r" % turn)
            await_screen(terminal, b"saved%d" % turn)
            yield
    finally:
        terminal.press(b":q!\r")
        end(terminal)


def await_screen(terminal: Terminal, pattern: bytes) -> None:
    if not terminal.shows(pattern):
        raise SystemExit(f"a program does not go on: {terminal.screen!r:.2000}")
    terminal.forget()


def end(terminal: Terminal) -> None:
    status = terminal.end()
    if status:
        raise SystemExit(f"a program ends with {status}: {terminal.screen!r:.2000}")
    terminal.close()


def nano(*options: str) -> Callable[[Path], Saves]:
    """A nano for each save."""

    def save(document: Path, text: bytes) -> None:
        del text
        folder = str(document.parent)
        terminal = Terminal("env", "-C", folder, "nano", "--ignorercfiles", *options, document.name)
        await_screen(terminal, rb"GNU nano.*Exit")
        terminal.press(b"text\r\x13\x18")
        end(terminal)

    return each(save)


# It makes no backups of files that it opens in /tmp, unless it is told before.
# A text that was cut within a character is written as it is; else Emacs would ask how.
EMACS = ("emacs", "-Q", "--batch", "--eval",
         "(setq backup-enable-predicate (lambda (name) t) coding-system-for-write 'raw-text-unix)")


def emacs(settings: str = "") -> Callable[[Path], Saves]:
    """An Emacs for each save: the first of a buffer makes the backup."""

    def save(document: Path, text: bytes) -> None:
        del text
        change = f"(progn {settings} (goto-char (point-max)) (insert \"text\\n\") (save-buffer))"
        program(*EMACS, str(document), "--eval", change)

    return each(save)


def emacs_session(document: Path) -> Saves:
    """One Emacs, with a lock, and a file that it saves by itself before each save by its user. The first save makes
    the backup, and the others do not."""
    change = """(let (line) (auto-save-mode 1)
        (while (not (string= (setq line (read-string "")) "end"))
          (goto-char (point-max)) (insert line "\\n") (do-auto-save t) (save-buffer) (princ "saved\\n")))"""
    process = subprocess.Popen(
        (*EMACS, str(document), "--eval", change),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin and process.stdout

    def tell(text: bytes) -> None:
        process.stdin.write(text)
        process.stdin.flush()

    try:
        while True:
            tell(b"text\n")
            if process.stdout.readline() != b"saved\n":
                raise SystemExit("Emacs does not save")
            yield
    finally:
        tell(b"end\n")
        process.wait()


def sed(option: str) -> Callable[[Path], Saves]:
    return each(lambda document, text: program("sed", option, "1s/$/ and more/", str(document)))


def given(*words: str, makes: bool = False) -> Callable[[Path], Saves]:
    """A program that is given a file outside the roots, and the document."""

    def save(document: Path, text: bytes) -> None:
        source = Path(os.environ["HOME"], "source.md")
        source.write_bytes(text)
        program(*words, str(source), str(document))

    return each(save, makes)


def shell(command: str, makes: bool = False) -> Callable[[Path], Saves]:
    """A command with the document as $1, and the text on its input."""
    return each(lambda document, text: program("sh", "-c", command, "sh", str(document), text=text), makes)


def git(folder: Path, *words: str) -> None:
    program("git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "gc.auto=0", *words, folder=folder)


def git_checkout(document: Path) -> Saves:
    """Between two branches, which differ in the document. It is unlinked, and made anew."""
    folder = document.parent
    git(folder, "init", "--quiet", "--initial-branch", "one")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    git(folder, "checkout", "--quiet", "-b", "two")
    with open(document, "ab") as file:
        file.write(b"more\n")
    git(folder, "commit", "--quiet", "-a", "-m", "two")
    yield  # this is no save
    while True:
        for branch in ("one", "two"):
            git(folder, "checkout", "--quiet", branch)
            yield


def git_stash(document: Path) -> Saves:
    """A change that is put away, and taken back."""
    folder = document.parent
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    with open(document, "ab") as file:
        file.write(b"more\n")
    yield
    while True:
        git(folder, "stash", "--quiet")
        yield
        git(folder, "stash", "pop", "--quiet")
        yield


def prepared_by(saves: Callable[[Path], Saves]) -> Callable[[Path], Saves]:
    """Takes the first step at once."""

    def all_but_first(document: Path) -> Saves:
        steps = saves(document)
        next(steps)
        return steps

    return all_but_first


# ---- Recorded steps ------------------------------------------------------------------------------
# Of programs that are not in every distribution, or need a desktop. Where it is not said otherwise, from strace on
# Debian 12, 2026-11.


def put(path: Path | str, text: bytes, flags: int = os.O_EXCL, mode: int = 0o644) -> None:
    """Opens with these flags, writes and closes, with pauses."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | flags, mode)
    time.sleep(STEP)
    os.write(file, text)
    time.sleep(STEP)
    os.close(file)
    time.sleep(STEP)


def beside(document: Path, name: str) -> Path:
    return document.with_name(name.replace("NAME", document.name).replace("RANDOM", os.urandom(3).hex()))


def rename(old: Path, new: Path) -> None:
    os.rename(old, new)
    time.sleep(STEP)


def vim_slow(document: Path, text: bytes) -> None:
    """vim on a terminal, on a disk that needs 20 ms to sync: from strace of vim 9.0, which syncs its swap file between
    the rename and the new file."""
    new, old = beside(document, "4913"), beside(document, "NAME~")
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    new.unlink()
    os.rename(document, old)
    time.sleep(0.02)
    file = os.open(document, os.O_WRONLY | os.O_CREAT, 0o644)
    os.ftruncate(file, 0)
    os.write(file, text)
    time.sleep(0.02)
    os.fchmod(file, 0o644)
    os.close(file)
    old.unlink()


def gio(document: Path, text: bytes, backup: bool = False) -> None:
    """gedit and others that save with GIO's g_file_replace; from strace of `gio save` of GLib 2.74. The file is open
    for writing for a moment, and the new one is closed only after its rename. A backup, gedit's option, is a link."""
    os.close(os.open(document, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW))
    new = beside(document, ".goutputstream-RANDOM")
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    os.fchmod(file, 0o644)
    time.sleep(STEP)
    os.write(file, text)
    os.fsync(file)
    if backup:
        old = beside(document, "NAME~")
        old.unlink(missing_ok=True)
        os.link(document, old)
        time.sleep(STEP)
    rename(new, document)
    os.close(file)


def gio_new(document: Path, text: bytes) -> None:
    """The same, of a file that is new: it is written in place."""
    put(document, text)


def qt(document: Path, text: bytes) -> None:
    """Kate and others that save with Qt's QSaveFile; from strace of Qt 5.15: a file without a name, which gets one
    to be renamed. inotify has a name for it meanwhile, as #1234, that no file has, and its end of writing as well."""
    file = os.open(document.parent, os.O_RDWR | os.O_TMPFILE, 0o600)
    os.fchmod(file, 0o644)
    os.write(file, text)
    os.fdatasync(file)
    is_new = not document.exists()
    new = document if is_new else beside(document, "NAME.RANDOM")
    # Without a descriptor, which an absolute path does not need, Python does not follow links.
    os.link(f"/proc/self/fd/{file}", new, src_dir_fd=file, follow_symlinks=True)
    time.sleep(STEP)
    os.close(file)
    if not is_new:
        time.sleep(STEP)
        rename(new, document)


def qt_named(document: Path, text: bytes) -> None:
    """The same, where the file system has no files without names; from its source, qtemporaryfile.cpp."""
    new = beside(document, "NAME.RANDOM")
    file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    time.sleep(STEP)
    os.write(file, text)
    os.fdatasync(file)
    os.close(file)
    time.sleep(STEP)
    rename(new, document)


def libreoffice(document: Path) -> Saves:
    """LibreOffice, with a lock for the session: what was saved to a file in the folder is renamed over the document.
    By its source, sfx2/source/doc/docfile.cxx, from memory: neither it nor the program was at hand."""
    lock = beside(document, ".~lock.NAME#")
    put(lock, b",user,host,26.11.2026 10:00,file:///home/user/.config/libreoffice/4;")
    try:
        for turn in range(sys.maxsize):
            new = beside(document, "lu12345RANDOM.tmp")
            put(new, b"", mode=0o600)  # its name is reserved first
            put(new, lines(51 + turn), os.O_TRUNC)
            rename(new, document)
            yield
    finally:
        lock.unlink()


def libreoffice_copy(document: Path, text: bytes) -> None:
    """LibreOffice, where it copies from another folder; from its source, sal/osl/unx/file_misc.cxx, oslDoCopy: the old
    document is renamed aside, and removed at last."""
    old = beside(document, "NAME.osl-tmp")
    rename(document, old)
    put(document, text, 0)
    old.unlink()
    time.sleep(STEP)
    os.chmod(document, 0o644)


def vs_code(document: Path, text: bytes) -> None:
    """Visual Studio Code, in place; from its source, diskFileSystemProvider.ts: each step is a task of a pool of
    threads, so that there are pauses between them."""
    file = os.open(document, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    time.sleep(STEP)
    os.write(file, text)
    time.sleep(STEP)
    os.fdatasync(file)
    time.sleep(STEP)
    os.close(file)


def grow(file: int, seconds: float = 1.0) -> None:
    """A line every 10 ms."""
    for number in range(round(seconds / 0.01)):
        os.write(file, b"line %d that has come\n" % number)
        time.sleep(0.01)


def firefox(document: Path, text: bytes) -> None:
    """A download of Firefox's: an empty file that keeps the name, and what comes in another, which is renamed over it.
    As it is commonly described, not recorded."""
    del text
    os.close(os.open(document, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    part = beside(document, f"{document.stem}.RANDOM{document.suffix}.part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    grow(file)
    os.close(file)
    os.chmod(part, 0o644)
    rename(part, document)


def chromium(document: Path, text: bytes) -> None:
    """A download of Chromium's, which begins hidden, before its name is known. As it is commonly described, not
    recorded."""
    del text
    hidden, part = beside(document, ".org.chromium.Chromium.RANDOM"), beside(document, "NAME.crdownload")
    file = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(file, b"the first of it\n")
    rename(hidden, part)
    grow(file)
    os.fchmod(file, 0o644)
    os.close(file)
    rename(part, document)


def growing(document: Path, text: bytes) -> None:
    """A log, that one process keeps open."""
    del text
    file = os.open(document, os.O_WRONLY | os.O_APPEND)
    grow(file)
    os.close(file)


def growing_by_parts(document: Path, text: bytes) -> None:
    """A log, to which each line is written by another."""
    del text
    for number in range(100):
        file = os.open(document, os.O_WRONLY | os.O_APPEND)
        os.write(file, b"line %d that has come\n" % number)
        os.close(file)
        time.sleep(0.01)


# ---- The cases -----------------------------------------------------------------------------------

CASES = (
    Case("vim", vim(), "vim"),
    Case("vim, backup", vim("backup"), "vim"),
    Case("vim, backupcopy=yes", vim("backupcopy=yes"), "vim"),
    Case("vim, backupcopy=no", vim("backupcopy=no"), "vim"),
    Case("vim, nowritebackup", vim("nowritebackup"), "vim"),
    Case("vim, a new document", vim(makes=True), "vim", makes=True),
    Case("vim on a terminal", vim_session, "vim"),
    Case("vim on a slow disk", each(vim_slow)),
    Case("Emacs, the first save", emacs(), "emacs"),
    Case("Emacs, backup by copying", emacs("(setq backup-by-copying t)"), "emacs"),
    Case("Emacs, a file that is precious", emacs("(setq-local file-precious-flag t)"), "emacs"),
    Case("Emacs, many saves", emacs_session, "emacs"),
    Case("nano", nano(), "nano"),
    Case("nano -B", nano("-B"), "nano"),
    Case("sed -i", sed("-i"), "sed"),
    Case("sed -i.bak", sed("-i.bak"), "sed", beside=("F.bak",)),
    Case("rsync", given("rsync"), "rsync"),
    Case("rsync -b", given("rsync", "-b"), "rsync"),
    Case("rsync --inplace", given("rsync", "--inplace"), "rsync"),
    Case("git checkout", prepared_by(git_checkout), "git"),
    Case("git stash", prepared_by(git_stash), "git"),
    Case("cp", given("cp")),
    Case("cp, a new document", given("cp", makes=True), makes=True),
    Case("cp -b", given("cp", "-b")),
    Case("mv", given("mv")),
    Case("mv, a new document", given("mv", makes=True), makes=True),
    Case("a shell's >", shell('cat >"$1"')),
    Case("a shell's >, a new document", shell('cat >"$1"', makes=True), makes=True),
    Case("a shell's >>", shell('tail -n 1 >>"$1"')),
    # It writes the end of the content 100 ms after the beginning.
    Case("a shell that pauses", shell('{ echo beginning; sleep 0.1; cat; } >"$1"'), times=10, most=2),
    Case("touch, a new document", shell('touch "$1"', makes=True), makes=True, empties=True),
    Case("a document that is emptied", shell('if [ -s "$1" ]; then :; else cat; fi >"$1"'), empties=True),
    Case("GIO", each(gio)),
    Case("GIO, backup", each(lambda document, text: gio(document, text, backup=True))),
    Case("GIO, a new document", each(gio_new, makes=True), makes=True),
    Case("QSaveFile", each(qt)),
    Case("QSaveFile, a new document", each(qt, makes=True), makes=True),
    Case("QSaveFile with a name", each(qt_named)),
    Case("LibreOffice", libreoffice),
    Case("LibreOffice, by a copy", each(libreoffice_copy)),
    Case("Visual Studio Code", each(vs_code)),
    # The document is there, empty and closed, for a second; then it has its content.
    Case("Firefox's download", each(firefox, makes=True), times=FEW, makes=True, most=2, empties=True),
    Case("Chromium's download", each(chromium, makes=True), times=FEW, makes=True),
    # One change for each interval of the second that it takes, and one for the end.
    Case("a log that is kept open", each(growing), times=FEW, most=2, grows=True),
    # Each line is a save.
    Case("a log that is opened for each line", each(growing_by_parts), times=FEW, most=100, grows=True),
)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root")
    parser.add_argument("--only", default="")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    subscriber = Subscriber()
    for case in CASES:
        if options.only in case.name:
            run(case, os.path.realpath(options.root), subscriber, options)
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
