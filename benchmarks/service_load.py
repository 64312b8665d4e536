"""What `bench_service.py` needs: a trivial endpoint to compare with, and a load generator."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

CREATE = "CREATE TABLE rows (turn INTEGER PRIMARY KEY, reward DOUBLE PRECISION)"


# -- the trivial endpoint --------------------------------------------------------------------------


def insert_into(url: str) -> Callable[[int, float], None]:
    """A function that commits one row, durably, and may be called from many threads."""
    if url.startswith("postgresql"):
        return _postgresql(url)
    connection = sqlite3.connect(url, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(CREATE)
    lock = threading.Lock()  # one connection: several would wait for each other in SQLite itself

    def insert(turn: int, reward: float) -> None:
        with lock:
            connection.execute("INSERT INTO rows VALUES (?, ?)", (turn, reward))

    return insert


def _postgresql(url: str) -> Callable[[int, float], None]:
    import psycopg

    local = threading.local()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CREATE)

    def insert(turn: int, reward: float) -> None:
        if not hasattr(local, "connection"):
            local.connection = psycopg.connect(url, autocommit=True)
        local.connection.execute("INSERT INTO rows VALUES (%s, %s)", (turn, reward))

    return insert


def serve_trivial(url: str) -> None:
    """A FastAPI app with one endpoint that commits one row and answers."""
    import uvicorn
    from fastapi import FastAPI
    from pydantic import BaseModel

    class Row(BaseModel):
        turn: int
        reward: float

    app, insert = FastAPI(), insert_into(url)

    def add(row: Row) -> Row:
        insert(row.turn, row.reward)
        return row

    add.__annotations__ = {"row": Row, "return": Row}  # they are names of this function
    app.post("/rows")(add)
    server = uvicorn.Server(uvicorn.Config(app, port=0, access_log=False, log_level="error"))

    async def run() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        print(json.dumps({"url": f"http://127.0.0.1:{port}"}), flush=True)
        await serving

    asyncio.run(run())


# -- the load generator ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """What came back: how many answers a second, and how long they took."""

    rate: float
    p50: float
    p99: float


#: Path, body, idempotency key.
Request = tuple[str, dict[str, Any], str]


def _bytes(path: str, body: dict[str, Any], key: str) -> bytes:
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Idempotency-Key: {key}\r\n" if key else ""
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def _client(port: int, requests: Iterator[Request], until: float, times: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (begin := time.perf_counter()) < until:
        request = next(requests, None)
        if request is None:
            break
        writer.write(_bytes(*request))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        answer = await reader.readexactly(length)
        assert head.startswith(b"HTTP/1.1 200"), head + answer
        times.append(time.perf_counter() - begin)
    writer.close()


def load(port: int, requests: Iterator[Request], seconds: float, clients: int) -> Load:
    """Send requests from many clients at once, each waiting for its answer, for some seconds."""
    times: list[float] = []

    async def run() -> float:
        begin = time.perf_counter()
        group = (_client(port, requests, begin + seconds, times) for _ in range(clients))
        await asyncio.gather(*group)
        return time.perf_counter() - begin

    took = asyncio.run(run())
    times.sort()
    at = (times[int(share * (len(times) - 1))] * 1e3 for share in (0.5, 0.99))
    return Load(len(times) / took, *at)


if __name__ == "__main__":
    serve_trivial(sys.argv[1])
