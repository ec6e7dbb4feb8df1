"""A program of its own: matches regular expressions until the system ends it. See `regex_match.py`.

It imports nothing of ours, for it is started again for every question.
"""

import marshal
import os
import re
import signal
import sys
import warnings

_SECONDS = 0.05  # of processor time; a match of four kibibytes takes a thousandth of it


def main() -> None:
    trials = marshal.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)  # nobody handles its signal: it ends the process
    for pattern, texts, whole in trials:
        os.write(1, _answer(pattern, texts, whole))


def _answer(pattern: str, texts: tuple[str, ...], whole: bool) -> bytes:
    try:
        expression = re.compile(pattern)
        is_match = expression.fullmatch if whole else expression.search
        return b"1" if any(is_match(text) for text in texts) else b"0"
    except (re.error, OverflowError, RecursionError):
        return b"?"


if __name__ == "__main__":
    main()
