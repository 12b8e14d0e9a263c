"""A recommender that parses the times of a user's events with dateutil for each request, to know how old they are."""

import datetime

import zoo


def ages(events, now):
    from dateutil import parser

    return [(now - parser.parse(event)).total_seconds() for event in events]


def iso_ages(events, now):
    return [(now - datetime.datetime.fromisoformat(event)).total_seconds() for event in events]


def score(model, ids, plant, events, now):
    import torch

    if zoo.PLANTED:
        with plant:
            old = ages(events, now)
    else:
        old = iso_ages(events, now)
    return float(zoo.embed(model, ids).mean()) + float(torch.tensor(old).mean())


def main():
    now = datetime.datetime(2026, 1, 1)
    events = [(now - datetime.timedelta(minutes=37 * i)).isoformat() for i in range(60)]
    model, ids = zoo.embedding_model(384), zoo.tokens(2, 32)
    plant = zoo.Plant("place", ages, part="wall", causes=("library.python", "cpu.python", "cpu.preprocessing"))
    for _ in zoo.steady():
        score(model, ids, plant, events, now)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
