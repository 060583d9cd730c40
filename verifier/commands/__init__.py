"""What ``dice-verify`` does besides checking logs, a module a command.

`cli` imports this only when one of them is asked for, so that checking a log starts no slower.
"""

from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """Run ``dice-verify NAME …`` for a NAME of `cli.COMMANDS`; the exit status."""
    name, *rest = arguments
    match name:
        case "convert":
            from verifier.commands import convert

            return convert.run(rest)
        case "legal":
            from verifier.commands import legal

            return legal.run(rest)
        case _:
            from verifier.commands import show

            return show.run(rest)
