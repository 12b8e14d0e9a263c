"""Adds the start-up file to what setuptools builds: a ``.pth`` lies beside the package, not in it, for which pyproject.toml has no word."""

import os

from setuptools import setup
from setuptools.command.build_py import build_py

START_UP = "inferscope_shapes.pth"


class BuildWithStartUp(build_py):
    def run(self):
        super().run()
        if not getattr(self, "editable_mode", False):
            self.copy_file(START_UP, os.path.join(self.build_lib, START_UP))

    def get_outputs(self, include_bytecode=1):
        return super().get_outputs(include_bytecode) + [os.path.join(self.build_lib, START_UP)]


setup(cmdclass={"build_py": BuildWithStartUp})
