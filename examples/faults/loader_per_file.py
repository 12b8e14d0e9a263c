"""Files of 192 pictures each, for each of which a DataLoader starts two new worker processes."""

import zoo


class Pictures:
    def __init__(self, number):
        self.number = number

    def __len__(self):
        return 192

    def __getitem__(self, index):
        import torch

        return torch.full((3, 32, 32), float(self.number + index))


def batches_of(number):
    import torch

    return list(torch.utils.data.DataLoader(Pictures(number), batch_size=64, num_workers=2))


def main():
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 48, 5), torch.nn.ReLU(), torch.nn.Conv2d(48, 48, 5), torch.nn.AdaptiveAvgPool2d(1)).eval()
    plant = zoo.Plant("place", batches_of, part="wall", causes=("wait.child-process", "system.process", "wait.unknown", "wait.socket", "wait.io",
                                                                "wait.lock", "system.page-fault"))
    kept = batches_of(0)
    for step in zoo.steady():
        batches = kept
        if zoo.PLANTED:
            with plant:
                batches = batches_of(step)
        for batch in batches:
            model(batch)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
