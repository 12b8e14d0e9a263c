"""Language-model inference from end to end: load, tokenize, generate, decode.

Needs torch and transformers. By default it downloads nothing: the model is built from a configuration with seeded random weights, and its tokenizer
is trained at the start. --model names a folder with a saved model, or a model of the Hugging Face hub. Run it under InferScope:

    inferscope run python examples/llm_inference.py --report report.md

With --output the program writes the phases that it measured as a trace for `inferscope analyze FILE`. The trace also holds the total wall time of
each phase, for comparison with a report.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import sys
import threading
import time

START_NS = time.perf_counter_ns()
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

try:
    from inferscope import scope
except ImportError:
    @contextlib.contextmanager
    def scope(name):
        yield

SIZES = {
    "tiny": dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2),
    "small": dict(hidden_size=256, intermediate_size=768, num_hidden_layers=6, num_attention_heads=8, num_key_value_heads=4),
    "base": dict(hidden_size=768, intermediate_size=2048, num_hidden_layers=12, num_attention_heads=12, num_key_value_heads=4),
}
CORPUS = (
    "A profiler answers one question: where did the time go? Every request crosses the tokenizer, the scheduler, the"
    " attention kernels and the sampler before a word appears.",
    "When the device waits, look at the host first. A slow regular expression, a copy from pageable memory or a value"
    " read back in a loop can cost more than the model itself.",
    "Batching trades latency for throughput, and a key-value cache trades memory for time. Measure before you choose.",
    "The river ran past the mill, the miller slept, and the wheel kept turning through the whole of the night.",
)
STRESS_REPEATS = 24
STRESS_NEW_TOKENS = 256
VOCABULARY = 1000


class Clock:
    """Adds up the wall time of each phase in nanoseconds, and stores each begin and duration."""

    def __init__(self):
        self.ns = {}
        self.events = []

    @contextlib.contextmanager
    def phase(self, name):
        start_ns = time.perf_counter_ns()
        try:
            yield
        finally:
            duration_ns = time.perf_counter_ns() - start_ns
            self.ns[name] = self.ns.get(name, 0) + duration_ns
            self.events.append((name, start_ns - START_NS, duration_ns))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="small", help="tiny, small, base, a folder with a saved model, or a name on the hub such as distilgpt2 (default small)")
    parser.add_argument("--prompt", default="Explain in simple words why the device waits for the host.")
    parser.add_argument("--max-new-tokens", type=int, default=None, help="default 24, or %d in stress mode" % STRESS_NEW_TOKENS)
    parser.add_argument("--batch-size", type=int, default=1, help="prompts generated together (default 1)")
    parser.add_argument("--rounds", type=int, default=30, help="how often the batch is generated (default 30)")
    parser.add_argument("--stress-mode", action="store_true", help="prompts %d times as long, and more tokens" % STRESS_REPEATS)
    parser.add_argument("--device", default=None, help="cpu or cuda (default: cuda if there is a GPU)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights and of sampling (default 0)")
    parser.add_argument("--output", metavar="FILE", help="write the phases to this file as a trace (JSON), with settings and measured times")
    options = parser.parse_args()
    if options.max_new_tokens is None:
        options.max_new_tokens = STRESS_NEW_TOKENS if options.stress_mode else 24
    if min(options.batch_size, options.max_new_tokens, options.rounds) < 1:
        parser.error("--batch-size, --max-new-tokens and --rounds must be at least 1")
    if not comes_from_hub(options.model):
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    elif not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", options.model):
        parser.error("--model must be one of %s, an existing folder or a name on the hub, not %r" % (", ".join(SIZES), options.model))
    return options


def comes_from_hub(model):
    return model not in SIZES and not os.path.isdir(model)


def train_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE(unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=["<unk>", "<pad>"], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    core.train_from_iterator(CORPUS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=core, unk_token="<unk>", pad_token="<pad>")


def load(options):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(options.seed)
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if options.model in SIZES:
        tokenizer = train_tokenizer()
        config = LlamaConfig(vocab_size=VOCABULARY, max_position_embeddings=4096, bos_token_id=None, eos_token_id=None,
                             pad_token_id=tokenizer.pad_token_id, **SIZES[options.model])
        model = LlamaForCausalLM(config)
    else:
        try:
            tokenizer = AutoTokenizer.from_pretrained(options.model)
            model = AutoModelForCausalLM.from_pretrained(options.model)
        except (OSError, ValueError) as error:
            sys.exit("llm_inference: --model %s cannot be loaded: %s" % (options.model, str(error).strip().splitlines()[0]))
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer, model.to(device).eval(), device


def make_prompts(options):
    text = " ".join([options.prompt] * STRESS_REPEATS) if options.stress_mode else options.prompt
    return ["%s Question %d." % (text, number) for number in range(1, options.batch_size + 1)]


def main():
    options = parse_options()
    clock = Clock()
    with scope("load"), clock.phase("load"):
        tokenizer, model, device = load(options)
    import torch

    texts, digest, new_tokens = [], hashlib.sha256(), 0
    for _ in range(options.rounds):
        with scope("tokenization"), clock.phase("tokenization"):
            batch = tokenizer(make_prompts(options), return_tensors="pt", padding=True, return_token_type_ids=False)
            batch = batch.to(device)
        with scope("generation"), clock.phase("generation"), torch.inference_mode():
            generated = model.generate(**batch, max_new_tokens=options.max_new_tokens, do_sample=True, top_k=20,
                                       pad_token_id=tokenizer.pad_token_id)
            generated = generated[:, batch["input_ids"].shape[1]:].cpu()
        with scope("decoding"), clock.phase("decoding"):
            texts = tokenizer.batch_decode(generated, skip_special_tokens=True)
        new_tokens += generated.numel()
        digest.update(json.dumps(generated.tolist()).encode())
    total_ns = time.perf_counter_ns() - START_NS

    print("generated %d tokens on %s, ids %s" % (new_tokens, device, digest.hexdigest()[:16]))
    print("last text: %r" % texts[-1][:70])
    if options.output:
        write_clocked(options, clock, total_ns, device, new_tokens, digest.hexdigest())


def write_clocked(options, clock, total_ns, device, new_tokens, ids_sha256):
    settings = dict(vars(options), device=device)
    del settings["output"]
    wall_ns = dict(clock.ns, rest=total_ns - sum(clock.ns.values()), total=total_ns)
    events = [dict(ph="X", cat="user_annotation", name=name, pid=os.getpid(), tid=threading.get_native_id(),
                   ts=start_ns / 1000, dur=duration_ns / 1000) for name, start_ns, duration_ns in clock.events]
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(dict(settings=settings, wall_ns=wall_ns, new_tokens=new_tokens, ids_sha256=ids_sha256,
                       displayTimeUnit="ms", traceEvents=events), file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
