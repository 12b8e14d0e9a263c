package io.inferscope.timeline.spool;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceCounters;
import io.inferscope.timeline.DeviceWindows;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RecordingPace;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.clock.ClockAnchor;
import io.inferscope.timeline.clock.ClockMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The facts of all spools of one run: its processes, thread names and clock anchors. */
final class SpoolRun {
    private final TimelineBuilder builder;
    private final Map<Integer, RunProcess> processes = new TreeMap<>();
    private final Map<Integer, Boolean> namedFromInside = new HashMap<>();
    private final List<ClockAnchor> anchors = new ArrayList<>();
    private final List<ClockAnchor> fallbackAnchors = new ArrayList<>();
    private final List<OpenSpan> openSpans = new ArrayList<>();

    private final HandOvers handOvers = new HandOvers();
    private final Requests requests = new Requests();
    private final NvtxRanges nvtxRanges = new NvtxRanges();
    private final BriefThreads briefThreads = new BriefThreads();
    private final RunDevices devices = new RunDevices();
    private final Map<Integer, String> ranks = new HashMap<>();
    private final Map<Integer, String> roles = new HashMap<>();
    private final Map<String, Coverage> coverage = new TreeMap<>();
    private final Map<Integer, TreeSet<Long>> boots = new HashMap<>();
    private final List<Interpreter> interpreters = new ArrayList<>();

    /**
     * The note with a process' rank: its part of a model or of the data. Viewers and reports show it in the process'
     * name.
     */
    private static final String RANK = "rank";

    /**
     * The note with what a process is for. An engine's hooks note several words ({@code vllm engine core}), which say
     * more than the name of the interpreter; the host collector notes one word, how the process was started.
     */
    private static final String ROLE = "role";

    /** A property of timelines: time in ns in which the program ran but device work was not recorded. */
    private static final String DEVICE_UNRECORDED = "inferscope.device_unrecorded_ns";

    /** A property of timelines: such time is due to invalid stamps of device work. */
    private static final String DEVICE_INVALID = "inferscope.device_stamps_invalid";

    private final List<ClockDomain> deviceClocks = new ArrayList<>();
    private long deviceUnrecordedNs;
    private final List<RecordingPace> sampling = new ArrayList<>();
    private final Map<Integer, List<RecordingPace>> paces = new TreeMap<>();
    private final Intervals.Builder deviceWindows = new Intervals.Builder(4);
    private long devicesFromNs = Long.MIN_VALUE;
    private long cutNs = RecordedPart.WHOLE;

    private final UnusedSpace unusedSpace = new UnusedSpace();

    private record OpenSpan(int row, int pid, long lastNs) {}

    private record Interpreter(int pid, int tid, int row) {}

    SpoolRun(TimelineBuilder builder) {
        this.builder = builder;
    }

    TimelineBuilder builder() {
        return builder;
    }

    UnusedSpace unusedSpace() {
        return unusedSpace;
    }

    int thread(int pid, int tid) {
        return builder.track(TrackKind.THREAD, processTrack(pid), Integer.toUnsignedString(tid));
    }

    /** Returns the track of a thread that had ended before its kernel id was known. */
    int endedThread(int pid, int pthreadLow) {
        int track = builder.track(
                TrackKind.THREAD, processTrack(pid), String.format(java.util.Locale.ROOT, "pthread %08x", pthreadLow));
        builder.trackName(track, "ended thread");
        return track;
    }

    int counter(int pid, String name) {
        return builder.track(TrackKind.COUNTER, pid == 0 ? -1 : processTrack(pid), name);
    }

    int requestLane(int pid, int number) {
        return builder.track(TrackKind.REQUEST, processTrack(pid), "requests " + number);
    }

    HandOvers handOvers() {
        return handOvers;
    }

    Requests requests() {
        return requests;
    }

    NvtxRanges nvtxRanges() {
        return nvtxRanges;
    }

    BriefThreads briefThreads() {
        return briefThreads;
    }

    RunDevices devices() {
        return devices;
    }

    /** Takes a fact about a process, or about the whole run where {@code pid} is 0. */
    void note(int pid, String key, String value) {
        if (pid == 0) {
            if (!key.startsWith(DeviceCounters.UUID_NOTE)) { // Read before the records of devices, by RunDevices.
                builder.property("run." + key, value);
            }
            return;
        }
        builder.property(ProcessFact.property(Integer.toUnsignedString(pid), key), value);
        if (key.equals(RANK)) {
            ranks.put(pid, value);
        } else if (key.equals(ROLE) && value.indexOf(' ') > 0) {
            roles.put(pid, value);
        }
    }

