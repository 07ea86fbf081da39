"""The tree of files, which is the same for a number of files and is kept from one run to the next."""

import os
import random
import shutil
import sys

WORDS = ("report budget presentation invoice letter draft notes summary plan contract minutes photo scan "
         "tax taxes receipt offer order quote agenda schedule travel hotel ticket manual guide thesis paper "
         "Übersicht Straße résumé café Müller naïve ноты отчёт 写真 資料 Ærø Łódź garçon smørrebrød").split()
SUFFIXES = ("pdf", "txt", "docx", "odt", "jpg", "png", "xlsx", "md", "html", "zip")


def name_of(index):
    """The name of the file with this number: unique, and the same in each run."""
    source = random.Random(index)
    words = [source.choice(WORDS) for _ in range(source.randint(2, 4))]
    return f"{' '.join(words)} {source.randint(1990, 2026)} {index}.{source.choice(SUFFIXES)}"


def make_files(root, count):
    """Creates the files, sparse, 100 in a folder and 100 folders in a folder above.

    The folders' names are digits, which a fuzzy search finds, too: for less than what is in names."""
    for first in range(0, count, 100):
        folder = os.path.join(root, f"{first // 10_000:03}", f"{first // 100:05}")
        os.makedirs(folder)
        for index in range(first, min(first + 100, count)):
            file = os.open(os.path.join(folder, name_of(index)), os.O_CREAT | os.O_WRONLY, 0o644)
            os.ftruncate(file, index * 7919 % 1_000_003)
            os.utime(file, (1.7e9, 1.5e9 + index * 104_729 % 200_000_000))
            os.close(file)


def count_files(folder):
    found = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            found += count_files(entry.path) if entry.is_dir(follow_symlinks=False) else 1
    return found


def own_folder(place):
    """The folder of this program in `place`, which nobody else may write to."""
    path = os.path.join(place, f"pickerd-million-{os.getuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        found = os.lstat(path)
        if found.st_uid != os.getuid() or found.st_mode & 0o170077 != 0o040000:
            raise SystemExit(f"{path} is there and not a folder of yours alone") from None
    return path


class Tree:
    """A tree of `count` files in `folder`: made, unless it is there with the right number of files."""

    def __init__(self, folder, count):
        self.count = count
        self.root = os.path.join(folder, f"tree-{count}")
        made = self.root + ".made"
        if os.path.exists(made):
            self.remove_additions()
            found = count_files(self.root)
            if found == count:
                return
            print(f"{self.root} has {found} files: it is made anew", file=sys.stderr)
            os.unlink(made)
        shutil.rmtree(self.root, ignore_errors=True)
        os.mkdir(self.root)
        print(f"making {count} files in {self.root}", file=sys.stderr)
        make_files(self.root, count)
        with open(made, "wb"):
            pass

    @property
    def folders(self):
        """How many folders there are, the root included."""
        return 1 + -(-self.count // 10_000) + -(-self.count // 100)

    @property
    def is_plain(self):
        """Whether a measurement has added nothing."""
        return len(os.listdir(self.root)) == -(-self.count // 10_000)

    def remove_additions(self):
        """Removes what a measurement has added, which is beside the folders of the tree."""
        for name in os.listdir(self.root):
            if not (len(name) == 3 and name.isdigit()):
                path = os.path.join(self.root, name)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)
