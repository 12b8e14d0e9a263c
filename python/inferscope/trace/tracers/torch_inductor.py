"""Inductor's output for a model: intermediate forms, code, and compiled kernels."""

import json
import os
import re
import shutil

from .. import files
from ..tracer import Tracer, Unsupported

_KERNEL = re.compile(r"^\s*(\w+)\s*=\s*async_compile\.(\w+)\(", re.M)
_KEPT = (".py", ".txt", ".cpp", ".cu", ".h", ".hpp", ".ttir", ".ttgir", ".llir", ".ptx", ".cubin", ".hsaco", ".amdgcn", ".json",
         ".svg", ".log", ".wrapper")
_TEXTS = (".py", ".txt", ".json", ".log")
_BINARIES = {"cuda": ("ptx", "cubin"), "hip": ("amdgcn", "hsaco")}


class TorchInductor(Tracer):
    """Compiles the model with Inductor, without any cache, and keeps everything it made.

    inductor_dump/: graphs, IR before and after fusion, generated code and kernels' binaries. torch_inductor.txt: the list of
    these files. torch_inductor_kernels.json: [{kernel_name, ptx, cubin, launch_config}], where ptx and cubin are paths below
    the folder, null for kernels in C++.
    """

    name = "torch_inductor"
    description = "Inductor: IR, generated code, and kernels with their binaries and launch configuration."
    version = "2"
    outputs = ("torch_inductor.txt", "torch_inductor_kernels.json", "inductor_dump/*")

    def run(self, ctx, output_dir):
        dump = output_dir / "inductor_dump"
        cache = dump / "cache"
        cache.mkdir(parents=True)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache)
        os.environ["TRITON_CACHE_DIR"] = str(cache / "triton")
        import torch
        import torch._inductor.config as config

        if not ctx.options.device.startswith("cuda") and not _compiler(config):
            raise Unsupported("Inductor needs a C++ compiler on this device, and none was found; install g++ or set CXX")
        config.trace.enabled = True
        config.trace.debug_dir = str(dump / "debug")
        if hasattr(config, "force_disable_caches"):
            config.force_disable_caches = True
        ctx.model
        ctx.step(torch.compile(ctx.model, backend="inductor"))
        _prune(dump)
        settle(dump)
        kernels = kernels_of(dump, output_dir)
        files.write_json(output_dir / "torch_inductor_kernels.json", kernels)
        listed = sorted(str(path.relative_to(output_dir)) for path in dump.rglob("*") if path.is_file())
        files.write_text(output_dir / "torch_inductor.txt", "\n".join(listed) + "\n")
        return {"operators": {}, "kernels": {kernel["kernel_name"]: 1 for kernel in kernels}}


def _compiler(config):
    named = os.environ.get("CXX") or getattr(config.cpp, "cxx", ())
    candidates = [named] if isinstance(named, str) else [name for name in named if name]
    return any(shutil.which(name) for name in candidates + ["g++", "clang++"])


def _prune(dump):
    """Removes shared objects, precompiled headers and locks, which carry no information."""
    for path in sorted(dump.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.suffix not in _KEPT:
            path.unlink()


def settle(dump):
    """Makes names and texts equal in every run of the same model.

    Without caches Inductor compiles into a folder with a random name, in which files are named by their content. Paths
    in texts become relative to the folder that contains the dump, where ``fx_graph_runnable.py`` finds them.
    """
    cache = dump / "cache"
    spellings = [str(dump)]
    for folder in sorted(cache.glob("tmp*")):
        spellings.insert(0, str(folder))
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            place = cache / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)
        shutil.rmtree(folder)
    for path in dump.rglob("*"):
        if path.is_file() and path.suffix in _TEXTS:
            text = path.read_bytes()
            for spelling in spellings:
                own = dump.name if spelling == str(dump) else "%s/cache" % dump.name
                text = text.replace(spelling.encode(), own.encode())
            path.write_bytes(text)


def kernels_of(dump, output_dir):
    """Returns the kernels that the generated code defines, each once, with the files that Triton made of it."""
    found = {}
    for file in sorted(dump.rglob("*.py")):
        for name, language in _KERNEL.findall(file.read_text(encoding="utf-8", errors="replace")):
            found.setdefault(name, language)
    return [_kernel(name, language, dump, output_dir) for name, language in sorted(found.items())]


def _kernel(name, language, dump, output_dir):
    binaries = {"ptx": None, "cubin": None}
    launch = {"backend": language}
    for metadata in sorted(dump.rglob("%s.json" % name)):
        try:
            value = json.loads(metadata.read_text())
        except ValueError:
            continue
        launch.update((key, value[key]) for key in ("num_warps", "num_stages", "num_ctas", "shared", "cluster_dims") if key in value)
        for kinds in _BINARIES.values():
            for kind, slot in zip(kinds, binaries):
                path = metadata.with_suffix("." + kind)
                if path.is_file():
                    binaries[slot] = str(path.relative_to(output_dir))
    return {"kernel_name": name, "ptx": binaries["ptx"], "cubin": binaries["cubin"], "launch_config": launch}
