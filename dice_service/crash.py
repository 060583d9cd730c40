"""Points at which a test lets the process die, as a power cut would: at once, nothing undone.

``DICE_TEST_CRASH_AT=before-commit:3`` kills the process when it passes ``before-commit`` the third
time. Without the variable, as in every real process, a point is one comparison.
"""

import os
import signal

# In the order in which a write passes them; only an opening passes "sealed".
POINTS = (
    "received",  # the request is read and allowed, nothing is decided
    "sealed",  # the new match's seed is sealed, and nowhere but in memory
    "decided",  # the lines are made, and in the revealing ones the seed
    "before-commit",
    "after-commit",
    "before-answer",
)

_name, _, _count = os.environ.get("DICE_TEST_CRASH_AT", "").partition(":")
_left = int(_count or "1")


def crash_point(name: str) -> None:
    """Die here if the test says so."""
    global _left  # noqa: PLW0603 - one counter a process, as there is one death
    if name == _name:
        _left -= 1
        if _left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
