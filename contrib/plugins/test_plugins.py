#!/usr/bin/env python3
"""Tests of the plugins in this folder, which run as the daemon runs them, on files that are made here.

PICKERD_TEST_PLUGINS=FOLDER is where contrib/plugins/build has put those in Swift, which are left out without it.
PICKERD_TEST_SEED runs a random test again; PICKERD_TEST_MUTATIONS is how many broken images of each kind are
tried (10000).

usage: ./test_plugins.py
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "clients"), str(HERE / "image"), str(HERE / "image-strip")]

import imagefacts  # noqa: E402
import imagestrip  # noqa: E402
from test_pickerd import eventually, run, seeded  # noqa: E402
from test_pickerd_plugin import Collection, Host, Message, file_of  # noqa: E402

#: Where contrib/plugins/build has put the plugins that are written in Swift; without it they are not tested.
BUILT = os.environ.get("PICKERD_TEST_PLUGINS")
MUTATIONS = int(os.environ.get("PICKERD_TEST_MUTATIONS", "10000"))
HAS_GEXIV2 = not subprocess.run(
    [
        "/usr/bin/python3",
        "-c",
        "import gi; gi.require_version('GExiv2', '0.10'); import gi.repository.GExiv2",
    ],
    capture_output=True,
    check=False,
).returncode

# ---- Made images ---------------------------------------------------------------------------------

Tag = tuple[int, int, Any]
SHORT, LONG, ASCII, RATIONAL, BYTES = 3, 4, 2, 5, 1


def folder_of_tags(tags: Sequence[Tag], order: str, at: int) -> bytes:
    """A folder of tags that lies at an offset, with its values behind it."""
    entries, behind = b"", b""
    values_at = at + 2 + 12 * len(tags) + 4
    for tag, kind, value in sorted(tags):
        if kind == ASCII:
            data = value.encode() + b"\0" if isinstance(value, str) else value
            count = len(data)
        elif kind == RATIONAL:
            data = b"".join(struct.pack(order + "II", *pair) for pair in value)
            count = len(value)
        elif kind == BYTES:
            data, count = value, len(value)
        else:
            data, count = struct.pack(order + {SHORT: "H", LONG: "I"}[kind], value), 1
        if len(data) <= 4:
            entries += struct.pack(order + "HHI", tag, kind, count) + data.ljust(4, b"\0")
        else:
            entries += struct.pack(order + "HHII", tag, kind, count, values_at + len(behind))
            behind += data + b"\0" * (len(data) % 2)
    return struct.pack(order + "H", len(tags)) + entries + struct.pack(order + "I", 0) + behind


def tiff(main: Sequence[Tag], detail: Sequence[Tag] = (), gps: Sequence[Tag] = (), order: str = ">") -> bytes:
    """A TIFF structure: a file, or the EXIF block of another one."""
    head = (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(order + "I", 8)
    main = [*main, *([(0x8769, LONG, 0)] if detail else []), *([(0x8825, LONG, 0)] if gps else [])]
    length = len(folder_of_tags(main, order, 8))
    detail_at = 8 + length
    first = folder_of_tags(detail, order, detail_at) if detail else b""
    second = folder_of_tags(gps, order, detail_at + len(first)) if gps else b""
    places = {0x8769: detail_at, 0x8825: detail_at + len(first)}
    main = [(tag, kind, places.get(tag, value)) for tag, kind, value in main]
    return head + folder_of_tags(main, order, 8) + first + second


def iptc(*records: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack(">BBBH", 0x1C, 2, number, len(text)) + text for number, text in records)


def photoshop(data: bytes) -> bytes:
    resource_ = b"8BIM" + struct.pack(">HHI", 0x404, 0, len(data)) + data + b"\0" * (len(data) % 2)
    return b"Photoshop 3.0\0" + b"8BIM" + struct.pack(">H4sI", 0x3ED, b"\x03abc", 3) + b"abc\0" + resource_


def segment(marker: int, data: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


XMP_HEAD = b"http://ns.adobe.com/xap/1.0/\0"


def xmp(body: str) -> bytes:
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
        'xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas'
        f'/regions/">{body}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    ).encode()


FACE = xmp(
    '<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description '
    'mwg-rs:Type="Face" mwg-rs:Name="Ann"/></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>'
)


def jpeg(
    width: int = 640, height: int = 480, *segments: bytes, jfif: bool = True, scan: bytes = b""
) -> bytes:
    """A JPEG image; its pixels are of no use, and have all that must be told apart in them."""
    scan = scan or b"\x12\xff\x00\x34\xff\xd0\x56\xff\x00\xff\xd7" + bytes(range(200))
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    table = b"\x00" + b"\x10" * 64
    return b"".join((
        b"\xff\xd8", segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") if jfif else b"", *segments,
        segment(0xDB, table), segment(0xC0, frame), segment(0xC4, b"\x00" + b"\0" * 16),
        segment(0xDA, b"\x01\x01\x00\x00\x3f\x00"), scan, b"\xff\xd9",
    ))  # fmt: skip


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 64, height: int = 48, *chunks: bytes) -> bytes:
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(height)))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def with_sums(data: bytes) -> bytes:
    """A PNG image whose check sums are right, as far as it has chunks."""
    image = bytearray(data)
    at = 8
    while at + 12 <= len(image):
        end = at + 8 + int.from_bytes(image[at : at + 4])
        image[end : end + 4] = struct.pack(">I", zlib.crc32(image[at + 4 : end]))
        at = end + 4
    return bytes(image[: len(data)])


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(
        kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for kind, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def vp8(width: int, height: int) -> tuple[bytes, bytes]:
    return b"VP8 ", b"\x10\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(range(51))


def vp8l(width: int, height: int) -> tuple[bytes, bytes]:
    return b"VP8L", b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(range(40))


def webp(width: int, height: int, *extra: tuple[bytes, bytes], flags: int | None = None) -> bytes:
    """An extended WebP image."""
    kinds = {kind for kind, _ in extra}
    if flags is None:
        flags = (0x08 if b"EXIF" in kinds else 0) | (0x04 if b"XMP " in kinds else 0)
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff((b"VP8X", struct.pack("<I", flags) + sides), vp8(width, height), *extra)


def box(kind: bytes, *content: bytes) -> bytes:
    data = b"".join(content)
    return struct.pack(">I", len(data) + 8) + kind + data


def heif(width: int, height: int, exif: bytes = b"", brand: bytes = b"heic") -> bytes:
    """A HEIC image with a small one before it, and an EXIF block."""
    start = box(b"ftyp", brand, b"\0\0\0\0mif1")
    item = b"\0\0\0\6Exif\0\0" + exif

    def meta(at: int) -> bytes:
        infe = b"".join(
            box(b"infe", b"\2\0\0\0", struct.pack(">HH", number, 0), kind, b"\0")
            for number, kind in ((1, b"hvc1"), (2, b"hvc1"), (3, b"Exif"))
        )
        sizes = box(b"ispe", b"\0" * 4, struct.pack(">II", 8, 8)) + box(
            b"ispe", b"\0" * 4, struct.pack(">II", width, height)
        )
        associations = struct.pack(">IHBBHBB", 2, 1, 1, 1, 2, 1, 0x82)
        place = struct.pack(">HHHHHII", 0x4400, 1, 3, 0, 1, at, len(item))
        return box(
            b"meta", b"\0" * 4, box(b"pitm", b"\0" * 4, struct.pack(">H", 2)),
            box(b"iinf", b"\0" * 4, struct.pack(">H", 3), infe), box(b"iloc", b"\0" * 4, place),
            box(b"iprp", box(b"ipco", sizes), box(b"ipma", b"\0" * 4, associations)),
        )  # fmt: skip

    at = len(start) + len(meta(0)) + 8
    return start + meta(at) + box(b"mdat", item)


TAKEN = [(0x9003, ASCII, "2021:07:03 12:30:15"), (0x9291, ASCII, "25"), (0x9011, ASCII, "+02:00")]
CAMERA = [(0x10F, ASCII, "FUJIFILM"), (0x110, ASCII, "X-T4"), (0x112, SHORT, 6)]
SERIAL, OWNER = [(0xA431, ASCII, "53001234")], [(0xA430, ASCII, "Ann Owner")]
GPS = [
    (1, ASCII, "N"), (2, RATIONAL, [(48, 1), (8, 1), (1234, 100)]),
    (3, ASCII, "E"), (4, RATIONAL, [(11, 1), (34, 1), (0, 1)]),
]  # fmt: skip
ALL_EXIF = tiff(CAMERA, TAKEN + SERIAL + OWNER, GPS)
MARK = (40, b"FBMD23000969010000a1b2c3d4")


def facts_of(data: bytes) -> dict[str, Any] | None:
    """What the walk says."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        facts = imagefacts.read(file.fileno())
    return None if facts is None else facts.values()


