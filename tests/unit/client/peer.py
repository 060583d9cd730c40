"""A dice service in memory for one match, honest unless a test makes it cheat.

It is written from the protocol's text and shares no code with the service.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from verifier.dice import roll

TIME = "2026-01-02T03:04:05.678Z"
Answer = httpx.Response | Exception


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def text_of(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class Peer:
    def __init__(self, seeding: str = "committed", match_id: str = "m-1") -> None:
        self.match_id, self.seeding = match_id, seeding
        self.key = Ed25519PrivateKey.generate()
        self.secret = secrets.token_hex(32)
        self.players = ["Ayşe", "Bora"]
        self.seeds: dict[int, str] = {}
        self.committed: dict[int, str] = {}
        self.lines: list[bytes] = []
        self.receipts: dict[int, dict[str, Any]] = {}
        self.asked: list[tuple[str, str]] = []
        self.first: list[Answer] = []  # given before any answer of its own
        self.change: Callable[[str, Any], Any] = lambda _, answer: answer  # the cheat
        self.open()

    @property
    def public_key(self) -> str:
        return self.key.public_key().public_bytes_raw().hex()

    @property
    def key_id(self) -> str:
        return sha(bytes.fromhex(self.public_key))[:16]

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.answer)

    def open(self) -> None:
        """Begin the log (again): the match line and its signature."""
        self.lines = []
        self.add(
            "match",
            protocol="zarf/1",
            match_id=self.match_id,
            seeding=self.seeding,
            rules=None,
            length=None,
            options={},
            players=self.players,
            commitment=sha(bytes.fromhex(self.secret)),
            public_key=self.public_key,
            key_id=self.key_id,
        )
        self.sign()

    def add(self, kind: str, **fields: object) -> int:
        prev = {"prev": sha(self.lines[-1])} if self.lines else {}
        self.lines.append(text_of({"type": kind, **prev, "time": TIME, **fields}))
        return len(self.lines) - 1

    def signature(self, seq: int, head: str) -> str:
        return self.key.sign(f"zarf/1:head:{self.match_id}:{seq}:{head}".encode()).hex()

    def sign(self) -> None:
        seq, head = len(self.lines) - 1, sha(self.lines[-1])
        self.add("signature", seq=seq, head=head, key_id=self.key_id, sig=self.signature(seq, head))

    def file(self, count: int | None = None) -> bytes:
        return b"".join(line + b"\n" for line in self.lines[:count])

    def receipt_of(self, seq: int, line: bytes) -> dict[str, Any]:
        return {
            "type": "roll_receipt",
            "match_id": self.match_id,
            "key_id": self.key_id,
            "seq": seq,
            "head": sha(line),
            "sig": self.signature(seq, sha(line)),
            "line": line.decode(),
        }

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix(f"/v1/matches/{self.match_id}")
        self.asked.append((request.method, path))
        if self.first:
            given = self.first.pop(0)
            if isinstance(given, Exception):
                raise given
            return given
        if path in ("/log", "/receipt"):
            ready = 5 if self.seeding == "committed" else 2
            if path == "/receipt" and len(self.lines) < ready:
                return problem("receipt-not-ready", 409)
            data = self.change(path, self.file(None if path == "/log" else ready))
            return httpx.Response(200, headers={"content-type": "application/jsonl"}, content=data)
        body = json.loads(request.content or b"{}")
        return httpx.Response(201, json=self.change(path, self.put(path.split("/")[1:], body)))

    def put(self, path: list[str], body: dict[str, Any]) -> dict[str, Any]:
        match path:
            case ["players", p, "commitment"]:
                self.committed[int(p)] = body["commitment"]
                seq = self.add("seed_commitment", player=int(p), commitment=body["commitment"])
                if len(self.committed) == 2:
                    self.sign()
                return self.line_answer(int(p), seq)
            case ["players", p, "seed"]:
                self.seeds[int(p)] = body["seed"]
                return self.line_answer(int(p), self.add("seed", player=int(p), seed=body["seed"]))
            case ["rolls", index]:
                return self.roll(int(index), body.get("purpose", "turn"), body.get("player"))
            case ["end"]:
                self.add("match_end", winner=None, reason="finished", score=None)
                self.add("reveal", server_seed=self.secret)
                self.sign()
                head = sha(self.lines[-1])
                end = {"match_id": self.match_id, "reason": "finished", "winner": None}
                return {**end, "server_seed": self.secret, "seq": len(self.lines) - 1, "head": head}
        return {
            "match_id": self.match_id,
            "commitment": sha(bytes.fromhex(self.secret)),
            "public_key": self.public_key,
            "key_id": self.key_id,
            "receipt": self.file(2).decode(),
            "tokens": ["zp_a", "zp_b"],
        }

    def line_answer(self, player: int, seq: int) -> dict[str, Any]:
        line = self.lines[seq].decode()
        return {"match_id": self.match_id, "player": player, "seq": seq, "line": line}

    def roll(self, index: int, purpose: str = "turn", player: int | None = None) -> dict[str, Any]:
        if index not in self.receipts:
            secret = bytes.fromhex(self.secret)
            dice = roll(secret, self.match_id, self.seeds[0], self.seeds[1], index)
            seq = self.add("roll", index=index, purpose=purpose, player=player, dice=dice)
            self.receipts[index] = self.receipt_of(seq, self.lines[seq])
        receipt = self.receipts[index]
        said = json.loads(receipt["line"])
        shown = {name: said[name] for name in ("index", "dice", "purpose", "player")}
        return {"match_id": self.match_id, **shown, "receipt": receipt}


def problem(code: str, status: int, detail: str = "the detail", **headers: str) -> httpx.Response:
    body = {"type": f"urn:zarf:problem:{code}", "title": "t", "status": status}
    return httpx.Response(
        status,
        headers={"content-type": "application/problem+json", **headers},
        content=text_of({**body, "detail": detail, "code": code}),
    )
