"""Browsers for the tests: Debian's Chromium driven by Playwright, and the people who sit before it.

Skips loudly where there is no Chromium; `scripts/setup` installs it. Pictures of what was seen are kept for a person.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = Path(sys.prefix) / "share" / "axe-core" / "package" / "axe.min.js"
TV, PHONE, LAPTOP = (1920, 1080), (360, 640), (1280, 900)
PATIENCE = 15_000  # milliseconds

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="NO CHROMIUM: the pages are not tried in a browser")


class Room:
    """People with browsers; `troubles` is what their consoles complained about, `pictures` where screenshots are."""

    def __init__(self) -> None:
        self._playwright = sync_playwright().start()
        self._browser: Browser = self._playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        self.troubles: list[str] = []
        self.pictures = Path(tempfile.mkdtemp(prefix="narrator-screens-"))
        expect.set_options(timeout=PATIENCE)

    def page(self, size: tuple[int, int], **more: Any) -> Page:
        """Somebody with a browser of his own, no cookies in it."""
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._note)
        return page

    def _note(self, message: ConsoleMessage) -> None:
        """A box that is away or a session that is not there yet is no trouble; a broken script or a refused file is."""
        away = "ERR_CONNECTION" in message.text or "ERR_INCOMPLETE" in message.text or "401" in message.text
        if message.type in ("error", "warning") and not away:
            self.troubles.append(message.text)

    def shoot(self, page: Page, name: str, *, whole: bool = False) -> None:
        """Keep a picture, once colours have stopped changing."""
        page.evaluate("Promise.all(document.getAnimations().map((a) => a.finished.catch(() => null)))")
        page.screenshot(path=self.pictures / f"{name}.png", full_page=whole)

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()


class Moderator:
    """Somebody at the moderator's page who presses what is on it."""

    def __init__(self, page: Page, url: str, pin: str) -> None:
        self.page = page
        page.goto(f"{url}/host")
        page.fill("#pin", pin)
        page.click("#login button")
        expect(page.locator("#thumb button").first).to_be_visible()

    @property
    def sees(self) -> str:
        """What tells one moment of the game from another on this page."""
        parts = ("#title", "#now", "#question", "#caption", "#private", "#numbers", "#seats", "#thumb")
        return str(
            self.page.evaluate("(ids) => ids.map((id) => document.querySelector(id).innerHTML).join('|')", parts)
        )

    def then(self, act: Callable[[], None]) -> None:
        """Do something and wait until the page has changed for it."""
        before = self.sees
        act()
        parts = ["#title", "#now", "#question", "#caption", "#private", "#numbers", "#seats", "#thumb"]
        self.page.wait_for_function(
            "([ids, old]) => ids.map((id) => document.querySelector(id).innerHTML).join('|') !== old",
            arg=[parts, before],
        )

    def press(self, text: str) -> None:
        """A button below the thumb, or an answer."""
        button = self.page.locator("#thumb button, #side button, #answers button").get_by_text(text, exact=True)
        self.then(lambda: button.click())

    def number(self, number: int) -> None:
        """A number on the pad."""
        self.then(lambda: self.page.locator("#numbers").get_by_text(str(number), exact=True).click())

    def numbers(self, *numbers: int) -> None:
        """Several, one after another."""
        for number in numbers:
            self.number(number)

    def about(self, seat: int, deed: str) -> None:
        """Something about one player."""
        self.page.locator("#seats button").nth(seat - 1).click()
        self.then(lambda: self.page.locator("#deeds").get_by_text(deed, exact=True).click())

    def wait(self, title: str) -> None:
        """Until the page says where the game is."""
        expect(self.page.locator("#title")).to_contain_text(title)


def serious(page: Page) -> list[str]:
    """What axe-core finds serious or critical on a page as it is now."""
    page.evaluate(AXE.read_text())  # not as a script element: the page's own policy forbids that
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    grave = [rule for rule in found["violations"] if rule["impact"] in ("serious", "critical")]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in grave for node in rule["nodes"]]
