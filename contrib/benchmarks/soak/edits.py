"""What people and their programs do to documents: one edit at a time, and programs that stay open.

Each edit is given the world, does something, tells the world which keys may change, and returns a line about it;
or None where there is nothing to edit."""

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests"))
import saves  # noqa: E402

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


def short(path):
    return "/".join(path.rsplit("/", 2)[-2:]).encode(errors="backslashreplace").decode()


def data(world):
    return b"x" * world.rng.choice([0, 1, 300, 600, 601, 5000, 70_000])


def save(world, cases=None):
    case = world.rng.choice(cases or (QUICK if world.rng.random() < 0.8 else SAVES))
    path = world.new_path("-new.md", odd=False) if case.makes else world.pick(plain=True)
    if path is None:
        return None
    saves.STEP = world.rng.choice([0, 0.0003, 0.001])
    with contextlib.closing(case.saves(Path(path))) as steps:
        next(steps)
    return f"{case.name}: {short(path)}"


def create(world):
    path = world.new_path()
    saves.put(path, data(world))
    return f"create {short(path)}"


def create_folder(world):
    folder = os.path.join(world.folder_beside(), world.new_name(""))
    for number in range(world.rng.randint(0, 12)):
        below = os.path.join(folder, *["below", "deeper"][:number % 3])
        os.makedirs(below, exist_ok=True)
        Path(below, world.new_name()).write_bytes(data(world))
    os.makedirs(folder, exist_ok=True)
    return f"create folder {short(folder)}"


def delete(world):
    if (path := world.pick()) is None:
        return None
    os.unlink(path)
    return f"delete {short(path)}"


def delete_folder(world):
    if (folder := world.movable_folder()) is None:
        return None
    shutil.rmtree(folder)
    return f"delete folder {short(folder)}"


def rename(world):
    """In its folder, to another folder or to another root."""
    if (path := world.pick()) is None:
        return None
    folder = os.path.dirname(path) if world.rng.random() < 0.4 else world.folder()
    new = os.path.join(folder, world.new_name())
    os.rename(path, new)
    world.moved(path, new)
    return f"move {short(path)} to {short(new)}"


def move_folder(world):
    if (folder := world.movable_folder()) is None:
        return None
    new = os.path.join(world.folder_beside(folder), world.new_name(""))
    os.rename(folder, new)
    world.moved(folder, new)
    return f"move folder {short(folder)} to {short(new)}"


def swap(world):
    """Two or three documents exchange their names."""
    paths = [path for path in (world.pick() for _ in range(world.rng.randint(2, 3))) if path]
    if len(paths) < 2:
        return None
    aside = os.path.join(world.folder(), world.new_name())
    names = [aside, *paths, aside]
    for new, old in zip(names, names[1:]):
        os.rename(old, new)
    keys = [world.keys.pop(path, None) for path in paths]
    for path, key in zip(paths, keys[1:] + keys[:1]):
        if key is not None:
            world.keys[path] = key
    if time.monotonic() < world.unseen_until:
        world.loosen(*paths)
    return f"swap {', '.join(map(short, paths))}"


def replace(world):
    """A document is renamed over another: that may be a save, or a move."""
    path, other = world.pick(), world.pick()
    if path is None or other is None:
        return None
    os.rename(path, other)
    world.loosen(other)
    return f"rename {short(path)} over {short(other)}"


def recreate(world):
    if (path := world.pick()) is None:
        return None
    os.unlink(path)
    Path(path).write_bytes(data(world))
    world.loosen(path)
    return f"delete and create {short(path)}"


def rotate_log(world):
    """A document is renamed, and there is a new one of its name: either may be the one that it was."""
    if (path := world.pick()) is None:
        return None
    new = os.path.join(os.path.dirname(path), world.new_name())
    os.rename(path, new)
    Path(path).write_bytes(data(world))
    world.moved(path, new)
    world.loosen(path, new)
    return f"rotate {short(path)} to {short(new)}"


def write(world):
    """In place: appended, cut, or other bytes in as many and with the old time."""
    if (path := world.pick()) is None:
        return None
    with open(path, "r+b") as file:
        found = os.fstat(file.fileno())
        way = world.rng.choice(["append to", "cut", "rewrite"])
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


def set_time(world):
    """As a clock that jumps does, or an unpacked archive: times long ago and far from now."""
    if (path := world.pick()) is None:
        return None
    when = world.rng.choice([0, 1, -1, 10**9, 86_400 * 365 * 10**9 * 10, (1 << 31) * 10**9, 4_102_444_800 * 10**9 + 5])
    os.utime(path, ns=(when, when))
    return f"set the time of {short(path)} to {when} ns"


