"""Reads the size and the metadata of images, by the structure of the file and nothing else.

``read(descriptor)`` returns ``Facts`` of JPEG, PNG, WebP, GIF, TIFF, HEIC and AVIF, and None for anything else.
It does not decode pictures. At most 1 MiB of a file is read, wherever it lies in it; each offset and each count
is checked against what is there, three folders of tags are read, and boxes within boxes to a fixed depth.
``Malformed`` is raised for what begins like an image and is none.
"""

from __future__ import annotations

import datetime
import os
import re
import struct
import time
import zlib
from collections.abc import Iterator
from typing import Final

MOST_READ: Final = 1 << 20
"""The most bytes that are read of one file."""
MOST_SEGMENTS: Final = 4096
"""The most segments, chunks or boxes of one file that are looked at."""
MOST_TAGS: Final = 1024
"""The most tags of one folder of tags."""
MOST_TEXT: Final = 4096
"""The most bytes of one text that are taken."""
BLOCK: Final = 1 << 14
"""What is read at once: the metadata of most photographs lies within it."""


class Malformed(ValueError):
    """It begins like an image, and is none, or is cut off."""


class Facts:
    """What was found. None, False and empty: not there."""

    __slots__ = (
        "camera",
        "faces",
        "gps",
        "height",
        "orientation",
        "owner",
        "serial",
        "taken",
        "tracked",
        "width",
    )

    def __init__(self) -> None:
        #: In pixels, as stored: an orientation is not applied.
        self.width: int | None = None
        self.height: int | None = None
        #: Seconds since 1970.
        self.taken: float | None = None
        self.camera: str | None = None
        self.orientation = 1
        #: Whether there is a position, the serial number of a device, the name of an owner, a marked face.
        self.gps = False
        self.serial = False
        self.owner = False
        self.faces = False
        #: Whether there is the mark that Facebook puts into what it serves.
        self.tracked = False

    def values(self) -> dict[str, int | float | str | bool | None]:
        """The attributes."""
        return {
            "image.width": self.width,
            "image.height": self.height,
            "image.taken": self.taken,
            "image.camera": self.camera,
            "image.gps": self.gps,
            "image.tracked": self.tracked,
            "image.tracker": "facebook" if self.tracked else None,
            "image.personal": self.gps + self.serial + self.owner + self.faces,
        }


# ---- What engines have in common -----------------------------------------------------------------

_MOMENT: Final = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)")
_OFFSET: Final = re.compile(r"([+-])(\d\d):(\d\d)")
_FRACTION: Final = re.compile(r"\d{1,9}")


def moment(text: str | None, fraction: str | None, offset: str | None) -> float | None:
    """Seconds since 1970 of an EXIF time, a fraction of a second in digits, and an offset such as +02:00.

    Without an offset it is the clock of the camera, which is taken for the time of this machine's zone: where
    a list shows it, it then has the digits that the camera showed.
    """
    found = _MOMENT.fullmatch((text or "").strip(" \0"))
    if found is None:
        return None
    zone = _OFFSET.fullmatch((offset or "").strip(" \0"))
    try:
        when = datetime.datetime(*map(int, found.groups()))  # type: ignore[arg-type]
        if zone is not None:
            minutes = int(zone[2]) * 60 + int(zone[3])
            delta = datetime.timedelta(minutes=-minutes if zone[1] == "-" else minutes)
            seconds = when.replace(tzinfo=datetime.timezone(delta)).timestamp()
        else:
            seconds = time.mktime(when.timetuple())
    except (ValueError, OverflowError):
        return None
    digits = _FRACTION.fullmatch((fraction or "").strip(" \0"))
    return seconds + (int(digits[0]) / 10 ** len(digits[0]) if digits is not None else 0)


def camera(make: str | None, model: str | None) -> str | None:
    """What people call a camera: its model, and its make before it unless the model begins with that."""
    make, model = ((part or "").split("\0")[0].strip() for part in (make, model))
    if model.lower().startswith(make.lower()):
        make = ""
    return " ".join(f"{make} {model}".split()) or None


