"""Every code has a sentence, and every sentence is there in Turkish, in the compiled catalogue."""

import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

import verifier
from verifier.report import CHECKS as CHECK_CODES
from verifier.sentences import CHECKS, FAILURES, LOCALE, VERDICTS, WHY_NOT

FOLDER = LOCALE / "tr" / "LC_MESSAGES"
KEYWORDS: dict[str, tuple[int, ...] | None] = {"mark": None, "InputError": (2,)}


def _id(message: Message) -> str:
    assert isinstance(message.id, str)
    return message.id


@pytest.fixture(scope="module")
def marked() -> set[str]:
    package = Path(verifier.__file__).parent
    found = extract_from_dir(package, keywords=KEYWORDS)
    return {message for _, _, message, _, _ in found if isinstance(message, str)}


@pytest.fixture(scope="module")
def turkish() -> Catalog:
    return read_po(io.BytesIO((FOLDER / "zarf.po").read_bytes()), locale="tr")


def test_every_failure_of_the_protocol_has_a_sentence() -> None:
    codes = {code for codes in CHECK_CODES.values() for code in codes}
    assert codes <= set(FAILURES)
    assert set(CHECKS) == set(CHECK_CODES)


def test_the_turkish_catalogue_holds_exactly_the_sentences_in_the_code(
    marked: set[str], turkish: Catalog
) -> None:
    tables = {*VERDICTS.values(), *CHECKS.values(), *WHY_NOT.values(), *FAILURES.values()}
    assert tables <= marked
    assert {_id(message) for message in turkish if message.id} == marked


def test_every_sentence_is_translated_with_the_same_blanks_to_fill(turkish: Catalog) -> None:
    blank = re.compile(r"\{[a-z_]+\}")
    for message in turkish:
        if message.id:
            assert isinstance(message.string, str)
            assert message.string.strip(), message.id
            assert not message.fuzzy, message.id
            assert sorted(blank.findall(message.string)) == sorted(blank.findall(_id(message)))


def test_the_compiled_catalogue_is_the_one_that_the_sources_give(turkish: Catalog) -> None:
    compiled = read_mo(io.BytesIO((FOLDER / "zarf.mo").read_bytes()))
    assert {m.id: m.string for m in compiled if m.id} == {m.id: m.string for m in turkish if m.id}
