"""The command `narrator`: its verbs and how mistakes are told. Decides nothing about games or devices.

Every mistake of the user is one clear sentence on standard error and exit code 2; a difference found by `replay` is 1.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from narrator import __version__
from narrator.config import ConfigError, Settings, load

app = typer.Typer(
    help="«Ведущий»: hosts the party game Mafia at a real table.", no_args_is_help=True, pretty_exceptions_enable=False
)

Log = Annotated[Literal["debug", "info", "warning", "error"], typer.Option(help="How much is logged")]
Config = Annotated[Path | None, typer.Option("--config", help="Settings; default ~/.config/narrator/config.toml")]


def main() -> None:
    """Entry point: mistakes that have a sentence get it, without a traceback."""
    from narrator.journal import JournalError
    from narrator.rules import RulesError

    try:
        app()
    except (ConfigError, RulesError) as error:
        _fail(*error.problems)
    except (JournalError, RuntimeError, ValueError) as error:
        # RecogniserError, EngineError, BuildError and TranscriptError come in here; all carry their sentence
        if type(error) in (RuntimeError, ValueError):
            raise
        _fail(str(error))


def _fail(*sentences: str) -> None:
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    raise SystemExit(2)


def _settings(config: Path | None, **game: str | None) -> Settings:
    return load(config, game={key: value for key, value in game.items() if value})


@app.command()
def play(
    config: Config = None,
    rules: Annotated[str | None, typer.Option(help="Ruleset: classic")] = None,
    host: Annotated[str | None, typer.Option(help="full, light or none")] = None,
    log: Log = "warning",
    box: Annotated[bool, typer.Option("--box", help="Nobody watches: wrong settings are told and passed over")] = False,
) -> None:
    """Host a game: voice, microphone, lamps and buttons where they are, the console always."""
    from narrator.unattended import settings_for_a_box
    from narrator.wiring import play as host_games

    logging.basicConfig(level=log.upper(), format="%(levelname)s %(name)s: %(message)s")
    if box:
        host_games(*settings_for_a_box(config))
    else:
        host_games(_settings(config, rules=rules, host=host))


@app.command()
def replay(
    files: Annotated[list[Path], typer.Argument(help="Transcripts")],
    show: Annotated[bool, typer.Option("--show", help="Print everything said and lit")] = False,
) -> None:
    """Play transcripts through the whole box; print the first difference of each, exit 1 if there is one."""
    from narrator.transcript import TranscriptError, parse
    from narrator.transcript import replay as run

    different = False
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise TranscriptError(f"{file}: cannot be read ({reason}).") from error
        wrong, shown = run(parse(str(file), text), show=show)
        if show:
            print("\n".join(shown))
        if wrong:
            different = True
            print(wrong)
        else:
            print(f"{file}: ok")
    if different:
        raise SystemExit(1)


@app.command()
def hear(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Sound files: WAV or, with the soundfile package, FLAC")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Listen to the microphone, until Ctrl-C")] = False,
    moment: Annotated[str, typer.Option(help="Live: now, or a phase: lobby, speeches, vote, …")] = "now",
    talk: Annotated[bool, typer.Option("--talk", help="Live: as if the talk button were held")] = False,
    seconds: Annotated[float, typer.Option(min=0, help="Live: end after so many seconds of sound")] = 0.0,
    lint: Annotated[bool, typer.Option("--lint", help="List the commands that sound alike, and the like")] = False,
    config: Config = None,
) -> None:
    """Recognise commands in sound files, one JSON line each; or show what the microphone gives and what it means."""
    from narrator.hear import hear_files

    if live + lint + bool(files) != 1:
        _fail("Name sound files, or listen to the microphone with --live, or look at the commands with --lint.")
    if lint:
        from narrator.confusable import report

        print("\n".join(report(_settings(config))))
        return
    if live or not files:
        from narrator.live_screen import show

        show(_settings(config), moment, talk=talk, seconds=seconds)
        return
    for line in hear_files(_settings(config), files):
        print(json.dumps(line, ensure_ascii=False))


@app.command()
def say(
    text: Annotated[str, typer.Argument(help="Russian text without digits")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The WAV file to write")],
    config: Config = None,
) -> None:
    """Speak a text into a WAV file with the narrator's voice."""
    from narrator.ports.phrases import say_to_file
    from narrator.rendering import spoken

    settings = _settings(config)
    say_to_file(settings.voice, settings.paths.cache_dir, text, out, spoken(settings))


