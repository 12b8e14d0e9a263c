"""A small inference program with a bottleneck to find; it needs nothing but Python.

It judges whether product reviews are favourable. Every review is split into subword tokens by byte-pair merges,
hashed into a feature vector, and scored by a two-layer network, all in plain Python. Run it under InferScope:

    inferscope run python examples/quickstart.py --report report.md

The report should name tokenization. The reason is in `merge_word`: every time a word occurs, it is merged again from single letters, and each merge
searches the whole rule list. With `--fast` the program remembers merged words.
"""

import argparse
import contextlib
import math
import re
import time

try:
    from inferscope import scope
except ImportError:
    @contextlib.contextmanager
    def scope(name):
        yield

TEXT = """
The kettle arrived early and boils a full litre in under three minutes. It is quiet, light, and easy to clean.
I wanted to like this lamp, but the switch failed within a week and the seller never answered my letters.
A sturdy backpack with honest stitching; after two winters of daily rain it still looks almost new.
The headphones sound thin and the left side crackles. Returning them was slow and the refund came late.
Wonderful little radio. My grandmother uses the big buttons without her glasses and smiles every morning.
The blender leaks at the base, smells of burnt rubber, and the manual is a poor translation of nothing.
Good value for the price. The shelf was simple to build and holds more books than I expected it would.
Terrible packaging broke two of the six glasses, and the remaining four have uneven and scratched rims.
These gloves are warm, soft and well made, although the smallest size is still a bit wide at the wrist.
The keyboard feels cheap, keys repeat on their own, and the cable is too short for an ordinary desk.
"""
MERGE_RULES = 400
FEATURES = 64
HIDDEN = 32


def learn_merges(text, rule_count):
    """Byte-pair merges in order of frequency, ties by spelling."""
    words = [list(word) for word in re.findall(r"[a-z]+", text.lower())]
    rules = []
    while len(rules) < rule_count:
        counts = {}
        for word in words:
            for pair in zip(word, word[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        rules.append(best)
        words = [apply_rule(word, best) for word in words]
    return rules


def apply_rule(pieces, rule):
    merged, index = [], 0
    while index < len(pieces):
        if tuple(pieces[index:index + 2]) == rule:
            merged.append(pieces[index] + pieces[index + 1])
            index += 2
        else:
            merged.append(pieces[index])
            index += 1
    return merged


def merge_word(word, rules):
    """Merges letters into subwords. Slow on purpose: it tries every rule, in order, on every word."""
    pieces = list(word)
    for rule in rules:
        if rule[0] in pieces and rule[1] in pieces:
            pieces = apply_rule(pieces, rule)
    return pieces


def tokenize(review, rules, known_words):
    tokens = []
    for word in re.findall(r"[a-z]+|[.,;]", review.lower()):
        if known_words is None:
            tokens += merge_word(word, rules)
        else:
            if word not in known_words:
                known_words[word] = merge_word(word, rules)
            tokens += known_words[word]
    return tokens


def embed(tokens):
    vector = [0.0] * FEATURES
    for position, token in enumerate(tokens):
        bucket = 0
        for letter in token:
            bucket = (bucket * 131 + ord(letter)) % 1000003
        vector[bucket % FEATURES] += 1.0 / (1 + position % 7)
    return vector


def make_weights(rows, columns, seed):
    """Fixed pseudo-random weights between -1 and 1."""
    state, weights = seed, []
    for _ in range(rows):
        row = []
        for _ in range(columns):
            state = (state * 1103515245 + 12345) % 2147483648
            row.append(state / 1073741824.0 - 1.0)
        weights.append(row)
    return weights


def score(vector, hidden_weights, output_weights):
    hidden = [math.tanh(sum(w * x for w, x in zip(row, vector))) for row in hidden_weights]
    return 1.0 / (1.0 + math.exp(-sum(w * h for w, h in zip(output_weights[0], hidden))))


class Clock:
    """Adds up perf_counter nanoseconds per phase: the program's own measurement, for comparison with a report."""

    def __init__(self):
        self.ns = {}

    @contextlib.contextmanager
    def phase(self, name):
        start_ns = time.perf_counter_ns()
        yield
        self.ns[name] = self.ns.get(name, 0) + time.perf_counter_ns() - start_ns


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=450, help="how often the ten reviews are judged (default %(default)s)")
    parser.add_argument("--fast", action="store_true", help="remember words that were merged before")
    parser.add_argument("--clock", action="store_true", help="print the shares of time that the program itself measured")
    options = parser.parse_args()

    start_ns = time.perf_counter_ns()
    clock = Clock()
    reviews = [line for line in TEXT.splitlines() if line]
    with scope("load"), clock.phase("load"):
        rules = learn_merges(TEXT, MERGE_RULES)
        hidden_weights, output_weights = make_weights(HIDDEN, FEATURES, 7), make_weights(1, HIDDEN, 11)
    known_words = {} if options.fast else None
    scores, token_count = [], 0
    for _ in range(options.rounds):
        for review in reviews:
            with scope("tokenization"), clock.phase("tokenization"):
                tokens = tokenize(review, rules, known_words)
            with scope("model"), clock.phase("model"):
                scores.append(score(embed(tokens), hidden_weights, output_weights))
            token_count += len(tokens)
    total_ns = time.perf_counter_ns() - start_ns

    print("reviews %d, tokens %d, mean score %.6f" % (len(scores), token_count, sum(scores) / max(1, len(scores))))
    if options.clock:
        print("clocked " + ", ".join("%s %.1f %%" % (name, 100.0 * ns / total_ns) for name, ns in clock.ns.items())
              + ", total %.3f s" % (total_ns / 1e9))


if __name__ == "__main__":
    main()
