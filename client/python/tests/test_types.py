"""Type-checks the package and the sample in its README. Needs mypy, which CI doesn't have."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).parents[1]


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def test_of_the_package_the_sample_and_the_readme_are_strict(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            readme = Path(folder) / "readme.py"
            samples = re.findall("```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
            readme.write_text("\n".join(samples), encoding="utf-8")
            asked = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, "src", "example", "tests", str(readme)]
            done = subprocess.run(asked, cwd=FOLDER, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
