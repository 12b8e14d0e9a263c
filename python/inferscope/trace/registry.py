"""The available tracers: those of this package, and those of a user's folder."""

import importlib
import importlib.util
import inspect
import pathlib

from .tracer import Tracer

BUILT_IN = ("torch_profiler", "torch_dispatch", "print_fx", "print_aten_ops", "dynamo", "torch_inductor", "vllm_profiler")
"""One module of ``tracers`` each, in the order in which they run: the cheapest first."""

FRAMEWORKS = ("huggingface", "vllm")
MODES = ("eval", "train")


class BadTracer(Exception):
    """A file of ``--tracer-path`` is no tracer; the message names it."""


def load(folder=None):
    """Returns all tracers by name, those of ``folder`` last. Importing them loads neither torch nor vLLM."""
    found = {}
    for name in BUILT_IN:
        _add(found, importlib.import_module("%s.tracers.%s" % (__package__, name)), "built in")
    for file in sorted(pathlib.Path(folder).glob("*.py")) if folder else ():
        if not file.name.startswith("_"):
            _add(found, _import(file), str(file))
    return found


def _import(file):
    spec = importlib.util.spec_from_file_location("inferscope_tracer_" + file.stem, file)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadTracer("%s cannot be imported: %s: %s" % (file, type(error).__name__, error)) from error
    return module


def _add(found, module, origin):
    classes = [value for value in vars(module).values() if inspect.isclass(value) and issubclass(value, Tracer)
               and value.__module__ == module.__name__ and value.name != ""]
    if not classes:
        raise BadTracer("%s holds no class with a name that is derived from inferscope.trace.Tracer" % origin)
    for tracer in classes:
        if not isinstance(tracer.name, str) or not tracer.name.replace("-", "_").isidentifier():
            raise BadTracer("%s: %s.name is %r; expected letters, digits, - and _" % (origin, tracer.__name__, tracer.name))
        for field, known in (("frameworks", FRAMEWORKS), ("modes", MODES), ("outputs", None)):
            _check_texts(tracer, field, known, origin)
        if tracer.name in found:
            raise BadTracer("%s: there is a tracer %s already (%s)" % (origin, tracer.name, found[tracer.name].origin))
        tracer.origin = origin
        found[tracer.name] = tracer


def _check_texts(tracer, field, known, origin):
    """Rejects a single text where several are expected, because it would be read as a list of characters."""
    values = getattr(tracer, field)
    if not isinstance(values, (tuple, list)) or not all(isinstance(value, str) for value in values):
        raise BadTracer("%s: %s.%s is %r; expected a tuple of texts" % (origin, tracer.__name__, field, values))
    for value in values:
        if known and value not in known:
            raise BadTracer("%s: %s.%s names %r; there are %s" % (origin, tracer.__name__, field, value, ", ".join(known)))


def describe(tracer):
    """Returns the description of a tracer for the command line, as plain values."""
    return {
        "name": tracer.name,
        "description": tracer.description,
        "details": inspect.cleandoc(tracer.__doc__ or ""),
        "version": tracer.version,
        "frameworks": list(tracer.frameworks),
        "modes": list(tracer.modes),
        "exclusive_group": tracer.exclusive_group,
        "outputs": list(tracer.outputs),
        "profile": tracer.profile,
        "origin": tracer.origin,
    }
