"""The base class of tracers."""


class Unsupported(Exception):
    """This tracer cannot trace the model on this machine. Nothing is broken, and a retry would not help."""


class ModelError(Exception):
    """The model's files are not valid, or the model cannot be accessed."""


class Tracer:
    """Traces one model once. An instance lives in a process of its own that ends with it."""

    name = ""
    """Name on the command line, and of the folder that it writes."""

    description = ""
    """One sentence for ``--list-tracers``."""

    version = "1"
    """Changes whenever the tracer's output changes: results of another version are not reused."""

    frameworks = ("huggingface",)
    """Supported frameworks: ``huggingface``, ``vllm``."""

    modes = ("eval", "train")
    """Supported modes: ``eval``, ``train``."""

    exclusive_group = None
    """Of the tracers that name the same group, one success per model is enough: the others are skipped."""

    outputs = ()
    """Paths, in the folder, of the files that the tracer must write. One with ``*`` needs at least one match."""

    profile = None
    """Path of the traces that InferScope explains, with ``*`` as in ``outputs``; None for none."""

    def run(self, ctx, output_dir):
        """Traces ``ctx`` and writes into ``output_dir`` (a path).

        Returns None, or what the model did as ``{"operators": {name: {"count": n, "shapes": [text, ...]}}, "kernels":
        {name: count}}``, which the comparison across models uses. Raises ``Unsupported`` where it cannot work.
        """
        raise NotImplementedError
