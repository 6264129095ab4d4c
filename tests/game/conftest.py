"""Failed asserts of the shared checks show their values."""

import pytest

pytest.register_assert_rewrite("tests.game.sane", "tests.table")
