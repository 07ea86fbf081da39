#!/usr/bin/env python3
"""Images in the preview and the grid of pickerctl pick, on pseudo-terminals that show them in different ways.

Run by images.sh.

usage: contrib/tests/images_on_terminal.py ROOT
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import re
import struct
import sys
import termios
import zlib
from pathlib import Path

import terminals
from pick_on_terminal import Daemon, Picker
from terminals import check

KITTY = b"\x1b_Gi=28777;OK\x1b\\"
CELL = b"\x1b[6;20;10t"
ATTRIBUTES = b"\x1b[?62;22c"
QUESTION = rb"\x1b_G[^\x1b]*a=q[^\x1b]*\x1b\\.*\x1b\[c"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side: int, blue: int, *texts: bytes) -> bytes:
    """A square in which no two pixels above one another are alike."""
    rows = b"".join(b"\0" + bytes(v for x in range(side) for v in (x * 6 & 255, y * 6 & 255, blue)) for y in range(side))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    words = b"".join(chunk(b"tEXt", text) for text in texts)
    return b"\x89PNG\r\n\x1a\n" + header + words + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Viewer(Picker):
    """A picker with a preview or a grid, on a terminal whose cells have 10 by 20 pixels."""

    def __init__(self, *words: str, keys: bytes = b"\x1bp", **changes: str) -> None:
        before = dict(os.environ)
        os.environ.update(changes)
        super().__init__("--sort", "name", *words)
        os.environ.clear()
        os.environ.update(before)
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 800, 480))
        self.pictures(r"(?m)^>", r"a\.png")
        self.press(keys)

    def images(self) -> dict[bytes, bytes]:
        """The images of kitty's protocol that are shown: the data, or the path, by number."""
        shown: dict[bytes, bytes] = {}
        last = b""
        for keys, data in re.findall(rb"\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\", self.screen):
            values = dict(pair.split(b"=") for pair in keys.split(b","))
            if values.get(b"a") == b"d":
                shown.pop(values[b"i"])
            elif values.get(b"a") == b"T":
                last = values[b"i"]
                shown[last] = data
            elif b"a" not in values:
                shown[last] += data
        return {number: base64.b64decode(data) for number, data in shown.items()}

    def shows_image(self, *data: bytes) -> bool:
        return self.comes(lambda: list(self.images().values()) == list(data))

    def leave(self) -> None:
        self.press(b"\x1b")
        status, _ = self.finish()
        check("it ends", status == 130, status)
        check("no image is left", not self.images(), self.images())
        check("the modes are those of before", self.is_as_before and self.model.modes == {"25", "7"}, self.model.modes)
        self.close()


def try_characters() -> None:
    for kind in ("xterm", "tmux-256color"):
        viewer = Viewer(TERM=kind)
        check(f"{kind}: an image is drawn with characters", viewer.comes(lambda: viewer.text.count("▀") > 200), viewer.text)
        check(f"{kind}: in all colors", re.search(rb"38;2;\d+;\d+;1[;m]", viewer.screen) is not None)
        asked = len(re.findall(QUESTION, viewer.screen, re.DOTALL))
        check(f"{kind}: it is {'' if kind == 'xterm' else 'not '}asked what it can do", asked == (kind == "xterm"), asked)
        if asked:
            first = viewer.screen.index(b"a.png")
            check("behind the first frame", first < viewer.screen.index(b"a=q"))
            # Nobody waits for an answer; without one the shell must not get it either.
            viewer.press(ATTRIBUTES)
        viewer.press(b"c.txt")
        check(f"{kind}: keys are keys", viewer.pictures("(?m)^> c.txt$", "some text"), viewer.text)
        viewer.leave()


def try_kitty(root: str) -> None:
    def path(name: str) -> bytes:
        return f"{root}/{name}".encode()

    viewer = Viewer()
    viewer.comes(lambda: re.search(QUESTION, viewer.screen, re.DOTALL))
    viewer.press(KITTY + CELL + ATTRIBUTES)
    check("a terminal that answers gets the path of the image", viewer.shows_image(path("a.png")), viewer.images())
    check("and the answers are not typed", viewer.pictures("(?m)^>$"), viewer.text)
    check("nothing is drawn under it", viewer.comes(lambda: "▀" not in viewer.text), viewer.text)
    viewer.press(b"\x1b[B")
    check("another image takes its place", viewer.shows_image(path("b.png")), viewer.images())
    before = list(viewer.images())
    Path(root, "b.png").write_bytes(png(50, 3))
    check("it is shown anew when its file changes",
          viewer.comes(lambda: list(viewer.images().values()) == [path("b.png")] and list(viewer.images()) != before),
          viewer.images())
    viewer.press(b"\x1b[B")
    check("a text takes the place of an image", viewer.pictures("some text"), viewer.text)
    check("which is deleted", viewer.shows_image(), viewer.images())
    viewer.press(b"\x1b[B")
    thumbnail = next(Path(os.environ["XDG_CACHE_HOME"]).rglob("*.png"))
    check("of another file the thumbnail is shown", viewer.shows_image(bytes(thumbnail)), viewer.images())
    viewer.resize(20, 90)
    viewer.model.resize(20, 90)
    check("after a change of size, too", viewer.shows_image(bytes(thumbnail)), viewer.images())
    viewer.leave()

    viewer = Viewer(SSH_CONNECTION="127.0.0.1 1 127.0.0.1 2")
    viewer.comes(lambda: re.search(QUESTION, viewer.screen, re.DOTALL))
    viewer.press(KITTY + CELL + ATTRIBUTES)
    content = Path(root, "a.png").read_bytes()
    check("a terminal elsewhere gets the image itself", viewer.shows_image(content), viewer.images())
    viewer.leave()


def try_grid(root: str) -> None:
    viewer = Viewer("--grid", keys=b"")
    check("a grid has pictures of characters", viewer.comes(lambda: viewer.text.count("▀") > 60), viewer.text)
    check("above the names, side by side", viewer.pictures(r"(?m)^>a\.png +b\.png +c\.txt +d\.jpg$"), viewer.text)
    viewer.comes(lambda: re.search(QUESTION, viewer.screen, re.DOTALL))
    viewer.press(KITTY + CELL + ATTRIBUTES)
    thumbnail = bytes(next(Path(os.environ["XDG_CACHE_HOME"]).rglob("*.png")))
    all_images = sorted(f"{root}/{name}".encode() for name in ("a.png", "b.png")) + [thumbnail]

    def shown() -> list[bytes]:
        return sorted(viewer.images().values())

    check("a terminal that answers gets the paths of all", viewer.comes(lambda: shown() == sorted(all_images)), shown())
    check("nothing is drawn under them", viewer.comes(lambda: "▀" not in viewer.text), viewer.text)
    before = viewer.images()
    Path(root, "b.png").write_bytes(png(70, 5))
    check("one whose file changes is shown anew, and no other",
          viewer.comes(lambda: shown() == sorted(all_images) and len(set(viewer.images()) - set(before)) == 1),
          (before, viewer.images()))
    before = viewer.images()
    viewer.press(b"\x1b[C\x1b[C")
    check("right leads to other tiles", viewer.pictures(r"(?m)^ a\.png +b\.png +>c\.txt"), viewer.text)
    check("and moves no image", viewer.images() == before)
    viewer.press(b"\x1bg")
    check("alt-g leads to rows", viewer.pictures(r"(?m)^>  c\.txt"), viewer.text)
    check("without images", viewer.shows_image(), viewer.images())
    viewer.press(b"\x1bg")
    check("and back", viewer.comes(lambda: shown() == sorted(all_images)), shown())
    viewer.leave()

    viewer = Viewer("--grid", keys=b"\x1b[C\x1b[C\r")
    status, output = viewer.finish()
    check("enter takes the tile under the cursor", (status, output) == (0, f"{root}/c.txt\n".encode()), (status, output))
    viewer.close()


def try_ends() -> None:
    for what, keys in (("an answer that comes with the last key", ATTRIBUTES), ("no answer", b"")):
        viewer = Viewer()
        viewer.comes(lambda: re.search(QUESTION, viewer.screen, re.DOTALL))
        viewer.press(b"\x03" + keys)
        status, _ = viewer.finish()
        left = struct.unpack("i", fcntl.ioctl(viewer.near, termios.FIONREAD, b"\0" * 4))[0]
        check(f"{what}: it ends, and leaves nothing to the shell", (status, left) == (130, 0), (status, left))
        viewer.close()


def try_sixels() -> None:
    viewer = Viewer()
    viewer.comes(lambda: re.search(QUESTION, viewer.screen, re.DOTALL))
    viewer.press(b"\x1b[?62;4c")
    check("a terminal with sixels gets them", viewer.shows(rb'\x1bP0;1;0q"1;1;40;40#0;2;[^\x1b]*\x1b\\'), viewer.screen)
    viewer.comes(lambda: "▀" not in viewer.text)
    viewer.leave()


def main(root: str) -> int:
    place = Path(root)
    (place / "a.png").write_bytes(png(40, 1))
    (place / "b.png").write_bytes(png(60, 2))
    (place / "c.txt").write_text("some text\n")
    photo = place / "d.jpg"
    photo.write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0")
    thumbnails = Path(os.environ["XDG_CACHE_HOME"], "thumbnails", "large")
    thumbnails.mkdir(parents=True)
    texts = (b"Thumb::URI\0" + photo.as_uri().encode(), b"Thumb::MTime\0" + str(int(photo.stat().st_mtime)).encode())
    name = hashlib.md5(photo.as_uri().encode()).hexdigest()
    (thumbnails / f"{name}.png").write_bytes(png(64, 4, *texts))
    daemon = Daemon(root)
    try:
        try_characters()
        try_kitty(root)
        try_sixels()
        try_grid(root)
        try_ends()
    finally:
        daemon.end()
    return 1 if terminals.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
