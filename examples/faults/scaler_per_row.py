"""A ranker that scales its candidates one row at a time with scikit-learn, which checks its input for every call."""

import zoo


def scale_rows(scaler, rows):
    import numpy

    return numpy.concatenate([scaler.transform(row.reshape(1, -1)) for row in rows])


def main():
    import numpy
    import torch
    from sklearn.preprocessing import StandardScaler

    torch.set_num_threads(1)
    rows = numpy.random.default_rng(0).random((200, 64))
    scaler = StandardScaler().fit(rows)
    layers = [torch.nn.Linear(64, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 1)]
    model = torch.nn.Sequential(*layers).eval()
    plant = zoo.Plant("place", scale_rows, part="wall", causes=("cpu.preprocessing", "library.python", "cpu.native"))
    for step in zoo.steady():
        with plant:
            if zoo.PLANTED:
                scaled = scale_rows(scaler, rows)
        if not zoo.PLANTED:
            scaled = scaler.transform(rows)
        with torch.no_grad():
            for _ in range(2):
                model(torch.tensor(scaled, dtype=torch.float32)).argmax()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
