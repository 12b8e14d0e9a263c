"""Keeps what InferScope puts into the environment from programs with other rights than those of the user who is recorded."""

import os

from ._signals import pass_on

AGENT = "libinferscope-agent.so"
LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = (LIBRARY, os.path.join(LIBRARY, "bootstrap"))


def drop(variables):
    """Takes InferScope's variables, and its parts of others, out of a mapping of variables."""
    for name in list(variables):
        value = variables[name]
        if name.startswith("INFERSCOPE_") or (name.endswith("_INJECTION64_PATH") and os.path.basename(value) == AGENT):
            del variables[name]
        elif name == "PYTHONPATH":
            kept = [folder for folder in value.split(":") if folder not in FOLDERS]
            if kept:
                variables[name] = ":".join(kept)
            else:
                del variables[name]
    return variables


def has_other_rights(path):
    """Whether a program is setuid or setgid to another user or group, or has file capabilities."""
    try:
        status = os.stat(path)
    except OSError as problem:
        pass_on(problem)
        return False
    if (status.st_mode & 0o4000 and status.st_uid != os.getuid()) or (status.st_mode & 0o2000 and status.st_gid != os.getgid()):
        return True
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError as problem:  # It has none, or its file system has none.
        pass_on(problem)
        return False


def variables_for(words, options):
    """Returns the variables that a ``subprocess.Popen`` of these words and options shall get if its program has other rights; None if it has not."""
    if options.get("shell"):
        return None
    program = os.fsdecode(options.get("executable") or (words if isinstance(words, (str, bytes, os.PathLike)) else words[0]))
    variables = options.get("env")
    variables = os.environ if variables is None else variables
    within = os.fsdecode(options.get("cwd") or "")  # Which the child enters first.
    folders = [""] if os.sep in program else os.get_exec_path(variables)
    found = (os.path.join(within, folder, program) for folder in folders)
    path = next((path for path in found if os.path.isfile(path)), None)
    return drop(dict(variables)) if path is not None and has_other_rights(path) else None
