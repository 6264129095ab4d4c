"""Who may do what on the pages: the PIN, seats, other origins and names, and what becomes a signal."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from narrator.game import moves as m
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.messages import Asked, Control, Held, Named, PageOpened, Released, SeatDown, SeatUp, Typed, Wrote
from narrator.ports.web.desk import CARD
from narrator.ports.web.rights import Rights, Tries
from narrator.ports.web.site import _Hand
from tests.table import cards, lobby, made, placed
from tests.web.pages import STORY, Pages

HOST_POSTS = {
    "/host/do": {"action": "next", "moment": "0"},
    "/host/write": {"text": "дальше"},
    "/host/type": {"number": 5},
    "/host/talk": {"down": True},
    "/host/release": {"seat": 3},
    "/host/names": {"names": ["Анна", "", " Кот   Матроскин "]},
    "/box/press": {"control": "next", "down": True},
    "/box/seat": {"seat": 3, "down": True},
}
SEAT_POSTS = {"/seat/hand": {"down": True}, "/seat/card": {}, "/seat/leave": {}}
PAGES = ("/", "/host", "/seat", "/box", "/game", "/static/common.js", "/static/common.css", "/static/icon.svg")


def wrong(pages: Pages) -> str:
    """A PIN that is not the PIN."""
    return str((int(pages.rights.pin) + 1) % 10**6).zfill(6)


# --- the moderator's PIN -------------------------------------------------------------------------------------------


def test_the_pin_opens_the_moderators_page(pages: Pages) -> None:
    answer = pages.browser().post("/login", {"pin": pages.rights.pin})
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 200
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    assert pages.signals == [PageOpened()]


def test_spaces_in_the_pin_do_not_matter(pages: Pages) -> None:
    pin = pages.rights.pin
    assert pages.browser().post("/login", {"pin": f"{pin[:3]} {pin[3:]}"}).status_code == 200


def test_after_five_wrong_pins_even_the_right_one_waits(pages: Pages) -> None:
    browser = pages.browser()
    for _ in range(Tries.FREE):
        assert browser.post("/login", {"pin": wrong(pages)}).status_code == 403
    answer = browser.post("/login", {"pin": pages.rights.pin})
    assert (answer.status_code, answer.json()) == (429, {"reason": "wait", "wait": 30})
    assert answer.headers["retry-after"] == "30"
    pages.now += 31
    assert browser.post("/login", {"pin": pages.rights.pin}).status_code == 200


def test_each_wrong_pin_after_that_doubles_the_wait(pages: Pages) -> None:
    browser, waits = pages.browser(), []
    for _ in range(Tries.FREE - 1):
        browser.post("/login", {"pin": wrong(pages)})
    for _ in range(7):
        browser.post("/login", {"pin": wrong(pages)})
        waits.append(browser.post("/login", {"pin": pages.rights.pin}).json()["wait"])
        pages.now += waits[-1] + 1
    assert waits == [30, 60, 120, 240, 480, 900, 900]


def test_who_guesses_does_not_lock_others_out(pages: Pages) -> None:
    thief = pages.browser("10.0.0.66")
    for _ in range(20):
        thief.post("/login", {"pin": wrong(pages)})
    assert pages.browser("10.0.0.2").post("/login", {"pin": pages.rights.pin}).status_code == 200


def test_guesses_from_many_addresses_cost_little_memory(pages: Pages) -> None:
    tries = Tries(lambda: 0.0)
    for number in range(5000):
        tries.wrong(f"10.{number // 250}.{number % 250}.1")
    assert len(tries._wrong) == Tries.MOST


@pytest.mark.parametrize("session", ["", "x", "x.y", ".", "ф.ы", "1." + "0" * 64])
def test_a_made_up_session_is_none(pages: Pages, session: str) -> None:
    assert not pages.rights.is_host(session)


def test_a_ticket_opens_one_session_and_no_second(pages: Pages) -> None:
    path = f"/enter?ticket={pages.rights.ticket()}"
    first, second = pages.browser(), pages.browser()
    assert (first.get(path).status_code, first.session != "") == (303, True)
    assert (second.get(path).status_code, second.session) == (303, "")
    assert first.post("/host/type", {"number": 1}).status_code == 204


def test_a_session_outlives_a_restart_and_not_the_evening(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    first = Rights(path, fresh=True)
    session = first.log_in(first.pin, "a")
    again = Rights(path, fresh=False)
    assert again.is_host(session) and again.pin == first.pin
    assert not Rights(path, fresh=True).is_host(session)


def test_the_file_of_secrets_is_for_this_user_only(pages: Pages, tmp_path: Path) -> None:
    assert (tmp_path / "screen.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"secret": "zz", "devices": {}, "turns": {}}', '{"secret": "00"}'])
def test_a_damaged_file_of_secrets_is_made_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "screen.json"
    path.write_text(text)
    rights = Rights(path, fresh=False)
    assert len(rights.pin) == 6
    assert Rights(path, fresh=False).pin == rights.pin


# --- no action without right ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "body"), [*HOST_POSTS.items(), *SEAT_POSTS.items()])
def test_without_a_session_nothing_happens(pages: Pages, path: str, body: object) -> None:
    assert pages.browser().post(path, body).status_code == 401
    assert (pages.signals, pages.touched) == ([], [])


@pytest.mark.parametrize(("path", "body"), list(HOST_POSTS.items()))
def test_a_players_seat_gives_no_moderators_right(pages: Pages, path: str, body: object) -> None:
    player = pages.browser().sit(3)
    player.client.cookies.set("narrator-host", player.pass_)
    assert player.post(path, body).status_code == 401
    assert (pages.signals, pages.touched) == ([], [])


@pytest.mark.parametrize("path", ["/host/events", "/seat/events", "/box/events"])
def test_streams_of_others_are_closed(pages: Pages, path: str) -> None:
    assert pages.browser().get(path).status_code == 401


@pytest.mark.parametrize(("path", "body"), [*HOST_POSTS.items(), *SEAT_POSTS.items(), ("/login", {"pin": "1"})])
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9000", "https://127.0.0.1:8000"])
def test_another_origin_changes_nothing(pages: Pages, path: str, body: object, origin: str) -> None:
    browser = pages.browser().log_in().sit(3)
    pages.signals.clear()
    assert browser.post(path, body, Origin=origin).status_code == 403
    assert (pages.signals, pages.touched) == ([], [])


def test_no_origin_is_another_origin(pages: Pages) -> None:
    browser = pages.browser().log_in()
    assert browser.client.post("/host/type", json={"number": 1}).status_code == 403


def test_a_cross_site_fetch_changes_nothing(pages: Pages) -> None:
    browser = pages.browser().log_in()
    assert browser.post("/host/type", {"number": 1}, Sec_Fetch_Site="cross-site").status_code == 403


def test_a_form_of_another_page_changes_nothing(pages: Pages) -> None:
    browser = pages.browser().log_in()
    headers = {"Origin": browser.url, "Content-Type": "text/plain"}
    assert browser.client.post("/host/type", content=b'{"number": 1}', headers=headers).status_code == 415


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "192.168.1.5", "127.0.0.1.evil.example", ""])
@pytest.mark.parametrize("path", [*PAGES, "/events", "/seat/me"])
def test_a_name_that_is_made_to_point_here_reads_nothing(pages: Pages, host: str, path: str) -> None:
    answer = pages.browser().get(path, Host=host)
    assert (answer.status_code, answer.text) == (421, "This name is not served here.")


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000", "127.0.0.1"])
def test_this_machine_has_its_usual_names(pages: Pages, host: str) -> None:
    assert pages.browser().get("/", Host=host).status_code == 200


def test_open_to_the_lan_addresses_are_ours_and_foreign_names_are_not(tmp_path: Path) -> None:
    pages = Pages(tmp_path, lan=True)
    assert pages.browser().get("/", Host="192.168.1.5:8000").status_code == 200
    assert pages.browser().get("/", Host="evil.example").status_code == 421


@pytest.mark.parametrize("path", PAGES)
def test_pages_let_no_foreign_script_in_and_are_not_kept(pages: Pages, path: str) -> None:
    headers = pages.browser().get(path).headers
    assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ["/static/../rights.py", "/static/%2e%2e/rights.py", "/static/rights.py", "/none"])
def test_only_pages_are_served(pages: Pages, path: str) -> None:
    assert pages.browser().get(path).status_code == 404


def test_a_long_body_is_not_read(pages: Pages) -> None:
    browser = pages.browser().log_in()
    assert browser.post("/host/write", {"text": "д" * 5000}).status_code == 413


# --- the moderator's actions ---------------------------------------------------------------------------------------


def test_what_the_moderator_does_becomes_a_signal(pages: Pages) -> None:
    host = pages.browser().log_in()
    pages.signals.clear()
    for path, body in HOST_POSTS.items():
        assert host.post(path, body).status_code == 204
    assert host.post("/host/talk", {"down": False}).status_code == 204
    assert pages.signals == [
        Asked("next", "0"),
        Wrote("дальше"),
        Typed(5),
        Held(Control.NEXT),
        Named(("Анна", "", "Кот Матроскин")),
        SeatDown(3),
        Released(Control.NEXT),
    ]
    assert pages.touched == [(Control.NEXT, True)]


@pytest.mark.parametrize(
    "names", [None, "Анна", ["Анна"] * 16, [5], [None], ["А" * 41], ["Анна\nБорис"], [["Анна"]], {"1": "Анна"}]
)
def test_odd_names_become_no_signal(pages: Pages, names: object) -> None:
    host = pages.browser().log_in()
    pages.signals.clear()
    assert host.post("/host/names", {"names": names}).status_code == 400
    assert pages.signals == []


def test_a_real_box_has_no_picture(tmp_path: Path) -> None:
    pages = Pages(tmp_path, box=False)
    host = pages.browser().log_in()
    assert host.get("/box").status_code == 404
    assert host.post("/box/press", {"control": "next", "down": True}).status_code == 404
    assert host.get("/enter").headers["location"] == "/host"


def test_leaving_ends_the_session_of_this_browser(pages: Pages) -> None:
    host = pages.browser().log_in()
    assert host.post("/logout").status_code == 204
    assert host.session == ""
    assert host.post("/host/type", {"number": 1}).status_code == 401


# --- seats ---------------------------------------------------------------------------------------------------------


def test_a_code_gives_its_seat_to_one_device(pages: Pages) -> None:
    first, second = pages.browser("10.0.0.3").sit(3), pages.browser("10.0.0.4")
    assert first.get("/seat/me").json() == {"seat": 3}
    answer = second.post("/seat/join", {"code": pages.rights.code(3)})
    assert (answer.status_code, answer.json()) == (403, {"reason": "taken"})
    assert second.get("/seat/me").json() == {"seat": 0}


def test_a_device_with_a_seat_gets_no_other(pages: Pages) -> None:
    player = pages.browser().sit(3)
    answer = player.post("/seat/join", {"code": pages.rights.code(4)})
    assert (answer.status_code, answer.json()) == (403, {"reason": "seated"})
    assert set(pages.rights.devices) == {3}


def test_the_code_of_ones_own_seat_may_be_entered_again(pages: Pages) -> None:
    assert pages.browser().sit(3).sit(3).get("/seat/me").json() == {"seat": 3}


def test_a_pass_changed_to_another_seat_is_none(pages: Pages) -> None:
    player = pages.browser().sit(3)
    stolen = "4" + player.pass_[1:]
    thief = pages.browser()
    thief.client.cookies.set("narrator-seat", stolen)
    assert thief.post("/seat/card").status_code == 401
    assert thief.post("/seat/hand", {"down": True}).status_code == 401
    assert pages.signals == []


def test_a_released_seat_has_another_code_and_no_device(pages: Pages) -> None:
    host, player = pages.browser().log_in(), pages.browser().sit(3)
    old = pages.rights.code(3)
    host.post("/host/release", {"seat": 3})
    assert pages.rights.code(3) != old
    assert player.post("/seat/card").status_code == 401
    assert pages.browser().post("/seat/join", {"code": old}).json() == {"reason": "wrong"}
    assert pages.browser().sit(3).get("/seat/me").json() == {"seat": 3}


def test_guessing_codes_is_slowed_down(pages: Pages) -> None:
    thief = pages.browser()
    answers = [thief.post("/seat/join", {"code": f"{number:08}"}).status_code for number in range(8)]
    assert answers == [403] * Tries.FREE + [429] * 3


def test_a_seat_outlives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    held = Rights(path, fresh=True)
    given = held.join(held.code(7), "", "a")
    assert Rights(path, fresh=False).seat(given) == 7


def test_with_no_host_only_a_phone_that_was_there_at_the_deal_shows_the_card(pages: Pages) -> None:
    player, host = pages.browser().sit(3), pages.browser("10.0.0.9").log_in()
    table = lobby(RULESETS["classic"], host=Host.NONE)
    pages.look(table.state)
    pages.look(made(table, m.Deal(cards(table.state.rules, table.state.seats))).state)
    assert player.post("/seat/card").json() == {"card": "mafia"}
    host.post("/host/release", {"seat": 3})
    thief = pages.browser("10.0.0.9").sit(3)
    answer = thief.post("/seat/card")
    assert answer.json() == {"card": "late"} and len(answer.content) == CARD


def test_answers_about_cards_are_of_one_size_for_all_roles_and_phases(pages: Pages) -> None:
    players = {seat: pages.browser(f"10.0.1.{seat}").sit(seat) for seat in range(1, 11)}
    sizes, told = set(), set()
    for phase in (Phase.LOBBY, Phase.SPEECHES, Phase.NIGHT_SHOOTING, Phase.NIGHT_SHERIFF):
        classic = RULESETS["classic"]
        pages.look(placed(classic, phase).state if phase is not Phase.LOBBY else placed(classic, Phase.VOTE).state)
        for player in players.values():
            answer = player.post("/seat/card")
            sizes.add((len(answer.content), str(sorted(answer.headers.items()))))
            told.add(answer.json()["card"])
    assert told == {"don", "mafia", "sheriff", "civilian"}
    assert len(sizes) == 1
    assert {size for size, _ in sizes} == {CARD}


def test_a_hand_is_answered_alike_and_told_once(pages: Pages) -> None:
    player = pages.browser().sit(3)
    answers = [player.post("/seat/hand", {"down": down}) for down in (True, True, False, False, True)]
    assert {(a.status_code, a.content) for a in answers} == {(204, b"")}
    assert len({str(a.headers.items()) for a in answers}) == 1
    assert pages.signals == [SeatDown(3), SeatUp(3), SeatDown(3)]


def test_a_flood_of_hands_reaches_the_game_as_a_trickle(pages: Pages) -> None:
    player = pages.browser().sit(3)
    began = time.monotonic()
    for number in range(400):
        assert player.post("/seat/hand", {"down": number % 2 == 0}).status_code == 204
    most = _Hand.BURST + (time.monotonic() - began) / _Hand.EVERY
    assert len(pages.signals) <= most + 1


def test_a_hand_moves_as_often_as_it_may_and_always_comes_down() -> None:
    hand = _Hand()
    moved = [hand.may_move(100.0, down=number % 2 == 0) for number in range(400)]
    assert sum(moved[:20]) == 20 and sum(moved[0::2]) == 10 and all(moved[1::2])
    assert hand.may_move(200.0, down=True)


# --- after the game ------------------------------------------------------------------------------------------------


def test_the_protocol_is_there_only_while_a_game_is_over(pages: Pages) -> None:
    browser = pages.browser()
    kinds = {"json": STORY.json, "txt": STORY.text, "csv": STORY.csv}
    assert {browser.get(f"/game/protocol.{kind}").status_code for kind in kinds} == {404}
    pages.desk.tell_story(STORY)
    assert {kind: browser.get(f"/game/protocol.{kind}").text for kind in kinds} == kinds
    assert browser.get("/game/protocol.exe").status_code == 404
    pages.desk.tell_story(None)
    assert browser.get("/game/protocol.json").status_code == 404


def test_a_choice_goes_all_the_way(pages: Pages) -> None:
    """From the page's own moment to the move: what is on offer, sent back, is what happens."""
    from narrator.speech.choices import chosen, moment

    game = placed(RULESETS["classic"], Phase.SPEECHES)
    host = pages.browser().log_in()
    host.post("/host/do", {"action": "nominate.5", "moment": moment(game.state)})
    asked = pages.signals[-1]
    assert isinstance(asked, Asked)
    meaning = chosen(asked.action, asked.moment, game.state, "ru")
    assert meaning == m.Nominate(5)
    assert made(game, meaning).state.candidates == (5,)
