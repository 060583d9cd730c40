"""The page on which a player checks a match: JavaScript in ``src/``, one file in ``verify.html``."""
