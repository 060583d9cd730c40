"""What a demo says."""

import os
from typing import TextIO

from dice_service.answers import RollAnswer


class Voice:
    """What the demo says, in colour on a terminal that wants it (https://no-color.org).

    ``brief``: the results alone, without the steps that led to them.
    """

    def __init__(self, out: TextIO, *, brief: bool = False) -> None:
        self._out = out
        self.brief = brief
        self._colour = out.isatty() and not os.environ.get("NO_COLOR")
        self._step = 0

    def step(self, title: str, why: str) -> None:
        """A step of the match, and why it is taken."""
        self._step += 1
        if self.brief:
            return
        self.say()
        self.say(self._in("1", f"{self._step}. {title}"))
        for line in why.strip().splitlines():
            self.say(self._in("2", f"   {line.strip()}"))

    def fact(self, name: str, value: str) -> None:
        """Something that the step brought to light."""
        if not self.brief:
            self.say(f"   {name:<22} {self._in('36', value)}")

    def roll(self, index: int, who: str, answer: RollAnswer) -> None:
        """A roll of a dice-only match."""
        dice = self._in("1", "{}-{}".format(*answer.dice))
        self.say(f"   roll {index:>3}  {who:<8} {dice}   signed as line {answer.receipt.seq + 1}")

    def turn(self, number: int, who: str, dice: tuple[int, int] | None, what: str) -> None:
        """A turn of a refereed match, or a part of it without dice."""
        if not self.brief:
            shown = self._in("1", "{}-{}".format(*dice)) if dice else "   "
            self.say(f"   {number:>4}  {who:<8} {shown}  {what}")

    def say(self, text: str = "") -> None:
        """A line."""
        self._out.write(text + "\n")
        self._out.flush()

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colour else text
