"""The comparisons of lab/gpu-check: traces with traces, and traces with the work that a program reports. It uses no device and runs nothing."""

import collections
import gzip
import json
import statistics

PASS, FAIL, UNPROVEN = "pass", "FAIL", "unproven"
ADD = "elementwise"  # in the name of every kernel that Tensor.add_ launches
BUSY_LEAST, MEMORY = 0.5, 0.01
SLOWER, HARDLY_SLOWER, FAR_ABOVE = 0.05, 0.01, 0.25  # The last: a slow-down that no noise explains.
HEARD, FLUSHES = 0.5, 3
PAUSE_US, COMPLETE = 100_000, 0.9  # between two windows; of the replays in windows
NO_LIBCUPTI = "no libcupti was found"  # As written by native/agent/find.c.
LOGGED = 6  # sentences of CUPTI's own log in the table


class Trace:
    """A Chrome trace in Kineto's categories; times in microseconds."""

    def __init__(self, path):
        opener = gzip.open if str(path).endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8") as file:
            document = json.load(file)
        self.events = document["traceEvents"]
        self.overheads = document.get("inferscope", {}).get("overheads", [])
        self.coverage = document.get("inferscope", {}).get("coverage", [])
        arguments = [one.get("args", {}) for one in self.events if one.get("ph") == "M"]
        self.properties = {one["inferscope_property"]: one.get("value", "") for one in arguments if "inferscope_property" in one}

    def notes(self, key):
        """The processes' notes of a key."""
        return [value for name, value in self.properties.items() if name.startswith("process.") and name.endswith("." + key)]

    def of(self, *categories):
        return [one for one in self.events if one.get("ph") == "X" and one.get("cat") in categories]

    def kernels(self):
        return self.of("kernel")

    def calls(self):
        return {one["args"]["correlation"]: one for one in self.of("cuda_runtime", "cuda_driver") if "correlation" in one.get("args", {})}

    def counters(self, name):
        """Label to values of the counters of a name."""
        values = {}
        for one in self.events:
            if one.get("ph") == "C" and str(one.get("name", "")).startswith(name + "{"):
                values.setdefault(one["name"][len(name):], []).append(float(one["args"]["value"]))
        return values


def correlation(event):
    return event.get("args", {}).get("correlation")


def compare_profiles(alone, beside, ours, truth):
    """The program's own profile with the agent has as many kernels of the same names as without it. The agent has only the kernels before and after
    the profile, because only one client receives records at a time."""
    without, with_agent = alone.kernels(), beside.kernels()
    if not without:
        return FAIL, "torch.profiler recorded no kernel"
    names = {one["name"] for one in without} == {one["name"] for one in with_agent}
    outside = adds(ours)
    right = len(without) == len(with_agent) and names and outside == truth["outside"]
    return verdict(right), "torch.profiler %d kernels, %d without the agent, %s names; the agent %d of %d around it" % (
        len(with_agent), len(without), "same" if names else "other", outside, truth["outside"])


def adds(trace):
    return sum(1 for one in trace.kernels() if ADD in one["name"] and "FillFunctor" not in one["name"])


def verdict(right):
    return PASS if right else FAIL


def count_adds(trace, truth):
    """Compares the kernels that a program reports as launched with the recorded ones."""
    found = adds(trace)
    right = found == truth["kernels"]
    return verdict(right), "%d kernels of %d" % (found, truth["kernels"])


def count_without_cudart(trace, truth):
    """As above. If the machine has libcupti only in Python's packages, such a program finds none."""
    none = [one["why"] for one in trace.coverage if NO_LIBCUPTI in one.get("why", "")]
    return (UNPROVEN, none[0]) if none else count_adds(trace, truth)


def clock_order(trace):
    """No operation begins before its launch; also the shortest delay after it."""
    calls = trace.calls()
    pairs = [(one["ts"] - calls[correlation(one)]["ts"], one["name"]) for one in trace.of("kernel", "gpu_memcpy", "gpu_memset") if correlation(one) in calls]
    if not pairs:
        return FAIL, "no operation has its launch"
    early = [one for one in pairs if one[0] < 0]
    return verdict(not early), "%d of %d operations before their launch; soonest %.1f us after it" % (len(early), len(pairs), min(pairs)[0])


