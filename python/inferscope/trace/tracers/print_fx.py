"""The FX graphs into which Dynamo turns a model."""

from .. import files, graphs
from ..tracer import Tracer


class PrintFx(Tracer):
    """Lets Dynamo capture the model and writes every graph that it hands to its backend.

    print_fx.json: {type: fx_graph, graph_count, nodes: [{graph, name, op, target, args, kwargs, users}]}; names are unique
    within a graph.
    """

    name = "print_fx"
    description = "Dynamo: the FX graphs of the model, node by node."
    outputs = ("print_fx.json",)

    def run(self, ctx, output_dir):
        captured = graphs.capture(ctx)
        nodes = [dict(graph=index, **graphs.node(node)) for index, graph in enumerate(captured) for node in graph.graph.nodes]
        files.write_json(output_dir / "print_fx.json", {"type": "fx_graph", "graph_count": len(captured), "nodes": nodes})