def made_image(random_: random.Random) -> tuple[str, bytes]:
    """Any image with any metadata, and how its name ends."""
    width, height = random_.randint(1, 9000), random_.randint(1, 9000)
    order = random_.choice("<>")

    def some(tags: Sequence[Tag]) -> list[Tag]:
        return [tag for tag in tags if random_.random() < 0.6]

    stamp = f"{random_.randint(1971, 2037)}:{random_.randint(1, 13):02}:{random_.randint(1, 31):02} 12:59:07"
    detail = some([(0x9003, ASCII, stamp), *TAKEN[1:], *SERIAL, *OWNER, (0xA435, ASCII, "L1")])
    main = some(
        [(0x10F, ASCII, random_.choice(["NIKON", "Canon", " "])), (0x110, ASCII, "Canon EOS"), CAMERA[2]]
    )
    gps = random_.choice([[], GPS, GPS[:2], [*GPS[:3], (4, RATIONAL, [(1, 0), (2, 1), (3, 1)])]])
    exif = tiff(main, detail, gps, order)
    packet = random_.choice([b"", FACE, xmp("<aux:SerialNumber>123</aux:SerialNumber>"), xmp("")])
    records = [random_.choice([MARK, (40, b"print it"), (103, b"FBMD01"), (25, b"word")]) for _ in range(3)]
    match random_.randrange(6):
        case 0 | 1 | 2:
            parts = [segment(0xE1, b"Exif\0\0" + exif), segment(0xED, photoshop(iptc(*records)))]
            if packet:
                parts.append(segment(0xE1, XMP_HEAD + packet))
            return "jpg", jpeg(width, height, *(part for part in parts if random_.random() < 0.7))
        case 3:
            extra = [chunk(b"eXIf", exif)] if random_.random() < 0.7 else []
            if packet:
                extra.append(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + packet))
            return "png", png(min(width, 500), min(height, 500), *extra)
        case 4:
            more = [(b"EXIF", exif)] if random_.random() < 0.7 else []
            return "webp", webp(width, height, *more, *([(b"XMP ", packet)] if packet else []))
        case _:
            sides: list[Tag] = [(0x100, random_.choice([SHORT, LONG]), width), (0x101, SHORT, height)]
            block = [(0x83BB, BYTES, iptc(*records))] if random_.random() < 0.5 else []
            return "tif", tiff([*sides, *main, *block], detail, gps, order)


