"""The rules of backgammon as four Turkish sites play it: pure, standard library only, no I/O.

`rulesets.resolve` gives the rules of a match, `match.MatchState` follows it; `direct.check` judges
one play, `moves.legal_plays` finds them all. `README.md` is the normative text.
"""
