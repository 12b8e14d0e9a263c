"""The generator of programs behind ``scripts/zoo --generate``: what it writes, without running it."""

import ast
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

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

    def test_nothing_in_the_product_knows_the_generators_names(self):
        product = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "inferscope-analyzer/src/main").rglob("*.java"))
        self.assertNotIn("stopwatch", product)


if __name__ == "__main__":
    unittest.main()
