"""An agent that validates each tool call with jsonschema.validate, which checks the schema itself and makes a validator every time."""

import zoo

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "enum": zoo.WORDS},
        "arguments": {"type": "object", "properties": {word: {"type": ["string", "number", "null"]} for word in zoo.WORDS}},
        "steps": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer", "minimum": 0}, "of": {"type": "string"}}}},
    },
    "required": ["name", "arguments"],
}


def valid_calls(calls):
    import jsonschema

    for call in calls:
        jsonschema.validate(call, SCHEMA)
    return calls


def main():
    import jsonschema

    calls = [{"name": zoo.WORDS[i], "arguments": {word: i for word in zoo.WORDS[:6]}, "steps": [{"id": i, "of": "x"}]} for i in range(4)]
    validator = jsonschema.Draft202012Validator(SCHEMA)
    model, ids = zoo.language_model(512), zoo.tokens(1, 32)
    plant = zoo.Plant("place", valid_calls, part="wall", causes=("library.python", "cpu.python", "cpu.preprocessing", "cpu.serialisation"))
    for _ in zoo.steady():
        if zoo.PLANTED:
            with plant:
                valid_calls(calls)
        else:
            for call in calls:
                validator.validate(call)
        zoo.decode(model, ids, 3)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