#: Regions of faces, by the Metadata Working Group, by Microsoft and by Apple.
_FACES: Final = re.compile(
    rb"""mwg-rs:Type\s*(?:=\s*["']|>\s*)Face\b|MPRI:Regions|MPReg:PersonDisplayName|apple-fi:""", re.I
)
_SERIAL: Final = re.compile(rb"""\b(?:aux|exifEX):(?:Body)?SerialNumber\s*(?:=\s*["']|>)\s*[^"'<\s]""")
_OWNER: Final = re.compile(rb"""\b(?:aux:OwnerName|exifEX:CameraOwnerName)\s*(?:=\s*["']|>)\s*[^"'<\s]""")


def take_xmp(facts: Facts, packet: bytes) -> None:
    """Looks for faces, serial numbers and owners in an XMP packet. It is not parsed: its words suffice."""
    facts.faces = facts.faces or _FACES.search(packet) is not None
    facts.serial = facts.serial or _SERIAL.search(packet) is not None
    facts.owner = facts.owner or _OWNER.search(packet) is not None


# ---- Bounded reading -----------------------------------------------------------------------------


class _Reader:
    """Bytes of a file at their offsets, up to a total."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._left = MOST_READ
        self.size = os.fstat(descriptor).st_size
        self._block = b""
        self._at = 0

    def some(self, offset: int, count: int) -> bytes:
        """These bytes; fewer at the end of the file. Raises ``Malformed`` past the total."""
        start = offset - self._at
        if not 0 <= start <= start + count <= len(self._block):
            if offset < 0 or count > self._left:
                raise Malformed("its metadata is too long, or too far apart")
            self._block = os.pread(self._descriptor, min(max(count, BLOCK), self._left), offset)
            self._left -= len(self._block)
            self._at, start = offset, 0
        return self._block[start : start + count]

    def all(self, offset: int, count: int) -> bytes:
        """These bytes. Raises ``Malformed`` if the file ends before."""
        data = self.some(offset, count)
        if len(data) < count:
            raise Malformed("it is cut off")
        return data


class _Bytes(_Reader):
    """The same for bytes that are in memory."""

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._data = data

    def some(self, offset: int, count: int) -> bytes:
        if offset < 0:
            raise Malformed("an offset is negative")
        return self._data[offset : offset + count]


# ---- EXIF and TIFF -------------------------------------------------------------------------------

_SIZES: Final = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_WIDTH, _HEIGHT, _MAKE, _MODEL, _ORIENTATION = 0x100, 0x101, 0x10F, 0x110, 0x112
_XMP, _IPTC, _EXIF, _GPS, _DNG_SERIAL = 0x2BC, 0x83BB, 0x8769, 0x8825, 0xC62F
_ORIGINAL, _OFFSET_ORIGINAL, _FRACTION_ORIGINAL = 0x9003, 0x9011, 0x9291
_OWNER_NAME, _BODY_SERIAL, _LENS_SERIAL = 0xA430, 0xA431, 0xA435


class _Tags:
    """A folder of tags of a TIFF structure."""

    def __init__(self, reader: _Reader, order: str, offset: int) -> None:
        self._reader = reader
        self._order = order
        #: Type, count, and where the value lies, by tag; the first of each.
        self._entries: dict[int, tuple[int, int, int]] = {}
        (count,) = struct.unpack(order + "H", reader.all(offset, 2))
        if count > MOST_TAGS:
            raise Malformed(f"it has {count} tags in one folder")
        data = reader.some(offset + 2, count * 12 + 4)
        for index in range(min(count, len(data) // 12)):
            tag, kind, number = struct.unpack_from(order + "HHI", data, index * 12)
            size = _SIZES.get(kind, 0) * number
            if not size:
                continue
            at = offset + 2 + index * 12 + 8
            if size > 4:
                (at,) = struct.unpack_from(order + "I", data, index * 12 + 8)
            if at + size <= reader.size:
                self._entries.setdefault(tag, (kind, number, at))

    def __contains__(self, tag: int) -> bool:
        return tag in self._entries

    def integer(self, tag: int) -> int | None:
        kind, _, at = self._entries.get(tag, (0, 0, 0))
        form = {1: "B", 3: "H", 4: "I", 13: "I"}.get(kind)
        if form is None:
            return None
        (value,) = struct.unpack(self._order + form, self._reader.all(at, struct.calcsize(form)))
        return int(value)

    def text(self, tag: int) -> str | None:
        kind, count, at = self._entries.get(tag, (0, 0, 0))
        if kind not in (2, 7):
            return None
        data = self._reader.some(at, min(count, MOST_TEXT)).split(b"\0")[0]
        return data.decode("utf-8", "replace").strip()

    def raw(self, tag: int) -> bytes:
        kind, count, at = self._entries.get(tag, (0, 0, 0))
        size = _SIZES.get(kind, 0) * count
        return self._reader.some(at, size) if size <= MOST_READ // 2 else b""

    def is_position(self, tag: int) -> bool:
        """Whether it is degrees, minutes and seconds."""
        kind, count, at = self._entries.get(tag, (0, 0, 0))
        if kind not in (5, 10) or count != 3:
            return False
        numbers = struct.unpack(self._order + "6I", self._reader.all(at, 24))
        return all(numbers[1::2])


def _read_tiff(reader: _Reader, facts: Facts, is_image: bool = False) -> None:
    """Reads a TIFF structure: a file, or the EXIF block of another one, whose size is not the image's."""
    head = reader.all(0, 8)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(head[:4])
    if order is None:
        raise Malformed("its EXIF block has no valid beginning")
    (first,) = struct.unpack(order + "I", head[4:])

    # Each is read once, whatever they say of others: nothing goes on from the folder that these three may name.
    def folder(offset: int | None) -> _Tags | None:
        return _Tags(reader, order, offset) if offset else None

    main = folder(first)
    if main is None:
        return
    if is_image:
        facts.width, facts.height = main.integer(_WIDTH), main.integer(_HEIGHT)
        take_xmp(facts, main.raw(_XMP))
        facts.tracked = _is_tracked(main.raw(_IPTC))
    facts.camera = camera(main.text(_MAKE), main.text(_MODEL))
    facts.serial |= bool(main.text(_DNG_SERIAL))
    orientation = main.integer(_ORIENTATION)
    if orientation is not None and 1 <= orientation <= 8:
        facts.orientation = orientation
    # A folder that is broken takes nothing from the others.
    try:
        if (detail := folder(main.integer(_EXIF))) is not None:
            facts.serial |= bool(detail.text(_BODY_SERIAL) or detail.text(_LENS_SERIAL))
            facts.owner |= bool(detail.text(_OWNER_NAME))
            texts = (detail.text(tag) for tag in (_ORIGINAL, _FRACTION_ORIGINAL, _OFFSET_ORIGINAL))
            facts.taken = moment(*texts)
    except Malformed:
        pass
    try:
        if (position := folder(main.integer(_GPS))) is not None:
            facts.gps = position.is_position(2) and position.is_position(4)
    except Malformed:
        pass


