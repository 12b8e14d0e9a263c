"""A chat service that copies the whole conversation, message by message, before each turn of the model."""

import copy

import zoo


class Conversation:
    def __init__(self):
        self.messages = [{"role": "user" if i % 2 else "assistant", "content": zoo.text(20, i), "meta": {"id": i, "tags": ["a", "b"]}} for i in range(1200)]

    def snapshot(self):
        return copy.deepcopy(self.messages)


def main():
    model, ids = zoo.embedding_model(256), zoo.tokens(2, 32)
    conversation = Conversation()
    plant = zoo.Plant("place", Conversation.snapshot, part="wall", causes=("cpu.python"))
    for step in zoo.steady():
        with plant:
            messages = conversation.snapshot() if zoo.PLANTED else conversation.messages
        zoo.embed(model, ids + len(messages) % 2)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
