#!/usr/bin/python3
"""Writes the images of this folder: make.py.

The value of row r, column c, channel k is (37r + 59c + 101k) mod 256, of 16 bits 257 times as much plus r; the JPEG files,
which are not exact, have 8r + 6c + 30k.
"""

import pathlib
import struct
import zlib

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def values(height, width, channels):
    r, c, k = np.ogrid[:height, :width, :channels]
    return (37 * r + 59 * c + 101 * k) % 256


def png(name, pixels, depth, colour, interlaced=False):
    """PNG without a library: pixels height x width x channels, colour 0 grey, 2 RGB, 4 grey and opacity, 6 RGBA."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    def lines(part):
        kind = ">u2" if depth == 16 else "u1"
        return b"".join(b"\0" + row.astype(kind).tobytes() for row in part) if part.size else b""

    passes = [pixels[top::down, left::right] for top, left, down, right in ADAM7] if interlaced else [pixels]
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], depth, colour, 0, 0, interlaced)
    body = zlib.compress(b"".join(lines(part) for part in passes), 9)
    (HERE / name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


def wide(pixels):
    return pixels * 257 + np.arange(len(pixels))[:, None, None]


png("grey.png", values(5, 7, 1), 8, 0)
png("colour.png", values(5, 7, 3), 8, 2)
png("grey16.png", np.minimum(wide(values(5, 7, 1)), 65535), 16, 0)
png("colour16.png", np.minimum(wide(values(4, 3, 3)), 65535), 16, 2)
png("grey_opacity.png", values(5, 7, 2), 8, 4)
png("colour_opacity.png", values(5, 7, 4), 8, 6)
png("interlaced.png", values(9, 10, 3), 8, 2, interlaced=True)
Image.fromarray((values(5, 7, 1)[:, :, 0] > 127)).save(HERE / "bits.png")
palette = Image.fromarray((np.add.outer(np.arange(3), np.arange(4)) % 3).astype(np.uint8), "P")
palette.putpalette([255, 0, 0, 0, 128, 0, 0, 0, 51])
palette.save(HERE / "palette.png")

r, c, k = np.ogrid[:13, :17, :3]
smooth = (8 * r + 6 * c + 30 * k).astype(np.uint8)
Image.fromarray(smooth[:, :, 0]).save(HERE / "grey.jpg", quality=98)
Image.fromarray(smooth).save(HERE / "colour.jpg", quality=98, subsampling=0)
Image.fromarray(smooth).save(HERE / "progressive.jpg", quality=98, subsampling=0, progressive=True)
Image.fromarray(smooth).convert("CMYK").save(HERE / "cmyk.jpg", quality=50)
