"""The generator of programs behind ``scripts/zoo --generate``: what it writes, without running it."""

import ast
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "lab"))

import generating  # noqa: E402

CLASSES = ROOT / "inferscope-analyzer/src/main/java/io/inferscope/analyzer/model/LedgerClass.java"


class GeneratorTest(unittest.TestCase):
    def test_a_seed_makes_one_program_and_another_seed_another(self):
        first, again, other = generating.Program(7), generating.Program(7), generating.Program(8)
        self.assertEqual((first.name, first.source, first.causes), (again.name, again.source, again.causes))
        self.assertNotEqual(first.source, other.source)

    def test_every_cause_is_planted_in_a_program_that_parses(self):
        for number, cause in enumerate(generating.CAUSES):
            with self.subTest(cause):
                program = generating.Program(number, cause)
                [(name, functions)] = program.planted
                defined = {node.name: node.lineno for node in ast.walk(ast.parse(program.source)) if isinstance(node, ast.FunctionDef)}
                self.assertEqual(cause, name)
                for function in functions:
                    self.assertTrue(program.is_in("%s.py:%d" % (program.name, defined[function] + 1), functions))
                    self.assertFalse(program.is_in("%s.py:1 %s" % (program.name, function), functions))

    def test_seeds_give_every_structure_and_programs_with_no_one_and_two_causes(self):
        programs = [generating.Program(seed) for seed in range(60)]
        self.assertEqual(set(generating.STRUCTURES), {program.structure for program in programs})
        self.assertEqual({0, 1, 2}, {len(program.causes) for program in programs})

    def test_the_classes_of_the_causes_exist(self):
        known = set(re.findall(r'"([a-z]+\.[a-z-]+)"', CLASSES.read_text(encoding="utf-8")))
        self.assertLessEqual({one for cause in generating.CAUSES.values() for one in cause.classes}, known)

    def test_the_truth_is_that_of_the_judged_part(self):
        parts = {"loop": {"log": [[100, 1000, 0, 0, 0]]}, "plant0": {"wall": 500, "log": [[40, 20, 4, 0, 0], [100, 300, 0, 0, 0], [900, 200, 0, 0, 0]]}}
        whole = generating.judged_part(parts, "plant0", {"startNs": 50, "endNs": 1100})
        self.assertEqual(({"wall": 510, "running": 2, "queued": 0, "system": 0}, 1050), whole)
        for judged in ({"startNs": 300, "endNs": 1100}, {"startNs": 100, "endNs": 900}, {"startNs": 0, "endNs": 1400}):
            self.assertEqual((parts["plant0"], 1000), generating.judged_part(parts, "plant0", judged))

    def test_nothing_in_the_product_knows_the_generators_names(self):
        product = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "inferscope-analyzer/src/main").rglob("*.java"))
        self.assertNotIn("stopwatch", product)


if __name__ == "__main__":
    unittest.main()
