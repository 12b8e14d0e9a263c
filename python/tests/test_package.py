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


LIMIT = 10_000_000


def module(name="wheel"):
    spec = importlib.util.spec_from_file_location(name, str(REPOSITORY / "scripts" / "packaging" / (name + ".py")))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def class_file(*texts):
    """The part of a class file up to the end of its constant pool, which has a number of 64 bits in front."""
    pool = b"".join(b"\x01" + len(text).to_bytes(2, "big") + text.encode() for text in texts)
    return b"\xca\xfe\xba\xbe\0\0\0\x3d" + (len(texts) + 3).to_bytes(2, "big") + b"\x05" + bytes(8) + pool


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
                module().main(tree, PYTHON_FOLDER, "1.2.0-SNAPSHOT", "any", REPOSITORY / "README.md", out, LIMIT)
            cls.paths += out.iterdir()
        cls.wheel = zipfile.ZipFile(cls.paths[0])
        cls.addClassCleanup(cls.wheel.close)

    def unpacked(self):
        """Unpacks it as ``pip install --target`` does."""
        target = self.folder / "target"
        for entry in self.wheel.infolist():
            name = entry.filename.replace("inferscope_profiler-1.2.0.dev0.data/data/", "").replace("inferscope_profiler-1.2.0.dev0.data/scripts/", "bin/")
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(self.wheel.read(entry))
            (target / name).chmod(entry.external_attr >> 16)
        return target

    def test_the_same_tree_gives_the_same_bytes(self):
        self.assertEqual(self.paths[0].name, "inferscope_profiler-1.2.0.dev0-py3-none-manylinux2014_any.whl")
        self.assertEqual(self.paths[0].read_bytes(), self.paths[1].read_bytes())

    def test_pytest_finds_its_plug_in(self):
        with zipfile.ZipFile(self.paths[0]) as wheel:
            rows = wheel.read("inferscope_profiler-1.2.0.dev0.dist-info/entry_points.txt").decode()
            name = rows.strip().splitlines()[-1].split(" = ")[1]
            self.assertIn(name.replace(".", "/") + ".py", wheel.namelist())
        self.assertTrue(rows.startswith("[pytest11]\n"))

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

    def test_the_distribution_has_a_name_that_is_free_and_the_package_its_own(self):
        self.assertIn("\nName: inferscope-profiler\n", self.wheel.read("inferscope_profiler-1.2.0.dev0.dist-info/METADATA").decode())
        self.assertIn("inferscope/__init__.py", self.wheel.namelist())

    def test_a_wheel_above_the_limit_is_refused_with_what_takes_its_bytes(self):
        tree, out = self.folder / "large tree", self.folder / "large"
        out.mkdir()
        for name, size in (("LICENSE", 1), ("bin/inferscope", 1), ("lib/a.jar", 400_000), ("lib/b.jar", 300_000), ("java/lib/modules", 600_000)):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(os.urandom(size))
        shutil.copytree(PYTHON_FOLDER / "inferscope", tree / "python" / "inferscope", ignore=shutil.ignore_patterns("__pycache__"))
        with self.assertRaises(SystemExit) as refused:
            module().main(tree, PYTHON_FOLDER, "1.2.0-SNAPSHOT", "any", REPOSITORY / "README.md", out, 1_000_000)
        said = str(refused.exception).splitlines()
        self.assertRegex(said[0], r"package: the wheel would have 1\d{6} bytes, above 1000000; ")
        self.assertRegex(said[1], r" 70\d{4}  lib$")
        self.assertRegex(said[2], r" 60\d{4}  java/lib/modules$")
        self.assertEqual([], list(out.iterdir()))

    def test_the_list_of_files_names_every_file_with_its_hash(self):
        listed = {row[0]: row[1] for row in csv.reader(io.StringIO(self.wheel.read("inferscope_profiler-1.2.0.dev0.dist-info/RECORD").decode()))}
        self.assertEqual(sorted(listed), sorted(self.wheel.namelist()))
        digest = hashlib.sha256(b"jar").digest()
        self.assertEqual(
            listed["inferscope_profiler-1.2.0.dev0.data/data/share/inferscope/lib/a.jar"],
            "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("="),
        )

    def test_programs_stay_executable_for_everybody(self):
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in self.wheel.infolist()}
        self.assertEqual(modes["inferscope_profiler-1.2.0.dev0.data/scripts/inferscope"], 0o755)
        self.assertEqual(modes["inferscope_profiler-1.2.0.dev0.data/data/share/inferscope/bin/inferscope"], 0o755)
        self.assertEqual(modes["inferscope/__init__.py"], 0o644)

    def test_extras_are_offered(self):
        text = self.wheel.read("inferscope_profiler-1.2.0.dev0.dist-info/METADATA").decode()
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


