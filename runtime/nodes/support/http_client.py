"""One HTTP request with time limit, retries, redirects, and an answer of bounded size.
It needs httpx.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING

from runtime.errors import NodeError
from runtime.expressions.environment import Secrets

if TYPE_CHECKING:
    import httpx

LONGEST_WAIT = 60.0
SHOWN = 300  # characters of an answer in an error text
_TEMPORARY = frozenset({429, 500, 502, 503, 504})
_REFUSED = frozenset({429, 503})  # the server did not begin
_SAFE_TO_REPEAT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})


@dataclass(frozen=True, slots=True)
class Call:
    """A request, filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]  # names in lower case
    content: bytes
    charset: str


@dataclass(frozen=True, slots=True)
class Limits:
    """`timeout` and `wait` in seconds; `repeat_all` lets what may have had an effect be
    sent again too.
    """

    timeout: float
    retries: int
    wait: float
    max_bytes: int
    follow: bool = True
    repeat_all: bool = False


@cache
def _ssl_context() -> ssl.SSLContext:
    """Reading the certificates takes longer than a request."""
    import httpx

    return httpx.create_ssl_context()


class Sender:
    """Sends requests of one node. `sleep` is the seam of tests."""

    def __init__(
        self,
        node_id: str,
        limits: Limits,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._node_id = node_id
        self._limits = limits
        self._sleep = sleep

    async def send(self, call: Call, secrets: Secrets) -> Answer:
        """The answer, whatever its status. Raise `NodeError` where there is none after
        all retries.
        """
        import httpx

        async with httpx.AsyncClient(
            verify=_ssl_context(),
            timeout=None,  # noqa: S113 - of the whole attempt, see `_attempt`
            follow_redirects=self._limits.follow,
            event_hooks={"request": [self._guard(call, secrets)]},
        ) as client:
            for attempt in range(1, self._limits.retries + 2):
                last = attempt > self._limits.retries
                answer = await self._attempt(client, call, secrets, last=last)
                if isinstance(answer, Answer) and (
                    last or not self._is_temporary(call, answer)
                ):
                    return answer
                await self._sleep(wait_before(attempt, answer, self._limits.wait))
        raise AssertionError  # the last attempt returns or raises

    async def _attempt(
        self, client: httpx.AsyncClient, call: Call, secrets: Secrets, *, last: bool
    ) -> Answer | None:
        """None where another attempt makes sense."""
        import httpx

        try:
            async with asyncio.timeout(self._limits.timeout):
                return await self._exchange(client, call, secrets)
        except TimeoutError:
            if last or not self._may_repeat(call):
                raise self._error(
                    call,
                    secrets,
                    f"no answer within {self._limits.timeout:g} s; allow more time",
                ) from None
        except NodeError:
            raise
        except (
            httpx.ConnectError,
            httpx.NetworkError,
            httpx.RemoteProtocolError,
        ) as error:
            begun = not isinstance(error, httpx.ConnectError)
            if last or (begun and not self._may_repeat(call)):
                raise self._error(
                    call,
                    secrets,
                    f"the connection failed ({_words(error)}); is the address right?",
                ) from None
        except httpx.DecodingError as error:
            raise self._error(
                call,
                secrets,
                f"the answer is not packed as its server says ({_words(error)})",
            ) from None
        except httpx.TooManyRedirects:
            raise self._error(
                call,
                secrets,
                "it is redirected again and again; use the final address",
            ) from None
        except Exception as error:  # noqa: BLE001 - the client lets through what its parts raise, groups of errors too
            # Not chained: its text may hold what `mask` hides in ours.
            raise self._error(
                call, secrets, f"it cannot be sent ({_words(error)})"
            ) from None
        return None

    async def _exchange(
        self, client: httpx.AsyncClient, call: Call, secrets: Secrets
    ) -> Answer:
        import httpx

        # As `params` they would replace those in the address.
        if call.query:
            url = httpx.URL(call.url).copy_merge_params(call.query)
        else:
            url = httpx.URL(call.url)
        async with client.stream(
            call.method, url, headers=dict(call.headers), content=call.content
        ) as response:
            content = bytearray()
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > self._limits.max_bytes:
                    why = f"the answer has more than {self._limits.max_bytes} bytes; ask for less, or raise the limit"
                    raise self._error(call, secrets, why)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(
                response.status_code,
                headers,
                bytes(content),
                response.charset_encoding or "utf-8",
            )

    def _guard(
        self, call: Call, secrets: Secrets
    ) -> Callable[[httpx.Request], Awaitable[None]]:
        """Refuses to carry secrets to another server than the one that the document
        names.
        """
        origins: list[tuple[str, str, int | None]] = []

        async def check(request: httpx.Request) -> None:
            origin = (request.url.scheme, request.url.host, request.url.port)
            if not origins:
                origins.append(origin)
            elif origin != origins[0] and secrets.used:
                raise self._error(
                    call,
                    secrets,
                    f"it is redirected to {request.url.host}, where values of the environment are not sent",
                )

        return check

    def _is_temporary(self, call: Call, answer: Answer) -> bool:
        return answer.status in _TEMPORARY and (
            answer.status in _REFUSED or self._may_repeat(call)
        )

    def _may_repeat(self, call: Call) -> bool:
        return self._limits.repeat_all or call.method in _SAFE_TO_REPEAT

    def _error(self, call: Call, secrets: Secrets, why: str) -> NodeError:
        end = "" if why.endswith("?") else "."
        return NodeError(
            secrets.mask(f"{call.method} {call.url}: {why}{end}"), self._node_id
        )


def wait_before(attempt: int, answer: Answer | None, first: float) -> float:
    """Seconds until the attempt after this one (counted from 1): what the server asks
    for, else twice as long as the last; never more than a minute.
    """
    if answer is None:
        requested = None
    else:
        requested = _retry_after(answer.headers.get("retry-after", ""))
    return min(
        LONGEST_WAIT, first * 2 ** (attempt - 1) if requested is None else requested
    )


def _retry_after(text: str) -> float | None:
    """Seconds, from a number or a date."""
    if text.strip().isdecimal():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(
        0.0,
        (
            moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)
        ).total_seconds(),
    )


def _words(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return _words(error.exceptions[0])
    return str(error).rstrip(".") or type(error).__name__
