"""The parts of README.md that are printed by the code: `make readme` writes them anew."""

import argparse
import hashlib
import os
from pathlib import Path

from verifier.cli import parser
from verifier.page.build import TARGET, served
from verifier.rules.matrix import matrix_markdown

README = Path(__file__).parents[1] / "README.md"


def help_block() -> str:
    """What ``dice-verify --help`` prints on a terminal of 100 columns."""
    columns, os.environ["COLUMNS"] = os.environ.get("COLUMNS"), "100"
    try:
        text = parser().format_help()
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    return f"```\n{text}```\n"


def page_hashes() -> str:
    """The SHA-256 of the verification page as a file, and as a service hands it out."""
    html = TARGET.read_bytes()
    return (
        f"| `verify.html`, as a file | `{hashlib.sha256(html).hexdigest()}` |\n"
        "| --- | --- |\n"
        f"| the same as served at `/verify` | `{hashlib.sha256(served(html)).hexdigest()}` |\n"
    )


BLOCKS = {"dice-verify --help": help_block, "rules matrix": matrix_markdown, "page": page_hashes}


def made(readme: str) -> str:
    """The README's text with each marked part as the code prints it now."""
    for name, block in BLOCKS.items():
        before, mark, rest = readme.partition(f"<!-- {name}: written by make readme -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        assert mark, f"README.md has no part marked {name!r}"
        readme = before + mark + block().rstrip("\n") + "\n" + end + after
    return readme


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    README.write_text(made(README.read_text(encoding="utf-8")), encoding="utf-8")
