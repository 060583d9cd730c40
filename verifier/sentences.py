"""Every sentence that the command line says, by code; Turkish through gettext.

``mark`` marks a text for translation. ``locale/`` holds the catalogue; a test keeps it whole.
"""

import gettext
import os
from collections.abc import Mapping
from pathlib import Path

from verifier.errors import Failure, InputError
from verifier.rules.messages import Language

LANGUAGES = ("en", "tr")
DOMAIN = "zarf"
LOCALE = Path(__file__).parent / "locale"


def mark(text: str) -> str:
    """Mark a text for translation where it stands; it is translated where it is said."""
    return text


VERDICTS: Mapping[tuple[str, str], str] = {
    ("VERIFIED", ""): mark(
        "Every die of this match is the one that the seeds give, and they were sealed before the "
        "first roll: the receipt shows it, if your device kept it then. A receipt that was "
        "fetched later shows nothing."
    ),
    ("CONSISTENT", "not-anchored"): mark(
        "Every die is the one that the seeds give, but nothing shown here proves that this log is "
        "the one sealed before the match. Add the opening receipt that a player's device kept: "
        "--receipt FILE."
    ),
    ("CONSISTENT", "direct-seeding"): mark(
        "Every die is the one that the seeds give, and the service's seed was sealed before the "
        "match. But the players' seeds were not (seeding is direct): the player whose seed came "
        "last had seen the other's, and together with the service could have tried seeds until "
        "the dice pleased. No receipt can show that it was not so."
    ),
    ("CONSISTENT", "no-rolls"): mark(
        "The log holds together, but there is no roll in it: it shows nothing about dice."
    ),
    ("INCOMPLETE", "cut-short"): mark(
        "The file stops in the middle of line {line}: it was cut short, or its last line end was "
        "lost. What could be checked was. Get the file again."
    ),
    ("INCOMPLETE", "not-ended"): mark(
        "The match has not ended in this log, so its secret is not revealed and its dice cannot be "
        "checked yet."
    ),
    ("INCOMPLETE", "not-revealed"): mark(
        "The match has ended but the service's secret is not in the log: its dice cannot be "
        "checked. A service that does not reveal owes you an answer."
    ),
    ("INCOMPLETE", "not-signed"): mark(
        "The log stops before its last signature: lines may be missing at its end."
    ),
    ("FAILED", ""): mark("This log does not hold."),
    ("FAILED", "plays-only"): mark(
        "The dice are right: each is the one that the seeds give. But what was played with them "
        "breaks a rule."
    ),
}

CHECKS: Mapping[str, str] = {
    "grammar": mark("Every line is written in the one way it may be written."),
    "order": mark(
        "The events stand in the protocol's order, and the rolls are counted without a gap."
    ),
    "commitment": mark("The service's secret is the one it sealed before the match."),
    "player_seeds": mark("Each player's seed is the one sealed before any seed was opened."),
    "dice": mark("Every roll was computed again from the three seeds and is the one in the log."),
    "plays": mark("Every roll was due, every play is legal, and the score is right."),
    "chain": mark("Each line carries the fingerprint of the line before it."),
    "signatures": mark("The service's signatures are genuine."),
    "receipt": mark("The log agrees with what the players' devices kept."),
    "my_seed": mark("Your own seed is in the log."),
    "key": mark("The log is signed with the key that you named."),
}

WHY_NOT: Mapping[str, str] = {
    "no-match-line": mark("the first line cannot be read"),
    "not-revealed": mark("the service's secret is not in the log"),
    "seeds-not-open": mark("the players' seeds are not both open in the log"),
    "seed-not-committed": mark("a seed is not the one that was sealed"),
    "no-rolls": mark("there is no roll in the log"),
    "direct-seeding": mark("in this match the players sent their seeds without sealing them first"),
    "seeding-unsupported": mark("this verifier cannot check chained seeding yet"),
    "line-unreadable": mark("a line cannot be read"),
    "out-of-order": mark("the events are not in order"),
    "dice-only": mark("in this match only the dice were kept, not the plays"),
    "not-signed": mark("there is no signature in the log"),
    "no-receipt": mark("no receipt was given (--receipt FILE)"),
    "not-given": mark("none was given"),
}

