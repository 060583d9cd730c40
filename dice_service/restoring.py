"""After a backup was put back: matches are brought up to date, or set aside.

A backup lacks what was signed after it. Were such a line written anew, with another time, the
service would contradict its own signature, which anyone could prove. So nothing is added to an
unfinished match before its missing lines are back, exactly as they were signed, from what game
servers and players kept; or before the operator says that nothing is missing.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, get_args

from dice_service import signing
from dice_service.cache import begun, folded, prev_of, read_stored
from dice_service.errors import Refusal, SetupError
from dice_service.state import State
from dice_service.storage import Append, MatchRow, Phase, Storage
from verifier import Verdict, verify_log
from verifier.errors import LineError
from verifier.events import Seed, SeedCommitment, SignatureLine
from verifier.log import decode_line, line_hash, match_id_of, split_lines
from verifier.receipts import decode_receipt, holds_roll_receipts
from verifier.signatures import verify_head

NO_FILE: Final = "nothing that was saved of it was given"
_OPEN: Final = tuple(phase for phase in get_args(Phase) if phase != "ended")
_PAGE: Final = 500


class Tip(NamedTuple):
    """A line that a signature fixes, with every line before it."""

    seq: int
    head: str


@dataclass
class Saved:
    """What was saved of a match, from all files together.

    ``lines`` by their hash; ``statements`` are (seq, head, signature), not checked; ``logs`` are
    the lines of each file from the first on.
    """

    lines: dict[str, bytes] = field(default_factory=dict)
    statements: set[tuple[int, str, str]] = field(default_factory=set)
    logs: list[list[bytes]] = field(default_factory=list)


@dataclass
class Restored:
    """What was done: how many lines were added to the matches that go on, and what does not."""

    added: dict[str, int] = field(default_factory=dict)
    set_aside: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)  # saved, but opened after the backup
    unreadable: list[Path] = field(default_factory=list)
    new_key: str = ""

    def told(self) -> list[str]:
        """As lines for the operator."""
        lines = [f"{name}: {count} lines added; it goes on" for name, count in self.added.items()]
        lines += [f"{name}: set aside: {why}" for name, why in self.set_aside.items()]
        lines += [
            f"{name}: opened after the backup; its secret is lost, it cannot go on"
            for name in self.unknown
        ]
        lines += [f"{path} is neither a log nor receipts; left" for path in self.unreadable]
        if self.new_key:
            lines.append(f"signing key: made {self.new_key}, the active one now")
        return [*lines, f"{len(self.added)} matches go on, {len(self.set_aside)} are set aside"]


async def nothing_lost(storage: Storage, match_ids: Sequence[str]) -> None:
    """Go on with all matches of a marked database; or with these, which are set aside.

    Raises :class:`SetupError` ``not-set-aside``, and :class:`Refusal` when the storage fails.
    """
    if not match_ids:
        await storage.restored.set_mark(None)
    for match_id in match_ids:
        if await storage.restored.aside(match_id) is None:
            raise SetupError("not-set-aside", f"no match {match_id} is set aside")
        await storage.restored.set_aside(match_id, None)


async def restore(storage: Storage, keys: Path, folder: Path | None) -> Restored:
    """Bring unfinished matches up to date by the files of a folder; set the others aside.

    In a marked database that is every unfinished match, else those that are set aside. It may
    be done again, after a crash or when more was found. Raises :class:`Refusal` when the storage
    fails, :class:`SetupError` when no key can be made.
    """
    done = Restored()
    saved = read_saved(folder, done) if folder is not None else {}
    done.unknown = [match_id for match_id in saved if await storage.match(match_id) is None]
    async for row in candidates(storage):
        new, why = await _bring_up(storage, row, saved.get(row.match_id))
        await storage.restored.set_aside(row.match_id, why or None)
        if why:
            done.set_aside[row.match_id] = why
        else:
            done.added[row.match_id] = new
    if await storage.restored.mark() is not None:
        # What was opened after the backup, and is lost, may be opened again; not under the key
        # that signed it once.
        done.new_key = signing.make_key(keys)
        await storage.restored.set_mark(None)
    return done


async def candidates(storage: Storage) -> AsyncIterator[MatchRow]:
    """The matches that may lack lines."""
    if await storage.restored.mark() is None:
        for match_id in await storage.restored.all_aside():
            if row := await storage.match(match_id):
                yield row
        return
    for phase in _OPEN:
        before: tuple[str, str] | None = None
        while rows := await storage.list_matches(phase=phase, before=before, limit=_PAGE):
            for row in rows:
                yield row
            before = (rows[-1].opened_at, rows[-1].match_id)


def read_saved(folder: Path, done: Restored) -> dict[str, Saved]:
    """Logs and receipt files (``.jsonl``) below a folder, by match; without a line cut short."""
    found: dict[str, Saved] = {}
    for path in sorted(folder.rglob("*.jsonl")):
        try:
            match_id, saved = _read(path.read_bytes())
        except (OSError, LineError, ValueError):
            done.unreadable.append(path)
            continue
        whole = found.setdefault(match_id, Saved())
        whole.lines |= saved.lines
        whole.statements |= saved.statements
        whole.logs += saved.logs
    return found


def _read(data: bytes) -> tuple[str, Saved]:
    """Raises :class:`LineError` and :class:`ValueError` for what is neither log nor receipts."""
    lines, _ = split_lines(data)
    saved = Saved()
    match_ids = set()
    log: list[bytes] = []
    for seq, line in enumerate(lines):
        if holds_roll_receipts(line):
            receipt = decode_receipt(line, seq)
            match_ids.add(receipt.match_id)
            saved.lines[receipt.head] = receipt.line.encode()
            saved.statements.add((receipt.seq, receipt.head, receipt.sig))
        else:
            event = decode_line(line, seq)
            log.append(line)
            saved.lines[line_hash(line)] = line
            if isinstance(event, SignatureLine):
                saved.statements.add((event.seq, event.head, event.sig))
    if log:
        match_ids.add(match_id_of(log[0]))
        saved.logs.append(log)
    (match_id,) = match_ids
    return match_id, saved


async def _bring_up(storage: Storage, row: MatchRow, saved: Saved | None) -> tuple[int, str]:
    """How many lines were added, and why the match must be set aside; "" if it need not."""
    match_id = row.match_id
    if saved is None:
        return 0, NO_FILE
    try:
        stored = await storage.lines(match_id)
        lines = [read_stored(line, seq, match_id) for seq, line in enumerate(stored)]
        state = folded(begun(lines[0]), lines[1:])
        heads = [line.head for line in lines]
        tips = _tips(state, saved)
        new, why = _missing(heads, tips, saved)
        new_lines = [read_stored(line, seq, match_id) for seq, line in enumerate(new, len(stored))]
        after = folded(state, new_lines)
        if new and verify_log(_file([*stored, *new])).verdict is Verdict.FAILED:
            return 0, "its log would not verify with the lines that were saved"
    except Refusal as refusal:
        return 0, refusal.detail
    if new:
        phase = after.phase if after.phase != state.phase else None
        ended_at = after.end.time if after.end and phase else None
        append = Append(match_id, len(stored), tuple(new), phase=phase, ended_at=ended_at)
        if await storage.append([append]) != [True]:
            return 0, "another process wrote to it; stop the service first"
    return len(new), why or _unsigned([*heads, *(line.head for line in new_lines)], tips, saved)


def _tips(state: State, saved: Saved) -> list[Tip]:
    """What valid signatures of the match's own key fix, the longest log first."""
    match = state.match
    tips = {
        Tip(seq, head)
        for seq, head, sig in saved.statements
        if verify_head(match.public_key, match.match_id, seq, head, sig)
    }
    # A signature line has nothing in it that is free (PROTOCOL.md, G): it is fixed with its line.
    for head, line in saved.lines.items():
        event = decode_line(line, 0)
        if (
            isinstance(event, SignatureLine)
            and event.prev == event.head
            and Tip(event.seq, event.head) in tips
        ):
            tips.add(Tip(event.seq + 1, head))
    return sorted(tips, reverse=True)


