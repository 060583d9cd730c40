"""The baseline of a roll or action over HTTP: an endpoint of its form that does nothing.

``python -m tests.bench.baseline_empty``
"""

from typing import Annotated, Literal

from fastapi import FastAPI, Path
from pydantic import BaseModel

from tests.bench.uvicorn_process import serve


class Ask(BaseModel):
    """A roll's body, as the service takes it."""

    purpose: Literal["opening", "turn"] = "turn"
    player: Literal[0, 1] | None = None


class Action(BaseModel):
    """An action's body, as the service takes it."""

    type: str
    player: Literal[0, 1] | None
    moves: str | None = None
    value: Literal[1, 2, 3] | None = None
    auto: bool = False
    then_roll: bool = False


class Answer(BaseModel):
    """As little as lets the load generator see that its own request was answered."""

    index: int


app = FastAPI()
MatchId = Annotated[str, Path(pattern="^[A-Za-z0-9._-]{1,64}$")]
Index = Annotated[int, Path(ge=0, le=2**53 - 1)]


@app.put("/v1/matches/{match_id}/rolls/{index}", status_code=201)
async def roll(match_id: MatchId, index: Index, body: Ask) -> Answer:
    """Nothing."""
    del match_id, body
    return Answer(index=index)


class ActionAnswer(BaseModel):
    """The same for an action."""

    action: int


@app.put("/v1/matches/{match_id}/actions/{number}", status_code=201)
async def act(match_id: MatchId, number: Index, body: Action) -> ActionAnswer:
    """Nothing."""
    del match_id, body
    return ActionAnswer(action=number)


if __name__ == "__main__":
    serve(app)
