"""A service whose answers name the versions of its packages, and that looks them up among all that are installed for each answer."""

import importlib.metadata

import zoo

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "safetensors", "huggingface_hub")


def versions():
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def main():
    model, ids, kept = zoo.embedding_model(384), zoo.tokens(4, 24), versions()
    plant = zoo.Plant("place", versions, part="wall", causes=("library.python", "cpu.python", "system.file-io", "cpu.native", "cpu.preprocessing"))
    for step in zoo.steady():
        with plant:
            found = versions() if zoo.PLANTED else kept
        zoo.embed(model, ids + len(found) % 2)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
