"""The check of a model's files before anything is imported."""

import json
import pathlib
import struct
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inferscope.trace import ModelError, validate  # noqa: E402


def safetensors(tensors):
    """Returns the bytes of a file with float32 tensors of the given numbers of elements."""
    header, at = {}, 0
    for name, elements in tensors.items():
        header[name] = {"dtype": "F32", "shape": [elements], "data_offsets": [at, at + 4 * elements]}
        at += 4 * elements
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(at)


class ValidateTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.write("config.json", {"model_type": "llama", "vocab_size": 10})
        self.write("tokenizer.json", {})
        (self.folder / "model.safetensors").write_bytes(safetensors({"a": 3, "b": 5}))

    def write(self, name, document):
        (self.folder / name).write_text(json.dumps(document))

    def assert_refused(self, *words):
        with self.assertRaises(ModelError) as caught:
            validate.validate(self.folder)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def shard(self):
        (self.folder / "model.safetensors").unlink()
        self.write("model.safetensors.index.json", {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}})
        (self.folder / "model-1.safetensors").write_bytes(safetensors({"a": 3}))
        (self.folder / "model-2.safetensors").write_bytes(safetensors({"b": 5}))

    def test_a_complete_model_passes(self):
        self.assertEqual("llama", validate.validate(self.folder)["model_type"])
        self.shard()
        self.assertEqual("llama", validate.validate(self.folder)["model_type"])

    def test_what_is_missing_is_named(self):
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            with self.subTest(name):
                content = (self.folder / name).read_bytes()
                (self.folder / name).unlink()
                self.assert_refused("weights" if "model" in name else name.split(".")[0])
                (self.folder / name).write_bytes(content)

    def test_a_shard_of_the_index_that_is_missing_is_named(self):
        self.shard()
        (self.folder / "model-2.safetensors").unlink()
        self.assert_refused("model-2.safetensors", "missing")

    def test_every_truncation_is_noticed(self):
        whole = (self.folder / "model.safetensors").read_bytes()
        for length in range(len(whole)):
            (self.folder / "model.safetensors").write_bytes(whole[:length])
            self.assert_refused("model.safetensors")
        (self.folder / "model.safetensors").write_bytes(whole + b"\0")
        self.assert_refused("more than its header promises")

    def test_a_shard_without_its_tensor_is_named(self):
        self.shard()
        (self.folder / "model-1.safetensors").write_bytes(safetensors({"c": 3}))
        self.assert_refused("lacks the tensor a")

    def test_an_index_does_not_lead_outside(self):
        self.shard()
        self.write("model.safetensors.index.json", {"weight_map": {"a": "../model-1.safetensors"}})
        self.assert_refused("outside the folder")

    def test_pointers_damaged_documents_and_empty_files_are_refused(self):
        (self.folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
        self.assert_refused("Git LFS pointer")
        (self.folder / "model.safetensors").write_bytes(b"")
        self.assert_refused("is empty")
        (self.folder / "config.json").write_text("{")
        self.assert_refused("config.json cannot be read")

    def test_weights_of_pickles_are_checked_as_archives(self):
        (self.folder / "model.safetensors").unlink()
        weights = self.folder / "pytorch_model.bin"
        with zipfile.ZipFile(weights, "w") as archive:
            archive.writestr("archive/data.pkl", bytes(5000))
        validate.validate(self.folder)
        weights.write_bytes(weights.read_bytes()[:-10])
        self.assert_refused("pytorch_model.bin", "truncated")

    def test_models_without_texts_need_no_tokenizer(self):
        (self.folder / "tokenizer.json").unlink()
        self.write("config.json", {"model_type": "vit", "image_size": 32})
        validate.validate(self.folder)


if __name__ == "__main__":
    unittest.main()
