"""What people and their programs do to documents: one edit at a time, and programs that stay open.

Each edit does something, tells the world which keys go where or may change, and returns a line about it."""

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests"))
import saves  # noqa: E402
from world import Nothing, World  # noqa: E402

_grow = saves.grow
# A download takes a second there, and no more than it must here.
saves.grow = lambda file: _grow(file, 0.08)

# Where a disk is slow to sync, Vim leaves more than the daemon waits for between the old file and the new one.
saves.VIM += " swapsync= nofsync"

SAVES = [case for case in saves.CASES
         if case.name not in ("vim on a terminal", "Emacs, many saves", "LibreOffice", "git checkout", "git stash",
                              "a log that is opened for each line")
         and (not case.needs or shutil.which(case.needs))]
#: Recorded steps, which take some milliseconds; the others start a program.
QUICK = [case for case in SAVES if not case.needs and "shell" not in case.name]
MISSING = sorted({case.needs for case in saves.CASES if case.needs and not shutil.which(case.needs)})
FEWEST, MOST = 150, 400
#: The machine was so busy that a save took longer than the daemon waits for, and may not be seen as one.
STALLED = 0.06


def short(path):
    return "/".join(path.rsplit("/", 2)[-2:]).encode(errors="backslashreplace").decode()


class EditedWorld(World):
    """A world with all that is done to it."""

    def data(self):
        return b"x" * self.rng.choice([0, 1, 300, 600, 601, 5000, 70_000])

    def save(self):
        case = self.rng.choice(QUICK if self.rng.random() < 0.8 else SAVES)
        path = self.new_path("-new.md", odd=False) if case.makes else self.pick(plain=True)
        saves.STEP = self.rng.choice([0, 0.0003, 0.001])
        start = time.monotonic()
        with contextlib.closing(case.saves(Path(path))) as steps:
            next(steps)
        if case in QUICK and not case.makes and time.monotonic() - start > STALLED:
            self.loosen(path)
        return f"{case.name}: {short(path)}"

    def create(self):
        path = self.new_path()
        saves.put(path, self.data())
        return f"create {short(path)}"

    def create_folder(self):
        folder = os.path.join(self.folder_beside(), self.new_name(""))
        for number in range(self.rng.randint(0, 12)):
            below = os.path.join(folder, *["below", "deeper"][:number % 3])
            os.makedirs(below, exist_ok=True)
            Path(below, self.new_name()).write_bytes(self.data())
        os.makedirs(folder, exist_ok=True)
        return f"create folder {short(folder)}"

    def delete(self):
        path = self.pick()
        os.unlink(path)
        return f"delete {short(path)}"

    def delete_folder(self):
        folder = self.movable_folder()
        shutil.rmtree(folder)
        return f"delete folder {short(folder)}"

    def rename(self):
        """In its folder, to another folder or to another root."""
        path = self.pick()
        folder = os.path.dirname(path) if self.rng.random() < 0.4 else self.folder()
        new = os.path.join(folder, self.new_name())
        os.rename(path, new)
        self.moved(path, new)
        return f"move {short(path)} to {short(new)}"

    def move_folder(self):
        folder = self.movable_folder()
        new = os.path.join(self.folder_beside(folder), self.new_name(""))
        os.rename(folder, new)
        self.moved(folder, new)
        return f"move folder {short(folder)} to {short(new)}"

    def swap(self):
        """Two or three documents exchange their names."""
        paths = [self.pick() for _ in range(self.rng.randint(2, 3))]
        aside = os.path.join(self.folder(), self.new_name())
        names = [aside, *paths, aside]
        for new, old in zip(names, names[1:]):
            os.rename(old, new)
        keys = [self.keys.pop(path, None) for path in paths]
        for path, key in zip(paths, keys[1:] + keys[:1]):
            if key is not None:
                self.keys[path] = key
        if time.monotonic() < self.unseen_until:
            self.loosen(*paths)
        return f"swap {', '.join(map(short, paths))}"

    def replace(self):
        """A document is renamed over another: that may be a save, or a move."""
        path, other = self.pick(), self.pick()
        os.rename(path, other)
        self.loosen(other)
        return f"rename {short(path)} over {short(other)}"

    def recreate(self):
        path = self.pick()
        os.unlink(path)
        Path(path).write_bytes(self.data())
        self.loosen(path)
        return f"delete and create {short(path)}"

    def rotate_log(self):
        """A document is renamed, and there is a new one of its name: either may be the one that it was."""
        path = self.pick()
        new = os.path.join(os.path.dirname(path), self.new_name())
        os.rename(path, new)
        Path(path).write_bytes(self.data())
        self.moved(path, new)
        self.loosen(path, new)
        return f"rotate {short(path)} to {short(new)}"

    def write(self):
        """In place: appended, cut, or other bytes in as many and with the old time."""
        path = self.pick()
        with open(path, "r+b") as file:
            found = os.fstat(file.fileno())
            way = self.rng.choice(["append to", "cut", "rewrite"])
            if way == "append to":
                file.seek(0, os.SEEK_END)
                file.write(b"more\n")
            elif way == "cut":
                file.truncate(found.st_size // 2)
            else:
                file.write(os.urandom(found.st_size))
                file.flush()
                os.utime(file.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))
        return f"{way} {short(path)}"

    def set_time(self):
        """As a clock that jumps does, or an unpacked archive: times long ago and far from now."""
        path = self.pick()
        when = self.rng.choice([-1, 0, 1, 10**9, 10**9 * 365 * 86_400, 10**9 << 31, 10**9 * 4_102_444_800 + 5])
        os.utime(path, ns=(when, when))
        return f"set the time of {short(path)} to {when} ns"

    def link(self):
        path = self.pick()
        new = self.new_path()
        os.link(path, new)
        self.keys.pop(path, None)
        return f"link {short(path)} as {short(new)}"

    def leave_out(self):
        """Something is renamed to what no document is called, or one that was comes back, or leaves the roots."""
        rng = self.rng
        if self.left_out and rng.random() < 0.5:
            old = self.left_out.pop(rng.randrange(len(self.left_out)))
            if not os.path.lexists(old):
                raise Nothing
            new = os.path.join(self.folder_beside(), self.new_name())
            os.rename(old, new)
            return f"{short(old)} comes as {short(new)}"
        old = self.movable_folder() if (is_folder := rng.random() < 0.3) else self.pick()
        # Other folders may have the same name.
        name = self.new_name("") if is_folder else os.path.basename(old)
        names = [f".{name}"] if is_folder else [f".{name}", f"{name}~", f"{name}.part", f"#{name}#", f"~${name}"]
        new = os.path.join(os.path.dirname(old), rng.choice(names))
        if rng.random() < 0.3:
            new = os.path.join(self.outside, name)
        os.rename(old, new)
        self.left_out.append(new)
        return f"{short(old)} goes as {short(new)}"

    def make_no_documents(self):
        """Files of kinds and names that are left out."""
        folder = self.folder()
        name = self.new_name(".md")
        cache = os.path.join(folder, self.rng.choice(["node_modules", "__pycache__", ".cache"]))
        os.makedirs(cache, exist_ok=True)
        for place, left_out in ((cache, name), (folder, f".{name}"), (folder, f"{name}.crdownload")):
            Path(place, left_out).write_bytes(b"left out")
        os.symlink("/etc/passwd", os.path.join(folder, f"link-{name}"))
        os.mkfifo(os.path.join(folder, f"pipe-{name}"))
        return f"make what is no document in {short(folder)}"

    def file_or_folder(self):
        """A document gives way to a folder of its name."""
        path = self.pick()
        os.unlink(path)
        os.mkdir(path)
        Path(path, self.new_name()).write_bytes(self.data())
        return f"{short(path)} becomes a folder"

    def bulk(self):
        """A tree of some hundred files comes, as from an archive; the last one goes."""
        if self.heaps:
            shutil.rmtree(folder := self.heaps.pop())
            self.busy.discard(folder)
            return f"delete {short(folder)}, of hundreds"
        folder = os.path.join(self.roots[0], self.new_name(""))
        for number in range(self.rng.randint(100, 600)):
            below = os.path.join(folder, str(number // 50))
            os.makedirs(below, exist_ok=True)
            Path(below, self.new_name()).write_bytes(b"bulk")
        self.heaps.append(folder)
        self.busy.add(folder)
        return f"create {short(folder)}, of hundreds"

    def edit(self):
        """Any edit, and a look at the result. The number of documents stays in its limits."""
        number = len(self.disk)
        some = ["create", "create_folder"] if number < FEWEST else ["delete", "delete_folder"] if number > MOST else []
        if some and not self.heaps and self.rng.random() < 0.6:
            chosen = self.rng.choice(some)
        else:
            chosen = self.rng.choices(list(EDITS), EDITS.values())[0]
        try:
            return getattr(self, chosen)()
        except Nothing:
            return f"{chosen}: there is nothing"
        finally:
            self.look()


EDITS = {"save": 30, "rename": 14, "create": 8, "write": 6, "delete": 5, "move_folder": 5, "leave_out": 5,
         "recreate": 3, "create_folder": 3, "swap": 3, "set_time": 3, "replace": 2, "rotate_log": 2, "link": 2,
         "make_no_documents": 1, "file_or_folder": 1, "delete_folder": 1, "bulk": 1}

# ---- Programs that stay open -----------------------------------------------------------------------


def _log(document):
    """A file to which one process writes, now and then."""
    with open(document, "ab", buffering=0) as file:
        while True:
            file.write(b"a line of a log\n")
            yield


PROGRAMS = [
    ("a log", _log, ""), ("LibreOffice", saves.libreoffice, ""), ("vim on a terminal", saves.vim_session, "vim"),
    ("Emacs", saves.emacs_session, "emacs"), ("git checkout", saves.prepared_by(saves.git_checkout), "git"),
    ("git stash", saves.prepared_by(saves.git_stash), "git")]


class Programs:
    """Up to four programs, each with a document of its own open over many steps."""

    def __init__(self, world):
        self.world = world
        self.open = []

    def step(self):
        """One opens a document, saves it, or ends."""
        rng = self.world.rng
        if len(self.open) < 4 and (not self.open or rng.random() < 0.2):
            return self._start()
        at = rng.randrange(len(self.open))
        name, busy, path, steps = self.open[at]
        if rng.random() < 0.15:
            del self.open[at]
            steps.close()
            self.world.busy.discard(busy)
            said = f"{name} ends: {short(path)}"
        else:
            next(steps)
            said = f"{name} saves {short(path)}"
        self.world.look()
        return said

    def _start(self):
        world = self.world
        name, saves_of, needs = world.rng.choice(PROGRAMS)
        if needs and not shutil.which(needs):
            return f"there is no {needs}"
        if name.startswith("git"):
            busy = os.path.join(world.folder_beside(), world.new_name(""))
            os.mkdir(busy)
            path = os.path.join(busy, world.new_name(".md", odd=False))
            Path(path).write_bytes(saves.lines(50))
        else:
            busy = path = world.pick(plain=True)
        world.busy.add(busy)
        steps = saves_of(Path(path))
        next(steps)
        self.open.append((name, busy, path, steps))
        world.look()
        return f"{name} opens {short(path)}"

    def end(self):
        for _, _, _, steps in self.open:
            steps.close()
        self.open.clear()