def mutated(data: bytes, random_: random.Random) -> bytes:
    """The image with something wrong."""
    broken = bytearray(data)
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(len(broken)) if broken else 0
        match random_.randrange(6):
            case 0 | 1:
                broken[at : at + 1] = bytes([random_.randrange(256)])
            case 2:
                broken[at : at + 4] = random_.choice(
                    [b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\0\0\0\1"]
                )
            case 3:
                del broken[at : at + random_.randint(1, 40)]
            case 4:
                broken[at:at] = broken[at : at + random_.randint(1, 40)]
            case _:
                del broken[random_.randint(len(broken) // 3, len(broken)) :]
    return bytes(broken)


KINDS = {
    "jpeg": jpeg(640, 480, segment(0xE1, b"Exif\0\0" + ALL_EXIF), segment(0xE1, XMP_HEAD + FACE),
                 segment(0xED, photoshop(iptc(MARK))), segment(0xFE, b"comment"), segment(0xE2, b"ICC_PROFILE\0abc")),
    "png": png(64, 48, chunk(b"eXIf", ALL_EXIF), chunk(b"tEXt", b"Author\0Ann"),
               chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(FACE)), chunk(b"gAMA", b"\0\0\xb1\x8f")),
    "webp": webp(640, 480, (b"EXIF", ALL_EXIF), (b"XMP ", FACE)),
    "gif": b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(40),
    "tiff": tiff([(0x100, LONG, 640), (0x101, LONG, 480), *CAMERA], TAKEN + SERIAL, GPS),
    "heic": heif(640, 480, ALL_EXIF),
}  # fmt: skip


# ---- Tests ---------------------------------------------------------------------------------------


class PluginCase(unittest.TestCase):
    """Tests in a folder of their own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(suffix="-pickerd-plugins"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, program: str, config: Message | None = None, **environ: str) -> Host:
        host = Host([HERE / program], **environ)
        self.addCleanup(host.close)
        host.hello(config=config or {}, roots=[str(self.folder)])
        return host

    def ask(self, host: Host, group: str, name: str, *paths: Any) -> None:
        """Asks about files, each by a key of its own."""
        files = [{"key": f"k{path}", "path": str(path), "type": "text/plain", "size": 1} for path in paths]
        host.request("attributes.extract", {"group": group, "want": [name], "priority": 0, "files": files})

    def changes(self, host: Host, count: int) -> list[Any]:
        """What the plugin says has changed, so many times."""
        found = []
        for _ in range(count):
            call = host.hears("attributes.changed")
            host.answer(call, {})
            found.append({name: sorted(it) if name == "keys" else it for name, it in call["params"].items()})
        return found

    def file(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


class ManifestTests(unittest.TestCase):
    """The manifests, by the rules of the design."""

    def test_each_manifest_fits_its_folder_and_program(self) -> None:
        found = sorted(path.parent.name for path in HERE.glob("*/plugin.json"))
        self.assertEqual(found, ["git", "image", "image-strip", "recent", "text", "thumbnails"])
        for name in found:
            # Those in Swift lie with their programs elsewhere.
            place = Path(BUILT or HERE) if name in ("text", "thumbnails") else HERE
            if name in ("text", "thumbnails") and not BUILT:
                continue
            with self.subTest(name):
                raw = json.loads((place / name / "plugin.json").read_text())
                self.assertEqual((raw["id"], raw["api"]), (name, {"min": 1, "max": 1}))
                self.assertTrue(os.access(place / name / raw["exec"][0], os.X_OK))
                self.assertEqual((place / name / raw["exec"][0]).stat().st_mode & 0o022, 0)
                host = Host([place / name / raw["exec"][0]])
                self.addCleanup(host.close)
                kinds = {"extract": "attributes", "source": "sources", "action": "actions"}
                self.assertEqual(
                    host.hello()["provides"], [kind for kind, part in kinds.items() if raw.get(part)]
                )
                host.hang_up()
                self.assertEqual(host.wait(2), 0, host.log())
        self.assertEqual(list(HERE.glob("*/__pycache__")), [])


class ImageTests(PluginCase):
    """The facts about images."""

    def test_the_facts_of_each_kind(self) -> None:
        everything = {
            "image.width": 640, "image.height": 480, "image.taken": 1625308215.25, "image.camera": "FUJIFILM X-T4",
            "image.gps": True, "image.tracked": False, "image.tracker": None, "image.personal": 4,
        }  # fmt: skip
        expected = {
            "jpeg": {**everything, "image.tracked": True, "image.tracker": "facebook"},
            "png": {**everything, "image.width": 64, "image.height": 48},
            "webp": everything,
            "gif": {
                **everything,
                "image.taken": None,
                "image.camera": None,
                "image.gps": False,
                "image.personal": 0,
            },
            "tiff": {**everything, "image.personal": 2},
            "heic": {**everything, "image.personal": 3},
        }
        for kind, data in KINDS.items():
            with self.subTest(kind):
                self.assertEqual(facts_of(data), expected[kind])

    def test_a_mark_is_one_at_the_start_of_the_instructions_alone(self) -> None:
        cases = [
            ([MARK], True), ([(25, b"word"), MARK], True), ([(40, b"x"), MARK], False), ([(40, b"see FBMD01")], False),
            ([(103, b"FBMD01000a")], False), ([(40, b"FBM")], False), ([(40, b"")], False), ([], False),
            ([(120, b"x" * 0x7000), MARK], True),
        ]  # fmt: skip
        for records, is_tracked in cases:
            with self.subTest(str(records)[:60]):
                values = facts_of(jpeg(1, 1, segment(0xED, photoshop(iptc(*records)))))
                assert values is not None
                self.assertEqual(values["image.tracked"], is_tracked)
                self.assertEqual(values["image.tracker"], "facebook" if is_tracked else None)
        # With its length in bytes of its own, and across two segments.
        long = struct.pack(">BBBHI", 0x1C, 2, 40, 0x8004, len(MARK[1])) + MARK[1]
        blob = photoshop(long)
        split = [segment(0xED, blob[:50]), segment(0xED, b"Photoshop 3.0\0" + blob[50:])]
        for parts in ([segment(0xED, blob)], split):
            values = facts_of(jpeg(1, 1, *parts))
            assert values is not None
            self.assertTrue(values["image.tracked"])

    def test_moments_are_in_their_zone_or_the_one_of_the_machine(self) -> None:
        self.addCleanup(time.tzset)
        self.addCleanup(os.environ.update, {"TZ": os.environ.get("TZ", "")})
        os.environ["TZ"] = "Europe/Berlin"
        time.tzset()
        moment = imagefacts.moment
        self.assertEqual(moment("2021:07:03 12:30:15", None, None), 1625308215)
        self.assertEqual(moment("2021:07:03 12:30:15\0", "500", "+00:00"), 1625315415.5)
        self.assertEqual(moment("2021:07:03 12:30:15", "x", "-01:30"), 1625320815)
        for text in (
            "0000:00:00 00:00:00",
            "2021:02:30 00:00:00",
            "    :  :     :  :  ",
            "",
            None,
            "2021-07-03",
        ):
            self.assertIsNone(moment(text, None, None))
        self.assertIsNone(moment("2021:07:03 12:30:15", None, "+99:00"))

    def test_cameras_have_their_make_once(self) -> None:
        cases = [
            ("Canon", "Canon EOS R5", "Canon EOS R5"), ("SONY", "ILCE-7M3", "SONY ILCE-7M3"), (None, "X", "X"),
            ("Apple", None, "Apple"), ("  ", "\0", None), (None, None, None), ("A\0junk", "B  C", "A B C"),
        ]  # fmt: skip
        for make, model, words in cases:
            self.assertEqual(imagefacts.camera(make, model), words)

    def test_what_is_no_image_has_no_facts_and_what_is_cut_off_is_an_error(self) -> None:
        for data in (b"", b"text", b"\xff\xd8", b"RIFF\0\0\0\0WAVE", bytes(100)):
            self.assertIsNone(facts_of(data))
        for data in (
            KINDS["jpeg"][:300],
            KINDS["png"][:20],
            KINDS["webp"][:25],
            KINDS["gif"][:9],
            KINDS["heic"][:90],
        ):
            with self.assertRaises(imagefacts.Malformed):
                facts_of(data)

    def test_folders_that_lead_to_themselves_end(self) -> None:
        block = tiff([(0x8769, LONG, 8), (0x8825, LONG, 8), (0x110, ASCII, "Loop")])
        values = facts_of(jpeg(3, 2, segment(0xE1, b"Exif\0\0" + block)))
        assert values is not None
        self.assertEqual((values["image.camera"], values["image.gps"]), ("Loop", False))

    def test_little_of_a_large_file_is_read(self) -> None:
        read = 0
        pread = os.pread

        def counted(descriptor: int, count: int, offset: int) -> bytes:
            nonlocal read
            data = pread(descriptor, count, offset)
            read += len(data)
            return data

        os.pread = counted
        self.addCleanup(setattr, os, "pread", pread)
        with tempfile.TemporaryFile() as file:
            file.write(KINDS["jpeg"])
            file.truncate(5 << 30)
            self.assertIsNotNone(imagefacts.read(file.fileno()))
            self.assertLessEqual(read, imagefacts.BLOCK)
            # A thousand segments of 64 KB, each with a beginning that has to be read.
            file.seek(0)
            file.write(b"\xff\xd8" + segment(0xED, bytes(65533)) * 1000)
            with self.assertRaises(imagefacts.Malformed):
                imagefacts.read(file.fileno())
            self.assertLessEqual(read, 2 << 20)

    def test_broken_images_cost_neither_time_nor_memory(self) -> None:
        random_ = seeded("broken images")
        with tempfile.TemporaryFile(dir="/dev/shm") as file:
            for kind, data in KINDS.items():
                slowest = 0.0
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                for number in range(MUTATIONS):
                    broken = mutated(data, random_)
                    os.truncate(file.fileno(), 0)
                    os.pwrite(file.fileno(), broken, 0)
                    start = time.process_time()
                    try:
                        facts = imagefacts.read(file.fileno())
                        if facts is not None:
                            json.dumps(facts.values(), allow_nan=False)
                    except imagefacts.Malformed:
                        pass
                    except Exception as error:
                        raise AssertionError(f"{kind} number {number}: {broken.hex()}") from error
                    slowest = max(slowest, time.process_time() - start)
                with self.subTest(kind):
                    self.assertLess(slowest, 0.5)
                    self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 32 << 10)

    def test_broken_images_do_not_end_the_plugin(self) -> None:
        # Not with gexiv2, of which there is a C++ exception that ends the process now and then.
        random_ = seeded("broken images, by the plugin")
        host = self.start("image/image-facts")
        for round_ in range(8):
            paths = [
                self.file(f"{number}.{kind}", mutated(KINDS[kind], random_))
                for kind in KINDS
                for number in range(40)
            ]
            answers = host.extract("header", paths)
            self.assertEqual(len(answers), len(paths))
            self.assertEqual(host.extract("header", paths), answers, f"round {round_}")

    def test_the_plugin_has_what_the_walk_has(self) -> None:
        for engine in ("walk", "gexiv2") if HAS_GEXIV2 else ("walk",):
            host = self.start("image/image-facts", {"engine": engine})
            for kind, data in KINDS.items():
                with self.subTest(kind, engine=engine):
                    (answer,) = host.extract("header", [self.file(f"a.{kind}", data)])
                    facts = {
                        name: value for name, value in (facts_of(data) or {}).items() if value is not None
                    }
                    self.assertEqual(answer["values"], facts)
            kinds = [
                next(iter(answer))
                for answer in host.extract(
                    "header",
                    [
                        self.file("e", b""),
                        self.file("t", b"text"),
                        self.file("c", KINDS["jpeg"][:99]),
                        self.folder,
                    ],
                )
            ]
            self.assertEqual(kinds, ["none", "none", "error", "error"])

    def test_both_engines_answer_alike(self) -> None:
        if not HAS_GEXIV2:
            self.skipTest("gexiv2 is not there")
        random_ = seeded("engines")
        paths = []
        for number in range(200):
            suffix, data = made_image(random_)
            paths.append(self.file(f"{number}.{suffix}", data))
        answers = {
            engine: self.start("image/image-facts", {"engine": engine}).extract("header", paths)
            for engine in ("walk", "gexiv2")
        }
        marked = sum(answer["values"]["image.tracked"] for answer in answers["walk"])
        self.assertGreater(marked, 10)
        self.assertGreater(sum("image.taken" in answer["values"] for answer in answers["walk"]), 10)
        for path, walk, library in zip(paths, answers["walk"], answers["gexiv2"], strict=True):
            with self.subTest(path.name):
                self.assertEqual(walk, library)

    def test_the_library_is_used_when_the_settings_say_so(self) -> None:
        if not HAS_GEXIV2:
            self.skipTest("gexiv2 is not there")
        photoshop_file = b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 3, 5, 7, 8, 3) + bytes(62)
        path = self.file("a.jpg", photoshop_file)
        for engine, width in (("walk", None), ("gexiv2", 7)):
            (answer,) = self.start("image/image-facts", {"engine": engine}).extract("header", [path])
            self.assertEqual(answer.get("values", {}).get("image.width"), width)

    def test_an_engine_that_is_none_is_refused(self) -> None:
        host = self.start("image/image-facts")
        self.assertIn(
            "neither walk nor gexiv2", host.error("plugin.configure", {"config": {"engine": "x"}})["message"]
        )


class StripTests(PluginCase):
    """The removal of metadata."""

    def strip(self, host: Host, *paths: Any) -> list[Message]:
        items = [file_of(path) for path in paths]
        result: list[Message] = host.request("action.run", {"action": "strip", "items": items})["items"]
        return result

    def test_metadata_goes_and_the_picture_stays(self) -> None:
        host = self.start("image-strip/image-strip")
        for kind in ("jpeg", "png", "webp"):
            with self.subTest(kind):
                path = self.file(f"a.{kind}", KINDS[kind])
                path.chmod(0o640)
                kept = ["user.xdg.tags"]
                try:
                    for name in ("user.xdg.tags", "user.xdg.origin.url"):
                        os.setxattr(path, name, b"holiday")
                except OSError:
                    kept = []  # the file system has no attributes
                self.assertEqual(self.strip(host, path), [{"ok": True}])
                data = path.read_bytes()
                values = facts_of(data)
                assert values is not None
                self.assertEqual((values["image.personal"], values["image.tracked"]), (0, False))
                self.assertIsNone(values["image.taken"])
                self.assertIsNone(values["image.camera"])
                before = imagestrip.strip(KINDS[kind])
                self.assertEqual(imagestrip.strip(data).picture, before.picture)
                for piece in before.picture:
                    self.assertIn(bytes(piece), data)
                for secret in (b"FBMD", b"Owner", b"Ann", b"comment", b"FUJI", b"53001234"):
                    self.assertNotIn(secret, data)
                self.assertEqual(path.stat().st_mode & 0o7777, 0o640)
                self.assertEqual([name for name in os.listxattr(path) if name.startswith("user.")], kept)
        self.assertIn(b"ICC_PROFILE\0abc", (self.folder / "a.jpeg").read_bytes())
        self.assertIn(b"gAMA", (self.folder / "a.png").read_bytes())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.jpeg", "a.png", "a.webp"])

    def test_the_orientation_stays(self) -> None:
        block = tiff(CAMERA)
        images = [
            jpeg(4, 3, segment(0xE1, b"Exif\0\0" + block)), jpeg(4, 3, segment(0xE1, b"Exif\0\0" + block), jfif=False),
            png(4, 3, chunk(b"eXIf", block)), webp(4, 3, (b"EXIF", block)),
        ]  # fmt: skip
        for data in images:
            written = imagestrip.strip(data).data
            self.assertNotIn(b"FUJI", written)
            with tempfile.TemporaryFile() as file:
                file.write(written)
                file.flush()
                facts = imagefacts.read(file.fileno())
                assert facts is not None
                self.assertEqual((facts.orientation, facts.camera), (6, None))
            self.assertEqual(imagestrip.strip(written).data, written)
        upright = webp(4, 3, (b"EXIF", tiff([(0x110, ASCII, "X")])), (b"XMP ", FACE))
        self.assertEqual(imagestrip.strip(upright).data, webp(4, 3, flags=0))

    def test_an_image_without_metadata_is_not_written(self) -> None:
        host = self.start("image-strip/image-strip")
        clean = [jpeg(), jpeg(jfif=False), png(), webp(5, 5), riff(vp8(5, 5)), riff(vp8l(5, 5))]
        for number, data in enumerate(clean):
            path = self.file(f"{number}", data)
            before = path.stat()
            self.assertEqual(self.strip(host, path), [{"ok": True}])
            after = path.stat()
            self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_what_is_not_understood_completely_is_left_alone(self) -> None:
        host = self.start("image-strip/image-strip")
        good = KINDS["jpeg"]
        broken_sum = bytearray(KINDS["png"])
        broken_sum[40] ^= 1
        cases = [
            (b"", "neither"), (b"text", "neither"), (KINDS["gif"], "neither"), (good[:-2], "cut off"),
            (good[:200], "cut off"), (good + good, "follow"), (good + b"film", "follow"), (good[:2], "neither"),
            (b"\xff\xd8\xff\xd9", "no pixels"), (good.replace(b"\xff\xdb", b"xx", 1), "between"),
            (b"\xff\xd8" + segment(0xE0, b"JFIF\0")[:9], "cut off"), (b"\xff\xd8\xff\xd0" + good[2:], "none belongs"),
            (KINDS["png"][:-5], "cut off"), (KINDS["png"] + b"x", "follow"), (bytes(broken_sum), "check sum"),
            (png(3, 3, chunk(b"NEWx", b"")), "can't be shown"), (KINDS["webp"] + b"xx", "not as long"),
            (riff((b"VP8X", bytes(10))), "no pixels"), (riff((b"EXIF", b"x"), (b"VP8X", bytes(10))), "out of place"),
            (riff((b"ICCP", b"x" * 8))[:-4] , "not as long"),
        ]  # fmt: skip
        for data, words in cases:
            with self.subTest(words, data=data[:50]):
                path = self.file("a.jpg", data)
                (answer,) = self.strip(host, path)
                self.assertIn(words, answer.get("error", "it was done"))
                self.assertEqual(path.read_bytes(), data)
        self.assertEqual(os.listdir(self.folder), ["a.jpg"])
        padded = imagestrip.strip(good + bytes(100)).data
        self.assertEqual(padded, imagestrip.strip(good).data)

    def test_links_and_what_is_elsewhere_are_left_alone(self) -> None:
        host = self.start("image-strip/image-strip")
        data = KINDS["jpeg"]
        path = self.file("a.jpg", data)
        link, second, pipe = (self.folder / name for name in ("link", "second", "pipe"))
        link.symlink_to(path)
        os.mkfifo(pipe)
        with tempfile.TemporaryDirectory() as elsewhere:
            outside = Path(elsewhere, "b.jpg")
            outside.write_bytes(data)
            (self.folder / "door").symlink_to(elsewhere)
            answers = self.strip(host, link, pipe, self.folder, outside, self.folder / "door" / "b.jpg")
            words = [
                "symbolic link",
                "regular",
                "",
                "not in a folder of the daemon",
                "not in a folder of the daemon",
            ]
            for answer, word in zip(answers, words, strict=True):
                self.assertIn(word, answer["error"])
            self.assertEqual(outside.read_bytes(), data)
        os.link(path, second)
        self.assertIn("2 names", self.strip(host, path)[0]["error"])
        self.assertEqual(path.read_bytes(), data)

    def test_broken_images_are_left_alone_or_keep_their_picture(self) -> None:
        random_ = seeded("strip")
        for kind in ("jpeg", "png", "webp"):
            done = 0
            for number in range(MUTATIONS):
                broken = mutated(KINDS[kind], random_)
                if kind == "png":
                    broken = with_sums(broken)
                try:
                    first = imagestrip.strip(broken)
                    again = imagestrip.strip(first.data)
                except imagestrip.Unsupported:
                    continue
                except Exception as error:
                    raise AssertionError(f"{kind} number {number}: {broken.hex()}") from error
                done += 1
                self.assertEqual(again.picture, first.picture)
                self.assertEqual(again.data, first.data)
                self.assertNotIn(b"FBMD", first.data)
            with self.subTest(kind):
                self.assertGreater(done, 0)


class GitTests(PluginCase):
    """States in git."""

    def git(self, *words: str | bytes, at: Path | None = None) -> None:
        environ = {
            **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(self.folder),
        }  # fmt: skip
        who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
        subprocess.run(
            ["git", *who, *words], cwd=at or self.tree, env=environ, check=True, capture_output=True
        )

    def setUp(self) -> None:
        super().setUp()
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.git("init", "-q", "-b", "main")

    def start_git(self) -> Host:
        return self.start("git/git-state", HOME=str(self.folder), GIT_CONFIG_GLOBAL="", XDG_CONFIG_HOME="")

    def states(self, host: Host, *paths: Any) -> list[str | None]:
        answers = host.extract("state", paths)
        return [
            answer["values"]["git.state"] if "values" in answer else answer.get("error") for answer in answers
        ]

    def test_the_state_of_each_kind(self) -> None:
        host = self.start_git()
        for name in ("clean", "modified", "staged", "both"):
            (self.tree / name).write_text("one\n")
        (self.tree / ".gitignore").write_text("ignored\nbuild/\n")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.git("checkout", "-qb", "other")
        (self.tree / "both").write_text("two\n")
        self.git("commit", "-qam", "second")
        self.git("checkout", "-q", "main")
        (self.tree / "both").write_text("three\n")
        self.git("commit", "-qam", "third")
        with self.assertRaises(subprocess.CalledProcessError):
            self.git("merge", "-q", "other")
        for name in ("modified", "staged", "added", "untracked", "ignored"):
            (self.tree / name).write_text("a longer text\n")
        for name in ("build", "new"):
            (self.tree / name / "deep").mkdir(parents=True)
            (self.tree / name / "deep" / "file").write_text("x")
        self.git("add", "staged", "added")
        outside = self.file("outside", b"")
        names = [
            "clean", "modified", "staged", "added", "untracked", "ignored", "both", "build/deep/file", "new/deep/file",
            ".git/config", ".git/refs/heads/main",
        ]  # fmt: skip
        found = self.states(host, *(self.tree / name for name in names), outside)
        self.assertEqual(found, [
            "clean", "modified", "modified", "added", "untracked", "ignored", "conflicted", "ignored", "untracked",
            None, None, None,
        ])  # fmt: skip

    def test_names_are_names_and_nothing_else(self) -> None:
        host = self.start_git()
        names = [
            b"-n",
            b"--help",
            b":(top)x",
            b":!x",
            b"*",
            b"a b\nc",
            b'"q"',
            b"\xff\xfe",
            b"[a]",
            b"tab\t",
            b"\xc3\xa4",
        ]
        for index, name in enumerate(names):
            path = os.fsencode(self.tree) + b"/" + name
            with open(path, "w") as file:
                file.write("one\n")
            if index % 2:
                self.git("add", "--", os.path.join(b".", name) if not name.startswith(b":") else b"./" + name)
        self.git("commit", "-qm", "names")
        paths = [os.fsencode(self.tree) + b"/" + name for name in names]
        found = self.states(host, *paths)
        expected = ["clean" if index % 2 else "untracked" for index in range(len(names))]
        self.assertEqual(found, expected)
        # A name that is a pattern would have the others come up as well.
        self.assertEqual([self.states(host, path)[0] for path in paths], expected)

    def test_many_long_names_are_asked_for_at_once(self) -> None:
        host = self.start_git()
        deep = self.tree / ("d" * 200) / ("e" * 200) / ("f" * 200)
        deep.mkdir(parents=True)
        paths = []
        for number in range(700):
            path = deep / f"{number:0200}"
            path.touch()
            paths.append(path)
        self.assertEqual(set(self.states(host, *paths)), {"untracked"})

    def test_programs_that_a_repository_names_are_not_run(self) -> None:
        host = self.start_git()
        trap = self.folder / "trap"
        trap.write_text(f"#!/bin/sh\ntouch {self.folder}/sprung\ncat\n")
        trap.chmod(0o755)
        (self.tree / "file").write_text("one\n")
        (self.tree / ".gitattributes").write_text("* filter=evil\n")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        config = (self.tree / ".git" / "config").read_text()
        included = self.file("more.config", f'[filter "evil"]\nclean = {trap}\nrequired = true\n'.encode())
        hooks = self.folder / "hooks"
        hooks.mkdir()
        for name in ("post-index-change", "fsmonitor-watchman"):
            shutil.copy(trap, hooks / name)
        (self.tree / ".git" / "config").write_text(
            f"{config}\n[core]\nfsmonitor = {trap}\nhooksPath = {hooks}\npager = {trap}\nsshCommand = {trap}\n"
            f'[include]\npath = {included}\n[filter "evil"]\nprocess = {trap}\n'
        )
        (self.tree / "file").write_text("two\n")
        self.assertEqual(self.states(host, self.tree / "file"), ["modified"])
        self.assertFalse((self.folder / "sprung").exists())
        # The trap is a good one.
        subprocess.run(["git", "status"], cwd=self.tree, capture_output=True, check=False)
        self.assertTrue((self.folder / "sprung").exists())

    def test_a_broken_repository_costs_the_answers_of_its_own_files(self) -> None:
        host = self.start_git()
        broken = self.folder / "broken"
        (broken / ".git").mkdir(parents=True)
        (broken / "file").touch()
        (self.tree / "file").touch()
        found = self.states(host, broken / "file", self.tree / "file", self.folder / "missing")
        self.assertEqual(found[1:], ["untracked", None])
        self.assertIn("git: fatal", found[0] or "")

    def test_the_daemon_is_told_when_the_index_or_head_changes(self) -> None:
        host = self.start_git()
        self.assertEqual(self.changes(host, 1), [{"group": "state"}])
        other = self.folder / "other"
        other.mkdir()
        self.git("init", "-q", "-b", "main", at=other)
        paths = [self.tree / "a", self.tree / "b", other / "c"]
        for path in paths:
            path.write_text("one\n")
        self.ask(host, "state", "git.state", *paths)
        self.assertEqual(self.states(host, self.tree / "a"), ["untracked"])
        self.git("add", ".")
        told = [{"group": "state", "keys": ["f1", *(f"k{path}" for path in paths[:2])]}]
        self.assertEqual(self.changes(host, 1), told)
        self.assertEqual(self.states(host, self.tree / "a"), ["added"])
        self.git("commit", "-qm", "first")
        self.assertEqual(self.changes(host, 1), told)
        self.assertEqual(self.states(host, self.tree / "a"), ["clean"])
        # Neither touches the index.
        self.git("commit", "-q", "--allow-empty", "-m", "second")
        self.assertEqual(self.changes(host, 1), told)
        self.git("reset", "-q", "--soft", "HEAD~1")
        self.assertEqual(self.changes(host, 1), told)
        # Nothing else is told: the next is of another work tree.
        (self.tree / "a").write_text("two\n")
        self.git("add", ".", at=other)
        self.assertEqual(self.changes(host, 1), [{"group": "state", "keys": [f"k{other}/c"]}])
        self.assertEqual(host.told, [])

    def test_linked_work_trees_are_followed_and_lost_ones_are_not(self) -> None:
        host = self.start_git()
        self.changes(host, 1)
        (self.tree / "a").write_text("one\n")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        linked = self.folder / "linked"
        self.git("worktree", "add", "-q", str(linked))
        self.ask(host, "state", "git.state", linked / "a")
        (linked / "a").write_text("two\n")
        self.git("add", ".", at=linked)
        self.assertEqual(self.changes(host, 1), [{"group": "state", "keys": [f"k{linked}/a"]}])
        shutil.rmtree(self.tree / ".git" / "worktrees")
        self.assertEqual(self.changes(host, 1), [{"group": "state", "keys": [f"k{linked}/a"]}])
        self.assertEqual(host.request("plugin.ping"), {})

    def test_no_lock_and_no_index_is_written(self) -> None:
        host = self.start_git()
        (self.tree / "file").write_text("one\n")
        self.git("add", ".")
        index = self.tree / ".git" / "index"
        os.utime(self.tree / "file", (5, 5))
        before = (index.stat().st_ino, index.read_bytes())
        self.assertEqual(self.states(host, self.tree / "file"), ["added"])
        self.assertEqual((index.stat().st_ino, index.read_bytes()), before)


def pdf(pages: int = 1, title: str = "", size: tuple[int, int] = (200, 100)) -> bytes:
    """A PDF with so many pages, with a filled rectangle on each."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))
    text = b"(" + title.encode("latin-1").replace(b"(", b"\\(").replace(b")", b"\\)") + b")"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {pages}/Kids[{kids}]>>".encode(),
               b"<</Title" + text + b">>"]
    for number in range(pages):
        box_ = f"[0 0 {size[0]} {size[1]}]"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox{box_}/Contents {5 + 2 * number} 0 R>>".encode())
        drawn = b"1 0 0 rg 10 10 80 80 re f"
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn))
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj" % number + content + b"endobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size_ = len(objects) + 1
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R/Info 3 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (size_, table, size_, len(data))
    )


