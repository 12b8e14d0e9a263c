"""The shape recorder: what shapes and types the tensors of each operator have. See docs/shapes.md.

``startup`` is what an interpreter loads where the environment asks for shapes; everything else is loaded when torch is.
"""
