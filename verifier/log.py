"""Lines and events: the strict grammar of a match log (PROTOCOL.md, sections L and F).

A line is written in exactly one way. Reading decodes a line, writes the event again and
refuses the line unless the bytes are the same, so duplicate keys, other escapes, other
spellings of a number and every quarrel between two JSON readers end in that one check.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from verifier.errors import Failure, LineError
from verifier.events import (
    EVENTS,
    PROTOCOL,
    AnyEvent,
    Event,
    Match,
    Play,
    Reveal,
    Seed,
    field_names,
)

MAX_LINE = 4096  # bytes, without the line end
MAX_LOG = 64 * 1024 * 1024  # bytes
MAX_LINES = 2**19  # more than a log of that size can hold: no line of an event is under 128 bytes
MAX_DEPTH = 16  # brackets open at once in what is still called JSON; a log's line has 2

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_decoder = msgspec.json.Decoder(AnyEvent)
_encoder = msgspec.json.Encoder(order="deterministic")


def line_hash(line: bytes) -> str:
    """SHA-256 of a line's bytes without its line end, in lower-case hex (L3)."""
    return hashlib.sha256(line).hexdigest()


def encode_line(event: Event) -> bytes:
    """The one way to write ``event``, without the line end (L4)."""
    return _encoder.encode(event)


def decode_line(line: bytes, seq: int) -> AnyEvent:
    """Read one line, without its line end; ``seq`` is its number from 0, for the message.

    Raises :class:`LineError` with the code, the line and the field for anything but the one
    way to write an event.
    """
    if len(line) <= MAX_LINE:
        try:
            event = _decoder.decode(line)
            if _encoder.encode(event) == line and _own_values_hold(event):
                return event
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass  # _faults says what is wrong with it, field by field
    raise LineError(next(_faults(line, seq)))


def split_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Cut a log into its lines, without line ends, and what follows the last line end.

    The rest is empty for a whole log (L2); anything else was cut short.
    """
    lines = data.split(b"\n")
    return lines[:-1], lines[-1]


def match_id_of(data: bytes) -> str:
    """The match that a log says it is of; "" if its first line cannot be read."""
    try:
        event = decode_line(data.partition(b"\n")[0], 0)
    except LineError:
        return ""
    return event.match_id if isinstance(event, Match) else ""


def label_holds(label: str) -> bool:
    """Whether a player's label is in NFC (L5); length and control characters are in the type."""
    return unicodedata.is_normalized("NFC", label)


def seed_holds(seed: str) -> bool:
    """Whether 64 hex digits may be a seed: 32 equal bytes are nobody's random choice (S1)."""
    return seed != seed[:2] * 32


def _own_values_hold(event: AnyEvent) -> bool:
    """What the types cannot say."""
    match event:
        case Match():
            texts = (event.match_id, event.rules, event.options, event.players)
            return _no_line_end(texts) and all(map(label_holds, event.players))
        case Play():
            return _no_line_end(event.moves)
        case Seed():
            return seed_holds(event.seed)
        case Reveal():
            return seed_holds(event.server_seed)
        case _:
            return True


def _no_line_end(value: object) -> bool:
    """Whether no text in ``value`` ends in a line end, which Python's ``$`` would let pass (L5)."""
    if isinstance(value, str):
        return not value.endswith("\n")
    return not isinstance(value, (list, tuple, dict)) or all(map(_no_line_end, value))


def _faults(line: bytes, seq: int) -> Iterator[Failure]:
    """What is wrong with a refused line, the first fault first, in the order of PROTOCOL.md F2."""
    if len(line) > MAX_LINE:
        yield Failure("line-too-long", seq, expected=str(MAX_LINE), found=str(len(line)))
    if not line:
        yield Failure("line-blank", seq)
    if line.startswith(b"\xef\xbb\xbf"):
        yield Failure("line-bom", seq)
    if b"\r" in line:
        yield Failure("line-carriage-return", seq)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        yield Failure("line-not-utf8", seq, params={"column": error.start + 1})
        return
    if _too_deep(text):
        yield Failure("line-not-json", seq, params={"column": 1})
        return
    try:
        value = json.loads(
            text, object_pairs_hook=_Pairs, parse_constant=_no_constant, parse_float=_number
        )
    except json.JSONDecodeError as error:
        yield Failure("line-not-json", seq, params={"column": error.colno})
        return
    except ValueError:  # NaN or Infinity
        yield Failure("line-not-json", seq, params={"column": 1})
        return
    if not isinstance(value, _Pairs):
        yield Failure("line-not-object", seq)
        return
    yield from _object_faults(value, seq)
    yield Failure("line-not-canonical", seq)


