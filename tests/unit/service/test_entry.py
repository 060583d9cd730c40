"""``dice-service`` where only the verifier was installed."""

import subprocess
import sys


def test_it_says_what_is_missing_and_how_to_get_it() -> None:
    hide = "import sys; sys.modules['pydantic'] = None; "
    run = "from dice_service.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", hide + run], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert "pip install '.[service]'" in done.stderr
