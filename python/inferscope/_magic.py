"""``%load_ext inferscope``: the cell magic ``%%inferscope`` of IPython."""

import shlex

from ._explain import explain


def load_ipython_extension(shell):
    from IPython.core.error import UsageError

    def inferscope(line, cell):
        """``%%inferscope [OPTION...]``: runs the cell, and shows the report on it. Options are those of ``inferscope attach``.
        The report's object is ``_inferscope`` afterwards."""
        if shell.should_run_async(cell, transformed_cell=shell.transform_cell(cell)):
            raise UsageError("%%inferscope runs no cell that awaits at its top: write `with inferscope.explain() as e:` in the cell")
        with explain(*shlex.split(line), name="cell") as found:
            done = shell.run_cell(cell)
        shell.user_ns["_inferscope"] = found
        return found if done.success else None

    shell.register_magic_function(inferscope, "cell")