def _object_faults(pairs: "_Pairs", seq: int) -> Iterator[Failure]:
    if duplicate := pairs.duplicate():
        yield Failure("field-duplicate", seq, _shown_name(duplicate))
    fields = pairs.plain()
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in EVENTS:
        yield Failure("event-unknown", seq, "type", found=_shown(kind))
        return
    if kind == "match" and fields.get("protocol", PROTOCOL) != PROTOCOL:
        found = _shown(fields["protocol"])
        yield Failure("protocol-unknown", seq, "protocol", expected=PROTOCOL, found=found)
    yield from _field_faults(fields, EVENTS[kind], seq)


def _field_faults(fields: dict[str, Any], event: type[Event], seq: int) -> Iterator[Failure]:
    names = field_names(event)
    for name in fields:
        if name not in names:
            yield Failure("field-unknown", seq, _shown_name(name))
    known = msgspec.structs.fields(event)
    for field in known:
        if field.required and field.encode_name not in fields:
            yield Failure("field-missing", seq, field.encode_name)
    for field in known:
        if field.encode_name in fields and not _value_holds(fields[field.encode_name], field):
            found = _shown(fields[field.encode_name])
            yield Failure("field-value", seq, field.encode_name, found=found)
    for name, wanted in zip(fields, names, strict=False):
        if name != wanted:
            yield Failure("field-order", seq, name, expected=wanted, found=name)


def _value_holds(value: object, field: msgspec.structs.FieldInfo) -> bool:
    try:
        msgspec.convert(value, field.type)
    except (msgspec.ValidationError, UnicodeError):
        return False
    if field.name == "players" and isinstance(value, list):
        return all(
            _is_text(label) and label_holds(label) and _no_line_end(label) for label in value
        )
    if field.name in ("seed", "server_seed"):
        return seed_holds(str(value))
    return _no_line_end(value)


def _is_text(label: str) -> bool:
    """Whether a label has no lone surrogate (which JSON can spell and UTF-8 cannot)."""
    return not any("\ud800" <= character <= "\udfff" for character in label)


def _shown(value: object) -> str:
    """A value as JSON, cut to what a message can hold."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else text[:77] + "..."


def _shown_name(name: str) -> str:
    """A field's name, escaped where it is not plain text and cut to what a message can hold."""
    return (name if name.isascii() and name.isprintable() else json.dumps(name)[1:-1])[:64]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its keys and values in order, duplicates kept."""

    def duplicate(self) -> str:
        """The first key that stands twice, here or in an object inside (a path); "" if none."""
        seen: set[str] = set()
        for name, value in self:
            if name in seen:
                return name
            seen.add(name)
            for inside in _objects(value):
                if inner := inside.duplicate():
                    return f"{name}.{inner}"
        return ""

    def plain(self) -> dict[str, Any]:
        return {k: v.plain() if isinstance(v, _Pairs) else v for k, v in self}


def _objects(value: object) -> Iterator[_Pairs]:
    """The object that a value is, or those in an array, however deep."""
    if isinstance(value, _Pairs):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item)


def _too_deep(text: str) -> bool:
    """Whether brackets nest deeper than any reader can be asked to follow (F2)."""
    depth = 0
    for character in _STRING.sub("", text):
        depth += (character in "[{") - (character in "]}")
        if depth > MAX_DEPTH:
            return True
    return False


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _number(text: str) -> float:
    """A number by its value, however it is written: 7.0 is 7, as JSON readers of one type say."""
    value = float(text)
    return int(value) if value.is_integer() else value
