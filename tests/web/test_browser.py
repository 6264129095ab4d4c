"""A whole classic game clicked through on the moderator's page, with the table, the box and a phone open beside it."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.box import Box
from tests.web.screens import AXE, LAPTOP, PHONE, TV, Moderator, Room, needs_browser, serious

pytestmark = [needs_browser, pytest.mark.slow]

CONFIG = """
[game]
names = ["Анна", "Борис", "Вера", "Глеб", "Дина", "Егор", "Жанна", "Захар", "Ирина", "Константин"]
[rules]
role_pause = 1
[voice]
enabled = false
[ears]
enabled = false
[panel]
pins = "simulated"
[screen]
port = {port}
"""
THEMES = ("light", "dark", "contrast")


class Evening:
    """The program and everybody who looks at it."""

    def __init__(self, room: Room, home: Path, config: str) -> None:
        self.room, self.home, self.config = room, home, config
        self.url = self.pin = ""
        self.start()
        self.table = room.page(TV)
        self.table.goto(self.url)
        self.host = Moderator(room.page(PHONE), self.url, self.pin)
        self.second = Moderator(room.page(PHONE), self.url, self.pin)
        self.box_page = room.page(LAPTOP)
        self.box_page.goto(f"{self.url}/box")
        self.box_page.fill("#pin", self.pin)
        self.box_page.click("#login button")
        expect(self.box_page.locator("#seats button")).to_have_count(10)

    def start(self) -> None:
        self.box = Box(self.home, self.home / "cache", self.config, observed=False)
        self.box.shows("PIN of the moderator's page")
        url = re.search(r"(http://127\.0\.0\.1:\d+)/host", self.box.console)
        pin = re.search(r"moderator's page: (\d{6})", self.box.console)
        assert url and pin
        assert self.url in ("", url[1]), "the box came back on another port"
        self.url, self.pin = url[1], pin[1]

    def power_cut(self) -> None:
        """The box dies and comes back; nobody reloads a page, nobody enters a code again."""
        seen = self.note()
        self.box.kill()
        expect(self.table.locator("#lost")).to_be_visible()
        self.start()
        expect(self.host.page.locator("#question")).to_contain_text("Продолжать игру?")
        expect(self.table.locator("#lost")).to_be_hidden()
        self.host.press("Да")
        expect(self.table.locator("#note")).to_have_text(seen)

    def note(self) -> str:
        """The line in the middle of the table's page."""
        return self.table.locator("#note").inner_text()

    def note_is(self, text: str) -> None:
        expect(self.table.locator("#note")).to_have_text(text)

    def reload(self) -> None:
        """Everybody reloads; everybody sees what he saw."""
        seen = self.note()
        for page in (self.table, self.host.page, self.box_page):
            page.reload()
        self.note_is(seen)
        expect(self.host.page.locator("#thumb button").first).to_be_visible()
        expect(self.box_page.locator("#seats button")).to_have_count(10)

    def speeches(self, *speakers: int, names: dict[int, int]) -> None:
        """Everybody speaks; some name somebody."""
        for speaker in speakers:
            expect(self.host.page.locator("#now")).to_contain_text(f"Говорит {speaker} ")
            if speaker in names:
                self.host.number(names[speaker])
            self.host.press("Дальше")

    def night(self, shot: int, don: int | None, sheriff: int | None, answers: tuple[str, str]) -> None:
        """A night told silently; the table sees nothing but the night."""
        self.host.wait("Ночь: выстрел")
        self.note_is("Ночь")
        self.host.number(shot)
        expect(self.host.page.locator("#private")).to_contain_text(f"Выстрел мафии: {shot}")
        self.host.press("Дальше")
        for title, seat, answer in (("Ночь: Дон", don, answers[0]), ("Ночь: Шериф", sheriff, answers[1])):
            self.host.wait(title)
            if seat is not None:
                self.host.number(seat)
                expect(self.host.page.locator("#private")).to_contain_text(answer)
            self.note_is("Ночь")
            self.host.press("Дальше")

    def close(self) -> None:
        self.box.close()


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    opened = Room()
    yield opened
    opened.close()
    print(f"\nscreenshots: {opened.pictures}")


@pytest.fixture
def evening(room: Room, tmp_path: Path) -> Iterator[Evening]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    opened = Evening(room, tmp_path, CONFIG.format(port=port))
    yield opened
    opened.close()


