"""``dice-service``, and ``python -m dice_service``."""

import sys


def main() -> int:
    """Run the command line, or say what is missing where only the verifier is installed."""
    try:
        from dice_service.cli import main as run
    except ModuleNotFoundError as missing:
        print(
            f"dice-service: the service is not installed ({missing.name} is missing); "
            "the verifier alone is: install with the extra, pip install '.[service]'",
            file=sys.stderr,
        )
        return 2
    return run()


if __name__ == "__main__":
    sys.exit(main())
