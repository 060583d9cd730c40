"""dice-verify as a user meets it: what it prints, in two languages, and its exit status."""

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.bots import play_out
from tests.support.scribe import KEY, OTHER_KEY, PLAYER_SEEDS, Scribe, honest, sha256
from verifier import cli
from verifier.cli import main
from verifier.events import MatchEnd, Play

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def run(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "match.zarf.jsonl"
    path.write_bytes(honest(6).data)
    return path


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    path = tmp_path / "receipt.jsonl"
    path.write_bytes(honest(6).opening)
    return path


@pytest.fixture
def cheat(tmp_path: Path) -> Path:
    """A log whose roll 2 is not the one that was signed for, with a receipt that says so."""
    path = tmp_path / "cheat.zarf.jsonl"
    scribe = Scribe().open().roll().roll().roll((6, 6)).roll()
    path.write_bytes(scribe.end().data)
    (tmp_path / "kept.jsonl").write_bytes(honest(4).opening + honest(4).receipt(9))
    return path


def test_the_verdict_comes_first(run: Run, log: Path, receipt: Path) -> None:
    status, out, err = run(log, "--receipt", receipt)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"✔ VERIFIED  {log}"
    assert "rolls checked: 6; ended: finished" in out


def test_without_a_receipt_it_is_consistent_and_says_how_to_anchor_it(run: Run, log: Path) -> None:
    status, out, _ = run(log)
    assert status == 0
    assert out.startswith("? CONSISTENT")
    assert "--receipt FILE" in out
    assert run(log, "--require-anchor")[0] == 4


def test_a_log_without_a_roll_does_not_satisfy_who_requires_an_anchor(
    run: Run, tmp_path: Path
) -> None:
    empty = honest(0)
    (tmp_path / "log").write_bytes(empty.data)
    (tmp_path / "receipt").write_bytes(empty.opening)
    arguments = (tmp_path / "log", "--receipt", tmp_path / "receipt", "--require-anchor")
    assert run(*arguments)[0] == 4


def test_a_changed_die_names_line_and_roll(run: Run, log: Path) -> None:
    scribe = honest(6)
    first, second = scribe.dice(3)
    other = first % 6 + 1
    data = log.read_bytes().splitlines(keepends=True)
    line = scribe.rolled + 7 - 6 + 3  # the opening is lines 0 to 6, roll 3 is line 10
    data[line] = data[line].replace(f"[{first},{second}]".encode(), f"[{other},{second}]".encode())
    log.write_bytes(b"".join(data))
    status, out, _ = run(log)
    assert status == 1
    assert out.startswith("✖ FAILED")
    assert (
        f"Line 11 (roll 3): roll 3 does not match: the log has {other}-{second}, "
        f"the seeds give {first}-{second}" in out
    )


def test_a_cut_log_is_incomplete(run: Run, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-40])
    status, out, _ = run(log)
    assert status == 3
    assert out.startswith("? INCOMPLETE")
    assert "in the middle of line 16" in out


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b"no log", "no whole line"),
        (b"\xff\xd8\xff\xe0\n\r\n", "no line of the file is one of a match log"),
        (b'{"detail":"not found"}\n', "no line of the file is one of a match log"),
        (honest(2).data.replace(b"\n", b"\r\n"), "changed the line ends"),
        (b"\x1f\x8bxx", "cannot be read"),
    ],
)
def test_what_is_no_log_is_said_on_stderr(
    run: Run, tmp_path: Path, content: bytes, what: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    status, out, err = run(path)
    assert (status, out) == (2, "")
    assert what in err
    assert str(path) in err


def test_a_missing_file_is_said_in_the_systems_words(run: Run) -> None:
    assert run("nowhere")[::2] == (
        2,
        "dice-verify: nowhere cannot be read: No such file or directory\n",
    )


def test_it_reads_gzip_and_standard_input(
    run: Run, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    assert run(packed)[0] == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed.read_bytes())))
    status, out, _ = run("-")
    assert status == 0
    assert out.startswith("? CONSISTENT  -\n")


