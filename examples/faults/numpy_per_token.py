"""A decode loop that samples each token in NumPy: a softmax in double precision and random.choice over the whole vocabulary."""

import zoo


def sample(logits, random):
    import numpy

    values = logits.numpy().astype(numpy.float64)
    weights = numpy.exp(values - values.max())
    order = numpy.argsort(weights)
    weights[order[:-50]] = 0
    return int(random.choice(len(weights), p=weights / weights.sum()))


def sample_torch(logits):
    import torch

    best = torch.topk(logits, 50)
    return int(best.indices[torch.multinomial(torch.softmax(best.values, 0), 1)])


def main():
    import numpy
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    words = 32000
    model = torch.nn.Sequential(torch.nn.Embedding(words, 320), torch.nn.Linear(320, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 320),
                                torch.nn.LayerNorm(320), torch.nn.Linear(320, words)).eval()
    random, token = numpy.random.default_rng(0), 1
    plant = zoo.Plant("place", sample, part="wall", causes=("cpu.preprocessing", "cpu.native", "library.python", "cpu.python"))
    for _ in zoo.steady():
        logits = model(torch.tensor([token] * 4))[0]
        if zoo.PLANTED:
            with plant:
                token = sample(logits, random)
        else:
            token = sample_torch(logits)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
