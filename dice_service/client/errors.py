"""What the SDK raises: one root, so that a game server can catch one thing.

``code`` is stable. An error never carries dice: where the service did not answer as it must,
there is no roll, and nothing here makes one up.
"""

from verifier.fraud import FraudProof


class ClientError(Exception):
    """Root of every error of the SDK.

    ``code`` is stable (the service's own problem code where it answered with one), ``status``
    the HTTP status (None: no answer, or not about one), ``detail`` the sentence for people.
    """

    def __init__(self, code: str, detail: str, status: int | None = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.status = status


class RefusedError(ClientError):
    """The service understood and refused: a problem answer, with its code, status and detail.

    Where the rules of the match refuse, ``rule`` is their own code and ``detail_tr`` the detail
    in Turkish; else both are "" (but a device's :meth:`commit` tells a token used twice in both).
    """

    def __init__(
        self, code: str, detail: str, status: int, rule: str = "", detail_tr: str = ""
    ) -> None:
        super().__init__(code, detail, status)
        self.rule = rule
        self.detail_tr = detail_tr


class UnreachableError(ClientError):
    """No answer after all retries. The same call may be made again: it cannot roll twice."""


class UnexpectedAnswerError(ClientError):
    """An answer that is not the service's: HTML, a redirect, JSON of another shape."""


class DeviceError(ClientError):
    """What the player's device itself lacks or refuses: no receipt yet, a file that is damaged."""


class DishonestError(ClientError):
    """What the service signed or sent does not hold. Stop playing and keep the files."""


class ContradictionError(DishonestError):
    """Two statements of the service about one match that cannot both be true.

    ``first`` and ``second`` are the lines themselves, each as it stands in a receipt file or a
    log. Where the service signed both, ``proof`` convinces anyone: ``dice-verify`` checks it.
    """

    def __init__(
        self, code: str, detail: str, first: bytes, second: bytes, proof: FraudProof | None = None
    ) -> None:
        super().__init__(code, detail)
        self.first = first
        self.second = second
        self.proof = proof