@app.command()
def render(config: Config = None) -> None:
    """Render every phrase there is, so that nothing is synthesised in a game; tell the size of the cache."""
    from narrator.rendering import everything, render_everything

    settings = _settings(config)
    texts = everything(settings)
    rendered, size, seconds = render_everything(settings, texts)
    print(f"{len(texts)} phrases, {rendered} of them rendered now in {seconds:.0f} s; {size / 1e6:.1f} MB in all.")


@app.command()
def voicepack(
    what: Annotated[Literal["new", "check"], typer.Argument(help="new: list what to read; check: judge it")],
    folder: Annotated[Path, typer.Argument(help="The folder of the pack")],
    config: Config = None,
) -> None:
    """Record the narrator's phrases yourself: list them, one line each, and check the recordings."""
    from narrator.ports.voicepack import LIST, VoicePack, new_pack
    from narrator.rendering import everything

    if what == "new":
        count, added = new_pack(folder, everything(_settings(config)))
        print(f"{folder / LIST}: {count} phrases, {added} of them new.")
        print(f"Read line 0001 into {folder}/0001.wav and so on, mono, 16 bits.")
        print(f"Then: narrator voicepack check {folder}")
        return
    found = list(VoicePack(folder).check())
    print("\n".join(found) or "Every phrase is recorded well.")
    if found:
        raise SystemExit(1)


@app.command()
def timer(
    time: Annotated[str, typer.Argument(help="Seconds, minutes:seconds, or a preset: see --list")] = "mafia-60",
    speakers: Annotated[int, typer.Option(min=0, max=200, help="How many speak; 0: until somebody ends it")] = 0,
    names: Annotated[str, typer.Option(help="For the report: Анна,Борис,…")] = "",
    follow: Annotated[bool, typer.Option("--follow", help="The next speaker follows by itself")] = False,
    warn: Annotated[float, typer.Option(min=0, help="Seconds before the end at which the lamp turns yellow")] = 10.0,
    csv: Annotated[Path | None, typer.Option(help="Write the times used to this file")] = None,
    presets: Annotated[bool, typer.Option("--list", help="List the presets")] = False,
    config: Config = None,
    log: Log = "warning",
) -> None:
    """Time speeches with lamps, bells and voice, without a game; tell at the end who spoke how long."""
    from narrator.timer.plans import PLANS, plan_for
    from narrator.timer.run import run, save

    if presets:
        print("\n".join(PLANS))
        return
    logging.basicConfig(level=log.upper(), format="%(levelname)s %(name)s: %(message)s")
    plan, settings = plan_for(time, warn), _settings(config)
    called = [name.strip() for name in names.split(",")] if names else []
    spoken = run(settings, plan, speakers=speakers or len(called), names=called, follow=follow)
    if csv is not None:
        try:
            save(spoken, called, settings.game.language, csv)
        except OSError as error:
            _fail(f"{csv}: cannot be written ({error.strerror}); the times are above.")


@app.command()
def wiring(
    config: Config = None,
    seats: Annotated[int | None, typer.Option(help="Propose free pins for so many seat buttons")] = None,
    keep: Annotated[str, typer.Option(help="With --seats: pins that something else needs, as 18,19")] = "",
    svg: Annotated[Path | None, typer.Option(help="Draw the header into this file")] = None,
) -> None:
    """What goes to which pin: a table and a picture of the header, made from the settings."""
    from narrator.pinout import as_text, legs, propose
    from narrator.pinout_svg import as_svg

    panel = _settings(config).panel
    try:
        kept = [int(pin) for pin in keep.replace(",", " ").split()]
    except ValueError:
        _fail(f"--keep {keep}: write BCM numbers with commas between them, as 18,19.")
    if seats is not None:
        panel = panel.model_copy(update={"seats": propose(panel, seats, kept)})
    parts = legs(panel)
    print(as_text(parts))
    if seats is not None:
        print(f"\nInto the settings, below [panel]:\nseats = {panel.seats}")
    if svg is not None:
        try:
            svg.write_text(as_svg(parts), encoding="utf-8")
        except OSError as error:
            _fail(f"{svg}: cannot be written ({error.strerror}); name another file.")


