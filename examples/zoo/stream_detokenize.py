"""A streaming language model that detokenizes the whole text again for every new token."""

import zoo

PIECES = ["%s%s" % ("\u0120" if number % 3 else "", zoo.WORDS[number % len(zoo.WORDS)]) for number in range(zoo.VOCABULARY)]


def detokenize(ids):
    text = ""
    with zoo.scope("detokenize"):
        for number in ids:
            piece = PIECES[number]
            text += " " + piece[1:] if piece.startswith("\u0120") else piece
    return text.strip()


def main():
    model, prompt = zoo.language_model(), zoo.tokens(1, 16)
    plant = zoo.Plant("cpu.serialization", detokenize)
    history = zoo.tokens(1, 30000)[0].tolist()
    for step in zoo.steady():
        chosen = zoo.decode(model, prompt, 4)[0].tolist()
        for position, token in enumerate(chosen):
            with plant:
                detokenize(history + chosen[:position + 1] if zoo.PLANTED else chosen[position:position + 1])
    zoo.finish(plant)


if __name__ == "__main__":
    main()
