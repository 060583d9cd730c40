"""The baseline of a roll over HTTP as most FastAPI projects would write it.

``python -m tests.bench.baseline_usual DATABASE MATCHES``: SQLAlchemy's async session over
aiosqlite, one transaction a request: SELECT the match, SELECT the roll, INSERT it, COMMIT, with
the service's durability (write-ahead log, ``synchronous=FULL``), its dice and its signature. It
does less than the service does: no API key is looked up and no log is chained, and the matches
``bench-000000`` … are there from the start.
"""

import hashlib
import secrets
import sys
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import Depends, FastAPI, HTTPException, Path, Response
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ForeignKey, create_engine, event, insert, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from tests.bench.prepared import match_ids
from tests.bench.uvicorn_process import serve
from verifier import roll as dice_of


class Base(DeclarativeBase):
    """The tables."""


class MatchRow(Base):
    """A match whose seeds are open."""

    __tablename__ = "matches"
    match_id: Mapped[str] = mapped_column(primary_key=True)
    server_seed: Mapped[bytes]
    seed_0: Mapped[str]
    seed_1: Mapped[str]


class RollRow(Base):
    """A roll that was made."""

    __tablename__ = "rolls"
    match_id: Mapped[str] = mapped_column(ForeignKey("matches.match_id"), primary_key=True)
    index: Mapped[int] = mapped_column(primary_key=True)
    purpose: Mapped[str]
    player: Mapped[int | None]
    die_0: Mapped[int]
    die_1: Mapped[int]
    sig: Mapped[str]


class Ask(BaseModel):
    """A roll's body."""

    purpose: Literal["opening", "turn"] = "turn"
    player: Literal[0, 1] | None = None


class Answer(BaseModel):
    """A roll, signed."""

    model_config = ConfigDict(from_attributes=True)

    match_id: str
    index: int
    purpose: str
    player: int | None
    die_0: int
    die_1: int
    sig: str


app = FastAPI()
key = Ed25519PrivateKey.generate()
engine = create_async_engine(f"sqlite+aiosqlite:///{sys.argv[1]}")
sessions = async_sessionmaker(engine, expire_on_commit=False)


@event.listens_for(engine.sync_engine, "connect")
def durable(connection: Any, _: Any) -> None:
    """As the service opens its file."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


async def session() -> AsyncIterator[AsyncSession]:
    """A session for one request."""
    async with sessions() as opened:
        yield opened


@app.put("/v1/matches/{match_id}/rolls/{index}", status_code=201)
async def roll(
    match_id: Annotated[str, Path(pattern="^[A-Za-z0-9._-]{1,64}$")],
    index: Annotated[int, Path(ge=0, le=2**53 - 1)],
    body: Ask,
    response: Response,
    db: Annotated[AsyncSession, Depends(session)],
) -> Answer:
    """Make a roll, or say again what it was."""
    match = (await db.execute(select(MatchRow).filter_by(match_id=match_id))).scalar_one_or_none()
    if match is None:
        raise HTTPException(404)
    wanted = select(RollRow).filter_by(match_id=match_id, index=index)
    made = (await db.execute(wanted)).scalar_one_or_none()
    if made is not None:
        response.status_code = 200
        return Answer.model_validate(made)
    dice = dice_of(match.server_seed, match_id, match.seed_0, match.seed_1, index)
    head = hashlib.sha256(f"{match_id}:{index}:{dice}".encode()).hexdigest()
    sig = key.sign(f"zarf/1:head:{match_id}:{index}:{head}".encode()).hex()
    made = RollRow(
        match_id=match_id,
        index=index,
        purpose=body.purpose,
        player=body.player,
        die_0=dice[0],
        die_1=dice[1],
        sig=sig,
    )
    db.add(made)
    await db.commit()
    return Answer.model_validate(made)


def fill(path: str, count: int) -> None:
    """Make the file with its matches."""
    plain = create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(plain)
    rows = [
        {
            "match_id": match_id,
            "server_seed": secrets.token_bytes(32),
            "seed_0": secrets.token_hex(32),
            "seed_1": secrets.token_hex(32),
        }
        for match_id in match_ids(count)
    ]
    with plain.begin() as connection:
        connection.execute(insert(MatchRow), rows)
    plain.dispose()


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]))
    serve(app)
