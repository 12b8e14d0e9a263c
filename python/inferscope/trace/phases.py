"""The work of an engine's steps by phase: attention, KV cache and other work, in prefill and in decode.

The phase of a step comes from the range that vLLM itself opens around each step of a worker:
``execute_context_2(30)_generation_0(0)`` means two requests with 30 tokens of context and none that generates. If a
version opens no such range, the engine's own steps count; their phase follows from which requests got their first
token.
"""

import bisect
import collections
import re

from . import kernels

STEP = "inferscope.step.%d"
PHASES = ("prefill", "decode", "mixed")
KINDS = ("attention", "kv_cache", "other")

_NOTED = re.compile(r"execute_context_\d+\((\d+)\)_generation_\d+\((\d+)\)")
_NOTED_BEFORE = re.compile(r"execute_new_(\d+)_cached_(\d+)")
_OWN = re.compile(r"inferscope\.step\.(\d+)$")
_KV_CACHE = re.compile(r"reshape_and_cache|concat_and_cache|(?<!with_)kv_?cache|copy_blocks|swap_blocks|gather_cache|cache_kernel", re.I)
_ATTENTION = re.compile(r"attention|attn|fmha|flash_fwd|flash::|paged|mla_|\bmha\b", re.I)


def phase_of_outputs(first, further):
    """Returns the phase of a step in which ``first`` requests got their first token and ``further`` requests a later
    one."""
    if further:
        return "mixed" if first else "decode"
    return "prefill"


def kind_of(name):
    """Returns the kind of a kernel or operator by its name."""
    if _KV_CACHE.search(name):
        return "kv_cache"
    return "attention" if _ATTENTION.search(name) else "other"


def summarise(events, own_steps):
    """Returns {told_by, phases}.

    ``told_by`` is ``vllm``, ``engine`` or ``nothing``: the source of the steps and their phases. ``phases`` has per phase {steps,
    wall_us, and per kind {kernel_count, kernel_time_us, operator_count, operator_time_us}}. ``own_steps`` are the
    phases of the engine's steps by number. Kernels count where they were launched; of nested operators, the outermost
    of a kind counts; ``other`` operators count only outside of all other operators.
    """
    told_by, steps = _steps(events, own_steps)
    found = {phase: _empty() for phase in PHASES}
    for start, end, phase in steps:
        found[phase]["steps"] += 1
        found[phase]["wall_us"] = round(found[phase]["wall_us"] + end - start, 3)
    for kernel, launched_us in _launches(events):
        _add(found, steps, launched_us, kernel, "kernel")
    for operator in _outermost(events):
        _add(found, steps, operator["ts"], operator, "operator")
    return {"told_by": told_by, "phases": {phase: value for phase, value in found.items() if value["steps"]}}


def _empty():
    zero = {"kernel_count": 0, "kernel_time_us": 0.0, "operator_count": 0, "operator_time_us": 0.0}
    return dict({"steps": 0, "wall_us": 0.0}, **{kind: dict(zero) for kind in KINDS})


def _steps(events, own_steps):
    """Returns their source, and start, end and phase of every step on the host, by start."""
    noted, own = [], []
    for event in events:
        if event.get("ph") != "X" or event.get("cat") not in ("user_annotation", kernels.OPERATOR):
            continue
        span = event["ts"], event["ts"] + event["dur"]
        match = _NOTED.search(event["name"]) or _NOTED_BEFORE.search(event["name"])
        if match:
            context, generation = int(match.group(1)), int(match.group(2))
            noted.append(span + (("mixed" if generation else "prefill") if context else "decode",))
        match = _OWN.search(event["name"])
        if match and int(match.group(1)) < len(own_steps):
            own.append(span + (own_steps[int(match.group(1))],))
    return "vllm" if noted else "engine" if own else "nothing", sorted(noted or own)


def _launches(events):
    """Returns kernels with the time at which the host launched them; their own start if that is not recorded."""
    launched, operators = {}, {}
    for event in events:
        args = event.get("args") or {}
        if event.get("cat") in kernels.LAUNCHERS and "correlation" in args:
            launched[args["correlation"]] = event["ts"]
        elif event.get("cat") == kernels.OPERATOR and "External id" in args:
            operators.setdefault(args["External id"], event["ts"])
    for event in events:
        if event.get("ph") == "X" and str(event.get("cat", "")).lower() == kernels.KERNEL:
            args = event.get("args") or {}
            fallback = operators.get(args.get("External id"), event["ts"])
            yield event, launched.get(args.get("correlation"), fallback)


def _outermost(events):
    """Returns the operators that are not inside another one of their kind; ``other`` ones only if they are outside of
    all operators."""
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and event.get("cat") == kernels.OPERATOR and not _is_step(event["name"]):
            threads[str(event.get("pid")), str(event.get("tid"))].append(event)
    for own in threads.values():
        own.sort(key=lambda e: (e["ts"], -e["dur"]))
        ends = dict.fromkeys(KINDS, float("-inf"))
        for event in own:
            kind = kind_of(event["name"])
            covered = max(ends.values()) if kind == "other" else ends[kind]
            if event["ts"] >= covered:
                ends[kind] = event["ts"] + event["dur"]
                yield event


def _is_step(name):
    return bool(_OWN.search(name) or _NOTED.search(name) or _NOTED_BEFORE.search(name))


def _add(found, steps, at_us, event, what):
    index = bisect.bisect_right(steps, (at_us, float("inf"), "")) - 1
    if index >= 0 and at_us < steps[index][1]:
        kind = found[steps[index][2]][kind_of(event["name"])]
        kind[what + "_count"] += 1
        kind[what + "_time_us"] = round(kind[what + "_time_us"] + event["dur"], 3)
