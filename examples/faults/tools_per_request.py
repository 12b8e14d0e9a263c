"""An agent that describes all its tools for every request: it makes a model of pydantic and its JSON schema for each function."""

import inspect
import json

import zoo


def make_tool(number):
    def tool(query: str, count: int = 10, exact: bool = False, tags: list[str] | None = None) -> str:
        return query * count

    tool.__name__ = "tool_%d" % number
    return tool


def describe_tools(tools):
    import pydantic

    described = []
    for tool in tools:
        fields = {name: (one.annotation, ... if one.default is inspect.Parameter.empty else one.default)
                  for name, one in inspect.signature(tool).parameters.items()}
        described.append({"name": tool.__name__, "parameters": pydantic.create_model(tool.__name__, **fields).model_json_schema()})
    return json.dumps(described)


def main():
    import pydantic  # noqa: F401 - Loaded before the loop.

    model, ids = zoo.embedding_model(384), zoo.tokens(4, 32)
    tools = [make_tool(number) for number in range(10)]
    kept = describe_tools(tools)
    plant = zoo.Plant("place", describe_tools, part="wall", causes=("library.python", "cpu.native", "framework.compile-load"))
    for step in zoo.steady():
        with plant:
            described = describe_tools(tools) if zoo.PLANTED else kept
        zoo.embed(model, (ids + len(described)) % zoo.VOCABULARY)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
