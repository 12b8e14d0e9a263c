"""Embeds documents with sentence-transformers and a small BERT: python sentence_service.py MODEL

    python sentence_service.py MODEL --fault reload     the model is loaded again for each batch
    python sentence_service.py MODEL --fault nearest    each embedding is compared with all earlier ones, number by number
"""

import argparse
import random
import time

import sentence_transformers
import torch
from sentence_transformers.models import Pooling, Transformer


def open_model(folder):
    layers = Transformer(folder, max_seq_length=256)
    return sentence_transformers.SentenceTransformer(modules=[layers, Pooling(layers.get_word_embedding_dimension())], device="cpu")


def nearest(embedding, others):
    """The number of the most alike of some lists of numbers."""
    return max(range(len(others)), key=lambda number: sum(a * b for a, b in zip(embedding, others[number])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "reload", "nearest"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, letters, documents = open_model(options.model), random.Random(1), 0
    known = [[letters.random() for _ in range(128)] for _ in range(1024)]
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        texts = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz ", k=letters.randrange(50, 250))) for _ in range(16)]
        if options.fault == "reload":
            model = open_model(options.model)
        found = model.encode(texts, batch_size=16, show_progress_bar=False)
        documents += len(found)
        if options.fault == "nearest":
            known = (known + found.tolist())[-1024:]
            for embedding in found.tolist():
                nearest(embedding, known)
    print("%d documents in %.2f s" % (documents, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
