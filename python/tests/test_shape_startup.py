"""The installed start-up file: the variables of the environment alone, in a virtual environment with the package in it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.metadata import PackageNotFoundError, version

from support import PYTHON_FOLDER, environment, tagged

ASKED = "import sys; print(sorted(name for name in sys.modules if name.startswith('inferscope')))"


@tagged("process")
class StartUpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            installed = version("setuptools"), version("pip")
        except PackageNotFoundError as error:
            raise unittest.SkipTest("building the package needs pip and setuptools: %s" % error)
        if int(installed[0].split(".")[0]) < 71:
            raise unittest.SkipTest("building the package needs setuptools 71, which builds wheels by itself; here is " + installed[0])
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        source = cls.folder / "source"
        shutil.copytree(PYTHON_FOLDER, source, ignore=shutil.ignore_patterns("tests", "__pycache__", "build", "*.egg-info"))
        cls.run_checked(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", cls.folder, source)
        cls.run_checked(sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv")
        cls.python = cls.folder / "venv" / "bin" / "python"
        packages = cls.run_checked(cls.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        (wheel,) = cls.folder.glob("*.whl")
        shutil.unpack_archive(str(wheel), packages, "zip")
        cls.packages = pathlib.Path(packages)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @staticmethod
    def run_checked(*words, **variables):
        done = subprocess.run(list(map(str, words)), env=environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        return done.stdout.decode()

    def test_the_start_up_file_lies_beside_the_package(self):
        self.assertTrue((self.packages / "inferscope_shapes.pth").is_file())
        self.assertTrue((self.packages / "inferscope" / "hooks" / "shapes_hooks.py").is_file())

    def test_nothing_is_loaded_unless_asked(self):
        self.assertEqual("[]\n", self.run_checked(self.python, "-c", ASKED))
        self.assertEqual("[]\n", self.run_checked(self.python, "-c", ASKED, SGLANG_PROFILE_SHAPES="0"))

    def test_the_variable_alone_starts_the_recorder(self):
        for variable in ("SGLANG_PROFILE_SHAPES", "INFERSCOPE_SHAPES"):
            self.assertIn("inferscope.shapes.startup", self.run_checked(self.python, "-c", ASKED, **{variable: "1"}))

    def test_a_program_in_that_environment_is_recorded(self):
        (self.folder / "torch").mkdir(exist_ok=True)
        (self.folder / "torch" / "__init__.py").write_text("class nn:\n    class Module:\n        def __call__(self):\n            return 1\n")
        source = "import sys; sys.path.insert(0, %r); import torch; print(torch.nn.Module.__call__._inferscope_hook)" % str(self.folder)
        self.assertEqual("('shapes',)\n", self.run_checked(self.python, "-c", source, SGLANG_PROFILE_SHAPES="1"))
