"""Fixtures for the tests of the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.pages import Pages


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    """The pages of a table with a simulated box."""
    return Pages(tmp_path)
