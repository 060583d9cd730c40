"""Match files of other programs: read, replayed under a rule set, written.

`transcript` is what all of them are read into. `mat` and `sgf` read and write text, `zarf` reads a
refereed log, `ogxm_writing` writes through that format's own codec; `replay` judges a transcript by the
rules. Nothing here opens a file, and every error is an `InputError` with a line.
"""
