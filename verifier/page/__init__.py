"""Where a player checks a match: JavaScript in ``src/``, built to one file, ``verify.html``."""