class SwiftCase(PluginCase):
    """Tests of a plugin that is written in Swift."""

    def start_built(self, program: str, config: Message | None = None, **environ: str) -> Host:
        if not BUILT:
            self.skipTest("PICKERD_TEST_PLUGINS is not set")
        host = Host([Path(BUILT) / program], **environ)
        self.addCleanup(host.close)
        host.hello(config=config or {}, roots=[str(self.folder)])
        return host

    def ask(self, host: Host, group: str, *files: tuple[Path, str]) -> list[Message]:
        named = [{**file_of(path), "type": kind} for path, kind in files]
        answers: list[Message] = host.request("attributes.extract", {"group": group, "files": named})["files"]
        return answers


SENTENCES = {
    "en": "This is the first page of the book that I have read in the garden, and it was not as good as I hoped.",
    "de": "Das ist die erste Seite des Buches, das ich im Garten gelesen habe, und es war nicht so gut wie erhofft.",
    "fr": "C'est la première page du livre que j'ai lu dans le jardin, et il n'était pas aussi bon que les autres.",
    "es": "Esta es la primera página del libro que he leído en el jardín, y no era tan bueno como los otros.",
    "it": "Questa è la prima pagina del libro che ho letto in giardino, e non era buono come gli altri della serie.",
    "pt": "Esta é a primeira página do livro que eu li no jardim, e não era tão bom como os outros da coleção.",
    "nl": "Dit is de eerste bladzijde van het boek dat ik in de tuin heb gelezen, en het was niet zo goed als gehoopt.",
    "pl": "To jest pierwsza strona książki, którą czytałem w ogrodzie, ale nie była ona tak dobra jak inne z tej serii.",
    "sv": "Det här är den första sidan i boken som jag har läst i trädgården, och den var inte så bra som de andra.",
    "ru": "Это первая страница книги, которую я читал в саду, и она была не так хороша, как я надеялся, но и не плоха.",
    "uk": "Це перша сторінка книги, яку я читав у саду, і вона була не така добра, як я думав, але й не погана.",
    "ja": "これは庭で読んだ本の最初のページです。思ったほど面白くありませんでした。",
    "zh": "这是我在花园里读的那本书的第一页，它没有我所希望的那么好，但是也不算太坏。",
    "ko": "이것은 내가 정원에서 읽은 책의 첫 페이지이며 기대했던 만큼 좋지는 않았습니다.",
    "el": "Αυτή είναι η πρώτη σελίδα του βιβλίου που διάβασα στον κήπο και δεν ήταν τόσο καλό όσο ήλπιζα.",
}


