"""A healthy embedding service: texts in batches."""

import zoo


def main():
    model = zoo.embedding_model(768)
    batches = [zoo.tokens(16, 64, seed) for seed in range(4)]
    for step in zoo.steady():
        zoo.embed(model, batches[step % 4])
    zoo.finish()


if __name__ == "__main__":
    main()
