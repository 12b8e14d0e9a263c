"""The graphs of ATen operators that AOTAutograd makes of a model."""

from .. import files, graphs
from ..tracer import Tracer


class PrintAtenOps(Tracer):
    """Lets AOTAutograd lower every graph of the model to ATen operators; in training, forward and backward graphs.

    print_aten.txt: for each graph a line ``===== Graph i =====``, a line that says which pass it is, and its code.
    """

    name = "print_aten_ops"
    description = "AOTAutograd: the model's graphs as ATen operators, in training with the backward graphs."
    outputs = ("print_aten.txt",)

    def run(self, ctx, output_dir):
        lowered = graphs.capture_aten(ctx)
        parts = ["===== Graph %d =====\n# %s\n%s\n" % (index, kind, code.strip()) for index, (kind, code) in enumerate(lowered)]
        files.write_text(output_dir / "print_aten.txt", "\n".join(parts))