@unittest.skipIf(sys.version_info < (3, 11), "packages are built with Python 3.11 or newer")
class JarsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        (self.tree / "lib" / "mcp").mkdir(parents=True)

    def jar(self, name, **entries):
        with zipfile.ZipFile(self.tree / "lib" / name, "w", zipfile.ZIP_DEFLATED) as jar:
            for entry, data in entries.items():
                jar.writestr(entry, data)

    def rewritten(self):
        module("jars").main(self.tree)
        found = {}
        for jar in sorted((self.tree / "lib").rglob("*.jar")):
            with zipfile.ZipFile(jar) as archive:
                self.assertEqual({zipfile.ZIP_STORED}, {entry.compress_type for entry in archive.infolist()})
                found[jar.name] = archive.namelist()
        return found

    def test_of_a_large_library_only_classes_that_can_be_reached_are_packed(self):
        named = ("xz/Used", "a text with xz.ByName in it", "([Lxz/InDescriptor;)V", "(IJLxz/AfterPrimitive;Z)V")
        self.jar("inferscope-cli-1.jar", **{"io/A.class": class_file(*named)})
        self.jar("mcp/unshrunk-1.jar", **{"a/B.class": class_file(), "META-INF/services/xz.Service": "xz.Provider # the only one\n"})
        kept = ["xz/%s.class" % name for name in ("Used", "ByName", "InDescriptor", "AfterPrimitive", "Provider", "Next")]
        kept.append("META-INF/versions/9/xz/Next.class")
        entries = {name: class_file("xz/Next" if name == "xz/Used.class" else "xz/Other$Unused") for name in kept}
        entries.update({"META-INF/MANIFEST.MF": "", "module-info.class": class_file(), "xz/table.txt": "", "xz/Unused.class": class_file()})
        self.jar("xz-1.12.jar", **entries)
        self.jar("xz-other-1.jar", **{"xzother/Unused.class": class_file()})
        found = self.rewritten()
        self.assertEqual(found["xz-1.12.jar"], kept + ["META-INF/MANIFEST.MF", "module-info.class", "xz/table.txt"])
        self.assertEqual(found["unshrunk-1.jar"], ["a/B.class", "META-INF/services/xz.Service"])
        self.assertEqual(found["xz-other-1.jar"], ["xzother/Unused.class"])

    def test_libraries_for_other_systems_are_left_out(self):
        self.jar("jna-5.jar", **{"com/sun/jna/Native.class": class_file(), "com/sun/jna/win32-x86/jnidispatch.dll": "", "com/sun/jna/a/b.so": ""})
        self.assertEqual(self.rewritten()["jna-5.jar"], ["com/sun/jna/Native.class"])

    def test_the_same_jars_give_the_same_bytes(self):
        self.jar("a-1.jar", **{"a/B.class": class_file()})
        self.rewritten()
        first = (self.tree / "lib" / "a-1.jar").read_bytes()
        self.rewritten()
        self.assertEqual(first, (self.tree / "lib" / "a-1.jar").read_bytes())


# Programs of a JDK, of which none does its work: only files that packaging looks for.
JDK = {
    "jdeps": "echo java.base",
    "jimage": "",
    "jlink": """\
for option; do out=$option; done
mkdir -p "$out/bin" "$out/lib/server"
touch "$out/lib/libjava.so" "$out/lib/server/libjvm.so"
cp "${0%/*}/java" "$out/bin"
grep ^JAVA_VERSION= "${0%/*}/../release" >"$out/release"
""",
    "java": """\
for option; do
    case $option in
        -XX:DumpLoadedClassList=*) echo java/lang/Object >"${option#*=}" ;;
        -XX:SharedArchiveFile=*) echo archive >"${option#*=}" ;;
    esac
done
exit 1
""",
}


