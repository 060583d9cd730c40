"""The service's own keys: whether they load and work, how old they are, whether none is missing."""

import time
from collections.abc import Iterator
from typing import Final

from dice_service import sealing, signing
from dice_service.doctor.contents import Contents
from dice_service.doctor.findings import Finding, failed, ok, warning
from dice_service.errors import ServiceError, SetupError
from dice_service.keyfiles import active_since
from dice_service.settings import Settings

DAY: Final = 86_400
OLD: Final = 365 * DAY


def look(settings: Settings, held: Contents | None) -> Iterator[Finding]:
    """Load both kinds, use the active ones, and see that the database's matches have theirs."""
    try:
        signers = signing.SigningRing.load(settings.keys)
        yield ok("signing key", f"{signers.active.key_id} is active, of {len(signers.signers)}")
    except SetupError as error:
        yield failed("signing key", str(error), _mend(error))
    else:
        yield from _age(settings, signing.KIND)
        if held is not None:
            known = {signer.key_id for signer in signers.signers}
            yield from _all_there("signing key", held.signing, known, "cannot go on")
    try:
        ring = sealing.SealingRing.load(settings.keys)
        ring.open("doctor", *ring.seal("doctor", sealing.Secrets.make()))
        yield ok("sealing key", f"{ring.active} is active, of {len(ring.key_ids)}")
    except SetupError as error:
        yield failed("sealing key", str(error), _mend(error))
    except ServiceError as error:
        yield failed("sealing key", str(error), "restore the key files from their backup")
    else:
        yield from _age(settings, sealing.KIND)
        if held is not None:
            yield from _all_there("sealing key", held.sealing, set(ring.key_ids), "cannot be read")


def _mend(error: SetupError) -> str:
    if error.code == "key-missing":
        return "restore the key files; only for a new service run: dice-service init"
    if error.code == "key-open":
        return "make it its owner's alone, and ask whether it was read: then rotate"
    return "restore that file from the backup of the keys"


def _age(settings: Settings, kind: str) -> Iterator[Finding]:
    check = f"{kind} key"
    try:
        age = time.time() - active_since(settings.keys, kind)
    except SetupError as error:
        yield failed(check, str(error), _mend(error))
        return
    found = f"active for {age / DAY:.0f} days"
    if age > OLD:
        yield warning(check, found, f"run: dice-service keys rotate --kind {kind}; then restart")
    else:
        yield ok(check, found)


def _all_there(
    check: str, needed: tuple[str, ...], known: set[str], harm: str
) -> Iterator[Finding]:
    missing = [key_id for key_id in needed if key_id not in known]
    if missing:
        found = f"matches that need {', '.join(missing)} {harm}: it is not here"
        yield failed(check, found, "restore the key files from their backup")
    else:
        yield ok(check, f"none of the {len(needed)} that matches need is missing")
