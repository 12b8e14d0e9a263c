"""A chat service that compiles its prompt template for every request."""

import zoo

TEMPLATE = """{%- if system %}<|system|>{{ system }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}<|user|>{{ message.content | trim }}
{%- elif message.role == 'assistant' %}<|assistant|>{{ message.content | trim }}
{%- elif message.role == 'tool' %}<|tool|>{{ message.content | tojson }}
{%- else %}{{ raise_exception('unknown role ' ~ message.role) }}{% endif %}
{%- if not loop.last %}<|end|>{% endif %}
{%- endfor %}
{%- for tool in tools %}{{ tool.name }}({% for name in tool.arguments %}{{ name }}{{ ', ' if not loop.last }}{% endfor %}){% endfor %}
<|assistant|>"""


def render_prompt(messages):
    import jinja2

    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(TEMPLATE).render(messages=messages, tools=[], system="Answer briefly.")


def main():
    import jinja2

    model, ids = zoo.embedding_model(256), zoo.tokens(2, 32)
    kept = jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(TEMPLATE)
    messages = [{"role": "user" if i % 2 else "assistant", "content": zoo.text(30, i)} for i in range(6)]
    plant = zoo.Plant("place", render_prompt, part="wall", causes=("library.python", "framework.compile-load", "cpu.native"))
    for step in zoo.steady():
        with plant:
            prompt = render_prompt(messages) if zoo.PLANTED else ""
        if not zoo.PLANTED:
            prompt = kept.render(messages=messages, tools=[], system="Answer briefly.")
        zoo.embed(model, (ids + len(prompt)) % zoo.VOCABULARY)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
