"""The vectors that clients in all languages must satisfy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

FOLDER = Path(__file__).resolve().parents[2] / "vectors"


def read(name: str) -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content
