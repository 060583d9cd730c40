"""Zarf's verifier: replays a match log and says whether its dice are the ones sealed before it."""