def _take_exif(block: bytes, facts: Facts) -> None:
    """Reads an EXIF block within an image, which is one without it as well."""
    if block.startswith(b"Exif\0\0"):
        block = block[6:]
    try:
        _read_tiff(_Bytes(block), facts)
    except (Malformed, struct.error):
        pass


# ---- IPTC ----------------------------------------------------------------------------------------


def _is_tracked(data: bytes) -> bool:
    """Whether the special instructions (2:40) of an IPTC block begin with Facebook's mark."""
    at = 0
    for _ in range(MOST_SEGMENTS):
        if len(data) < at + 5 or data[at] != 0x1C:
            return False
        record, number = data[at + 1], data[at + 2]
        (size,) = struct.unpack_from(">H", data, at + 3)
        at += 5
        if size & 0x8000:
            # The size follows, in so many bytes.
            digits = size & 0x7FFF
            if digits > 4:
                return False
            size = int.from_bytes(data[at : at + digits])
            at += digits
        if (record, number) == (2, 40):
            # The standard has one of these at most; gexiv2 as well knows the first alone.
            return data[at : at + min(size, 4)] == b"FBMD"
        at += size
    return False


def _take_photoshop(data: bytes, facts: Facts) -> None:
    """Finds the IPTC block in Photoshop's resources."""
    at = 0
    for _ in range(MOST_SEGMENTS):
        if data[at : at + 4] != b"8BIM" or len(data) < at + 12:
            return
        (number,) = struct.unpack_from(">H", data, at + 4)
        # A name with its length before it, and both padded to an even number.
        at += 6 + (data[at + 6] + 2 & ~1)
        if len(data) < at + 4:
            return
        (size,) = struct.unpack_from(">I", data, at)
        if number == 0x404:
            facts.tracked = facts.tracked or _is_tracked(data[at + 4 : at + 4 + size])
        at += 4 + (size + 1 & ~1)


