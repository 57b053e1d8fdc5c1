"""A headless Chromium, driven through its pipe. It needs nothing but the browser.

Source: the Chrome DevTools Protocol, https://chromedevtools.github.io/devtools-protocol/.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from itertools import count
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""The path of the browser; None where none is installed."""

_KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36}
_KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}

CTRL, SHIFT = 2, 8


class Browser:
    """One browser with one page, and what that page said and asked for."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        assert CHROMIUM is not None
        self.profile = mkdtemp()
        read, their_write = os.pipe()
        their_read, write = os.pipe()
        command = [
            CHROMIUM, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
            "--disable-gpu", f"--user-data-dir={self.profile}", "about:blank",
        ]  # fmt: skip
        shell = f'exec "$@" 3<&{their_read} 4>&{their_write}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "bash", *command],
            pass_fds=(their_read, their_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_read)
        os.close(their_write)
        self.read, self.write = read, write
        self.rest = b""
        self.numbers = count(1)
        self.answers: dict[int, Any] = {}
        self.said: list[str] = []
        self.requests: list[str] = []
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        self.resize(width, height)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command of the protocol."""
        number = next(self.numbers)
        self._send(number, method, params, self.session)
        self._until(lambda: number in self.answers, method)
        answer = self.answers.pop(number)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def _send(self, number: int, method: str, params: dict[str, Any], session: str) -> None:
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data) :]

    def _until(self, is_done: Callable[[], bool], what: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not is_done():
            left = end - time.monotonic()
            assert left > 0, f"no end of {what}"
            if not select.select([self.read], [], [], left)[0]:
                continue
            *messages, self.rest = (self.rest + os.read(self.read, 1 << 20)).split(b"\0")
            for message in messages:
                self._hear(json.loads(message))

    def _hear(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case None:
                self.answers[message["id"]] = message
            case "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(each.get("value")) for each in params["args"]))
            case "Runtime.exceptionThrown":
                self.said.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.said.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Target.attachedToTarget":  # a worker: what it asks for counts too
                for domain in ("Network", "Runtime"):
                    self._send(next(self.numbers), f"{domain}.enable", {}, params["sessionId"])
            case _:
                pass

    # --- the page ---

    def open(self, url: str, is_ready: bool = True) -> None:
        """Open an address anew, and wait until Python is ready there."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")
        if is_ready:
            self.wait("document.documentElement.dataset.ready")

    def do(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = 60) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.do(f"Boolean({script})"):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def resize(self, width: int, height: int, scheme: str = "light") -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def mouse(self, kind: str, x: float, y: float, modifiers: int = 0) -> None:
        button = "none" if kind == "Moved" else "left"
        self.call(
            "Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button=button,
            buttons=int(kind != "Released"), clickCount=1, modifiers=modifiers,
        )  # fmt: skip

    def drag(self, start: tuple[float, float], end: tuple[float, float], modifiers: int = 0) -> None:
        """Press the mouse at a point, move, and release it at another; a click if both are one."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        self.mouse("Pressed", *start, modifiers)
        for part in (0.5, 1):
            x, y = (a + (b - a) * part for a, b in zip(start, end, strict=True))
            self.call(
                "Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1,
                modifiers=modifiers,
            )  # fmt: skip
        self.mouse("Released", *end, modifiers)

    def key(self, key: str, modifiers: int = 0) -> None:
        code = _KEYS.get(key, ord(key[0]))
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "", modifiers=modifiers,
            )  # fmt: skip

    def write_text(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)
