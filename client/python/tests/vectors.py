"""The vectors that clients in all languages must satisfy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

HERE = Path(__file__).resolve()
# In a source distribution, the vectors are in the folder data (setup.py).
FOLDER = next(folder for folder in (HERE.parent / "data", HERE.parents[2] / "vectors") if folder.is_dir())


def read(name: str) -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content
