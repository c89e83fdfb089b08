"""The command that an agent starts where it wants an MCP server on standard input and output.

Usage: `python stdio_bridge.py <port> <token>`. It passes bytes on between its own standard streams and the
proxy on the loopback interface, and knows nothing of the protocol; so it starts at once, and needs nothing
but the standard library.
"""

import os
import socket
import sys
import threading

_CHUNK = 65536


def main() -> int:
    """Pass bytes on until one side has ended; 1 when it was the proxy."""
    port, token = int(sys.argv[1]), sys.argv[2]
    try:
        proxy = socket.create_connection(("127.0.0.1", port), timeout=10)
    except OSError as error:
        sys.stderr.write(f"rampart: the MCP proxy on port {port} is not there: {error}\n")
        return 1
    proxy.settimeout(None)
    proxy.sendall(f"{token}\n".encode())
    client_left = threading.Event()
    threading.Thread(target=_to_client, args=(proxy, client_left), daemon=True).start()
    try:
        while chunk := os.read(0, _CHUNK):
            proxy.sendall(chunk)
    except OSError:
        pass  # the proxy left: the thread ends the process
    client_left.set()
    proxy.close()
    return 0


def _to_client(proxy: socket.socket, client_left: threading.Event) -> None:
    try:
        while chunk := proxy.recv(_CHUNK):
            _write_all(chunk)
    except OSError:
        pass
    if not client_left.is_set():
        sys.stderr.write("rampart: the MCP proxy ended the connection\n")
        sys.stderr.flush()
        os._exit(1)  # the main thread waits for input, and cannot be woken


def _write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    sys.exit(main())