def check(page: Page, where: str) -> None:
    """Nothing serious for people who do not see, or not well."""
    if AXE.exists():
        assert serious(page) == [], where


SIZES = {"tv": TV, "4k": (3840, 2160), "phone": PHONE}


def pictures(
    evening: Evening, name: str, looks: tuple[tuple[str, str], ...] = (("tv", "light"), ("phone", "dark"))
) -> None:
    """The table as people with such screens and such tastes see it."""
    for size in dict.fromkeys(size for size, _ in looks):
        page = evening.room.page(SIZES[size])
        for theme in (theme for other, theme in looks if other == size):
            page.goto(f"{evening.url}/?theme={theme}")
            expect(page.locator("#ring li")).to_have_count(10)
            evening.room.shoot(page, f"table-{name}-{size}-{theme}")
            if size == "phone":  # colours and words are the same on every screen
                check(page, f"{name} {size} {theme}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the table scrolls sideways"
        page.context.close()


def test_a_classic_game(evening: Evening, capfd: pytest.CaptureFixture[str]) -> None:
    room, host, table, box = evening.room, evening.host, evening.table, evening.box_page

    # a phone takes a seat
    host.page.locator("#phones summary").click()
    code = host.page.locator("#codes li").nth(3).locator("code").inner_text()
    phone = room.page(PHONE, has_touch=True)
    phone.goto(f"{evening.url}/seat")
    check(phone, "seat form")
    phone.fill("#code", code)
    phone.click("#join button")
    expect(phone.locator("#seat")).to_have_text("4")
    expect(host.page.locator("#codes li").nth(3)).to_contain_text("телефон есть")
    host.page.locator("#phones summary").click()
    check(host.page, "host, lobby")
    room.shoot(host.page, "host-lobby", whole=True)

    # the first night: cards told silently
    host.press("Начинаем игру")
    evening.note_is("Ночь")
    expect(table.locator("#moon")).to_be_visible()
    pictures(evening, "night")
    host.numbers(3, 7, 9)
    evening.reload()
    room.shoot(host.page, "host-night")
    check(host.page, "host, night")
    host.press("Дальше")
    host.number(7)
    host.press("Дальше")
    host.number(4)
    room.shoot(phone, "seat-night")
    host.press("Дальше")

    # the first day
    evening.note_is("Говорит 1 Анна")
    expect(box.locator("#lamp-green")).to_have_attribute("aria-label", "Зелёная лампа: горит")
    expect(table.locator("#time")).to_have_text(re.compile(r"^0:5\d|1:00$"))
    role = phone.locator("#role")
    phone.locator("#card").dispatch_event("pointerdown", {"button": 0, "pointerId": 1})
    expect(role).to_have_text("Шериф")
    room.shoot(phone, "seat-card")
    phone.locator("#card").dispatch_event("pointerup", {"pointerId": 1})
    expect(role).to_have_text("Карта")
    check(phone, "seat")
    host.number(5)
    host.about(8, "Замечание")
    expect(table.locator("#ring li").nth(7).locator(".dots i")).to_have_count(1)
    looks = tuple((size, theme) for size in ("tv", "phone") for theme in THEMES)
    pictures(evening, "day", (*looks, ("4k", "dark")))
    check(host.page, "host, day")
    check(box, "box")
    room.shoot(host.page, "host-day", whole=True)
    room.shoot(box, "box")
    box.bring_to_front()
    box.keyboard.press("n")  # a finger on the box does the same
    evening.note_is("Говорит 2 Борис")
    expect(host.page.locator("#now")).to_contain_text("Говорит 2 ")
    host.number(3)

    # two moderators press at once: the game goes on once
    late: list[Route] = []
    evening.second.page.route("**/host/do", lambda route: late.append(route))
    expect(evening.second.page.locator("#now")).to_contain_text("Говорит 2 ")
    evening.second.page.locator("#thumb button.strong").click()
    host.press("Дальше")
    late[0].continue_()
    evening.second.page.unroute("**/host/do")
    for page in (host.page, evening.second.page):
        expect(page.locator("#now")).to_contain_text("Говорит 3 ")
    evening.second.number(1)  # what he presses now counts: the late press did nothing
    evening.note_is("Говорит 3 Вера")
    host.press("Отменить")
    evening.power_cut()
    evening.speeches(3, 4, 5, 6, 7, 8, 9, 10, names={})

    # the vote
    if host.page.locator("#title").inner_text().startswith("Выставление"):
        host.press("Дальше")
    evening.note_is("Голосуем: 5 Дина")
    expect(table.locator("#named li")).to_have_text(["5", "3"])
    evening.power_cut()
    pictures(evening, "vote")
    host.number(7)
    expect(table.locator("#named")).to_contain_text("7")
    evening.note_is("Последнее слово: 5 Дина")
    host.press("Дальше")
    host.wait("Ночь: выстрел")
    evening.power_cut()
    evening.night(1, 4, 7, ("да, это Шериф", "чёрный"))

    # three more days
    expect(table.locator("#ring li").nth(0)).to_have_class(re.compile("out"))
    plan = [((2, 3, 4, 6, 7, 8, 9, 10), 3, 2), ((4, 6, 7, 8, 9, 10), 7, 4), ((6, 8, 9, 10), 9, None)]
    for speakers, out, shot in plan:
        first = evening.note()
        order = speakers[[f"Говорит {s} " in f"{first} " for s in speakers].index(True) :]
        order += tuple(seat for seat in speakers if seat not in order)
        evening.speeches(*order, names={order[0]: out})
        if host.page.locator("#title").inner_text().startswith("Выставление"):
            host.press("Дальше")
        if host.page.locator("#title").inner_text().startswith("Голосование"):
            host.number(len(speakers))
        if shot is None:
            break
        host.wait("Последнее слово")
        host.press("Дальше")
        evening.night(shot, None, None, ("", ""))

    # the end
    evening.note_is("Победили мирные жители")
    expect(table.locator("#ring li").nth(6)).to_contain_text("Дон")
    pictures(evening, "over")
    check(host.page, "host, over")
    for size, label in ((LAPTOP, "laptop"), (PHONE, "phone")):
        story = room.page(size)
        story.goto(f"{evening.url}/game")
        expect(story.locator("#players tbody tr")).to_have_count(10)
        expect(story.locator("#title")).to_have_text("Победили мирные жители")
        expect(story.locator("#matrix tbody tr")).to_have_count(4)
        check(story, f"game {label}")
        room.shoot(story, f"game-{label}", whole=True)
        story.context.close()
    host.press("Отменить")  # the end is taken back: everything is secret again
    expect(table.locator("#ring li").nth(6)).not_to_contain_text("Дон")
    assert host.page.request.get(f"{evening.url}/game/protocol.json").status == 404
    assert room.troubles == []
    with capfd.disabled():
        print(f"\nscreenshots: {room.pictures}")


@pytest.mark.skipif(
    not AXE.exists(), reason="NO AXE-CORE: accessibility is not checked (scripts/setup fetches it by npm)"
)
def test_the_checker_of_accessibility_finds_something_where_there_is_something(room: Room) -> None:
    page = room.page(PHONE)
    page.set_content("<html><body><img src='x.png'><button></button></body></html>")
    assert any("image-alt" in found for found in serious(page))
    room.troubles.clear()


def test_names_are_written_on_the_moderators_page(evening: Evening) -> None:
    """Typed while the page is redrawn, sent at once, seen at the table and by the other moderator; who is not callable
    is told."""
    page, other = evening.host.page, evening.second.page
    page.locator("#players summary").click()
    inputs = page.locator("#names input")
    expect(inputs).to_have_count(10)
    expect(inputs.nth(1)).to_have_value("Борис")
    inputs.nth(0).fill("Ольга <b>Седова</b>")
    other.locator("#rules button", has_text="Спортивные").click()  # the page is drawn anew, what is being typed stays
    expect(page.locator("#rules")).not_to_contain_text("Спортивные")
    inputs.nth(1).fill("Вера")
    page.locator("#naming button").click()
    expect(evening.table.locator("body")).to_contain_text("Ольга <b>Седова</b>")
    other.locator("#players summary").click()
    expect(other.locator("#names input").nth(1)).to_have_value("Вера")
    page.locator("#health summary").click()
    expect(page.locator("#devices")).to_contain_text("«Вера» (seat 2) is called by number only")
    inputs.nth(0).fill("Ольга")
    inputs.nth(2).fill("Виктор")
    page.locator("#naming button").click()
    expect(page.locator("#devices")).not_to_contain_text("by number only")