def link(world):
    if (path := world.pick()) is None:
        return None
    new = world.new_path()
    os.link(path, new)
    world.keys.pop(path, None)
    return f"link {short(path)} as {short(new)}"


def leave_out(world):
    """Something is renamed to what no document is called, or one that was comes back, or leaves the roots."""
    rng = world.rng
    if world.left_out and rng.random() < 0.5:
        old = world.left_out.pop(rng.randrange(len(world.left_out)))
        if not os.path.lexists(old):
            return None
        new = os.path.join(world.folder_beside(), world.new_name())
        os.rename(old, new)
        return f"{short(old)} comes as {short(new)}"
    old = world.movable_folder() if (is_folder := rng.random() < 0.3) else world.pick()
    if old is None:
        return None
    name = os.path.basename(old)
    if is_folder:  # Other folders may have the same name.
        name = world.new_name("")
    names = [f".{name}"] if is_folder else [f".{name}", f"{name}~", f"{name}.part", f"#{name}#", f"~${name}"]
    new = os.path.join(os.path.dirname(old), rng.choice(names))
    if rng.random() < 0.3:
        new = os.path.join(world.outside, name)
    os.rename(old, new)
    world.left_out.append(new)
    return f"{short(old)} goes as {short(new)}"


def make_no_documents(world):
    """Files of kinds and names that are left out."""
    folder = world.folder()
    name = world.new_name(".md")
    cache = os.path.join(folder, world.rng.choice(["node_modules", "__pycache__", ".cache"]))
    os.makedirs(cache, exist_ok=True)
    for path in (os.path.join(cache, name), os.path.join(folder, f".{name}"), os.path.join(folder, f"{name}.crdownload")):
        Path(path).write_bytes(b"left out")
    os.symlink("/etc/passwd", os.path.join(folder, f"link-{name}"))
    os.mkfifo(os.path.join(folder, f"pipe-{name}"))
    return f"make what is no document in {short(folder)}"


def file_or_folder(world):
    """A document gives way to a folder of its name."""
    if (path := world.pick()) is None:
        return None
    os.unlink(path)
    os.mkdir(path)
    Path(path, world.new_name()).write_bytes(data(world))
    return f"{short(path)} becomes a folder"


def bulk(world):
    """A tree of some hundred files comes, as from an archive; the last one goes."""
    if world.bulk:
        shutil.rmtree(folder := world.bulk.pop())
        world.busy.discard(folder)
        return f"delete {short(folder)}, of hundreds"
    folder = os.path.join(world.roots[0], world.new_name(""))
    for number in range(world.rng.randint(100, 600)):
        below = os.path.join(folder, str(number // 50))
        os.makedirs(below, exist_ok=True)
        Path(below, world.new_name()).write_bytes(b"bulk")
    world.bulk.append(folder)
    world.busy.add(folder)
    return f"create {short(folder)}, of hundreds"


EDITS = [(save, 30), (rename, 14), (create, 8), (delete, 5), (write, 6), (move_folder, 5), (create_folder, 3),
         (swap, 3), (replace, 2), (recreate, 3), (rotate_log, 2), (set_time, 3), (link, 2), (leave_out, 5),
         (make_no_documents, 1), (file_or_folder, 1), (delete_folder, 1), (bulk, 1)]


def edit(world):
    """Any edit, and a look at the result."""
    number = len(world.disk)
    some = [create, create_folder] if number < FEWEST else [delete, delete_folder] if number > MOST else []
    if some and not world.bulk and world.rng.random() < 0.6:
        chosen = world.rng.choice(some)
    else:
        chosen = world.rng.choices([each for each, _ in EDITS], [weight for _, weight in EDITS])[0]
    said = chosen(world)
    world.look()
    return said or "nothing to edit"


# ---- Programs that stay open -----------------------------------------------------------------------


def _log(document):
    """A file to which one process writes, now and then."""
    with open(document, "ab", buffering=0) as file:
        while True:
            file.write(b"a line of a log\n")
            yield



PROGRAMS = [("a log", _log, ""), ("LibreOffice", saves.libreoffice, ""), ("vim on a terminal", saves.vim_session, "vim"),
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
        elif (path := world.pick(plain=True)) is None:
            return "nothing to open"
        else:
            busy = path
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