def graph_replays(trace, truth):
    """Each replay has its kernels, and the device counts as busy inside replays that directly follow each other."""
    launches = {number for number, call in trace.calls().items() if "GraphLaunch" in call["name"]}
    kernels = [one for one in trace.kernels() if correlation(one) in launches]
    wanted = truth["replays"] * truth["in_replay"]
    right = len(launches) == truth["replays"] and len(kernels) == wanted
    busy_us = union_us(kernels)
    span_us = max((one["ts"] + one["dur"] for one in kernels), default=0) - min((one["ts"] for one in kernels), default=0)
    return verdict(right), "%d replays of %d, %d kernels of %d in them, busy %.0f %% of their span" % (
        len(launches), truth["replays"], len(kernels), wanted, 100 * busy_us / span_us if span_us else 0)


def union_us(events):
    total, end = 0.0, float("-inf")
    for one in sorted(events, key=lambda event: event["ts"]):
        begin, finish = max(one["ts"], end), one["ts"] + one["dur"]
        total += max(0.0, finish - begin)
        end = max(end, finish)
    return total


def copies(trace, truth):
    """Checks copies by direction and kind of memory, with their bytes."""
    problems, said = [], []
    for direction, host in (("HtoD", "Pageable"), ("HtoD", "Pinned"), ("DtoH", "Pageable"), ("DtoH", "Pinned")):
        ours = [one for one in trace.of("gpu_memcpy") if direction in one["name"] and host in one["name"] and one["args"].get("bytes") == truth["bytes"]]
        said.append("%s %s %d" % (host.lower(), direction, len(ours)))
        if len(ours) != truth["copies"]:
            problems.append(host + direction)
    return verdict(not problems), "%s; %d each are right" % (", ".join(said), truth["copies"])


def several_processes(trace, truth):
    state, said = count_adds(trace, truth)
    owners = {one["pid"] for one in trace.of("cuda_runtime", "cuda_driver") if "LaunchKernel" in one["name"]}  # correlation ids may recur
    right = state == PASS and len(owners) == truth["processes"]
    return verdict(right), "%s, of %d processes of %d" % (said, len(owners), truth["processes"])


def streams(trace, truth):
    """Launches and the NVTX range on the kernel's id of their thread, the main one where the program names none; streams that wait for events."""
    def right_thread(one):
        return one["tid"] == truth.get("thread", one["pid"])

    launches = sum(1 for one in trace.of("cuda_runtime", "cuda_driver") if "LaunchKernel" in one["name"] and right_thread(one))
    ranges = sum(1 for one in trace.of("user_annotation") if one["name"] == truth["range"] and right_thread(one))
    waits = sum(1 for one in trace.of("cuda_sync") if one["name"] == "Stream Wait Event")
    right = launches >= truth["launches"] and ranges == 1 and waits == truth["waits"]
    return verdict(right), "%d launches of %d or more and %d range of 1 on the right thread, %d waits of %d for events" % (
        launches, truth["launches"], ranges, waits, truth["waits"])


def brief_threads(trace, truth):
    """Launches on the kernel's id of their thread, although later threads had the same pthread id."""
    launches = collections.Counter(one["tid"] for one in trace.of("cuda_runtime") if "LaunchKernel" in one["name"])
    right = sum(1 for thread in truth["threads"] if launches[thread] == truth["launches"])
    return verdict(right == len(truth["threads"])), "%d threads of %d have their own %d launches" % (right, len(truth["threads"]), truth["launches"])


def held_up(trace):
    """Milliseconds by which the agent delayed the program, at its start and at its end; None if it did not record."""
    ours = [one for one in trace.overheads if one.get("recorder") == "cuda-agent"]
    return sum(one["held_up_ns"] for one in ours) / 1e6 if ours else None


def driver_counters(trace, truth):
    """Checks the utilisation of a busy device, and compares its memory with CUDA's figure."""
    busy = trace.counters("nvml.utilisation_ratio")
    total = trace.counters("nvml.memory_total_bytes")
    if not busy or not total:
        return FAIL, "no counter nvml.utilisation_ratio or nvml.memory_total_bytes"
    most = max(max(values) for values in busy.values())
    bytes_off = min(abs(max(values) / truth["memory_total_bytes"] - 1) for values in total.values())
    right = most >= BUSY_LEAST and bytes_off <= MEMORY and len(total) == truth["devices"]
    return verdict(right), "%d devices of %d, busiest %.0f %%, memory off by %.2f %%" % (len(total), truth["devices"], 100 * most, 100 * bytes_off)


