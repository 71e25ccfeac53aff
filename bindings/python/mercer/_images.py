"""Images of any form as the library takes them: arrays (height, width) or (height, width, channels)."""

import numpy as np


def is_picture(each):
    """Is it an image of PIL's?"""
    return hasattr(each, "mode") and hasattr(each, "getdata") and hasattr(each, "convert")


def is_images(X):
    """Is the list X one of images, whatever the kernel is: PIL's, arrays (height, width, channels), or (height, width) of bytes?"""
    first = X[0]
    if is_picture(first):
        return True
    if not isinstance(first, np.ndarray):
        return False
    return (first.ndim == 3 and first.shape[2] in (1, 3, 4)) or (first.ndim == 2 and first.dtype in (np.uint8, np.bool_))


def _values(picture):
    """The pixels of an image of PIL's as an array that _core.images takes."""
    if picture.mode.startswith("I"):  # 16 bits, also where they lie in 32
        values = np.asarray(picture)
        if values.size and not 0 <= values.min() <= values.max() <= 65535:
            raise ValueError(f"Images of mode {picture.mode} must have values from 0 to 65535, got {values.min()}, {values.max()}.")
        return values.astype(np.uint16)
    if picture.mode not in ("1", "L", "LA", "RGB", "RGBA", "F"):
        picture = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "PA" else "RGB")
    return np.asarray(picture)


def as_images(X):
    """What _core.images takes, of a list of PIL's images or of arrays, or an array (n, height, width) or (n, height, width,
    channels)."""
    return [_values(each) if is_picture(each) else np.asarray(each) for each in X]
