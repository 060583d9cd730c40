"""The examples of the OpenAPI document: one small match, as its bodies look.

The hex is made up; ``verifier/PROTOCOL.md`` has a whole example whose every value can be redone.
"""

import hashlib
from typing import Any

from dice_service.api.models import EXAMPLE_HEX, EXAMPLE_ID

_KEY_ID = hashlib.sha256(bytes.fromhex(EXAMPLE_HEX)).hexdigest()[:16]
_TOKENS = ["zp_" + letter * 43 for letter in "AB"]
_TIME = "2026-01-31T18:00:00.000Z"
_SIG = EXAMPLE_HEX * 2
_COMMITMENT_LINE = (
    f'{{"type":"seed_commitment","prev":"{EXAMPLE_HEX}","time":"{_TIME}",'
    f'"player":0,"commitment":"{EXAMPLE_HEX}"}}'
)
_ROLL_LINE = (
    f'{{"type":"roll","prev":"{EXAMPLE_HEX}","time":"{_TIME}","index":0,'
    f'"purpose":"turn","player":null,"dice":[6,1]}}'
)
_OPENING_LINE = _ROLL_LINE.replace("turn", "opening")
_START = [0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
_TABLE = {
    "due": {"what": "play", "player": 0},
    "dice": [6, 1],
    "board": [_START, _START],
    "pips": [167, 167],
    "borne_off": [0, 0],
    "cube": {"value": 1, "owner": None},
    "offer": None,
    "game": 1,
    "crawford": False,
    "score": [0, 0],
}
_RECEIPT = {
    "type": "roll_receipt",
    "match_id": EXAMPLE_ID,
    "key_id": _KEY_ID,
    "seq": 7,
    "head": EXAMPLE_HEX,
    "sig": _SIG,
    "line": _ROLL_LINE,
}
_MATCH_LINE = (
    f'{{"type":"match","time":"{_TIME}","protocol":"zarf/1","match_id":"{EXAMPLE_ID}",'
    f'"seeding":"committed","rules":null,"length":null,"options":{{}},'
    f'"players":["Ayşe","Bora"],"commitment":"{EXAMPLE_HEX}","public_key":"{EXAMPLE_HEX}",'
    f'"key_id":"{_KEY_ID}"}}'
)
_SIGNATURE_LINE = (
    f'{{"type":"signature","prev":"{EXAMPLE_HEX}","time":"{_TIME}","seq":0,'
    f'"head":"{EXAMPLE_HEX}","key_id":"{_KEY_ID}","sig":"{_SIG}"}}'
)

_VIEW: dict[str, Any] = {
    "match_id": EXAMPLE_ID,
    "seeding": "committed",
    "rules": None,
    "length": None,
    "options": {},
    "players": ["Ayşe", "Bora"],
    "phase": "rolling",
    "due": ["roll:1"],
    "opened_at": _TIME,
    "ended_at": None,
    "commitment": EXAMPLE_HEX,
    "public_key": EXAMPLE_HEX,
    "key_id": _KEY_ID,
    "commitments": [EXAMPLE_HEX, EXAMPLE_HEX],
    "seeds": [EXAMPLE_HEX, EXAMPLE_HEX],
    "rolls": 1,
    "table": None,
    "reason": None,
    "winner": None,
    "server_seed": None,
    "lines": 8,
    "head": EXAMPLE_HEX,
}

_WEBHOOK = {
    "webhook_id": "my-game-server",
    "url": "https://game.example/zarf",
    "events": ["match.ended"],
    "created_at": _TIME,
    "state": "active",
}

LINES = f"{_MATCH_LINE}\n{_SIGNATURE_LINE}\n"
EVENT = {"id": "7", "event": "roll", "data": _ROLL_LINE}

EXAMPLES: dict[str, dict[str, Any]] = {
    "OpenMatch": {
        "dice-only": {"players": ["Ayşe", "Bora"]},
        "refereed": {
            "seeding": "committed",
            "rules": "oyna-backgammon",
            "length": 5,
            "options": {"crawford": False},
            "players": ["Ayşe", "Bora"],
        },
    },
    "Commitment": {"a-commitment": {"commitment": EXAMPLE_HEX}},
    "Seed": {"a-seed": {"seed": EXAMPLE_HEX}},
    "RollRequest": {
        "a-turn": {},
        "player-1s-turn": {"purpose": "turn", "player": 1},
        "the-opening": {"purpose": "opening"},
    },
    "EndMatch": {
        "played-out": {"reason": "finished", "winner": 0},
        "abandoned-before-the-dice": {"reason": "abort"},
    },
    "Opening": {
        "opened": {
            "match_id": EXAMPLE_ID,
            "commitment": EXAMPLE_HEX,
            "public_key": EXAMPLE_HEX,
            "key_id": _KEY_ID,
            "receipt": LINES,
            "tokens": _TOKENS,
        }
    },
    "LineAnswer": {
        "committed": {"match_id": EXAMPLE_ID, "player": 0, "seq": 2, "line": _COMMITMENT_LINE}
    },
    "RollAnswer": {
        "rolled": {
            "match_id": EXAMPLE_ID,
            "index": 0,
            "dice": [6, 1],
            "purpose": "turn",
            "player": None,
            "receipt": _RECEIPT,
        }
    },
    "Action": {
        "the-opening-roll": {"type": "roll", "player": None},
        "a-play-and-the-next-roll": {
            "type": "play",
            "player": 0,
            "moves": "13/7 8/7",
            "then_roll": True,
        },
        "a-double": {"type": "double", "player": 1},
        "the-clock-ran-out": {"type": "timeout", "winner": 0},
    },
    "ActionAnswer": {
        "the-opening-rolled": {
            "match_id": EXAMPLE_ID,
            "action": 0,
            "next_action": 1,
            "lines": [{"seq": 7, "line": _OPENING_LINE}],
            "table": _TABLE,
            "receipt": _RECEIPT | {"line": _OPENING_LINE},
        }
    },
    "EndAnswer": {
        "revealed": {
            "match_id": EXAMPLE_ID,
            "reason": "finished",
            "winner": 0,
            "server_seed": EXAMPLE_HEX,
            "seq": 10,
            "head": EXAMPLE_HEX,
        }
    },
    "MatchView": {
        "dice-only": _VIEW,
        "refereed": _VIEW
        | {
            "rules": "oyna-backgammon",
            "length": 5,
            "options": {"crawford": False},
            "due": ["action:1"],
            "table": _TABLE,
        },
    },
    "Page": {
        "the-last-page": {
            "matches": [
                {
                    "match_id": EXAMPLE_ID,
                    "owner": "club",
                    "seeding": "committed",
                    "rules": None,
                    "phase": "rolling",
                    "opened_at": _TIME,
                    "ended_at": None,
                }
            ],
            "next": None,
        }
    },
    "RegisterWebhook": {
        "ended-matches": {"url": "https://game.example/zarf", "events": ["match.ended"]},
    },
    "NewWebhook": {
        "registered": {
            "webhook_id": "my-game-server",
            "url": "https://game.example/zarf",
            "events": ["match.ended"],
            "created_at": _TIME,
            "secret": "whsec_" + "A" * 43 + "=",
        }
    },
    "Webhook": {"active": _WEBHOOK},
    "WebhookList": {"one": {"webhooks": [_WEBHOOK]}},
    "DeliveryPage": {
        "one-that-waits": {
            "deliveries": [
                {
                    "message_id": "msg_" + EXAMPLE_HEX[:32],
                    "event": "match.ended",
                    "match_id": EXAMPLE_ID,
                    "created_at": _TIME,
                    "state": "pending",
                    "attempts": [
                        {"time": _TIME, "status": None, "error": "connection"},
                        {"time": "2026-01-31T18:00:05.250Z", "status": 503, "error": None},
                    ],
                    "next_attempt": "2026-01-31T18:05:17.500Z",
                }
            ],
            "next": None,
        }
    },
    "MatchEndedMessage": {
        "finished": {
            "type": "match.ended",
            "timestamp": _TIME,
            "data": {
                "match_id": EXAMPLE_ID,
                "reason": "finished",
                "winner": 0,
                "server_seed": EXAMPLE_HEX,
                "seq": 10,
                "head": EXAMPLE_HEX,
                "log": f"/v1/matches/{EXAMPLE_ID}/log",
            },
        }
    },
    "Keys": {
        "one-key": {
            "protocol": "zarf/1",
            "keys": [{"key_id": _KEY_ID, "public_key": EXAMPLE_HEX, "active": True}],
            "page_sha256": EXAMPLE_HEX,
        }
    },
    "Health": {"well": {"status": "ok"}},
}