FAILURES: Mapping[str, str] = {
    "line-too-long": mark("the line has {found} bytes; {expected} are allowed"),
    "line-blank": mark("the line is empty"),
    "line-bom": mark("the line begins with a byte order mark: an editor saved the file anew"),
    "line-carriage-return": mark(
        "the line holds a carriage return: an editor changed the line ends"
    ),
    "line-not-utf8": mark("the line is not UTF-8 at byte {column}"),
    "line-not-json": mark("the line is not JSON at character {column}"),
    "line-not-object": mark("the line is not a JSON object"),
    "field-duplicate": mark("the field {field} stands twice"),
    "event-unknown": mark("the event {found} is not one of this protocol"),
    "protocol-unknown": mark(
        "the log is of protocol {found}; this verifier knows {expected}. That is no sign of "
        "cheating: a newer verifier may know it"
    ),
    "field-unknown": mark("the field {field} does not belong in this line"),
    "field-missing": mark("the field {field} is missing"),
    "field-value": mark("the field {field} may not be {found}"),
    "field-order": mark("the field {field} is not in its place; {expected} should stand there"),
    "line-not-canonical": mark(
        "the line is not written in the one allowed way (white space, an escape or a number's "
        "spelling)"
    ),
    "seeding-unsupported": mark("seeding {found} is part of the protocol but not built yet"),
    "rules-unknown": mark("the rule set {found} is not known to this verifier"),
    "rules-inconsistent": mark("the rules of this match do not fit together: {why}"),
    "roll-not-due": mark("roll {roll} was not due: {why}"),
    "play-illegal": mark("play {play} breaks a rule: {why}"),
    "action-not-due": mark("this was not allowed here: {why}"),
    "result-wrong": mark("this is not how the match stood: {why}"),
    "event-out-of-place": mark("{found} stands where only this may: {expected}"),
    "player-twice": mark("player {found} does here a second time what each player does once"),
    "roll-index": mark("this is roll {found}, but roll {expected} is next"),
    "server-seed-mismatch": mark(
        "the service revealed a secret that is not the one it sealed: the fingerprint before the "
        "match was {expected}, the revealed secret's is {found}"
    ),
    "commitments-equal": mark("this fingerprint is the same as another party's"),
    "seed-mismatch": mark(
        "this player's seed is not the one that was sealed: its fingerprint is {found}, sealed was "
        "{expected}"
    ),
    "dice-mismatch": mark(
        "roll {roll} does not match: the log has {found}, the seeds give {expected}"
    ),
    "prev-mismatch": mark(
        "the line was changed after it was written: its fingerprint and the one kept beside it "
        "differ"
    ),
    "key-id-mismatch": mark("the key's short name is {found}, but this key's is {expected}"),
    "signature-head": mark(
        "the signature is for something else: {field} is {found}, not {expected}"
    ),
    "signature-invalid": mark("the signature is not genuine"),
    "signature-time": mark("the signature's time is {found}, the signed line's is {expected}"),
    "receipt-other-key": mark(
        "the receipt was signed with the key {expected}, the log with {found}: another service, or "
        "the service changed its key"
    ),
    "receipt-invalid": mark("a signature in the receipt is not genuine: the receipt was altered"),
    "receipt-contradiction": mark(
        "the service signed two different things: the receipt has another line here. Keep the "
        "receipt and the log; --fraud-proof FILE writes both signed statements into one file"
    ),
    "receipt-differs": mark("the receipt has another line here"),
    "my-seed-absent": mark("your seed is not in this log: it is another match, or it was replaced"),
    "key-other": mark("the log is signed with the key {found}, not with {expected}"),
    # what a fraud proof may lack
    "proof-statement-malformed": mark("a statement is not a run of log lines"),
    "proof-chain-broken": mark("a statement's lines are not tied to each other"),
    "proof-signature-invalid": mark("a statement's signature is not genuine"),
    "proof-no-contradiction": mark("the two statements can both be true"),
}


class Speaker:
    """Says things in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._catalogue = gettext.translation(
            DOMAIN, LOCALE, languages=[language], fallback=language == "en"
        )

    def say(self, text: str, /, **params: object) -> str:
        """A marked text in this language, its braces filled."""
        return self._catalogue.gettext(text).format(**params)

    def failure(self, failure: Failure) -> str:
        """What a failure means, in a clause that a line's number can stand before."""
        return self.say(
            FAILURES[failure.code],
            field=failure.field,
            roll=failure.roll,
            expected=_short(failure.expected),
            found=_short(failure.found),
            why=failure.rule.text(self.language) if failure.rule else "",
            **failure.params,
        )

    def error(self, error: InputError) -> str:
        """What keeps a file from being read."""
        params = {name: self._word(value) for name, value in error.params.items()}
        return self.say(error.text, **params)

    def _word(self, value: str | int) -> str:
        """A parameter of a message: itself translated where it is a text of ours."""
        text = str(value)
        return printable(self._catalogue.gettext(text) if text else text)


def printable(text: str) -> str:
    """Text that a terminal shows as it is: control and format characters as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def default_language() -> str:
    """The language of the environment, if it is one of ours; else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "tr" if value.startswith("tr") else "en"
    return "en"


def _short(text: str) -> str:
    return printable(text if len(text) <= 100 else text[:97] + "…")
