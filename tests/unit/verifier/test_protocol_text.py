"""PROTOCOL.md says what the code does: its shell lines run, its codes and its fields are ours."""

import re
import shutil
import subprocess
import typing
from pathlib import Path

import msgspec
import pytest

import verifier
from tests.vectors import generate
from verifier import events
from verifier.report import CHECKS
from verifier.sentences import FAILURES, VERDICTS

TEXT = (Path(verifier.__file__).parent / "PROTOCOL.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)


def _commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown under it."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            command, output = found.pop()
            found.append((command, output + line + "\n"))
    return found


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[0][:40])
def test_w_every_command_of_the_worked_example_prints_what_is_shown(
    block: str, tmp_path: Path
) -> None:
    log = Path(generate.__file__).parent / "example.zarf.jsonl"
    shutil.copy(log, tmp_path / "example.zarf.jsonl")
    for command, shown in _commands(block):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == (shown, ""), command


def test_w_the_worked_example_is_consistent() -> None:
    log = (Path(generate.__file__).parent / "example.zarf.jsonl").read_bytes()
    report = verifier.verify_log(log)
    assert (report.verdict, report.why, report.rolls) == ("CONSISTENT", "not-anchored", 40)
    for seen in (report.match_id, report.key_id, report.seeding):
        assert seen in TEXT


def test_f_the_codes_of_the_text_are_those_of_the_report() -> None:
    ours = {code for codes in CHECKS.values() for code in codes}
    proofs = {code for code in FAILURES if code.startswith("proof-")}
    reasons = {why for _, why in VERDICTS if why}
    named = set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", TEXT))
    named -= {"example-1", "receipt-other-match"}  # the match of W; a reason not to read at all
    assert named == ours | proofs | reasons


def test_v3_the_checks_of_the_text_are_those_of_the_report() -> None:
    rule = TEXT[TEXT.index("- **V3**") : TEXT.index("\n\n", TEXT.index("- **V3**"))]
    assert re.findall(r"`([a-z_]+)` \(", rule) == list(CHECKS)


def _table() -> dict[str, list[str]]:
    """The table of events: each type with the cells of its fields."""
    rows = re.findall(r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| (.*) \|$", TEXT, re.MULTILINE)
    return {
        name: fields.split(" · ")
        for types, fields in rows
        for name in re.findall(r"`([a-z_]+)`", types)
        if name != "type"  # the table's head
    }


def test_l4_the_table_of_fields_is_that_of_the_events() -> None:
    table = _table()
    assert table.keys() == events.EVENTS.keys()
    for name, cells in table.items():
        fields = [re.findall(r"`([a-z_]+)`", cell)[0] for cell in cells]
        start = ["type", "time"] if name == "match" else ["type", "prev", "time"]
        assert tuple(start + fields) == events.field_names(events.EVENTS[name]), name


def test_l5_the_words_that_a_field_may_hold_are_those_of_the_events() -> None:
    for name, cells in _table().items():
        types = {f.name: f.type for f in msgspec.structs.fields(events.EVENTS[name])}
        for cell in cells:
            field, words = re.findall(r"`([a-z_]+)`", cell)[0], re.findall(r'"([^"]+)"', cell)
            allowed = [word for word in typing.get_args(types[field]) if isinstance(word, str)]
            assert sorted(words) == sorted(allowed), (name, field)


def test_every_rule_cited_in_the_code_stands_in_the_text() -> None:
    rules = set(re.findall(r"\*\*([A-Z][0-9]+)\*\*", TEXT))
    for path in Path(verifier.__file__).parent.glob("*.py"):
        for cited in re.findall(
            r"\(([A-Z][0-9]+(?:(?:, | to | and )[A-Z][0-9]+)*)\)", path.read_text()
        ):
            assert set(re.findall(r"[A-Z][0-9]+", cited)) <= rules, (path.name, cited)