# ---- Formats -------------------------------------------------------------------------------------

_XMP_HEAD: Final = b"http://ns.adobe.com/xap/1.0/\0"
_PHOTOSHOP_HEAD: Final = b"Photoshop 3.0\0"
#: Starts of frames, which have the size: all of C0 to CF but DHT, JPG and DAC.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _read_jpeg(reader: _Reader, facts: Facts) -> None:
    at = 2
    resources: list[bytes] = []
    has_exif = False
    for _ in range(MOST_SEGMENTS):
        head = reader.some(at, 4)
        if len(head) < 4 or head[0] != 0xFF:
            break
        marker = head[1]
        if marker == 0xFF:
            at += 1  # any number of these may stand before a marker
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        if marker in (0xD9, 0xDA):
            break
        size = struct.unpack(">H", head[2:])[0]
        if size < 2:
            break
        if marker in _FRAMES:
            if facts.width is None:
                facts.height, facts.width = struct.unpack(">HH", reader.all(at + 5, 4))
        elif marker == 0xE1:
            data = reader.all(at + 4, size - 2)
            if data.startswith(b"Exif\0\0") and not has_exif:
                has_exif = True
                _take_exif(data, facts)
            elif data.startswith(_XMP_HEAD):
                take_xmp(facts, data[len(_XMP_HEAD) :])
        elif marker == 0xED:
            data = reader.all(at + 4, size - 2)
            if data.startswith(_PHOTOSHOP_HEAD):
                resources.append(data[len(_PHOTOSHOP_HEAD) :])
        at += 2 + size
    if facts.width is None:
        raise Malformed("it is cut off before the size of the image")
    # Resources that are longer than a segment go on in the next one.
    _take_photoshop(b"".join(resources), facts)


def _read_png(reader: _Reader, facts: Facts) -> None:
    head = reader.all(8, 16)
    if head[4:8] != b"IHDR":
        raise Malformed("it does not begin with IHDR")
    facts.width, facts.height = struct.unpack(">II", head[8:])
    at = 8
    for _ in range(MOST_SEGMENTS):
        chunk = reader.some(at, 8)
        if len(chunk) < 8 or chunk[4:] == b"IEND":
            return
        size, kind = struct.unpack(">I4s", chunk)
        if kind == b"eXIf" and size <= MOST_READ // 2:
            _take_exif(reader.some(at + 8, size), facts)
        elif kind == b"iTXt" and size <= MOST_READ // 2:
            _take_png_text(reader.some(at + 8, size), facts)
        at += 12 + size


def _take_png_text(data: bytes, facts: Facts) -> None:
    keyword, _, rest = data.partition(b"\0")
    if keyword != b"XML:com.adobe.xmp" or len(rest) < 2:
        return
    text = rest[2:].split(b"\0", 2)[-1]
    if rest[0]:
        try:
            text = zlib.decompressobj().decompress(text, MOST_READ)
        except zlib.error:
            return
    take_xmp(facts, text)