    private int processTrack(int pid) {
        return builder.track(TrackKind.PROCESS, -1, Integer.toUnsignedString(pid));
    }

    /** Names a thread. A name given inside the process is preferred to the kernel's, which is cut after 15 bytes. */
    void threadName(int pid, int tid, String name, boolean fromInside) {
        int track = thread(pid, tid);
        if (!name.isEmpty() && (fromInside || !namedFromInside.getOrDefault(track, false))) {
            builder.trackName(track, name);
            namedFromInside.put(track, fromInside);
        }
    }

    void process(ProcessRecord seen, boolean fromInside) {
        processes.computeIfAbsent(seen.pid(), RunProcess::new).merge(seen, fromInside);
        if (fromInside) {
            boots.computeIfAbsent(seen.pid(), p -> new TreeSet<>()).add(seen.startNs());
        }
    }

    /** Notes that something happened in a process. */
    void seen(int pid, long timeNs) {
        if (pid != 0) {
            processes.computeIfAbsent(pid, RunProcess::new).seen(timeNs);
        }
    }

    void anchor(ClockAnchor anchor) {
        anchors.add(anchor);
    }

    void fallbackAnchor(ClockAnchor anchor) {
        fallbackAnchors.add(anchor);
    }

    /** Adds the clock of one process's device records with its error; of several clocks, the worst counts. */
    void deviceClock(ClockDomain domain) {
        deviceClocks.add(domain);
    }

    /**
     * Adds time in which a process ran but its device work was not recorded.
     *
     * @param byLibrary whether that is because libcupti made invalid stamps
     */
    void deviceUnrecorded(long ns, boolean byLibrary) {
        if (byLibrary) {
            builder.property(DEVICE_INVALID, "true");
        }
        deviceUnrecordedNs += ns;
        builder.property(DEVICE_UNRECORDED, Long.toString(deviceUnrecordedNs));
    }

    /**
     * Adds an interval to which device recording was limited. {@code endNs} 0 means to the end; then earlier intervals
     * of any process do not count.
     */
    void deviceWindow(long startNs, long endNs) {
        if (endNs == 0) {
            devicesFromNs = Math.max(devicesFromNs, startNs);
        } else if (startNs < endNs) {
            deviceWindows.add(startNs, endNs);
        }
    }

    /** Adds a stretch of a process in which launches were counted. */
    void devicePace(int pid, RecordingPace stretch) {
        paces.computeIfAbsent(pid, unused -> new ArrayList<>()).add(stretch);
    }

    /** Adds a stretch in which threads were sampled, or not. */
    void samplingPace(RecordingPace stretch) {
        sampling.add(stretch);
    }

    /** Notes the stretches of sampling, and those of the process that launched most. */
    private void markPaces(long originUnixNs) {
        paces.values().stream()
                .max(Order.comparingLong(
                        all -> all.stream().mapToLong(RecordingPace::launches).sum()))
                .ifPresent(all -> RecordingPace.mark(builder, all, originUnixNs));
        if (!sampling.isEmpty()) {
            RecordingPace.markSampling(builder, sampling, originUnixNs);
        }
    }

    private void markDeviceWindows(long originUnixNs) {
        Intervals windows = deviceWindows.build();
        if (windows.isEmpty() && devicesFromNs == Long.MIN_VALUE) {
            return;
        }
        Intervals rest = Intervals.of(devicesFromNs, Long.MAX_VALUE);
        Intervals known = windows.isEmpty() ? rest : windows.intersect(rest);
        if (!known.isEmpty()) {
            DeviceWindows.mark(builder, known, originUnixNs);
        }
    }

    void openSpan(int row, int pid, long lastNs) {
        openSpans.add(new OpenSpan(row, pid, lastNs));
    }

    /** Ends a row that was still open when everything was read; for {@code lastNs} see {@link #openSpan}. */
    void endOpen(int row, int pid, long lastNs) {
        builder.end(row, endOf(new OpenSpan(row, pid, lastNs)));
    }

    /**
     * An open span ends with its process, or where the process replaced its program; if neither is known, where any
     * spool last saw the process.
     */
    private long endOf(OpenSpan span) {
        RunProcess process = processes.get(span.pid());
        TreeSet<Long> programs = boots.get(span.pid());
        Long replaced = programs == null ? null : programs.higher(builder.startNsAt(span.row()));
        if (replaced != null) {
            return replaced;
        }
        return process == null ? span.lastNs() : process.endNs();
    }

    /** Adds one recorder's coverage of one process to its coverage of others. */
    void coverage(Coverage said) {
        coverage.merge(
                said.source(),
                said,
                (a, b) -> new Coverage(
                        a.source(),
                        a.recorded() + b.recorded(),
                        a.missing() + b.missing(),
                        a.why().isEmpty() ? b.why() : a.why()));
    }