class TextTests(SwiftCase):
    """The facts about texts."""

    def facts(self, host: Host, name: str, data: bytes, kind: str = "text/plain") -> Message:
        (answer,) = self.ask(host, "text", (self.file(name, data), kind))
        return answer

    def test_the_first_line_and_the_words_of_a_text(self) -> None:
        host = self.start_built("text/text-facts")
        for data, line, words in (
            (b"one two\nthree", "one two", 3),
            (b"\n \t\n  a\tb  \r\nc", "a b", 3),
            (b"\xef\xbb\xbfmark", "mark", 1),
            (b"\xff\xfe broken", "\ufffd\ufffd broken", 2),
            ("\u00e9".encode() * 200, "\u00e9" * 128, 1),
            (b"\x1b[1mbold", "[1mbold", 1),
            (b"", None, 0),
            (b" \n\n", None, 0),
        ):
            with self.subTest(data=data[:20]):
                values = self.facts(host, "a.txt", data)["values"]
                self.assertEqual((values.get("text.first-line"), values["text.words"]), (line, words))
        random_ = random.Random(5)
        data = b"".join(random_.choice((b"a", b"bc", b" ", b"\n", b"\t", b"\x0b", b"\xc3\xa9")) for _ in range(20_000))
        self.assertEqual(self.facts(host, "b.txt", data)["values"]["text.words"], len(data.split()))

    def test_the_first_line_of_markdown_has_no_marks(self) -> None:
        host = self.start_built("text/text-facts")
        for data, line in (
            (b"# Title #\ntext", "Title"), (b"Title\n=====\n", "Title"), (b"***\n\n**Bold** words\n", "Bold** words"),
            (b"---\ntitle: \"From the head\"\n---\n# Other", "From the head"),
            (b"---\nauthor: x\n---\n\n## Second", "Second"), (b"---\nno end\n", "no end"), (b"#hashtag", "#hashtag"),
        ):  # fmt: skip
            with self.subTest(data):
                answer = self.facts(host, "a.md", data, "text/markdown")
                self.assertEqual(answer["values"]["text.first-line"], line)

    def test_languages_are_told_apart(self) -> None:
        host = self.start_built("text/text-facts")
        for code, sentence in SENTENCES.items():
            with self.subTest(code):
                for text in (sentence, sentence.upper() if code in ("en", "de", "ru", "uk") else sentence):
                    self.assertEqual(self.facts(host, "a", text.encode())["values"]["text.language"], code)

    def test_what_is_in_no_language_is_unknown(self) -> None:
        host = self.start_built("text/text-facts")
        code = b"int main(void) {\n    return f(x, y) + g(z);\n}\nstatic struct foo bar = { 1, 2, 3 };\n"
        finnish = "T\u00e4m\u00e4 on kirjan ensimm\u00e4inen sivu, jonka luin puutarhassa viime kes\u00e4n\u00e4 illalla."
        half = (SENTENCES["de"] + SENTENCES["en"]).encode()
        for text in (b"", b"short", b"1 2 3 4 5 6 7 8 9 10 11", code, finnish.encode(), half, b"\xff" * 1000):
            with self.subTest(text[:20]):
                self.assertEqual(self.facts(host, "a", text)["values"]["text.language"], "unknown")
        fenced = SENTENCES["de"].encode() + b"\n```\n" + SENTENCES["en"].encode() * 9 + b"\n```\n"
        answer = self.facts(host, "a.md", fenced, "text/markdown")
        self.assertEqual(answer["values"]["text.language"], "de")

    def test_what_is_no_text_has_no_facts_and_a_long_one_no_words(self) -> None:
        host = self.start_built("text/text-facts")
        self.assertIn("none", self.facts(host, "a", b"\x7fELF\0\0"))
        self.assertIn("none", self.facts(host, "b", "UTF-16 has zeros".encode("utf-16")))
        long = self.facts(host, "c", b"many words " * 500_000)["values"]
        self.assertEqual(long["text.first-line"][:11], "many words ")
        self.assertNotIn("text.words", long)

    def test_the_pages_and_the_title_of_pdf(self) -> None:
        host = self.start_built("text/text-facts")
        files = [("a", pdf(3, "A (short) title")), ("b", pdf(1)), ("c", pdf(12, "Gr\u00fc\u00dfe"))]
        answers = self.ask(host, "pdf", *((self.file(name, data), "application/pdf") for name, data in files))
        self.assertEqual(
            [answer["values"] for answer in answers],
            [{"document.pages": 3, "document.title": "A (short) title"}, {"document.pages": 1},
             {"document.pages": 12, "document.title": "Gr\u00fc\u00dfe"}],
        )  # fmt: skip

    def test_broken_pdf_costs_its_own_answer(self) -> None:
        host = self.start_built("text/text-facts")
        random_ = seeded("broken PDFs")
        whole = pdf(4, "title")
        files = [self.file("good", whole), self.file("no", b"text"), self.file("cut", whole[:100])]
        for number in range(40):
            files.append(self.file(f"m{number}", mutated(whole, random_)))
        os.mkfifo(self.folder / "fifo")
        files += [self.folder / "fifo", self.folder / "missing", files[0]]
        answers = self.ask(host, "pdf", *((path, "application/pdf") for path in files))
        self.assertEqual(answers[0], answers[-1])
        self.assertEqual(answers[0]["values"]["document.pages"], 4)
        self.assertEqual(answers[1]["error"], "it is no PDF")
        self.assertTrue(all("error" in answer for answer in answers[2:3] + answers[-3:-1]))


