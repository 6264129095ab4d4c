"""Fixtures for all tests."""

from tests.lab import pulse as pulse
