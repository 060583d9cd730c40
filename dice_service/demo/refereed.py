"""A refereed match between two bots, told step by step."""

from pathlib import Path

from dice_service.actions import AnyAction, PlayAction, RollAction
from dice_service.answers import ActionAnswer
from dice_service.client import DiceClient
from dice_service.client.errors import RefusedError
from dice_service.demo.bot import choose
from dice_service.demo.dice_only import PLAYERS, Demo, Seeding
from dice_service.demo.voice import Voice
from dice_service.device import PlayerDevice
from verifier.events import (
    Double,
    Drop,
    GameEnd,
    PassUnrolled,
    Play,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Roll,
    Take,
)
from verifier.log import decode_line
from verifier.receipts import encode_receipt

LENGTH = 3  # points: every rule set is played to them
_SAID: dict[type, str] = {
    Double: "doubles",
    Take: "takes",
    Drop: "drops",
    ResignAccept: "accepts",
    ResignRefuse: "refuses",
    PassUnrolled: "is closed out: no roll",
}


class RefereedDemo(Demo):
    """A match of three points under a rule set."""

    def __init__(self, rules: str, folder: Path, seeding: Seeding, voice: Voice) -> None:
        super().__init__(0, folder, seeding, voice)
        self.rules = rules
        self.terms = {"rules": rules, "length": LENGTH}
        self.turns = 0
        self.dice = (0, 0)

    def run(self) -> int:
        """Play, verify, tell. The exit status: 0 if the verdict is VERIFIED."""
        if self.voice.brief:
            self.voice.say()
            self.voice.say(f"{self.rules}, {LENGTH} points")
        return super().run()

    def _rolled(self, dice: DiceClient, devices: list[PlayerDevice]) -> None:
        self.voice.step(
            f"Played, under the rules of {self.rules}",
            """The game server sends what the players do: action 0, 1, 2 … The service follows
            the game. It makes a roll when one is due and at no other time, refuses a play that
            is not legal, and keeps the score. Both devices keep each signed receipt.""",
        )
        self._refused(dice)
        answer = self._act(dice, devices, 0, RollAction(player=None))
        while answer.table.due.what != "nothing":
            answer = self._act(dice, devices, answer.next_action, choose(answer))

    def _refused(self, dice: DiceClient) -> None:
        """Ask for what is not due, to show what comes of it."""
        try:
            dice.action(self.match_id, 0, PlayAction(player=0, moves="24/18"))
        except RefusedError as refused:
            self.voice.fact("a play before a roll", f"{refused.rule}: {refused.detail}")
            self.voice.fact("", refused.detail_tr)

    def _act(
        self, dice: DiceClient, devices: list[PlayerDevice], number: int, action: AnyAction
    ) -> ActionAnswer:
        answer = dice.action(self.match_id, number, action, legal=True)
        for device in devices:
            device.keep_action(encode_receipt(answer.receipt))
        self._tell(answer)
        return answer

    def _tell(self, answer: ActionAnswer) -> None:
        for line in answer.lines:
            match decode_line(line.line.encode(), line.seq):
                case Roll(purpose=purpose, dice=dice):
                    self.dice = dice
                    if purpose == "opening":
                        self.voice.turn(self._next(), "opening", dice, "")
                case Play(player=player, moves=moves):
                    self.voice.turn(
                        self._next(), PLAYERS[player], self.dice, moves or "cannot play"
                    )
                case ResignOffer(player=player, value=value):
                    self.voice.turn(self._next(), PLAYERS[player], None, f"resigns {value}")
                case GameEnd(winner=winner, points=points, kind=kind, score=score):
                    self.voice.say(
                        f"   {PLAYERS[winner]} wins {points} ({kind}): {score[0]}-{score[1]}"
                    )
                case (
                    Double() | Take() | Drop() | ResignAccept() | ResignRefuse() | PassUnrolled()
                ) as event:
                    who = PLAYERS[event.player]
                    self.voice.turn(self._next(), who, None, _SAID[type(event)])

    def _next(self) -> int:
        self.turns += 1
        return self.turns

    def _revealed(self, dice: DiceClient) -> None:
        self.voice.step(
            "Revealed",
            """The score has ended the match: with its last line the service opens its secret. Its
            SHA-256 is the commitment of step 1, so it was chosen before the first roll.""",
        )
        log = dice.log(self.match_id)
        self.log_file.write_bytes(log.data)
        state = dice.state(self.match_id)
        self.voice.fact("service's secret", state.server_seed or "")
        self.voice.fact("log's head", log.head)
