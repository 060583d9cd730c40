"""Builds ``verify.html``: the modules of ``src/`` in one file that may connect to nothing.

``python -m verifier.page.build`` writes it and prints its SHA-256; ``--check`` only says whether
the file there is stale. The same sources give the same bytes. ``served`` makes the variant that a
service hands out at ``/verify``: it may fetch from its own origin, and differs in nothing else.
``zarf-device.js``, the module that game sites embed, is built likewise.
"""

import argparse
import base64
import hashlib
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"
TARGET = HERE / "verify.html"
DEVICE = HERE / "zarf-device.js"

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
# Comments on lines of their own: a reader finds them in src/.
_COMMENT = re.compile(r"^[ ]*(?://.*\n|/\*\*(?:.|\n)*?\*/\n)", re.MULTILINE)
_CLOSED = "connect-src 'none'"


class BuildError(Exception):
    """The sources use something that this small bundler does not know."""


def _name(path: Path) -> str:
    return "$" + re.sub(r"\W", "_", path.relative_to(SOURCES).with_suffix("").as_posix())


def _wrap(path: Path, text: str) -> str:
    """One module as a constant that holds what it exports."""

    def bind(found: re.Match[str]) -> str:
        names = found[1].replace(" as ", ": ")
        return f"const {names} = {_name((path.parent / found[2]).resolve())};\n"

    exported = [found[2] for found in _EXPORT.finditer(text)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(bind, text))
    if re.search(r"^(?:import|export)\b", body, re.MULTILINE):
        raise BuildError(f"{path.name}: an import or export in a form that is not known")
    body = _COMMENT.sub("", body)
    return f"const {_name(path)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def script(entry: str) -> str:
    """Every module that ``entry`` needs, each after what it imports."""
    done: dict[Path, str] = {}

    def add(path: Path, above: tuple[Path, ...]) -> None:
        if path in above:
            raise BuildError(f"{path.name}: imports itself through {above[-1].name}")
        if path in done:
            return
        text = path.read_text("utf-8")
        for found in _IMPORT.finditer(text):
            add((path.parent / found[2]).resolve(), (*above, path))
        done[path] = _wrap(path, text)

    add(SOURCES / entry, ())
    return "".join(done.values())


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def page() -> bytes:
    """The file's bytes."""
    code = "\n" + script("app.js")
    style = "\n" + (SOURCES / "style.css").read_text("utf-8")
    if "</script" in code or "</style" in style:
        raise BuildError("a closing tag inside the code would end it")
    given = {
        "script": code,
        "style": style,
        "script-hash": _source_hash(code),
        "style-hash": _source_hash(style),
    }
    template = (SOURCES / "page.html").read_text("utf-8")
    return re.sub(r"\{([a-z-]+)\}", lambda found: given[found[1]], template).encode()


def served(html: bytes) -> bytes:
    """The same page with leave to fetch the match log from its own origin."""
    closed = _CLOSED.encode()
    if html.count(closed) != 1:
        raise BuildError(f"the page must say {_CLOSED} exactly once")
    return html.replace(closed, b"connect-src 'self'")


def device() -> bytes:
    """The module that game sites embed, with all that it imports."""
    names = _EXPORT.findall((SOURCES / "device.js").read_text("utf-8"))
    exported = ", ".join(name for _, name in names)
    return f"{script('device.js')}export const {{ {exported} }} = $device;\n".encode()


def main(argv: list[str] | None = None) -> int:
    """Write or check the page; 0, or 1 where ``--check`` finds it stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="only say whether it is stale")
    built = {TARGET: page(), DEVICE: device()}
    if parser.parse_args(argv).check:
        stale = [
            path.name
            for path, data in built.items()
            if not path.is_file() or path.read_bytes() != data
        ]
        sys.stdout.write("".join(f"{name} is stale: build it anew\n" for name in stale))
        return int(bool(stale))
    for path, data in built.items():
        path.write_bytes(data)
        sys.stdout.write(f"{hashlib.sha256(data).hexdigest()}  {path.name} ({len(data)} bytes)\n")
    digest = hashlib.sha256(served(built[TARGET])).hexdigest()
    sys.stdout.write(f"{digest}  {TARGET.name} as served\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
