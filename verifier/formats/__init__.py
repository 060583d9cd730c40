"""Match files of other programs: read, replayed under a rule set, written.

`transcript` is what all of them are read into. `mat` and `sgf` read text, `zarf` reads a
refereed log, `mat_writing` and `ogxm_writing` write; `replay` judges a transcript by the rules.
Nothing here opens a file, and every error is an `InputError` with a line.
"""
