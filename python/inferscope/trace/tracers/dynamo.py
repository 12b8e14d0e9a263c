"""How Dynamo takes a model apart: graphs, breaks and their reasons."""

import collections

from .. import files, graphs
from ..tracer import Tracer


class Dynamo(Tracer):
    """Compiles the model with Dynamo alone and reports its graphs.

    dynamo.json: {graph_count, graph_break_count, op_count, graphs: [{index, node_count, operators: {target: count}}],
    break_reasons: {reason: count}, counters: Dynamo's own, by section}.
    """

    name = "dynamo"
    description = "Dynamo: graphs, graph breaks with their reasons, and operators per graph."
    outputs = ("dynamo.json",)

    def run(self, ctx, output_dir):
        from torch._dynamo.utils import counters

        counters.clear()
        captured = graphs.capture(ctx)
        own = [_summary(index, graph) for index, graph in enumerate(captured)]
        breaks = {str(reason): count for reason, count in sorted(counters["graph_break"].items())}
        files.write_json(output_dir / "dynamo.json", {
            "graph_count": len(own),
            "graph_break_count": sum(breaks.values()),
            "op_count": sum(sum(graph["operators"].values()) for graph in own),
            "graphs": own,
            "break_reasons": breaks,
            "counters": {section: {str(key): value for key, value in sorted(values.items())}
                         for section, values in sorted(counters.items()) if values},
        })


def _summary(index, graph):
    calls = collections.Counter(graphs.target(node.target) for node in graph.graph.nodes if node.op.startswith("call_"))
    return {"index": index, "node_count": len(graph.graph.nodes), "operators": dict(sorted(calls.items()))}