def _read_webp(reader: _Reader, facts: Facts) -> None:
    at = 12
    for _ in range(MOST_SEGMENTS):
        head = reader.some(at, 8)
        if len(head) < 8:
            break
        kind, size = struct.unpack("<4sI", head)
        if kind == b"VP8X":
            data = reader.all(at + 8, 10)
            facts.width = 1 + int.from_bytes(data[4:7], "little")
            facts.height = 1 + int.from_bytes(data[7:10], "little")
        elif kind == b"VP8 " and facts.width is None:
            data = reader.all(at + 8, 10)
            if data[3:6] == b"\x9d\x01\x2a":
                width, height = struct.unpack("<HH", data[6:])
                facts.width, facts.height = width & 0x3FFF, height & 0x3FFF
        elif kind == b"VP8L" and facts.width is None:
            data = reader.all(at + 8, 5)
            if data[0] == 0x2F:
                bits = int.from_bytes(data[1:], "little")
                facts.width, facts.height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        elif kind == b"EXIF" and size <= MOST_READ // 2:
            _take_exif(reader.some(at + 8, size), facts)
        elif kind == b"XMP " and size <= MOST_READ // 2:
            take_xmp(facts, reader.some(at + 8, size))
        at += 8 + (size + 1 & ~1)
    if facts.width is None:
        raise Malformed("it has no size")


def _read_gif(reader: _Reader, facts: Facts) -> None:
    # The comments and XMP blocks of a GIF lie among its pictures, which would have to be read.
    facts.width, facts.height = struct.unpack("<HH", reader.all(6, 4))


# ---- HEIC and AVIF -------------------------------------------------------------------------------