def stand_in_counters(trace):
    """Checks the counters of the two devices of the tests' stand-in for the driver's library."""
    busy, total = trace.counters("nvml.utilisation_ratio"), trace.counters("nvml.memory_total_bytes")
    right = [*busy] == ['{device="0"}'] and all(0.4 <= one < 0.5 for one in busy['{device="0"}']) and sorted(total) == ['{device="0"}', '{device="1"}']
    right = right and all(one == 80 << 30 for values in total.values() for one in values)
    return verdict(right), "utilisation of %d devices, %d readings; memory of %d" % (len(busy), sum(map(len, busy.values())), len(total))


def stand_in_device(trace, truth):
    """Checks the agent's records of the tests' stand-in for CUDA, with the comparisons for a real device."""
    names = {one["name"] for one in trace.kernels()}
    moved = [one for one in trace.of("gpu_memcpy") if one["args"].get("bytes") == truth["bytes"]]
    whole = len(trace.kernels()) == truth["kernels"] and names == truth["names"] and len(moved) == truth["copies"]
    order, ordered = clock_order(trace)
    replays, replayed = graph_replays(trace, truth)
    joined, joins = streams(trace, truth)
    return verdict(whole and order == replays == joined == PASS), "%d kernels of %d, %d copies of %d, %s names; %s; %s; %s" % (
        len(trace.kernels()), truth["kernels"], len(moved), truth["copies"], "the right" if names == truth["names"] else "other", ordered, replayed, joins)


def log_settings(file):
    """Settings that make libcupti write its own log, in NVIDIA's format, for the file that NVLOG_CONFIG_FILE names."""
    return "$ %s\nForceFlush\nFormat $sev|${name:0}|$text\n+ 100wef global\n" % file