@tagged("process")
@unittest.skipIf(sys.version_info < (3, 11), "packages are built with Python 3.11 or newer")
@unittest.skipUnless(os.uname().machine == "x86_64" and shutil.which("xz"), "packages are built on x86-64, with xz")
class PackageTest(unittest.TestCase):
    """A checkout that is drawn small, with its build and a JDK."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a package "))
        self.addCleanup(shutil.rmtree, str(self.folder))
        self.root = self.folder / "checkout"
        dist = self.root / "inferscope-cli" / "target" / "quick" / "inferscope"
        for folder in (dist / "bin", dist / "native", dist / "python", dist / "examples", dist / "lib", self.folder / "tools"):
            folder.mkdir(parents=True)
        for file in (dist / "LICENSE", dist / ".built", dist / ".commit"):
            file.touch()
        (dist / ".version").write_text("1.0\n")
        zipfile.ZipFile(dist / "lib" / "inferscope-cli-1.jar", "w").close()
        (self.root / "pom.xml").write_text("<project>\n  <version>1.0</version>\n</project>\n")
        shutil.copytree(REPOSITORY / "scripts" / "packaging", self.root / "scripts" / "packaging")
        for name in ("inferscope", "package"):
            shutil.copy(REPOSITORY / "scripts" / name, self.root / "scripts")
        for name, text in JDK.items():
            self.program(self.folder / "jdk" / "bin" / name, text)
        (self.folder / "jdk" / "release").write_text('JAVA_VERSION="17.0.1"\nJAVA_RUNTIME_VERSION="17.0.1+1"\nOS_ARCH="x86_64"\n')
        self.program(self.folder / "tools" / "strip", "")
        self.program(dist / "bin" / "inferscope", "echo completion")

    def program(self, file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def package(self):
        """Returns the exit code, what was said, and the packages."""
        env = environment(PATH="%s:/usr/local/bin:/usr/bin:/bin" % (self.folder / "tools"), TMPDIR=self.folder,
                          INFERSCOPE_JAVA=self.folder / "jdk", INFERSCOPE_BUILD="never")
        ran = subprocess.run(["bash", str(self.root / "scripts" / "package"), "tar"], env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        self.assertEqual([], list(self.folder.glob("tmp.*")), "what was made on the way is gone")
        return ran.returncode, ran.stdout, sorted(file.name for file in (self.root / "target" / "packages").glob("*.xz"))

    def test_the_tar_holds_the_tree_with_its_runtime_and_archives(self):
        code, said, packages = self.package()
        self.assertEqual((0, ["inferscope-1.0-linux-x86_64.tar.xz"]), (code, packages), said)
        listed = subprocess.run(["tar", "tf", str(self.root / "target" / "packages" / packages[0])], stdout=subprocess.PIPE, text=True, check=True).stdout
        for name in ("java/lib/server/libjvm.so", "java/17.0.1+1_x86_64.jsa", "java/17.0.1+1_x86_64-run.jsa", "completions/inferscope.fish"):
            self.assertIn("inferscope-1.0-linux-x86_64/%s\n" % name, listed)

    def test_a_step_that_fails_fails_the_whole_and_leaves_no_package(self):
        tools, jdk = self.folder / "tools", self.folder / "jdk" / "bin"
        launcher = self.root / "inferscope-cli" / "target" / "quick" / "inferscope" / "bin" / "inferscope"
        for step in (tools / "xz", tools / "strip", tools / "python3", tools / "cp", tools / "tar", jdk / "jdeps", jdk / "jlink", jdk / "jimage", launcher):
            before = step.read_text() if step.exists() else None
            self.program(step, "echo half; exit 1\n")
            code, said, packages = self.package()
            self.assertNotEqual(0, code, "%s: %s" % (step.name, said))
            self.assertEqual([], packages, step.name)
            step.unlink() if before is None else step.write_text(before)


if __name__ == "__main__":
    unittest.main()
