"""A notebook turned script: it cleans a data frame row by row with DataFrame.apply, then scores the rows."""

import zoo


def clean(row):
    words = str(row["text"]).lower().split()
    kept = [word for word in words if len(word) > 2]
    return len(kept) / (1 + len(words)) + row["price"] * 0.1


def add_features(frame):
    frame["feature"] = frame.apply(clean, axis=1)
    return frame


def main():
    import numpy
    import pandas
    import torch

    torch.set_num_threads(1)
    rng = numpy.random.default_rng(0)
    rows = 800
    source = pandas.DataFrame({"text": [zoo.text(12, i) for i in range(rows)], "price": rng.random(rows)})
    model = torch.nn.Sequential(torch.nn.Linear(3, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1))
    plant = zoo.Plant("place", add_features, part="wall", also=("clean",), causes=("cpu.python", "library.python"))
    for step in zoo.steady():
        frame = source.copy()
        frame["feature"] = 0.5
        with plant:
            if zoo.PLANTED:
                frame = add_features(frame)
        values = torch.tensor(frame[["price", "feature", "price"]].to_numpy(), dtype=torch.float32)
        with torch.no_grad():
            frame["score"] = model(values).numpy()[:, 0]
    zoo.finish(plant)


if __name__ == "__main__":
    main()