    /** Notes that the host's recorder stopped at this time although the program continued. */
    void cutAt(long ns) {
        cutNs = ns;
    }

    /** Notes the range in which the probe was inside a process's interpreter. */
    void interpreter(int pid, int tid, int row) {
        interpreters.add(new Interpreter(pid, tid, row));
    }

    /** Finishes the import after all files were read. */
    void finish() {
        for (OpenSpan span : openSpans) {
            builder.end(span.row(), endOf(span));
        }
        nvtxRanges.addRows(this);
        briefThreads.addRows(builder);
        handOvers.link(builder);
        int openRequests = requests.addRows(
                this, pid -> processes.containsKey(pid) ? processes.get(pid).endNs() : 0);
        builder.stats().count(Reason.OPEN_SPAN, openRequests, -1, "request");
        coverage.values().forEach(builder::coverage);
        interpreters.forEach(this::addStartAndStop);
        processes.values().forEach(this::addProcess);
        RecordedPart.mark(builder, cutNs);
        List<ClockAnchor> all = anchors.isEmpty() ? fallbackAnchors : anchors;
        builder.clockDomain(new ClockDomain("monotonic", 0, 0));
        addDeviceClock();
        if (!all.isEmpty()) {
            ClockMap realtime = ClockMap.fit(all);
            builder.originUnixNs(realtime.originNs());
            markDeviceWindows(realtime.originNs());
            markPaces(realtime.originNs());
            builder.clockDomain(realtime.domain("realtime"));
        }
    }

    private void addDeviceClock() {
        if (!deviceClocks.isEmpty()) {
            boolean known = deviceClocks.stream().allMatch(domain -> domain.errorBoundNs() >= 0);
            long worstNs = deviceClocks.stream()
                    .mapToLong(ClockDomain::errorBoundNs)
                    .max()
                    .orElse(0);
            int anchors = deviceClocks.stream().mapToInt(ClockDomain::anchors).sum();
            builder.clockDomain(new ClockDomain(deviceClocks.get(0).name(), anchors, known ? worstNs : -1));
        }
    }

    /**
     * The probe runs from the interpreter's start-up to its shutdown. The process' time before and after that is the
     * interpreter's own work, unless the process replaced its program.
     */
    private void addStartAndStop(Interpreter interpreter) {
        RunProcess process = processes.get(interpreter.pid());
        if (process == null) {
            return;
        }
        long bootNs = builder.startNsAt(interpreter.row());
        TreeSet<Long> programs = boots.getOrDefault(interpreter.pid(), new TreeSet<>());
        if (programs.headSet(bootNs, true).size() < 2) {
            addRange("interpreter start-up", RangeActivity.LOAD, interpreter, process.startNs(), bootNs);
        }
        if (programs.higher(bootNs) == null) {
            long endNs = builder.endNsAt(interpreter.row());
            addRange(RangeActivity.SHUTDOWN, RangeActivity.INTERPRETER, interpreter, endNs, process.knownEndNs());
        }
    }

    private void addRange(String name, RangeActivity activity, Interpreter interpreter, long startNs, long endNs) {
        if (startNs < endNs) {
            int thread = thread(interpreter.pid(), interpreter.tid());
            int row = builder.row(RowKind.ANNOTATION, thread, startNs, endNs, builder.name(name));
            builder.attribute(row, Attribute.ACTIVITY, activity.ordinal());
        }
    }

    private void addProcess(RunProcess process) {
        int track = processTrack(process.pid());
        String rank = ranks.getOrDefault(process.pid(), "");
        String program = roles.getOrDefault(process.pid(), process.program());
        if (!program.isEmpty() || !rank.isEmpty()) {
            String name = program.isEmpty() ? Integer.toUnsignedString(process.pid()) : program;
            builder.trackName(track, rank.isEmpty() ? name : name + " (rank " + rank + ')');
        }
        String pid = Integer.toUnsignedString(process.pid());
        if (process.parentPid() != 0) {
            builder.property(ProcessFact.PARENT.property(pid), Integer.toUnsignedString(process.parentPid()));
        }
        if (!process.runtime().isEmpty()) {
            builder.property(ProcessFact.RUNTIME.property(pid), process.runtime());
        }
        if (process.endNs() > process.startNs()) {
            builder.row(
                    RowKind.PROCESS,
                    track,
                    process.startNs(),
                    process.endNs(),
                    builder.name(process.program().isEmpty() ? "process" : process.program()));
        }
    }
}
