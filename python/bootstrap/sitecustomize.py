"""Starts InferScope's probe in each interpreter of an observed program, and the shape recorder where it is asked for, then
gives way to the program's own sitecustomize, found further down sys.path, as if this file did not exist."""


def _is_secure():
    """Whether the process has other rights than its parent, who set its environment: AT_SECURE of getauxval(3). Such a
    process may not read its own vector either."""
    from posix import O_RDONLY, close, open, read

    try:
        file = open("/proc/self/auxv", O_RDONLY)
    except FileNotFoundError:
        return False
    except PermissionError:
        return True
    try:
        vector = read(file, 4096)
    finally:
        close(file)
    secure = (23).to_bytes(8, "little") + (1).to_bytes(8, "little")
    return any(vector[at:at + 16] == secure for at in range(0, len(vector), 16))


def _start_probe():
    try:
        from os import environ
        from sys import implementation
        from time import monotonic_ns

        if implementation.name != "cpython":
            return  # The recorder is made for CPython; the report names the processes that run another.

        boot_ns = monotonic_ns()
        if _is_secure():
            from inferscope._injection import drop

            drop(environ)
            return
        if environ.get("INFERSCOPE_SPOOL_DIR") and environ.get("INFERSCOPE_ENABLED") != "0":
            from inferscope import _probe

            _probe.start(boot_ns)
        if environ.get("INFERSCOPE_SHAPES", environ.get("SGLANG_PROFILE_SHAPES", "0")) not in ("0", ""):
            from inferscope.shapes import startup

            startup.start()
    except Exception:
        pass


def _load_next():
    """Runs the next sitecustomize. Its exceptions reach the ``site`` module unchanged, which reports them as usual."""
    import sys
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder
    from os.path import dirname, realpath

    own_folder = dirname(__file__)
    spec = PathFinder.find_spec("sitecustomize", [entry for entry in sys.path if entry != own_folder])
    if spec is not None and spec.origin and realpath(spec.origin) == realpath(__file__):
        others = [entry for entry in sys.path if realpath(entry or ".") != realpath(own_folder)]
        spec = PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start_probe()
_load_next()
