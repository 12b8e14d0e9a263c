"""Generation with transformers and a stopping criterion that decodes the whole answer for every token, to look for stop strings."""

import zoo

STOPS = ["\nUser:", "###", "Observation:", "</answer>"]


def make_tokenizer():
    from tokenizers import Tokenizer, decoders, models

    pieces = {"w%d " % number if number >= len(zoo.WORDS) else zoo.WORDS[number] + str(number): number for number in range(zoo.VOCABULARY)}
    tokenizer = Tokenizer(models.BPE(vocab=pieces, merges=[]))
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def make_criterion(tokenizer, plant):
    from transformers import StoppingCriteria

    class StopOnStrings(StoppingCriteria):
        def found(self, ids):
            return any(stop in tokenizer.decode(row.tolist())[-200:] for row in ids for stop in STOPS)

        def __call__(self, input_ids, scores, **kwargs):
            with plant:
                plant.function = StopOnStrings.found
                return self.found(input_ids) if zoo.PLANTED else False

    return StopOnStrings()


def main():
    import torch
    from transformers import StoppingCriteriaList

    model, ids = zoo.language_model(128), zoo.tokens(1, 900)
    plant = zoo.Plant("place", make_criterion, part="wall", causes=("cpu.tokenization", "cpu.serialization", "cpu.native", "cpu.python"))
    criteria = StoppingCriteriaList([make_criterion(make_tokenizer(), plant)])
    for step in zoo.steady():
        with torch.no_grad():
            model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=24, do_sample=False, stopping_criteria=criteria)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
