"""The generator behind ``inferscope shapes standalone``: with transformers on a tiny model, and with a stand-in for SGLang."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import PYTHON_FOLDER, Copies, environment, tagged

WITH_TORCH = os.environ.get("INFERSCOPE_TEST_TORCH") == "1"

SGLANG = """
import json, os

class Engine:
    def __init__(self, **arguments):
        self.arguments = arguments

    def generate(self, prompts, settings):
        with open(os.environ["CALLS"], "w") as file:
            json.dump([self.arguments, prompts, settings], file)
        return [{"text": "answer %d" % i} for i in range(len(prompts))]

    def shutdown(self):
        with open(os.environ["CALLS"] + ".end", "w"):
            pass
"""

SERVER_ARGS = """
import dataclasses

@dataclasses.dataclass
class ServerArgs:
    model_path: str
    tp_size: int = 1
    disable_cuda_graph: bool = False

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", required=True)
        parser.add_argument("--tp-size", type=int, default=1)
        parser.add_argument("--disable-cuda-graph", action="store_true")

    @classmethod
    def from_cli_args(cls, args):
        return cls(args.model_path, args.tp_size, args.disable_cuda_graph)
"""


def tiny_model(folder):
    """Saves a language model of a few thousand weights, with a tokenizer of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = "<unk> <eos> The capital of Norway is List three prime numbers : Water boils at a temperature".split()
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<eos>").save_pretrained(folder)
    LlamaForCausalLM(LlamaConfig(vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
                                 num_key_value_heads=2, max_position_embeddings=64, eos_token_id=None, bos_token_id=None)).save_pretrained(folder)


@tagged("process")
class Standalone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_module(self, *words, **variables):
        env = environment(**variables)
        env["PYTHONPATH"] = "%s:%s" % (self.folder, PYTHON_FOLDER)
        env["PYTHONWARNINGS"] = "ignore"
        return subprocess.run([sys.executable, "-m", "inferscope.standalone", *words], env=env, capture_output=True, text=True, timeout=300)

    def stand_in(self):
        for name, text in (("sglang/__init__.py", SGLANG), ("sglang/srt/__init__.py", ""), ("sglang/srt/server_args.py", SERVER_ARGS)):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(textwrap.dedent(text))
        return os.path.join(self.folder, "calls.json")

    def test_sglang_gets_its_own_options(self):
        calls = self.stand_in()
        done = self.run_module("--model-path", "m", "--disable-cuda-graph", "--num-prompts", "10", "--max-tokens", "7", CALLS=calls)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["answer %d" % i for i in range(10)])
        with open(calls) as file:
            arguments, prompts, settings = json.load(file)
        self.assertEqual(arguments, {"model_path": "m", "tp_size": 1, "disable_cuda_graph": True})
        self.assertEqual((len(prompts), settings["max_new_tokens"]), (10, 7))
        self.assertTrue(os.path.exists(calls + ".end"))

    def test_several_ranks_need_the_worker_mode(self):
        calls = self.stand_in()
        for engine in "sglang", "transformers":
            done = self.run_module("--engine", engine, "--model-path", "m", "--tp-size", "8", CALLS=calls)
            self.assertEqual(done.returncode, 2)
            self.assertIn("with tensor parallelism (--tp-size 8) operators run in worker processes", done.stderr)
            self.assertIn("--model-path m --tp-size 8", done.stderr)
        self.assertFalse(os.path.exists(calls))

    def test_options_of_sglang_without_it(self):
        done = self.run_module("--engine", "transformers", "--model-path", "m", "--disable-cuda-graph")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--disable-cuda-graph: transformers has no such option", done.stderr)
        self.assertEqual(self.run_module("--engine", "transformers").returncode, 2)
        self.assertEqual(self.run_module("--model-path", "m", "--num-prompts", "0").returncode, 2)

    def test_sglang_that_is_not_there(self):
        done = self.run_module("--engine", "sglang", "--model-path", "m")
        self.assertEqual(done.returncode, 2)
        self.assertIn("install SGLang", done.stderr)

    def run_with_torch(self, *words, before=""):
        """Runs it in a copy of a process that has imported torch and transformers; returns its exit code and what it wrote."""
        script = pathlib.Path(self.folder, "standalone_program.py")
        script.write_text(before + "import runpy\nrunpy.run_module('inferscope.standalone', run_name='__main__')\n")
        env = environment(HF_HUB_OFFLINE="1", PYTHONWARNINGS="ignore")
        Copies.with_torch().begin(self.folder, env, script, *words)
        code = Copies.with_torch().end()
        return code, pathlib.Path(self.folder, "stdout").read_text(), pathlib.Path(self.folder, "stderr").read_text()

    @unittest.skipUnless(WITH_TORCH, "needs torch and transformers")
    def test_transformers_generates_from_each_prompt(self):
        model = os.path.join(self.folder, "model")
        make = "import sys\nsys.path.insert(0, %r)\nimport test_standalone\ntest_standalone.tiny_model(%r)\n" % (os.path.dirname(__file__), model)
        code, out, said = self.run_with_torch("--engine", "transformers", "--model", model, "--max-tokens", "4", before=make)
        self.assertEqual(code, 0, said)
        self.assertEqual(len(out.splitlines()), 3)

    @unittest.skipUnless(WITH_TORCH, "needs torch and transformers")
    def test_a_model_that_is_not_there_is_one_line(self):
        code, _, said = self.run_with_torch("--engine", "transformers", "--model-path", os.path.join(self.folder, "none"))
        self.assertEqual(code, 3)
        self.assertIn("inferscope: the model does not run: ", said.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
