"""Making thumbnails."""

import io

from PIL import Image, ImageOps

from comicsdb.imaging.images import DECODER_ERRORS, opened, orientation
from comicsdb.imaging.picture import damaged
from comicsdb.imaging.sizes import SIZES, Crop, fitted

QUALITY = 80


def thumbnail(source: bytes, size_name: str) -> bytes:
    """The thumbnail of a picture as WebP; raises PictureError where it cannot be read."""
    stream = io.BytesIO()
    render(source, size_name).save(stream, "WEBP", quality=QUALITY, exif=b"")
    return stream.getvalue()


def render(source: bytes, size_name: str) -> Image.Image:
    """The thumbnail of a picture as an image; raises PictureError where it cannot be read."""
    with opened(source) as image:
        sideways = orientation(image) in {5, 6, 7, 8}
        width, height = image.size[::-1] if sideways else image.size
        target = fitted(size_name, width, height)
        # Before cropping, the picture is scaled so that it covers the target.
        scale = max(target[0] / width, target[1] / height)
        covering = (max(target[0], round(width * scale)), max(target[1], round(height * scale)))
        image.draft(None, covering[::-1] if sideways else covering)  # JPEG decodes at a fraction of the cost
        try:
            upright = ImageOps.exif_transpose(_plain(image))
            scaled = upright.resize(covering, Image.Resampling.LANCZOS, reducing_gap=2.0)
        except DECODER_ERRORS as error:
            raise damaged() from error
    left = (covering[0] - target[0]) // 2
    top = 0 if SIZES[size_name].crop == Crop.TOP else (covering[1] - target[1]) // 2
    return scaled.crop((left, top, left + target[0], top + target[1]))


def _plain(image: Image.Image) -> Image.Image:
    """The decoded image in a mode that WebP knows, with its transparency."""
    image.load()
    transparent = image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")
