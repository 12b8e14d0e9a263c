"""A fraud check that asks a random forest about one order at a time with the n_jobs=-1 it was trained with: each call starts a pool of threads."""

import copy

import zoo

FIELDS, TREES = 12, 16


def train():
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(0)
    orders = random.random((1500, FIELDS), np.float32)
    is_fraud = (orders[:, 0] * orders[:, 1] + 0.2 * random.random(len(orders)) > 0.45).astype(int)
    return RandomForestClassifier(n_estimators=TREES, max_depth=7, n_jobs=-1, random_state=0).fit(orders, is_fraud)


def fraud_score(forest, order):
    return float(forest.predict_proba(order)[0, 1])


def main():
    import numpy as np

    forest = train()
    alone = copy.copy(forest).set_params(n_jobs=1)
    model, ids = zoo.embedding_model(512), zoo.tokens(8, 32)
    order = np.random.default_rng(1).random((1, FIELDS), np.float32)
    plant = zoo.Plant("place", fraud_score, part="wall",
                      causes=("library.python", "cpu.python", "cpu.native", "wait.lock", "wait.gil", "wait.timer", "wait.unknown", "system.process",
                              "system.other", "system.page-fault"))
    refused = 0
    for _ in zoo.steady():
        comment = zoo.embed(model, ids).mean(0)
        order[0, :4] = comment[:4].sigmoid().numpy()
        if zoo.PLANTED:
            with plant:
                score = fraud_score(forest, order)
        else:
            score = fraud_score(alone, order)
        refused += score > 0.5
    zoo.finish(plant)


if __name__ == "__main__":
    main()
