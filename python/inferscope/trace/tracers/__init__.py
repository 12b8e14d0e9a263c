"""The tracers, one module each; importing them is cheap, since each imports its libraries when it runs."""