_HEIF_BRANDS: Final = frozenset(
    (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif", b"avis")
)


def _boxes(reader: _Reader, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """The kind, the start and the end of the content of each box."""
    for _ in range(MOST_SEGMENTS):
        if start + 8 > end:
            return
        size, kind = struct.unpack(">I4s", reader.all(start, 8))
        head = 8
        if size == 1:
            (size,) = struct.unpack(">Q", reader.all(start + 8, 8))
            head = 16
        elif size == 0:
            size = end - start
        if size < head or start + size > end:
            raise Malformed("a box is longer than what it is in")
        yield kind, start + head, start + size
        start += size


class _Cursor:
    """Numbers one after the other in the content of a box."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, size: int) -> int:
        if self._at + size > len(self._data):
            raise Malformed("a box is cut off")
        self._at += size
        return int.from_bytes(self._data[self._at - size : self._at])

    def text(self) -> bytes:
        end = self._data.find(b"\0", self._at)
        end = len(self._data) if end < 0 else end
        text, self._at = self._data[self._at : end], end + 1
        return text


def _read_heif(reader: _Reader, facts: Facts) -> None:
    for kind, start, end in _boxes(reader, 0, reader.size):
        if kind == b"meta":
            _read_meta(reader, start + 4, end, facts)
            break
    if facts.width is None:
        raise Malformed("it has no size")


def _read_meta(reader: _Reader, start: int, end: int, facts: Facts) -> None:
    inside: dict[bytes, tuple[int, int]] = {}
    for kind, first, last in _boxes(reader, start, end):
        inside.setdefault(kind, (first, last))

    def content(kind: bytes) -> _Cursor | None:
        first, last = inside.get(kind, (0, 0))
        return _Cursor(reader.all(first, last - first)) if 0 < last - first <= MOST_READ // 2 else None

    primary = 0
    if (box := content(b"pitm")) is not None:
        version = box.number(4) >> 24
        primary = box.number(4 if version else 2)
    if b"iprp" in inside:
        _read_properties(reader, *inside[b"iprp"], primary, facts)
    kinds = _item_kinds(reader, inside[b"iinf"]) if b"iinf" in inside else {}
    wanted = {number for number, kind in kinds.items() if kind in (b"Exif", b"mime")}
    if wanted and (box := content(b"iloc")) is not None:
        for number, at, size in _places(box, wanted):
            if size > MOST_READ // 2 or at + size > reader.size:
                continue
            data = reader.some(at, size)
            if kinds[number] == b"mime":
                take_xmp(facts, data)
            elif len(data) > 4:
                # What lies between is told first.
                _take_exif(data[4 + int.from_bytes(data[:4]) :], facts)


def _read_properties(reader: _Reader, start: int, end: int, primary: int, facts: Facts) -> None:
    """The size of the primary item: one of the properties that are associated with it."""
    sizes: dict[int, tuple[int, int]] = {}
    mine: set[int] = set()
    for kind, first, last in _boxes(reader, start, end):
        if kind == b"ipco":
            for index, (name, at, until) in enumerate(_boxes(reader, first, last), 1):
                if name == b"ispe" and until - at >= 12:
                    width, height = struct.unpack(">II", reader.all(at + 4, 8))
                    sizes[index] = (width, height)
        elif kind == b"ipma" and last - first <= MOST_READ // 2:
            mine |= _associated(_Cursor(reader.all(first, last - first)), primary)
    chosen = [size for index, size in sizes.items() if index in mine] or sorted(sizes.values())[-1:]
    if chosen:
        facts.width, facts.height = chosen[0]


def _associated(box: _Cursor, primary: int) -> set[int]:
    flags = box.number(4)
    found: set[int] = set()
    for _ in range(min(box.number(4), MOST_SEGMENTS)):
        item = box.number(4 if flags >> 24 else 2)
        for _ in range(box.number(1)):
            index = box.number(2) & 0x7FFF if flags & 1 else box.number(1) & 0x7F
            if item == primary:
                found.add(index)
    return found


def _item_kinds(reader: _Reader, place: tuple[int, int]) -> dict[int, bytes]:
    first, last = place
    version = reader.all(first, 1)[0]
    kinds: dict[int, bytes] = {}
    for kind, start, end in _boxes(reader, first + (8 if version else 6), last):
        if kind != b"infe" or end - start > MOST_TEXT:
            continue
        box = _Cursor(reader.all(start, end - start))
        version = box.number(4) >> 24
        if version < 2:
            continue
        number = box.number(2 if version == 2 else 4)
        box.number(2)
        name = box.number(4).to_bytes(4)
        box.text()
        if name != b"mime" or box.text() == b"application/rdf+xml":
            kinds[number] = name
    return kinds


def _places(box: _Cursor, wanted: set[int]) -> list[tuple[int, int, int]]:
    """The item, the offset and the length of each that lies in one piece in the file itself."""
    version = box.number(4) >> 24
    sizes = box.number(2)
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version else 0
    if any(size not in (0, 4, 8) for size in (offset_size, length_size, base_size, index_size)):
        raise Malformed("it has numbers of an unknown size")
    found = []
    for _ in range(min(box.number(2 if version < 2 else 4), MOST_SEGMENTS)):
        number = box.number(2 if version < 2 else 4)
        method = box.number(2) & 15 if version else 0
        box.number(2)
        base = box.number(base_size)
        extents = []
        for _ in range(box.number(2)):
            box.number(index_size)
            extents.append((base + box.number(offset_size), box.number(length_size)))
        if number in wanted and method == 0 and len(extents) == 1:
            found.append((number, *extents[0]))
    return found


# ---- All of them ---------------------------------------------------------------------------------


def read(descriptor: int) -> Facts | None:
    """The facts of an image; None if it is none that is known here. Raises ``Malformed``, ``OSError``."""
    reader = _Reader(descriptor)
    facts = Facts()
    head = reader.some(0, 16)
    try:
        if head.startswith(b"\xff\xd8\xff"):
            _read_jpeg(reader, facts)
        elif head.startswith(b"\x89PNG\r\n\x1a\n"):
            _read_png(reader, facts)
        elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            _read_webp(reader, facts)
        elif head[:6] in (b"GIF87a", b"GIF89a"):
            _read_gif(reader, facts)
        elif head[:4] in (b"II*\0", b"MM\0*"):
            _read_tiff(reader, facts, is_image=True)
        elif head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS:
            _read_heif(reader, facts)
        else:
            return None
    except struct.error:
        raise Malformed("it is cut off") from None
    if facts.width is None or facts.height is None:
        raise Malformed("it has no size")
    return facts
