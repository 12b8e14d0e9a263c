"""Answers prompts with vLLM's LLM class, without a server.

    python vllm_offline.py MODEL                      one worker
    python vllm_offline.py MODEL --workers 2          tensor-parallel
"""

import argparse

from vllm import LLM, SamplingParams


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=8)
    options = parser.parse_args()
    engine = LLM(options.model, tensor_parallel_size=options.workers, enforce_eager=True, dtype="float32", max_model_len=512,
                 gpu_memory_utilization=0.1)
    prompts = ["tell me a story about number %d" % number for number in range(4)]
    for answer in engine.generate(prompts, SamplingParams(max_tokens=options.tokens, temperature=0, ignore_eos=True)):
        print(len(answer.outputs[0].token_ids), "tokens")


if __name__ == "__main__":
    main()
