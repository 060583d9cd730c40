"""A baseline's uvicorn, with the settings of the service's own (``dice_service/server.py``)."""

import socket
from typing import Any

import uvicorn
import uvloop


def serve(app: Any) -> None:
    """Serve on a free port and say which."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)  # noqa: T201
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=30,
        )
        uvloop.run(uvicorn.Server(config).serve(sockets=[listener]))