def own_log(file):
    """The first sentences of libcupti's own log, each once."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        lines = []
    sentences = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    more = ["and %d more" % (len(sentences) - LOGGED)] if len(sentences) > LOGGED else []
    return "CUPTI's own log: " + (", ".join([*sentences[:LOGGED], *more]) or "nothing written")


def diagnosis(trace):
    """The agent's library and its refusals, the duration of flushes, and how many of the agent's own calls were recorded."""
    refused = [one["why"] for one in trace.coverage if one.get("source") == "cuda-agent" and one.get("why")]
    library, flushes = trace.notes("cupti"), trace.notes("cuda_flushes")
    counts = [(int(one.split(",")[0]), int(one.split("; ")[1].split()[0])) for one in flushes]
    heard = bool(counts) and all(rounds >= FLUSHES and calls >= HEARD * rounds for rounds, calls in counts)
    right = bool(library) and heard and not refused and bool(trace.kernels())
    return verdict(right), "; ".join(["libcupti: " + (library[0] if library else "none"), *refused, "flushes: " + (flushes[0] if flushes else "none")])


def graphs_in_windows(trace, truth):
    """Replays are recorded with all their kernels, in some windows and not between them. Launches and kernels may share one id (CUPTI before CUDA 13.1
    Update 1), and kernels of earlier launches are recorded too, so numbers are compared."""
    times = sorted(one["ts"] for one in trace.of("cuda_runtime", "cuda_driver") if one["name"] == "cudaGraphLaunch")
    replays = sum(1 for one in trace.kernels() if "graph" in one["args"].get("detail", "")) / truth["in_replay"]
    pauses = sum(1 for first, second in zip(times, times[1:]) if second - first > PAUSE_US)
    right = pauses > 0 and 0 < len(times) < truth["replays"] and COMPLETE * len(times) <= replays <= truth["replays"]
    return verdict(right), "%d launches of %d recorded, in %d windows; kernels of %.0f replays" % (len(times), truth["replays"], pauses + 1, replays)


def compiled(trace, truth):
    """Replays of torch.compile have kernels; their number depends on PyTorch."""
    launches = {number for number, call in trace.calls().items() if "GraphLaunch" in call["name"]}
    owned = {correlation(one) for one in trace.kernels()} & launches
    right = len(launches) >= truth["replays"] and len(owned) == len(launches)
    return verdict(right), "%d replays of %d or more, %d with kernels" % (len(launches), truth["replays"], len(owned))


def beside_subscriber(trace, truth):
    """The program's profiler, which uses CUPTI's interface for several subscribers, saw kernels; and the agent saw all, or those before the profile where
    CUPTI has one receiver."""
    library = (trace.notes("cupti") or ["none"])[0]
    subscribed = library.endswith("one of several subscribers")
    found, wanted = len(trace.kernels()), truth["before"] + (truth["profiled"] + truth["after"] if subscribed else 0)
    right = found >= wanted and truth["seen"] > 0
    return verdict(right), "%d kernels of %d or more, %d seen by the program's profiler; libcupti: %s" % (found, wanted, truth["seen"], library)


def idle(trace, truth):
    """There is work before and after a pause, and no interval in the pause is reported as lost."""
    state, said = count_adds(trace, truth)
    lost = [one["why"] for one in trace.coverage if "not known" in one.get("why", "")]
    starts = sorted(one["ts"] for one in trace.kernels())
    pause_s = max((b - a for a, b in zip(starts, starts[1:])), default=0) / 1e6
    right = state == PASS and not lost and abs(pause_s - truth["idle_s"]) < 0.5
    return verdict(right), "%s; longest pause %.1f s of %.1f; %s" % (said, pause_s, truth["idle_s"], lost[0] if lost else "nothing lost")


def windows(trace):
    """Half of each second is recorded: windows with kernels and pauses have this length."""
    starts = sorted(one["ts"] / 1e6 for one in trace.kernels())
    pauses = [b - a for a, b in zip(starts, starts[1:]) if b - a > 0.25]
    right = len(pauses) >= 2 and all(0.3 < one < 0.75 for one in pauses)
    return verdict(right), "%d kernels, pauses of %s s" % (len(starts), ", ".join("%.2f" % one for one in pauses))


def attached(trace, truth, seconds):
    """Some kernels of a program that ran before and after, over at least half of the requested time."""
    found, starts = adds(trace), [one["ts"] / 1e6 for one in trace.kernels()]
    span_s = max(starts, default=0) - min(starts, default=0)
    right = 0 < found < truth["kernels"] and span_s >= seconds / 2
    return verdict(right), "%d kernels of %d, over %.1f s of %.1f" % (found, truth["kernels"], span_s, seconds)


def newest(trace, truth):
    """The last kernels are there, but the first are not."""
    found = adds(trace)
    launches, kernels = trace.of("cuda_runtime"), trace.kernels()
    last_us = max((one["ts"] for one in launches), default=0)
    near = kernels and max(one["ts"] for one in kernels) >= last_us - 1e6
    right = 0 < found < truth["kernels"] and bool(near)
    return verdict(right), "%d kernels of %d, the last ones %s" % (found, truth["kernels"], "among them" if near else "not among them")


def quartile(values):
    return sorted(values)[len(values) // 4]


def overhead(plain, others, limit):
    """Seconds of runs in turns, without recording and, by kind, with: the first kind may be slower by the limit. It fails if three of four pairs are above
    the limit. It is undecided if only the median is above the limit, or if the runs without recording differ too much."""
    ratios = {kind: [b / a - 1 for a, b in zip(plain, seconds)] for kind, seconds in others.items()}
    first = next(iter(ratios.values()))
    median, low = statistics.median(first), quartile(first)
    steady = len(plain) > 2 and max(plain) / min(plain) - 1 <= 2 * limit
    state = PASS if median <= limit else FAIL if low > limit and (steady or low > FAR_ABOVE) else UNPROVEN
    said = ["%s %+.1f %% (%+.1f to %+.1f)" % (kind, 100 * statistics.median(one), 100 * min(one), 100 * max(one)) for kind, one in ratios.items()]
    return state, "%s, medians of %d pairs; without recording %.3f to %.3f s%s" % (
        ", ".join(said), len(plain), min(plain), max(plain), "; too noisy to judge" if state == UNPROVEN else "")


def table(rows, about):
    """The table as Markdown; rows of (what, state, figures)."""
    lines = ["# GPU check", "", about, "", "| check | result | figures |", "|---|---|---|"]
    lines += ["| %s | %s | %s |" % (what, state, figures.replace("|", "\\|")) for what, state, figures in rows]
    counts = [sum(1 for row in rows if row[1] == state) for state in (PASS, FAIL, UNPROVEN)]
    return "\n".join(lines + ["", "%d pass, %d fail, %d unproven" % tuple(counts), ""])
