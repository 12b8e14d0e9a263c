"""Generates with one model in one process, so that its shapes can be recorded: ``python -m inferscope.standalone
--model-path MODEL``.

``inferscope shapes standalone`` starts it under the recorder; by itself it only generates. The model is run by SGLang's
Engine if SGLang is installed, which then gets all options not listed here, otherwise by transformers.
"""

import argparse
import dataclasses
import importlib.util
import sys

PROMPTS = (
    "The capital of Norway is",
    "List three prime numbers:",
    "Water boils at a temperature of",
    "Write one sentence about the sea:",
    "The opposite of cold is",
    "Translate to French: good morning",
    "A short definition of entropy:",
    "Once upon a time, in a small village,",
)
USAGE, FAILED = 2, 3
WORKERS = (
    "with tensor parallelism (--tp-size %d) operators run in worker processes; record those: "
    "inferscope shapes run --file FILE -- python -m sglang.launch_server --model-path %s --tp-size %d"
)


def main(words=None):
    """Returns the exit code: 0, 2 for a mistake on the command line, 3 when the model cannot be loaded or does not
    run."""
    sglang = importlib.util.find_spec("sglang") is not None
    parser = argparse.ArgumentParser(prog="inferscope shapes standalone", allow_abbrev=False)
    own = parser.add_argument_group("InferScope")
    own.add_argument("--num-prompts", type=_positive, default=3, help="prompts to generate from (default: 3)")
    own.add_argument("--max-tokens", type=_positive, default=50, help="tokens to generate for each (default: 50)")
    own.add_argument("--engine", choices=("sglang", "transformers"), default="sglang" if sglang else "transformers",
                     help="what runs the model (default: SGLang where it is installed)")
    known, rest = parser.parse_known_args(words)
    try:
        run = _sglang if known.engine == "sglang" else _transformers
        for text in run(known, rest):
            print(text)
        return 0
    except _Mistake as mistake:
        print("inferscope: %s" % mistake, file=sys.stderr)
        return USAGE
    except Exception as error:
        print("inferscope: the model does not run: %s: %s" % (type(error).__name__, str(error).split("\n", 1)[0]), file=sys.stderr)
        return FAILED


class _Mistake(Exception):
    """A mistake on the command line."""


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("%s: expected a number from 1" % text)
    return number


def prompts(count):
    """``count`` prompts, repeated when there are not so many."""
    return [PROMPTS[i % len(PROMPTS)] for i in range(count)]


def _check_ranks(size, model):
    if size != 1:
        raise _Mistake(WORKERS % (size, model, size))


def _sglang(options, rest):
    try:
        import sglang
        from sglang.srt.server_args import ServerArgs
    except ImportError as error:
        raise _Mistake("--engine sglang: %s; install SGLang, or leave it to --engine transformers" % error)
    parser = argparse.ArgumentParser(prog="inferscope shapes standalone")
    ServerArgs.add_cli_args(parser)
    arguments = ServerArgs.from_cli_args(parser.parse_args(rest))
    _check_ranks(arguments.tp_size, arguments.model_path)
    engine = sglang.Engine(**dataclasses.asdict(arguments))
    try:
        settings = {"temperature": 0, "max_new_tokens": options.max_tokens}
        return [output["text"] for output in engine.generate(prompts(options.num_prompts), settings)]
    finally:
        engine.shutdown()


def _transformers(options, rest):
    parser = argparse.ArgumentParser(prog="inferscope shapes standalone", allow_abbrev=False)
    parser.add_argument("--model-path", "--model", required=True)
    parser.add_argument("--tp-size", "--tensor-parallel-size", "--tp", type=_positive, default=1)
    parser.add_argument("--trust-remote-code", action="store_true")
    parser.add_argument("--dtype", default="auto")
    arguments, unknown = parser.parse_known_args(rest)
    _check_ranks(arguments.tp_size, arguments.model_path)
    if unknown:
        raise _Mistake("%s: transformers has no such option; options of SGLang's server need SGLang" % " ".join(unknown))
    return _generate(arguments, options)


def _generate(arguments, options):
    try:
        import torch
        import transformers
    except ImportError as error:
        raise _Mistake("%s; install torch and transformers, or SGLang" % error)
    trust = arguments.trust_remote_code
    dtype = "dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype"
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.model_path, trust_remote_code=trust)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        arguments.model_path, trust_remote_code=trust, **{dtype: arguments.dtype})
    model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    texts = []
    with torch.no_grad():
        for prompt in prompts(options.num_prompts):
            inputs = tokenizer(prompt, return_tensors="pt").to(model.device)
            inputs.pop("token_type_ids", None)
            output = model.generate(**inputs, max_new_tokens=options.max_tokens, do_sample=False)
            texts.append(tokenizer.decode(output[0][inputs["input_ids"].shape[1]:], skip_special_tokens=True))
    return texts


if __name__ == "__main__":
    sys.exit(main())
