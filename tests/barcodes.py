"""Pictures of printed barcodes: EAN-13 with a five-digit supplement."""

from itertools import cycle

from PIL import Image, ImageDraw

ODD = (
    "0001101",
    "0011001",
    "0010011",
    "0111101",
    "0100011",
    "0110001",
    "0101111",
    "0111011",
    "0110111",
    "0001011",
)
RIGHT = tuple(each.translate(str.maketrans("01", "10")) for each in ODD)
EVEN = tuple(each[::-1] for each in RIGHT)
PARITIES = (
    "OOOOOO",
    "OOEOEE",
    "OOEEOE",
    "OOEEEO",
    "OEOOEE",
    "OEEOOE",
    "OEEEOO",
    "OEOEOE",
    "OEOEEO",
    "OEEOEO",
)
SUPPLEMENT_PARITIES = (
    "EEOOO", "EOEOO", "EOOEO", "EOOOE", "OEEOO", "OOEEO", "OOOEE", "OEOEO", "OEOOE", "OOEOE",
)  # fmt: skip
GAP = "0" * 9  # modules between the code and its supplement


def check_digit(digits: str) -> str:
    """The last digit of an EAN-13 with these first twelve digits."""
    return str(-sum(int(digit) * weight for digit, weight in zip(digits, cycle((1, 3)), strict=False)) % 10)


def modules(code: str, supplement: str = "") -> str:
    """The modules of an EAN-13 and its supplement from left to right, "1" for black."""
    left = "".join(_coded(digit, side) for digit, side in zip(code[1:7], PARITIES[int(code[0])], strict=True))
    right = "".join(RIGHT[int(digit)] for digit in code[7:])
    drawn = f"101{left}01010{right}101"
    if not supplement:
        return drawn
    weighed = sum(int(digit) * weight for digit, weight in zip(supplement, cycle((3, 9)), strict=False))
    parities = SUPPLEMENT_PARITIES[weighed % 10]
    added = "01".join(_coded(digit, side) for digit, side in zip(supplement, parities, strict=True))
    return f"{drawn}{GAP}1011{added}"


def _coded(digit: str, side: str) -> str:
    return (ODD if side == "O" else EVEN)[int(digit)]


def picture(code: str, supplement: str = "", *, size=(1280, 720), module: int = 5) -> Image.Image:
    """A barcode in the middle of a picture, as seen by a camera."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    drawn = modules(code, supplement)
    left, top = (size[0] - len(drawn) * module) // 2, size[1] // 4
    for place, black in enumerate(drawn):
        if black == "1":
            x = left + place * module
            draw.rectangle((x, top, x + module - 1, top * 3), fill="black")
    return image
