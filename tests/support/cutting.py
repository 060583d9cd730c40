"""A proxy before a PostgreSQL server on a socket, which cuts a connection at a chosen moment."""

import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Literal, Self

from psycopg.conninfo import conninfo_to_dict

SOCKET = ".s.PGSQL.5432"
When = Literal["before", "after"]


class Cutting:
    """A context manager; ``url`` leads through it to the server of the URL given."""

    def __init__(self, url: str) -> None:
        host = str(conninfo_to_dict(url)["host"])
        self._server = str(Path(host) / SOCKET)
        self._folder = tempfile.TemporaryDirectory(prefix="zarf-cut-")
        self._place = str(Path(self._folder.name) / SOCKET)
        quoted = host.replace("/", "%2F")
        assert quoted in url
        self.url = url.replace(quoted, self._folder.name.replace("/", "%2F"))
        self._cuts: list[tuple[bytes, When]] = []

    def cut(self, statement: bytes, when: When) -> None:
        """Cut when a client sends this: before the server has it, or after it has answered."""
        self._cuts.append((statement, when))

    @property
    def left(self) -> int:
        """How many cuts are still to come."""
        return len(self._cuts)

    def __enter__(self) -> Self:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._place)
        self._listener.listen()
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._folder.cleanup()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self._server)
            swallow, swallowed = Event(), Event()

            def answers() -> None:
                with suppress(OSError):
                    while data := server.recv(65536):
                        if swallow.is_set():
                            swallowed.set()
                        else:
                            client.sendall(data)
                    client.shutdown(socket.SHUT_RDWR)

            Thread(target=answers, daemon=True).start()
            while data := client.recv(65536):
                if self._cuts and self._cuts[0][0] in data:
                    _, when = self._cuts.pop(0)
                    if when == "after":
                        swallow.set()
                        server.sendall(data)
                        swallowed.wait()
                    break
                server.sendall(data)
            for side in (server, client):
                side.shutdown(socket.SHUT_RDWR)
