"""A DataLoader with one worker whose collate function pads token by token: the loop waits for it."""

import zoo


def pad_rows(rows):
    import torch

    longest = max(len(row) for row in rows)
    padded = [[row[i] if i < len(row) else 0 for i in range(longest)] for row in rows]
    mask = [[1 if value != 0 else 0 for value in row] for row in padded]
    return torch.tensor(padded), torch.tensor(mask)


class Rows:
    tokens = [1 + i * 13 % 1900 for i in range(2000)]

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        return self.tokens[index % 1000 : index % 1000 + 300 + index % 200]


def ready(rows):
    import torch

    return torch.ones((len(rows), 64), dtype=torch.long), None


def main():
    import torch

    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Embedding(zoo.VOCABULARY, 64), torch.nn.Flatten(), torch.nn.LazyLinear(256), torch.nn.GELU(),
                                torch.nn.Linear(256, 2)).eval()
    plant = zoo.Plant("place", pad_rows, part="wall", causes=("cpu.python", "cpu.preprocessing", "cpu.native"),
                     besides=("preprocessing-dominates",))  # What next() does with a batch.
    loaders = {planted: torch.utils.data.DataLoader(Rows(), batch_size=64, num_workers=1, collate_fn=pad_rows if planted else ready)
               for planted in (True, False)}
    batches = {zoo.PLANTED: iter(loaders[zoo.PLANTED])}
    for step in zoo.steady():
        with plant:
            batch = next(batches[zoo.PLANTED], None) if zoo.PLANTED in batches else None
        if batch is None:
            batches[zoo.PLANTED] = iter(loaders[zoo.PLANTED])
            continue
        with torch.no_grad():
            for _ in range(2):
                model(batch[0][:, :64])
    zoo.finish(plant)


if __name__ == "__main__":
    main()
