"""The folders that are watched, what of them is a document, and which key each document should have."""

import os

WORDS = ["report", "notes", "draft", "photo", "letter", "plan"]
ENDINGS = [".md", ".md", ".md", ".txt", ".txt", ".pdf", ".jpg", ".odt", ".tar.gz", ""]
ODD = ["ä", " b c", "\udcff", "é (2)"]
HIDDEN_FOLDERS = ["node_modules", "__pycache__", ".cache"]
#: Whether a file that had several names keeps its key when an editor saves it with a backup once it has only one.
LINKS_KEEP_KEYS = False


class Nothing(Exception):
    """There is nothing to do this with."""


def is_left_out(name, is_folder):
    """The daemon's rules, as far as names of this program have to do with them."""
    if is_folder:
        return name.startswith(".") or name in HIDDEN_FOLDERS
    return name.startswith((".", "#", "~$")) or name.endswith(("~", ".part", ".crdownload"))


class World:
    """Documents are named by their absolute paths. No two ever have the same number in their names, so that few
    orders leave anything to their keys."""

    def __init__(self, place, rng):
        self.rng = rng
        self.roots = [os.path.join(place, "roots", name) for name in ("papers", "pictures", "work")]
        self.outside = os.path.join(place, "outside")
        for folder in (*self.roots, self.outside):
            os.makedirs(folder)
        self.count = 0
        #: What the last look has found: size, time of change and inode by path; and all folders.
        self.disk, self.folders = {}, []
        #: The keys that documents should have, by path, and the paths for which any key will do. Nothing is expected
        #: of files with several names: whose key is whose is anyone's guess when one of the names is away.
        self.keys, self.loose = {}, set()
        self.linked, self.once_linked = set(), set()
        #: Until when the daemon may have to compare folders with what it knew of them, without having seen what
        #: happened: then a path that has another known file may be taken for a save.
        self.unseen_until = 0
        #: What has been edited since the last check; what a program has open, and nothing else may touch.
        self.touched, self.busy = set(), set()
        #: Files and folders that this program has put where they are no documents.
        self.left_out, self.heaps = [], []

    # -- The disk

    def look(self):
        self.disk, self.folders, self.linked = {}, [], set()
        pending = list(reversed(self.roots))
        while pending:
            folder = pending.pop()
            try:
                entries = list(os.scandir(folder))
            except FileNotFoundError:
                continue
            self.folders.append(folder)
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_left_out(entry.name, is_folder):
                    continue
                if is_folder:
                    pending.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    self.disk[entry.path] = (found.st_size, found.st_mtime_ns, found.st_ino)
                    if found.st_nlink > 1:
                        self.linked.add(entry.path)
        self.folders.sort()

    # -- What to edit

    def new_name(self, ending=None, odd=True):
        self.count += 1
        odd = self.rng.choice(ODD) if odd and self.rng.random() < 0.1 else ""
        return f"{self.rng.choice(WORDS)}{self.count}{odd}{self.rng.choice(ENDINGS) if ending is None else ending}"

    def new_path(self, ending=None, odd=True):
        return os.path.join(self.folder(), self.new_name(ending, odd))

    def is_free(self, path):
        return not any(each == path or each.startswith(path + "/") or path.startswith(each + "/") for each in self.busy)

    def pick(self, plain=False):
        """A document that has not been edited since the last check; with `plain`, one that editors take for text."""
        found = sorted(path for path in self.disk if path not in self.touched and self.is_free(path)
                       and not (plain and not (path.endswith((".md", ".txt")) and os.path.basename(path).isascii())))
        if not found:
            raise Nothing
        path = self.rng.choice(found)
        self.touched.add(path)
        return path

    def folder(self):
        return self.rng.choice([each for each in self.folders if self.is_free(each) or each in self.roots])

    def movable_folder(self):
        found = [each for each in self.folders if each not in self.roots and self.is_free(each)]
        if not found:
            raise Nothing
        return self.rng.choice(found)

    def folder_beside(self, folder=None):
        """A folder that is not deep, and into which that one can be moved."""
        found = [each for each in self.folders if not (folder and (each + "/").startswith(folder + "/"))
                 and each.count("/") < self.roots[0].count("/") + 5 and (self.is_free(each) or each in self.roots)]
        return self.rng.choice(found)

    # -- What is expected

    def moved(self, old, new):
        """A document, or all below a folder, has another path: the keys go with it."""
        if new in self.keys:
            self.loose.add(new)
        for path in [path for path in self.keys if path == old or path.startswith(old + "/")]:
            self.keys[new + path[len(old):]] = self.keys.pop(path)
            if path in self.loose:
                self.loose.add(new + path[len(old):])
        self.touched |= {new + path[len(old):] for path in self.touched if (path + "/").startswith(old + "/")}

    def loosen(self, *paths):
        self.loose.update(paths)

    def loosen_changes(self, before):
        """For any path that was not as it is now in an earlier look, any key will do."""
        self.loosen(*(path for path, found in self.disk.items() if before.get(path) != found))

    def accept(self, keys):
        """The keys that documents have now: these are what is expected from here on."""
        if not LINKS_KEEP_KEYS:
            self.once_linked |= {key for path, key in keys.items() if path in self.linked}
        self.keys = {path: key for path, key in keys.items() if path not in self.linked and key not in self.once_linked}
        self.loose.clear()
        self.touched.clear()

    def wrong_keys(self, keys):
        """The paths whose documents have other keys than they should have."""
        return [path for path in sorted(self.keys) if path in keys and path not in self.loose
                and keys[path] != self.keys[path]]
