"""``dice-service demo``: whole matches over HTTP, told step by step, and their verdicts."""

import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from dice_service.client import ClientError
from dice_service.demo.dice_only import Demo, Seeding
from dice_service.demo.refereed import RefereedDemo
from dice_service.demo.voice import Voice
from dice_service.errors import SetupError

FOLDER = Path("var/demo")
ROLLS = 20


def run(
    *,
    rolls: int = ROLLS,
    folder: Path = FOLDER,
    seeding: Seeding = "committed",
    rules: Sequence[str] = (),
    stay: bool = False,
) -> int:
    """Play in ``folder``, verify it, tell it.

    Either ``rolls`` rolls (1 or more) of a dice-only match, or a whole refereed match under each
    of the ``rules``, of which several are told briefly. With ``stay`` the service goes on after the
    last match, for its page in a browser, until Ctrl-C.
    The exit status: 0 if every verdict is the best there is (VERIFIED; CONSISTENT in direct
    seeding), 130 on Ctrl-C or SIGTERM, else 1.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no ş still gets the rest
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the service ends too
    try:
        voice = Voice(sys.stdout, brief=len(rules) > 1)
        demos: list[Demo] = [RefereedDemo(name, folder, seeding, voice) for name in rules]
        demos = demos or [Demo(rolls, folder, seeding, voice)]
        demos[-1].stay = stay
        return max(demo.run() for demo in demos)
    except KeyboardInterrupt:
        sys.stderr.write("\ndice-service demo: stopped\n")
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): say nothing, and let nothing be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ClientError, SetupError, OSError) as error:
        sys.stderr.write(f"dice-service demo: {error}\n")
        return 1