def test_a_gzip_bomb_is_not_unpacked_whole(run: Run, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    with gzip.open(bomb, "wb") as file:
        for _ in range(80):
            file.write(bytes(1024 * 1024))
    status, _, err = run(bomb)
    assert status == 2
    assert "longer than a log may be" in err


def test_of_several_logs_the_worst_counts_and_receipts_find_their_own(
    run: Run, log: Path, receipt: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(honest(2, match_id="another").data)
    status, out, _ = run(log, other, "--receipt", receipt)
    assert status == 0
    assert "✔ VERIFIED" in out
    assert "? CONSISTENT" in out
    assert run(log, other, "nowhere")[0] == 2
    other.write_bytes(log.read_bytes().replace(b"turn", b"torn"))
    assert run(log, other, "nowhere")[0] == 1


def test_a_receipt_of_none_of_the_logs_is_an_error(run: Run, receipt: Path, tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    other.write_bytes(honest(2, match_id="another").data)
    third.write_bytes(honest(2, match_id="third").data)
    status, _, err = run(other, third, "--receipt", receipt)
    assert status == 2
    assert "of none of these matches" in err


def test_my_seed_is_looked_for(run: Run, log: Path) -> None:
    assert (
        "✔ passed       Your own seed is in the log."
        in run(log, "--my-seed", PLAYER_SEEDS[1].hex())[1]
    )
    status, out, _ = run(log, "--my-seed", "12" * 31 + "34")
    assert status == 1
    assert "your seed is not in this log" in out


def test_the_wrong_field_pasted_as_a_seed_is_named(run: Run, log: Path) -> None:
    status, _, err = run(log, "--my-seed", sha256(PLAYER_SEEDS[0]))
    assert status == 2
    assert "is a commitment (a fingerprint), not a seed" in err
    status, _, err = run(log, "--my-seed", honest(1).server_seed.hex())
    assert status == 2
    assert "is the service's seed" in err
    assert run(log, "--my-seed", "ABCD")[0] == 2


def test_the_key_may_be_hex_or_a_file(run: Run, log: Path, tmp_path: Path) -> None:
    key = KEY.public_key().public_bytes_raw().hex()
    assert (
        "✔ passed       The log is signed with the key that you named." in run(log, "--key", key)[1]
    )
    (tmp_path / "key.hex").write_text(key + "\n")
    assert run(log, "--key", tmp_path / "key.hex")[0] == 0
    other = OTHER_KEY.public_key().public_bytes_raw().hex()
    assert run(log, "--key", other)[0] == 1
    assert run(log, "--key", "nowhere")[0] == 2


def test_a_roll_is_explained_and_openssl_agrees(run: Run, log: Path) -> None:
    status, out, _ = run(log, "--explain", 2)
    assert status == 0
    command = re.search(r"^ {4}(printf .*)$", out, re.MULTILINE)
    digest = re.search(r"HMAC-SHA256 digest: ([0-9a-f ]+)$", out, re.MULTILINE)
    assert command
    assert digest
    redone = subprocess.run(
        ["bash", "-c", command[1]], capture_output=True, text=True, check=True
    ).stdout
    assert redone.split("= ")[1].strip() == digest[1].replace(" ", "")
    first, second = honest(6).dice(2)
    assert f"the log has {first}-{second}: the same" in out


def test_a_roll_with_a_byte_to_skip_shows_which(run: Run) -> None:
    example = Path(__file__).parents[2] / "vectors" / "example.zarf.jsonl"
    _, out, _ = run(example, "--explain", 37)
    assert "bytes skipped (252 or more): #1 = 255" in out
    assert "dice: 115 mod 6 + 1 = 2; 201 mod 6 + 1 = 4" in out  # 0x73 and 0xc9: PROTOCOL.md, W


def test_a_roll_that_fails_is_explained_as_not_the_same(run: Run, cheat: Path) -> None:
    _, out, _ = run(cheat, "--explain", 2)
    assert "the log has 6-6: NOT the same" in out


@pytest.mark.parametrize(("roll", "what"), [(6, "has 6 rolls"), (-1, "counted from 0")])
def test_a_roll_that_is_not_there_cannot_be_explained(
    run: Run, log: Path, roll: int, what: str
) -> None:
    status, _, err = run(log, "--explain", roll)
    assert status == 2
    assert what in err


def test_nothing_is_explained_before_the_reveal(run: Run, tmp_path: Path) -> None:
    running = tmp_path / "running"
    running.write_bytes(Scribe().open().roll().data)
    status, _, err = run(running, "--explain", 0)
    assert status == 2
    assert "all three seeds" in err


def test_a_contradiction_is_proved_in_a_file_that_checks_by_itself(
    run: Run, cheat: Path, tmp_path: Path
) -> None:
    proof = tmp_path / "proof.json"
    arguments = (cheat, "--receipt", tmp_path / "kept.jsonl", "--fraud-proof", proof)
    status, out, _ = run(*arguments)
    assert status == 1
    assert "the service signed two different things" in out
    status, out, _ = run(proof)
    assert status == 0
    assert out.startswith("✔ PROVED")
    assert "line 10" in out
    assert json.loads(run(proof, "--json")[1])["proved"] is True
    assert run(*arguments)[0] == 2, "a file that is there is never written over"

    proof.write_bytes(proof.read_bytes().replace(b"[6,6]", b"[5,5]"))
    status, out, _ = run(proof)
    assert status == 1
    assert out.startswith("✖ NOT PROVED")


def test_no_proof_is_written_where_there_is_no_contradiction(
    run: Run, log: Path, receipt: Path, tmp_path: Path
) -> None:
    proof = tmp_path / "proof.json"
    status, _, err = run(log, "--receipt", receipt, "--fraud-proof", proof)
    assert status == 2
    assert "no contradiction" in err
    assert not proof.exists()


@pytest.mark.parametrize(
    "arguments", [("-", "--receipt", "-"), ("a", "b", "--fraud-proof", "c"), ("-", "-")]
)
def test_arguments_that_do_not_go_together_are_refused(run: Run, arguments: Any) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("dice-verify: ")


def test_a_receipt_given_as_a_log_is_recognised(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(honest(4).opening + honest(4).receipt(9))
    status, _, err = run(path)
    assert status == 2
    assert "give it with --receipt" in err


def test_json_is_one_object_a_log(run: Run, log: Path, cheat: Path) -> None:
    status, out, err = run(log, cheat, "nowhere", "--json", "--explain", 0)
    assert (status, err) == (1, "")
    good, bad, none = map(json.loads, out.splitlines())
    assert (good["verdict"], good["exit_status"], good["rolls"]) == ("CONSISTENT", 0, 6)
    assert good["explained"]["blocks"][0]["message"].startswith("zarf/1:roll:test-match-1:")
    assert bad["failed_rolls"] == [2]
    assert bad["failures"][0]["line"] == 10
    assert bad["failures"][0]["message"].startswith("Line 10 (roll 2): ")
    assert (none["error"], none["exit_status"]) == ("file-unreadable", 2)


def test_turkish_is_spoken_when_asked_for_or_by_the_environment(
    run: Run, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(log, "--lang", "tr")[1].startswith("? TUTARLI")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    assert run(log)[1].startswith("? TUTARLI")
    assert "okunamıyor" in run("nowhere")[2]
    monkeypatch.delenv("LC_ALL")
    for name in ("LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert run(log)[1].startswith("? CONSISTENT")


def test_direct_seeding_says_what_it_cannot_show(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "direct"
    path.write_bytes(honest(2, seeding="direct").data)
    assert "tried seeds until the dice pleased" in run(path)[1]


def test_many_failures_are_not_all_printed(run: Run, tmp_path: Path) -> None:
    scribe = Scribe().open()
    for index in range(80):
        first, second = scribe.dice(index)
        scribe.roll((first % 6 + 1, second))
    path = tmp_path / "all"
    path.write_bytes(scribe.end().data)
    _, out, _ = run(path)
    assert "… and 70 more" in out
    assert "80 rolls do not match: 0, 1, 2, 3" in out
    assert ", 49, …" in out


def test_a_name_cannot_play_tricks_on_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tricks"
    path.write_bytes(honest(1, players=("\u202eeşyA", "Bora")).data)
    _, out, _ = run(path)
    assert "\u202e" not in out
    assert "\\u202eeşyA" in out


def test_colour_is_for_terminals_only(run: Run, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run(log)[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[33m? CONSISTENT" in run(log)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(log)[1]


def test_ctrl_c_is_answered_in_one_line(
    run: Run, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "verify_log", interrupted)
    assert run(log) == (130, "", "dice-verify: interrupted\n")


def test_a_reader_that_goes_away_is_no_error(log: Path) -> None:
    program = Path(sys.executable).parent / "dice-verify"
    done = subprocess.run(
        f"'{program}' {f'{log} ' * 200} | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("? ")


def test_a_refereed_log_judges_dice_and_play_apart(run: Run, tmp_path: Path) -> None:
    scribe = play_out("tavlino", 1, seed=4)
    path = tmp_path / "match"
    path.write_bytes(scribe.data)
    _, out, _ = run(path)
    assert "✔ passed       Every roll was due, every play is legal, and the score is right." in out

    wrong = Scribe(rules="tavlino", length=1).open()
    while (dice := wrong.dice(wrong.rolled))[0] == dice[1]:
        wrong.roll(purpose="opening")
    wrong.roll(purpose="opening")
    wrong.add(Play, player=0 if dice[0] > dice[1] else 1, moves="24/1", auto=False)
    wrong.add(MatchEnd, winner=None, reason="abort", score=(0, 0)).reveal().sign()
    path.write_bytes(wrong.data)
    status, out, _ = run(path)
    assert status == 1
    assert "The dice are right" in out
    assert "play 1 breaks a rule" in out
    assert "Zarlar doğru" in run(path, "--lang", "tr")[1]
