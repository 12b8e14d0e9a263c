"""Features of a forecast added to a DataFrame column by column, which pandas warns about: each is a block of its own."""

import warnings

import zoo


def add_lags(frame, names):
    for name in names:
        for lag in range(1, 13):
            frame["%s_lag_%d" % (name, lag)] = frame[name].shift(lag)
    return frame


def add_together(frame, names):
    import numpy as np
    import pandas

    values = frame[names].to_numpy()
    lags = [np.concatenate([np.full((lag, len(names)), np.nan), values[:-lag]]) for lag in range(1, 13)]
    return pandas.concat([frame, pandas.DataFrame(np.hstack(lags), index=frame.index)], axis=1)


def main():
    import numpy as np
    import pandas

    warnings.simplefilter("ignore", pandas.errors.PerformanceWarning)
    names = ["store-%d" % number for number in range(12)]
    sales = np.random.default_rng(0).random((64, 12))
    model, ids = zoo.embedding_model(384), zoo.tokens(8, 32)
    plant = zoo.Plant("place", add_lags, part="wall", causes=("library.python", "cpu.preprocessing", "cpu.python", "cpu.native"))
    for step in zoo.steady():
        frame = pandas.DataFrame(sales + step, columns=names)
        if zoo.PLANTED:
            with plant:
                features = add_lags(frame, names)
        else:
            features = add_together(frame, names)
        zoo.embed(model, ids + features.shape[1] % 2)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