THUMBNAIL = "file.thumbnail"


class ThumbnailTests(SwiftCase):
    """The thumbnails that are made."""

    def start_thumbnailer(self, config: Message | None = None, **environ: str) -> Host:
        self.cache = self.folder / "cache"
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        return self.start_built(
            "thumbnails/thumbnailer", config, XDG_CACHE_HOME=str(self.cache), TMPDIR=str(work), **environ
        )

    def place(self, path: Path) -> str:
        import hashlib

        return hashlib.md5(path.as_uri().encode()).hexdigest() + ".png"

    def texts(self, path: Path) -> dict[str, str]:
        data, found, at = path.read_bytes(), {}, 8
        self.assertEqual(with_sums(data), data)
        while at < len(data):
            length, kind = struct.unpack_from(">I4s", data, at)
            if kind == b"tEXt":
                key, _, text = data[at + 8 : at + 8 + length].partition(b"\0")
                found[key.decode()] = text.decode("latin-1")
            at += 12 + length
        return found

    def size(self, path: Path) -> tuple[int, int]:
        width, height = struct.unpack_from(">II", path.read_bytes(), 16)
        return width, height

    def test_missing_thumbnails_are_made_and_found_again(self) -> None:
        host = self.start_thumbnailer()
        image, page = self.file("a \u00f6.png", png(400, 200)), self.file("b.pdf", pdf(2, size=(100, 300)))
        kinds = ((image, "image/png"), (page, "application/pdf"))
        answers = self.ask(host, "thumbnail", *kinds)
        for (path, kind), answer, size in zip(kinds, answers, ((256, 128), (86, 256))):
            with self.subTest(kind):
                made = self.cache / "thumbnails" / "large" / self.place(path)
                self.assertEqual(answer["values"], {THUMBNAIL: str(made)})
                self.assertEqual(self.size(made), size)
                status = path.stat()
                self.assertEqual(
                    self.texts(made),
                    {"Thumb::URI": path.as_uri(), "Thumb::MTime": str(int(status.st_mtime)),
                     "Thumb::Size": str(status.st_size), "Thumb::Mimetype": kind, "Software": "pickerd"},
                )  # fmt: skip
                self.assertEqual(made.stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.cache / "thumbnails" / "large").stat().st_mode & 0o777, 0o700)
        before = [(self.cache / "thumbnails" / "large" / self.place(path)).stat() for path, _ in kinds]
        self.assertEqual(self.ask(host, "thumbnail", *kinds), answers)
        after = [(self.cache / "thumbnails" / "large" / self.place(path)).stat() for path, _ in kinds]
        self.assertEqual(before, after)
        # Another state of the file has another thumbnail.
        image.write_bytes(png(200, 400))
        os.utime(image, (1_700_000_000, 1_700_000_000))
        (answer,) = self.ask(host, "thumbnail", kinds[0])
        self.assertEqual(self.size(Path(answer["values"][THUMBNAIL])), (128, 256))
        self.assertEqual(sorted(os.listdir(self.cache / "thumbnails" / "large")), sorted(self.place(p) for p, _ in kinds))
        self.assertEqual(os.listdir(self.folder / "work"), [])

    def test_what_others_have_made_is_taken(self) -> None:
        host = self.start_thumbnailer()
        image = self.file("a.png", png(400, 200))
        other = self.cache / "thumbnails" / "x-large" / self.place(image)
        other.parent.mkdir(parents=True)
        moment = str(int(image.stat().st_mtime)).encode()
        uri = image.as_uri().encode()
        other.write_bytes(png(4, 2, chunk(b"tEXt", b"Thumb::URI\0" + uri), chunk(b"tEXt", b"Thumb::MTime\0" + moment)))
        self.assertEqual(self.ask(host, "thumbnail", (image, "image/png"))[0]["values"], {THUMBNAIL: str(other)})
        (answer,) = self.ask(host, "thumbnail", (other, "image/png"))
        self.assertIn("none", answer)

    def test_the_size_is_that_of_the_settings(self) -> None:
        host = self.start_thumbnailer({"size": "normal"})
        image = self.file("a.png", png(400, 200))
        (answer,) = self.ask(host, "thumbnail", (image, "image/png"))
        self.assertEqual(Path(answer["values"][THUMBNAIL]).parent.name, "normal")
        self.assertEqual(self.size(Path(answer["values"][THUMBNAIL])), (128, 64))
        error = host.error("plugin.configure", {"config": {"size": "huge"}})
        self.assertIn("must be one of normal, large, x-large, xx-large", error["message"])

    def test_what_cannot_be_shown_is_remembered(self) -> None:
        host = self.start_thumbnailer()
        whole = png(64, 48)
        broken = [self.file("cut.png", whole[:30]), self.file("no.png", b"text"), self.file("e.pdf", b"%PDF-1.4")]
        kinds = [(path, "application/pdf" if path.suffix == ".pdf" else "image/png") for path in broken]
        answers = self.ask(host, "thumbnail", *kinds, (self.file("x.odd", b"x"), "application/x-odd"))
        self.assertEqual({answer.get("error") for answer in answers[:3]}, {"the program for its type can't show it"})
        self.assertIn("none", answers[3])
        failed = self.cache / "thumbnails" / "fail" / "pickerd-thumbnails-1"
        self.assertEqual(sorted(os.listdir(failed)), sorted(self.place(path) for path in broken))
        self.assertEqual(self.texts(failed / self.place(broken[0]))["Thumb::URI"], broken[0].as_uri())
        before = len(host.log())
        self.assertEqual(self.ask(host, "thumbnail", *kinds), answers[:3])
        self.assertEqual(len(host.log()), before)
        broken[0].write_bytes(whole)
        os.utime(broken[0], (1_700_000_000, 1_700_000_000))
        self.assertIn("values", self.ask(host, "thumbnail", kinds[0])[0])

    def test_programs_are_those_of_the_entries_and_are_not_trusted(self) -> None:
        data = self.folder / "data"
        (data / "thumbnailers").mkdir(parents=True)
        script = self.folder / "made by"
        script.write_text('#!/bin/sh\ncase $(cat "$1") in hang) sleep 1000;; long) yes;; die) kill -9 $$;; '
                          'huge) cp "$HUGE" "$3";; link) ln -s /etc/passwd "$3";; pipe) mkfifo "$3";; '
                          'good) test "$2" = 256 && cp "$GOOD" "$3";; esac\n'
                          .replace("$HUGE", str(self.file("huge.png", png(257, 2))))
                          .replace("$GOOD", str(self.file("good.png", png(256, 2, chunk(b"tEXt", b"Thumb::URI\0x"))))))
        script.chmod(0o700)
        (data / "thumbnailers" / "a.thumbnailer").write_text(
            f'[Other]\nExec=/bin/false %o\n[Thumbnailer Entry]\nTryExec={script}\nExec="{script}" %i %s %o\n'
            "MimeType=text/x-made;text/x-other;\n"
        )
        (data / "thumbnailers" / "b.thumbnailer").write_text("[Thumbnailer Entry]\nExec=none %o\nMimeType=text/x-none\n")
        host = self.start_thumbnailer(XDG_DATA_HOME=str(data))
        words = ("die", "huge", "link", "pipe", "nothing", "long", "good")
        answers = self.ask(host, "thumbnail", *((self.file(word, word.encode()), "text/x-made") for word in words))
        for word, answer in zip(words[:-1], answers):
            self.assertEqual(answer.get("error"), "the program for its type can't show it", word)
        made = Path(answers[-1]["values"][THUMBNAIL])
        self.assertEqual(self.texts(made)["Thumb::URI"], (self.folder / "good").as_uri())
        self.assertIn("none", self.ask(host, "thumbnail", (self.file("other", b"good"), "text/x-none"))[0])
        # While one hangs, pings are answered; a cancelled one is no failure.
        hanging = {**file_of(self.file("hang", b"hang")), "type": "text/x-made"}
        number = host.ask("attributes.extract", {"group": "thumbnail", "files": [hanging]})
        self.assertEqual(host.request("plugin.ping"), {})
        host.send({"method": "$/cancel", "params": {"id": number}})
        self.assertEqual(host.reply(number)["error"]["code"], 1002)
        failed = self.cache / "thumbnails" / "fail" / "pickerd-thumbnails-1"
        self.assertNotIn(self.place(self.folder / "hang"), os.listdir(failed))

    def test_broken_images_end_nothing(self) -> None:
        host = self.start_thumbnailer()
        random_ = seeded("broken images for thumbnails")
        files = [(self.file(f"m{n}.png", mutated(png(64, 48), random_)), "image/png") for n in range(40)]
        answers = self.ask(host, "thumbnail", *files, (self.folder / "missing", "image/png"))
        self.assertEqual({len(answer) for answer in answers[:-1]}, {2})
        self.assertIn("ENOENT", answers[-1]["error"])
        good = self.file("good.png", png(64, 48))
        self.assertIn("values", self.ask(host, "thumbnail", (good, "image/png"))[0])


