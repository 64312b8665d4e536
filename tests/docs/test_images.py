"""Pictures of the docs are small, are shown somewhere, and say in words what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).resolve().parents[2] / "docs"
IMAGES = sorted((DOCS / "images").glob("*.png"))


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_picture_is_small_and_shown(image: Path) -> None:
    assert image.stat().st_size < 150_000
    pages = [page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")]
    assert any(f"](../images/{image.name})" in page for page in pages)
    with Image.open(image) as picture:
        assert picture.info["Title"]
        assert picture.info["Description"]
