"""One quick sweep of each study per session, shared by all tests."""

from __future__ import annotations

import pytest

from highseason.studies import STUDIES, Outcome, reproduce


@pytest.fixture(scope="session")
def timing_report(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return reproduce(STUDIES["timing"], tmp_path_factory.mktemp("timing"), quick=True, seed=2)
