"""Adds the vectors, which clients in all languages share, to the source distribution, because its tests need them. Everything else is in
pyproject.toml."""

import shutil
from pathlib import Path
from typing import Sequence

from setuptools import setup
from setuptools.command.sdist import sdist

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


class WithVectors(sdist):
    def make_release_tree(self, base_dir: str, files: Sequence[str]) -> None:
        super().make_release_tree(base_dir, files)
        target = Path(base_dir, "tests", "data")
        target.mkdir(exist_ok=True)
        for file in VECTORS.glob("*.json"):
            shutil.copy(file, target)


setup(cmdclass={"sdist": WithVectors})
