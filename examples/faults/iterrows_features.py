"""A batch job that makes the features of each row of a table with DataFrame.iterrows, which makes a Series of each."""

import zoo


def row_features(table):
    rows = []
    for _, row in table.iterrows():
        rows.append([row["age"] / 100, row["visits"] / max(1, row["days"]), row["spent"] / max(1, row["visits"])])
    return rows


def column_features(table):
    days, visits = table["days"].clip(lower=1), table["visits"].clip(lower=1)
    return [table["age"] / 100, table["visits"] / days, table["spent"] / visits]


def main():
    import numpy
    import pandas
    from sklearn.neural_network import MLPRegressor

    random = numpy.random.default_rng(0)
    table = pandas.DataFrame({name: random.integers(0, 90, 400).astype(float) for name in ("age", "visits", "days", "spent")})
    model = MLPRegressor(hidden_layer_sizes=(768, 768), max_iter=2).fit(random.random((300, 3)), random.random(300))
    plant = zoo.Plant("place", row_features, part="wall", causes=("library.python", "cpu.python", "cpu.preprocessing", "cpu.native"))
    for _ in zoo.steady():
        if zoo.PLANTED:
            with plant:
                features = row_features(table)
        else:
            features = numpy.transpose(column_features(table))
        model.predict(features)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
