"""The wheel that scripts/packaging/wheel.py packs, from a tree that is drawn small."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

from support import PYTHON_FOLDER, REPOSITORY, environment, tagged

PROJECT = PYTHON_FOLDER / "pyproject.toml"
LAUNCHER = '#!/bin/sh\nprintf "%s\\n" "started: $0" "$@"\n'


def module():
    spec = importlib.util.spec_from_file_location("wheel", str(REPOSITORY / "scripts" / "packaging" / "wheel.py"))
    wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel)
    return wheel


@unittest.skipIf(sys.version_info < (3, 11), "packages are built with Python 3.11 or newer")
class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="a wheel "))
        cls.addClassCleanup(shutil.rmtree, str(cls.folder))
        tree = cls.folder / "tree"
        for name, text in (("LICENSE", "free"), ("lib/a.jar", "jar"), ("bin/inferscope", LAUNCHER)):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        (tree / "bin" / "inferscope").chmod(0o700)
        shutil.copytree(PYTHON_FOLDER / "inferscope", tree / "python" / "inferscope", ignore=shutil.ignore_patterns("__pycache__"))
        cls.paths = []
        for number in "12":
            out = cls.folder / number
            out.mkdir()
            os.utime(tree / "LICENSE", (int(number), int(number)))
            with open(os.devnull, "w") as nothing, unittest.mock.patch("sys.stdout", nothing):
                module().main(tree, PYTHON_FOLDER, "1.2.0-SNAPSHOT", "any", REPOSITORY / "README.md", out)
            cls.paths += out.iterdir()
        cls.wheel = zipfile.ZipFile(cls.paths[0])
        cls.addClassCleanup(cls.wheel.close)

    def unpacked(self):
        """Unpacks it as ``pip install --target`` does."""
        target = self.folder / "target"
        for entry in self.wheel.infolist():
            name = entry.filename.replace("inferscope-1.2.0.dev0.data/data/", "").replace("inferscope-1.2.0.dev0.data/scripts/", "bin/")
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(self.wheel.read(entry))
            (target / name).chmod(entry.external_attr >> 16)
        return target

    def test_the_same_tree_gives_the_same_bytes(self):
        self.assertEqual(self.paths[0].name, "inferscope-1.2.0.dev0-py3-none-manylinux2014_any.whl")
        self.assertEqual(self.paths[0].read_bytes(), self.paths[1].read_bytes())

    @tagged("process")
    @unittest.skipUnless(shutil.which("gcc") and shutil.which("readelf"), "gcc and readelf are not installed")
    def test_the_tag_names_the_newest_c_library_that_the_runtime_needs(self):
        for minor, tag in ((4, "manylinux2014_any"), (34, "manylinux_2_34_any"), (101, "manylinux_2_101_any")):
            tree = self.folder / ("glibc %d" % minor)
            (tree / "java" / "lib").mkdir(parents=True)
            (tree / "java" / "release").write_text("Name: GLIBC_2.99")
            self.library_that_needs("GLIBC_2.%d" % minor, tree / "java" / "lib" / "liba.so")
            self.assertEqual(module().platform_of(tree, "any"), tag)
        (tree / "native").mkdir()
        shutil.move(str(tree / "java" / "lib" / "liba.so"), str(tree / "native"))
        self.assertEqual(module().platform_of(tree, "any"), "manylinux2014_any", "a library of a recorder may be newer")

    def library_that_needs(self, version, library):
        """Links one with a libc.so.6 that has nothing but a function of that version."""
        work = self.folder / version
        work.mkdir()
        (work / "libc.c").write_text("void newest(void) {}\n")
        (work / "map").write_text(version + " { newest; };\n")
        (work / "user.c").write_text("void newest(void); void use(void) { newest(); }\n")
        compile = ["gcc", "-shared", "-fPIC", "-nostdlib", "-o"]
        subprocess.run(compile + ["libc.so", "libc.c", "-Wl,-soname,libc.so.6,--version-script,map"], cwd=work, check=True)
        subprocess.run(compile + [str(library), "user.c", "libc.so"], cwd=work, check=True)

    def test_the_list_of_files_names_every_file_with_its_hash(self):
        listed = {row[0]: row[1] for row in csv.reader(io.StringIO(self.wheel.read("inferscope-1.2.0.dev0.dist-info/RECORD").decode()))}
        self.assertEqual(sorted(listed), sorted(self.wheel.namelist()))
        digest = hashlib.sha256(b"jar").digest()
        self.assertEqual(
            listed["inferscope-1.2.0.dev0.data/data/share/inferscope/lib/a.jar"],
            "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("="),
        )

    def test_programs_stay_executable_for_everybody(self):
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in self.wheel.infolist()}
        self.assertEqual(modes["inferscope-1.2.0.dev0.data/scripts/inferscope"], 0o755)
        self.assertEqual(modes["inferscope-1.2.0.dev0.data/data/share/inferscope/bin/inferscope"], 0o755)
        self.assertEqual(modes["inferscope/__init__.py"], 0o644)

    def test_extras_are_offered(self):
        text = self.wheel.read("inferscope-1.2.0.dev0.dist-info/METADATA").decode()
        self.assertIn('Requires-Dist: vllm>=0.11; extra == "vllm"', text)
        self.assertIn("# InferScope", text)

    @tagged("process")
    def test_the_module_starts_the_launcher_of_its_installation(self):
        target = self.unpacked()
        ran = subprocess.run(
            [sys.executable, "-m", "inferscope", "analyze", "a b"], env=environment(PYTHONPATH=target), stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(ran.stdout, "started: %s/share/inferscope/bin/inferscope\nanalyze\na b\n" % os.path.realpath(target))

    @tagged("process")
    def test_without_the_program_the_module_says_what_is_missing(self):
        alone = self.folder / "alone"
        shutil.copytree(PYTHON_FOLDER / "inferscope", alone / "inferscope", ignore=shutil.ignore_patterns("__pycache__"))
        ran = subprocess.run(
            [sys.executable, "-m", "inferscope"], env=environment(PYTHONPATH=alone), stderr=subprocess.PIPE, text=True
        )
        self.assertEqual(ran.returncode, 4)
        self.assertIn("only the recorder", ran.stderr)

    @tagged("process")
    def test_the_trace_of_the_demo_is_what_its_maker_makes(self):
        folder = REPOSITORY / "examples" / "demo"
        made = subprocess.run([sys.executable, str(folder / "make_decode.py")], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(made, (folder / "decode.json").read_bytes())

    @tagged("process")
    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_the_makefile_calls_what_it_names(self):
        makefile = ["make", "-s", "-f", str(REPOSITORY / "Makefile")]
        dry = subprocess.run(makefile + ["-n", "integration"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertRegex(dry, r"(?s)scripts/inferscope demo.*sum\(duration_ns\).*ORDER BY start_ns.*scripts/test")
        outputs = self.folder / "outputs"
        (outputs / "demo").mkdir(parents=True)
        (outputs / "demo" / "report.md").touch()
        (outputs / ".gitkeep").touch()
        subprocess.run(makefile + ["-C", str(self.folder), "cleanup-temp-docs"], check=True)
        self.assertEqual([file.name for file in outputs.iterdir()], [".gitkeep"])

    def test_extras_ask_for_the_versions_that_tracers_are_written_for(self):
        source = (REPOSITORY / "inferscope-batch/src/main/java/io/inferscope/batch/Installation.java").read_text()
        for name, major, minor in re.findall(r'"(torch|transformers|vllm)", new int\[\] {(\d+), (\d+)}', source):
            self.assertIn('"%s>=%s.%s"' % (name, major, minor), PROJECT.read_text())


if __name__ == "__main__":
    unittest.main()
