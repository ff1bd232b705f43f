"""Times as batch systems write them."""

from __future__ import annotations


def _whole(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 6 else None


def seconds_of(text: str) -> int | None:
    """The seconds of "3:55:00", "55:00" or "1-12:00:00"; of one number, that many. None if it is no such time. The program
    reads --max-wall-time alike."""
    before, dash, clock = text.rpartition("-")
    days = _whole(before) if dash else 0
    parts = [_whole(part) for part in clock.split(":")]
    if days is None or len(parts) > 3 or (dash and len(parts) < 3):
        return None
    seconds = 0
    for place, part in enumerate(parts):
        if part is None or (place > 0 and part > 59):
            return None
        seconds = 60 * seconds + part
    return 86400 * days + seconds


def _rounded_up(seconds: float) -> int:
    return max(0, -int(-seconds // 1))


def hours_text(seconds: float) -> str:
    """ "36:00:00": the same without days, of which PBS knows nothing."""
    whole = _rounded_up(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def time_text(seconds: float) -> str:
    """ "3:55:00", "1-12:00:00": whole seconds, rounded up, as Slurm takes them."""
    days, rest = divmod(_rounded_up(seconds), 86400)
    return f"{days}-{hours_text(rest)}" if days else hours_text(rest)
