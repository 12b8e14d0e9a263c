"""A batch job that scores customers with scikit-learn and commits each result to SQLite by itself."""

import os
import sqlite3
import tempfile

import zoo


def store_scores(database, rows):
    for row in rows:
        database.execute("insert or replace into scores values (?, ?)", row)
        database.commit()


def store_together(database, rows):
    database.executemany("insert or replace into scores values (?, ?)", rows)
    database.commit()


def main():
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(0)
    features, labels = random.random((4000, 24)), random.integers(0, 2, 4000)
    forest = RandomForestClassifier(20, random_state=0).fit(features, labels)
    plant = zoo.Plant("place", store_scores, part="wall", causes=("wait.io", "system.file-io"))
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(os.path.join(folder, "scores.sqlite"))
        database.execute("create table scores (customer integer primary key, score real)")
        for step in zoo.steady():
            scores = forest.predict_proba(features)[:, 1]
            rows = [(step * 10 + i, float(score)) for i, score in enumerate(scores[:4])]
            if zoo.PLANTED:
                with plant:
                    store_scores(database, rows)
            else:
                store_together(database, rows)
        database.close()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
