"""A recommender that fetches the features of each user with a query of its own, from a table without an index."""

import sqlite3

import zoo


def features_of(database, users):
    found = []
    for user in users:
        found.append(database.execute("select age, visits, spent from users where name = ?", ("user-%d" % user,)).fetchone())
    return found


def main():
    import torch

    torch.set_num_threads(1)
    database = sqlite3.connect(":memory:")
    database.execute("create table users (name text, age real, visits real, spent real)")
    database.executemany("insert into users values (?, ?, ?, ?)", [("user-%d" % i, i % 90, i % 7, i % 1000) for i in range(4000)])
    model = torch.nn.Sequential(torch.nn.Linear(3, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 1)).eval()
    plant = zoo.Plant("place", features_of, part="wall", causes=("cpu.native",))
    rows = [(1.0, 2.0, 3.0)] * 64
    for step in zoo.steady():
        users = [(step * 31 + i * 17) % 4000 for i in range(64)]
        with plant:
            if zoo.PLANTED:
                rows = features_of(database, users)
        with torch.no_grad():
            model(torch.tensor(rows)).argmax()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