def bookmark(uri: str, visited: str = "2024-05-01T10:00:00.5Z", inside: str = "") -> str:
    return (
        f'<bookmark href="{uri}" added="2024-01-01T00:00:00Z" modified="2024-02-01T00:00:00Z" visited="{visited}">'
        f'<info><metadata><mime:mime-type type="text/plain"/>{inside}</metadata></info></bookmark>'
    )


def xbel(*bookmarks: str, before: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<xbel version="1.0" '
        'xmlns:bookmark="http://www.freedesktop.org/standards/desktop-bookmarks" '
        'xmlns:mime="http://www.freedesktop.org/standards/shared-mime-info">' + "".join(bookmarks) + "</xbel>"
    ).encode()


class RecentTests(PluginCase):
    """What was used recently."""

    def replace(self, data: bytes) -> None:
        new = self.file("new", data)
        new.rename(self.folder / "recently-used.xbel")

    def start_recent(self, folder: str = "") -> Host:
        host = self.start("recent/recent", XDG_DATA_HOME=str(self.folder / folder))
        # It may have changed before.
        self.assertEqual(self.changes(host, 1), [{"group": "opened"}])
        return host

    def open(self, host: Host) -> Recent:
        recent = Recent(host)
        recent.open()
        recent.settle()
        return recent

    def test_entries_are_items_and_are_followed(self) -> None:
        self.replace(xbel(bookmark("file:///a/b%20%C3%A4.txt"), bookmark("https://example.org/x", "bad")))
        host = self.start_recent()
        recent = self.open(host)
        self.assertEqual(recent.items["file:///a/b%20%C3%A4.txt"], {
            "id": "file:///a/b%20%C3%A4.txt", "name": "b ä.txt", "uri": "file:///a/b%20%C3%A4.txt",
            "modified": 1706745600, "type": "text/plain", "recent.opened": 1714557600.5,
        })  # fmt: skip
        self.assertEqual(recent.items["https://example.org/x"]["recent.opened"], 1706745600)
        self.file("other.xbel", b"something else")
        self.replace(xbel(bookmark("file:///c"), bookmark("file:///d", inside="<bookmark:private/>")))
        self.assertTrue(eventually(lambda: recent.settled() == ["file:///c"]))
        (self.folder / "recently-used.xbel").unlink()
        self.assertTrue(eventually(lambda: recent.settled() == []))
        self.file("recently-used.xbel", xbel(bookmark("file:///e")))
        self.assertTrue(eventually(lambda: recent.settled() == ["file:///e"]))
        self.assertEqual(recent.resets, 1)

    def test_documents_have_when_they_were_opened(self) -> None:
        self.replace(xbel(
            bookmark("file:///a/%FF"), bookmark("file://localhost/b"), bookmark("file://other/c"),
            bookmark("file:///b", "2024-05-02T10:00:00+02:00"),
        ))  # fmt: skip
        host = self.start_recent()
        answers = host.extract("opened", [b"/a/\xff", "/b", "/c"])
        self.assertEqual(answers, [
            {"values": {"recent.opened": 1714557600.5}}, {"values": {"recent.opened": 1714636800}}, {"none": True},
        ])  # fmt: skip

    def test_the_daemon_is_told_which_documents_were_opened_since(self) -> None:
        self.replace(xbel(bookmark("file:///a"), bookmark("file:///b"), bookmark("file:///c")))
        host = self.start_recent()
        self.ask(host, "opened", "recent.opened", "/a", "/b", "/d")
        later = "2024-05-02T10:00:00+02:00"
        self.replace(xbel(
            bookmark("file:///a"), bookmark("file:///b", later), bookmark("file:///c", later), bookmark("file:///d"),
        ))  # fmt: skip
        self.assertEqual(self.changes(host, 1), [{"group": "opened", "keys": ["k/b", "k/d"]}])
        self.assertEqual(host.extract("opened", ["/b"]), [{"values": {"recent.opened": 1714636800}}])
        (self.folder / "recently-used.xbel").unlink()
        self.assertEqual(self.changes(host, 1), [{"group": "opened", "keys": ["f1", "k/a", "k/d"]}])

    def test_a_faulty_list_changes_nothing(self) -> None:
        self.replace(xbel(bookmark("file:///a")))
        host = self.start_recent()
        recent = self.open(host)
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        cases = [
            (xbel(bookmark("file:///&b;"), before=bomb), "declarations"),
            (xbel(before='<!DOCTYPE x SYSTEM "file:///etc/passwd">'), "declarations"),
            (xbel("<a>" * 70 + "</a>" * 70), "nested"), (b"<xbel>", "no XML"), (b"\xff\xfe\0", "no XML"),
            (xbel(" " * (17 << 20)), "longer than"),
            (xbel(*(bookmark(f"file:///{n}") for n in range(10_001))), "10000 entries"),
        ]  # fmt: skip
        for data, words in cases:
            with self.subTest(words):
                said = host.log().count(words)
                self.replace(data)
                self.assertTrue(eventually(lambda w=words, n=said: host.log().count(w) > n))  # type: ignore[misc]
                self.assertEqual(recent.settled(), ["file:///a"])
        self.replace(xbel(bookmark("file:///z")))
        self.assertTrue(eventually(lambda: recent.settled() == ["file:///z"]))

    def test_without_a_list_there_is_nothing(self) -> None:
        host = self.start_recent("none")
        self.assertEqual(self.open(host).items, {})
        self.assertIn("are not seen", host.log())
        self.assertEqual(host.extract("opened", ["/a"]), [{"none": True}])


class Recent(Collection):
    """What the daemon has of this source."""

    name = "recent"

    def settled(self) -> list[str]:
        self.settle()
        return sorted(self.items)


if __name__ == "__main__":
    python = (ImageTests, StripTests, GitTests, RecentTests)
    sys.exit(run(ManifestTests, *python, TextTests, ThumbnailTests, about="plugins"))
