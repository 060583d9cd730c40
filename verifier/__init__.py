"""Zarf's verifier: replays a match log and says whether its dice are the ones sealed before it.

Standalone: it imports nothing of the service and opens no connection. ``PROTOCOL.md`` in this
folder is the text it follows; ``dice.py`` holds the roll formula.
"""

from verifier.dice import roll
from verifier.errors import Failure, InputError, VerifierError
from verifier.receipts import Receipts, read_receipts
from verifier.report import Check, Report, Status, Verdict
from verifier.verify import verify_log

__version__ = "0.1.0"

__all__ = [
    "Check",
    "Failure",
    "InputError",
    "Receipts",
    "Report",
    "Status",
    "Verdict",
    "VerifierError",
    "__version__",
    "read_receipts",
    "roll",
    "verify_log",
]
