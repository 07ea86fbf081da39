"""Takes the metadata out of JPEG, PNG and WebP images: ``strip(data)`` returns what stays.

What shows the picture stays as it is, byte for byte: the compressed pixels, colour profiles, animations,
transparency, and the orientation, as a new EXIF block of that alone. Everything else goes, known or not.
``Unsupported`` is raised for a file that is not understood from its first to its last byte, also if something
follows the image, such as a second one or a film: whether that is to go is not for this program to decide.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_PARTS: Final = 1 << 20
"""The most segments or chunks of one image."""


class Unsupported(ValueError):
    """The image is not one that is understood completely."""


class Stripped(NamedTuple):
    """What stays of an image."""

    #: The new file.
    data: bytes
    #: The pieces of it that are the picture, for comparison.
    picture: list[bytes | memoryview]


def strip(data: bytes) -> Stripped:
    """What stays of an image. Raises ``Unsupported``."""
    view = memoryview(data)
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _strip_jpeg(data, view)
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return _strip_png(view)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _strip_webp(view)
    except (struct.error, IndexError):
        raise Unsupported("the image is cut off") from None
    raise Unsupported("it is neither a JPEG, a PNG nor a WebP image")


# ---- The orientation -----------------------------------------------------------------------------


def orientation(block: bytes) -> int:
    """The orientation in an EXIF block; 1, upright, if there is none."""
    if block.startswith(b"Exif\0\0"):
        block = block[6:]
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(block[:4])
    try:
        if order is not None:
            (at,) = struct.unpack_from(order + "I", block, 4)
            (count,) = struct.unpack_from(order + "H", block, at)
            for index in range(count):
                tag, kind, number, value = struct.unpack_from(order + "HHIH", block, at + 2 + index * 12)
                if (tag, kind, number) == (0x112, 3, 1):
                    return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1


def exif_of(value: int) -> bytes:
    """An EXIF block of an orientation alone."""
    return b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, value, 0, 0)


# ---- JPEG ----------------------------------------------------------------------------------------


def _strip_jpeg(data: bytes, view: memoryview) -> Stripped:
    head: list[bytes | memoryview] = [view[:2]]
    picture: list[bytes | memoryview] = []
    turned = 1
    at = 2
    for _ in range(MOST_PARTS):
        if data[at] != 0xFF:
            raise Unsupported("there is something between two segments of the JPEG image")
        while data[at + 1] == 0xFF:
            at += 1
        marker = data[at + 1]
        if marker == 0xD9:
            picture.append(view[at : at + 2])
            at += 2
            break
        if marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            raise Unsupported(f"the JPEG image has the marker {marker:02X} where none belongs")
        (size,) = struct.unpack_from(">H", data, at + 2)
        end = at + 2 + size
        if size < 2 or end > len(data):
            raise Unsupported("a segment of the JPEG image is cut off")
        segment = view[at:end]
        if marker == 0xE1 and bytes(segment[4:10]) == b"Exif\0\0" and turned == 1:
            turned = orientation(bytes(segment[4:]))
        at = end
        if marker == 0xDA:
            if len(segment) < 6 or len(segment) != 8 + 2 * segment[4]:
                raise Unsupported("the beginning of a scan of the JPEG image is faulty")
            at = _scan_end(data, end)
            picture.append(view[end - 2 - size : at])
        elif marker == 0xE0 and bytes(segment[4:9]) == b"JFIF\0":
            head.append(_without_thumbnail(segment))
        elif (marker == 0xE2 and bytes(segment[4:16]) == b"ICC_PROFILE\0") or marker == 0xEE:
            head.append(segment)
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            _demand_table(marker, bytes(segment[4:]))
            picture.append(segment)
    else:
        raise Unsupported(f"the JPEG image has more than {MOST_PARTS} segments")
    if data[at:].strip(b"\0"):
        raise Unsupported(f"{len(data) - at} bytes follow the JPEG image, such as a second one or a film")
    if not any(piece[1] == 0xDA for piece in picture):
        raise Unsupported("the JPEG image has no pixels")
    if turned != 1:
        block = b"Exif\0\0" + exif_of(turned)
        # A JFIF segment comes first.
        head.insert(
            2 if len(head) > 1 and head[1][1] == 0xE0 else 1,
            b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block,
        )
    return Stripped(b"".join(head + picture), picture)


#: Starts of frames: all of C0 to CF but DHT, JPG and DAC.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _demand_table(marker: int, data: bytes) -> None:
    """A segment that a decoder needs must be one, from its first to its last byte: else it could be metadata."""
    rest = data
    if marker in _FRAMES:
        rest = data[6 + 3 * data[5] :] if len(data) >= 6 + 3 * data[5] else b"?"
    elif marker == 0xDB:
        while rest and rest[0] >> 4 <= 1 and rest[0] & 15 <= 3 and len(rest) >= 65 + 64 * (rest[0] >> 4):
            rest = rest[65 + 64 * (rest[0] >> 4) :]
    elif marker == 0xC4:
        while (
            len(rest) >= 17 and rest[0] >> 4 <= 1 and rest[0] & 15 <= 3 and len(rest) >= 17 + sum(rest[1:17])
        ):
            rest = rest[17 + sum(rest[1:17]) :]
    elif marker == 0xCC:
        rest = b"" if len(data) % 2 == 0 and len(data) <= 64 else b"?"
    elif marker in (0xDC, 0xDD):
        rest = data[2:] if len(data) >= 2 else b"?"
    else:
        raise Unsupported(f"the JPEG image has the unknown segment {marker:02X}")
    if rest:
        raise Unsupported(f"the segment {marker:02X} of the JPEG image is faulty")


def _scan_end(data: bytes, at: int) -> int:
    """Where the compressed data of a scan ends: at the next marker that does not belong to it."""
    while (at := data.find(b"\xff", at)) >= 0:
        follower = data[at + 1]
        if follower == 0xFF:
            at += 1
        elif follower == 0x00 or 0xD0 <= follower <= 0xD7:
            at += 2
        else:
            return at
    raise Unsupported("the JPEG image is cut off")


def _without_thumbnail(segment: memoryview) -> bytes | memoryview:
    if len(segment) < 18:
        raise Unsupported("the JFIF segment is cut off")
    if len(segment) == 18 and not segment[16] and not segment[17]:
        return segment
    return b"\xff\xe0\0\x10" + bytes(segment[4:16]) + b"\0\0"


# ---- PNG -----------------------------------------------------------------------------------------

#: The chunks that stay: what a decoder must know, and what changes the look of the picture.
_PNG_STAYS: Final = frozenset(
    b"IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB bKGD hIST pHYs sPLT cICP mDCV cLLI acTL fcTL fdAT".split()
)


def _png_chunks(view: memoryview) -> Iterator[tuple[bytes, memoryview, memoryview]]:
    """The kind, the content and the whole of each chunk."""
    at = 8
    for _ in range(MOST_PARTS):
        size, kind = struct.unpack_from(">I4s", view, at)
        end = at + 12 + size
        if end > len(view):
            raise Unsupported("a chunk of the PNG image is cut off")
        whole = view[at:end]
        if zlib.crc32(whole[4:-4]) != int.from_bytes(whole[-4:]):
            raise Unsupported(f"the check sum of a chunk of the PNG image is wrong ({kind!r:.20})")
        yield kind, whole[8:-4], whole
        at = end
        if kind == b"IEND":
            break
    else:
        raise Unsupported(f"the PNG image has more than {MOST_PARTS} chunks")
    if at != len(view):
        raise Unsupported(f"{len(view) - at} bytes follow the PNG image")


def _strip_png(view: memoryview) -> Stripped:
    pieces: list[bytes | memoryview] = [view[:8]]
    picture: list[bytes | memoryview] = []
    turned = 1
    for kind, content, whole in _png_chunks(view):
        if len(pieces) == 1 and kind != b"IHDR":
            raise Unsupported("the PNG image does not begin with IHDR")
        if kind in _PNG_STAYS:
            pieces.append(whole)
            picture.append(whole)
            continue
        if not kind[0] & 0x20:
            raise Unsupported(f"the PNG image has the chunk {kind!r:.20}, without which it can't be shown")
        if kind == b"eXIf":
            turned = orientation(bytes(content))
    if turned != 1:
        chunk = b"eXIf" + exif_of(turned)
        pieces.insert(2, struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)))
    if not any(bytes(chunk[4:8]) == b"IDAT" for chunk in picture):
        raise Unsupported("the PNG image has no pixels")
    return Stripped(b"".join(pieces), picture)


# ---- WebP ----------------------------------------------------------------------------------------

_WEBP_STAYS: Final = frozenset((b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))
_HAS_XMP, _HAS_EXIF = 0x04, 0x08


def _strip_webp(view: memoryview) -> Stripped:
    (size,) = struct.unpack_from("<I", view, 4)
    if size + 8 != len(view) or size % 2:
        raise Unsupported("the WebP image is not as long as it says")
    extended: bytearray | None = None
    picture: list[bytes | memoryview] = []
    turned = 1
    at = 12
    while at < len(view):
        kind, length = struct.unpack_from("<4sI", view, at)
        end = at + 8 + (length + 1 & ~1)
        if end > len(view):
            raise Unsupported("a chunk of the WebP image is cut off")
        whole = view[at:end]
        if kind == b"VP8X":
            if at != 12 or length < 10:
                raise Unsupported("the VP8X chunk of the WebP image is out of place or too short")
            extended = bytearray(whole)
        elif kind in _WEBP_STAYS:
            picture.append(whole)
        elif kind == b"EXIF" and turned == 1:
            turned = orientation(bytes(whole[8 : 8 + length]))
        at = end
    if not any(bytes(chunk[:4]) in (b"VP8 ", b"VP8L", b"ANMF") for chunk in picture):
        raise Unsupported("the WebP image has no pixels")
    body: list[bytes | memoryview] = list(picture)
    if extended is not None:
        extended[8] &= ~(_HAS_XMP | _HAS_EXIF)
        if turned != 1:
            block = exif_of(turned)
            extended[8] |= _HAS_EXIF
            body.append(b"EXIF" + struct.pack("<I", len(block)) + block)
        body.insert(0, bytes(extended))
    start = b"RIFF" + struct.pack("<I", 4 + sum(map(len, body))) + b"WEBP"
    return Stripped(start + b"".join(body), picture)
