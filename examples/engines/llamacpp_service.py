"""Completes prompts with the server of llama.cpp inside this program (package xllamacpp), from a pool of threads; the server listens for others too.

    python llamacpp_service.py FILE.gguf                        two slots: healthy
    python llamacpp_service.py FILE.gguf --fault reload         each job starts a server, which reads the model
    python llamacpp_service.py FILE.gguf --fault reader         whoever takes the pieces of an answer checks all text so far, letter by letter
"""

import argparse
import concurrent.futures
import time

import xllamacpp

PROMPT, TOKENS = "tell me a story about a tiny model " * 8, 48


def start_server(path):
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.n_ctx, settings.n_parallel, settings.n_gpu_layers, settings.warmup = path, 2048, 2, 0, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = 0
    return xllamacpp.Server(settings)


def check_text(text):
    """Counts letters in a slow way."""
    return sum(1 for _ in range(100) for letter in text if letter.isalpha())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "reload", "reader"), default="none")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    shared = start_server(options.model)

    def job(number):
        texts = []

        def take(piece):
            texts.extend(choice.get("text", "") for choice in piece.get("choices", ()))
            if options.fault == "reader":
                check_text("".join(texts))

        server = start_server(options.model) if options.fault == "reload" else shared
        server.handle_completions({"prompt": "%d %s" % (number, PROMPT), "max_tokens": 1 if options.fault == "reload" else TOKENS, "stream": True,
                                   "temperature": 0, "ignore_eos": True, "cache_prompt": False}, take)
        return len(texts)

    jobs, pieces, end = 2 * options.threads, 0, time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.threads) as pool:
        open_jobs = {pool.submit(job, number) for number in range(jobs)}
        while time.monotonic() < end:
            done, open_jobs = concurrent.futures.wait(open_jobs, return_when=concurrent.futures.FIRST_COMPLETED)
            pieces += sum(one.result() for one in done)
            open_jobs |= {pool.submit(job, jobs + number) for number in range(len(done))}
            jobs += len(done)
    print("%d jobs in %.2f s, %d pieces" % (jobs, options.seconds + time.monotonic() - end, pieces))


if __name__ == "__main__":
    main()