@app.command()
def prepare(config: Config = None) -> None:
    """Render every phrase and build the recogniser's model now, so that the box need not at its start."""
    from narrator.prepare import prepare as make_ready

    for trouble in make_ready(_settings(config)):
        print(trouble, file=sys.stderr)


@app.command()
def train(
    work: Annotated[Path, typer.Argument(help="Folder for what takes long: speech, rooms, the state of learning")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The parameters to write")] = Path("acoustic.npz"),
    minutes: Annotated[float, typer.Option(min=0, help="How long to learn, all runs together")] = 60.0,
    config: Config = None,
) -> None:
    """Learn the compact recogniser's sounds anew; may be stopped and goes on when it is started again."""
    from narrator.compact.train import check
    from narrator.speech.grammar import grammar

    check()
    from narrator.compact.train.learn import train as learn

    commands = grammar(_settings(config).game.language)
    for told in learn(work, out, commands.phrases(commands.everything(), bare=True, addressed=True), minutes=minutes):
        print(told, flush=True)


@app.command()
def protocol(
    journal: Annotated[str | None, typer.Argument(help="A journal, or a kept game's name; default: the last")] = None,
    form: Annotated[Literal["text", "json", "csv"], typer.Option("--format", help="How it is written")] = "text",
    games: Annotated[bool, typer.Option("--list", help="List the games that are kept")] = False,
    config: Config = None,
) -> None:
    """Print the protocol of a game: the last finished one, else the one that goes on (without its secrets)."""
    from narrator.protocol import to_csv, to_json, to_text
    from narrator.protocol.files import latest, listing, named, read

    settings = _settings(config)
    state_dir = settings.paths.state_dir
    if games:
        print("\n".join(listing(state_dir, settings.game.language)))
        return
    found = latest(state_dir) if journal is None else read(named(state_dir, journal))
    if found.trouble:
        print(found.trouble, file=sys.stderr)
    forms = {"json": to_json, "csv": to_csv}
    text = to_text(found.protocol, found.language) if form == "text" else forms[form](found.protocol)
    print(text, end="")


@app.command()
def rules(
    key: Annotated[str | None, typer.Argument(help="moscow, classic, forum or sport; default: list them")] = None,
    table: Annotated[bool, typer.Option("--table", help="Which move is possible in which phase")] = False,
    diagram: Annotated[bool, typer.Option("--diagram", help="The phases as a Mermaid diagram; takes a while")] = False,
    config: Config = None,
) -> None:
    """Print a ruleset in sentences, with the changes that the settings make; or list the rulesets."""
    from narrator import rules_print
    from narrator.rules import ruleset

    settings = _settings(config)
    language = settings.game.language
    if key is None:
        if table or diagram:
            _fail("Say which rules, for example: narrator rules classic --table.")
        print("\n".join(rules_print.as_list(settings.game.rules, language)))
        return
    chosen = ruleset(key, settings.rules)
    forms = [form for wanted, form in ((table, rules_print.as_table), (diagram, rules_print.as_diagram)) if wanted]
    for form in forms or [rules_print.as_text]:
        print("\n".join(form(chosen, language)))


@app.command()
def doctor(
    config: Config = None,
    quick: Annotated[bool, typer.Option("--quick", help="No sound, no light, no listening")] = False,
    json_page: Annotated[bool, typer.Option("--json", help="The page for programs")] = False,
    buttons: Annotated[bool, typer.Option("--buttons", help="Ask for each button in turn")] = False,
    lamps: Annotated[bool, typer.Option("--lamps", help="Blink the result until stopped")] = False,
    given_up: Annotated[bool, typer.Option("--given-up", hidden=True)] = False,
    licences: Annotated[bool, typer.Option("--licences", help="List the licences of everything, and end")] = False,
) -> None:
    """Look at everything the box needs: one page of green and red, each red with the next step."""
    from narrator.doctor.run import print_licences, run
    from narrator.unattended import settings_for_a_box

    if licences:
        print_licences()
        return
    logging.basicConfig(level="CRITICAL")  # the page tells it
    settings, problems = settings_for_a_box(config)
    how = {"quick": quick, "json_page": json_page, "lamps": lamps, "buttons": buttons, "given_up": given_up}
    raise SystemExit(run(settings, problems, **how))


@app.command()
def version() -> None:
    """Print the version."""
    print(f"narrator {__version__}")


if __name__ == "__main__":
    main()
