"""Hook tables, one file per library. A table imports nothing of its library; see ``inferscope._hook.Hook``."""
