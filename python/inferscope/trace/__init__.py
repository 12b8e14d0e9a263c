"""Batch tracing of models: runs one tracer on one model, in a process of its own.

``inferscope trace`` starts these processes. A tracer of a user's own is one Python file with a class derived from
``Tracer``; see docs/trace.md.
"""

from .tracer import ModelError, Tracer, Unsupported

__all__ = ["ModelError", "Tracer", "Unsupported"]
