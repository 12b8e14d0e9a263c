"""The tracers, one module each; importing them is cheap, what they trace with is imported when they run."""
