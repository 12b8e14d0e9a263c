"""A DataLoader without workers whose dataset decodes run lengths in Python for each picture, and again in each epoch."""

import zoo


def decode(runs):
    import torch

    pixels = []
    for value, count in runs:
        pixels.extend([value / 255.0] * count)
    return torch.tensor(pixels[: 3 * 32 * 32]).view(3, 32, 32)


def main():
    import torch

    plant = zoo.Plant("place", decode, part="wall", causes=("cpu.python", "cpu.preprocessing"))

    class Pictures(torch.utils.data.Dataset):
        def __init__(self):
            self.runs = [[((i * 7 + j) % 256, 1 + (i + j) % 3) for j in range(6000)] for i in range(64)]
            self.ready = torch.rand(3 * 32 * 32)

        def __len__(self):
            return len(self.runs)

        def __getitem__(self, index):
            with plant:
                if zoo.PLANTED:
                    return decode(self.runs[index])
            return self.ready.view(3, 32, 32)

    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 3), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3), torch.nn.Flatten(), torch.nn.LazyLinear(10)).eval()
    loader = torch.utils.data.DataLoader(Pictures(), batch_size=16)
    for step in zoo.steady():
        with torch.no_grad():
            for batch in loader:
                model(batch).argmax(1)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