def _missing(heads: list[str], tips: Iterable[Tip], saved: Saved) -> tuple[list[bytes], str]:
    """The lines to be added, as far as a signature reaches; and what is still missing.

    Each tip is followed back, hash by hash, to the last line that is stored.
    """
    why = ""
    for tip in tips:
        new: list[bytes] = []
        head = tip.head
        for seq in range(tip.seq, len(heads) - 1, -1):
            line = saved.lines.get(head)
            if line is None:
                why = why or f"line {seq} is missing, and line {tip.seq} was signed"
                break
            new.append(line)
            head = prev_of(line)
        else:
            if heads[min(tip.seq, len(heads) - 1)] != head:
                return [], f"the database contradicts what was signed of line {tip.seq}"
            if not why:
                return new[::-1], ""
            if new:
                return new[::-1], why
    return [], why


def _unsigned(heads: list[str], tips: list[Tip], saved: Saved) -> str:
    """Why what was saved does not show that a log of these lines is whole; "" if it does."""
    reach = max((tip.seq + 1 for tip in tips), default=0)
    for log in saved.logs:
        hashes = [line_hash(line) for line in log]
        if hashes[: len(heads)] == heads[: len(log)]:
            reach = max(reach, len(log))
        for seq in range(len(heads), len(log)):
            if not isinstance(decode_line(log[seq], seq), Seed | SeedCommitment):
                return f"no signature covers line {seq} of a saved log; its receipt would"
    return "" if reach >= len(heads) else "what was saved of it ends before what the database has"


def _file(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
