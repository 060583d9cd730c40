"""A pytest plugin: every log that the tests verify is written down, with what was said of it."""

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path

import verifier
from verifier.receipts import Receipts

_read, _verify = verifier.read_receipts, verifier.verify_log
_files: list[tuple[Receipts, bytes]] = []


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def read_receipts(data: bytes) -> Receipts:
    """As the verifier's; the file's bytes are kept beside what was read from it."""
    receipts = _read(data)
    _files.append((receipts, data))
    return receipts


def verify_log(
    data: bytes,
    receipts: Sequence[Receipts] = (),
    *,
    my_seed: str | None = None,
    key: str | None = None,
) -> verifier.Report:
    """As the verifier's; what was given and said goes to the file that $ZARF_RECORD names."""
    report = _verify(data, receipts, my_seed=my_seed, key=key)
    files = [next(raw for read, raw in _files if read is each) for each in receipts]
    said = {
        "log": _text(data),
        "receipts": [_text(each) for each in files],
        "my_seed": my_seed,
        "key": key,
        "verdict": str(report.verdict),
        "why": report.why,
        "first": [[f.code, f.seq, f.field] for f in report.failures[:1]],
        "proof": report.proof is not None,
    }
    with Path(os.environ["ZARF_RECORD"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(said) + "\n")
    return report


vars(verifier).update(read_receipts=read_receipts, verify_log=verify_log)
