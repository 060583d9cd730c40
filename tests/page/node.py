"""Node, in which the page's modules run without a browser."""

import os
import shutil
import subprocess

import pytest

# Node 18, which Debian 12 has, keeps WebCrypto behind this; later ones take it as said.
_OPTIONS = "--experimental-global-webcrypto"


def node(*arguments: str, given: str = "") -> str:
    """What a program in Node prints; the test fails if it does not end well."""
    program = shutil.which("node")
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("node is not installed")
    run = subprocess.run(
        [program, *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NODE_OPTIONS": _OPTIONS},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
