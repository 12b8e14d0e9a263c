"""Hook tables, one file per library. A table does not import its library; see ``inferscope._hook.Hook``."""
