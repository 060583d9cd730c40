"""Match files of other programs, told by their names and first bytes."""

from verifier.formats.transcript import Transcript, decoded

SUFFIXES = (".mat", ".sgf")


def read(data: bytes) -> Transcript:
    """The match in a file's bytes: `.sgf` if it begins with a bracket, `.mat` if not.

    Raises `InputError` as the readers do.
    """
    text = decoded(data)
    if text.lstrip().startswith("("):
        from verifier.formats import sgf

        return sgf.read(text)
    from verifier.formats import mat

    return mat.read(text)
