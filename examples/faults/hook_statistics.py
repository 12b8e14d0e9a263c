"""A model with a hook that keeps the largest activations of every layer, sorted in Python."""

import zoo

LARGEST = {}


def keep_largest(module, inputs, output):
    for row in output[:16, :300].tolist():
        LARGEST[id(module)] = sorted(row, key=abs, reverse=True)[:10]


def main():
    import torch

    torch.set_num_threads(1)
    layers = []
    for _ in range(6):
        layers += [torch.nn.Linear(640, 640), torch.nn.GELU()]
    model, batch = torch.nn.Sequential(*layers).eval(), torch.randn(32, 640)
    plant = zoo.Plant("place", keep_largest, part="wall", causes=("cpu.python",))

    def hook(module, inputs, output):
        with plant:
            if zoo.PLANTED:
                keep_largest(module, inputs, output)

    layers[-1].register_forward_hook(hook)
    for step in zoo.steady():
        with torch.no_grad():
            for _ in range(10):
                model(batch)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
