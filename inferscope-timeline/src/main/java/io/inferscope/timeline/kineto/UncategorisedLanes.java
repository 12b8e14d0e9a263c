package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LaunchCalls;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.importer.CorrelationLinker;
import io.inferscope.timeline.traceevent.Arg;
import io.inferscope.timeline.traceevent.TraceEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Lanes of devices whose events have no category of Kineto's that says so: those of Ascend's {@code trace_view.json}, of
 * rocprof's {@code results.json}, and of programs that draw their device by hand. Until the end of the document they are
 * threads of processes, because names may come after events. Then these are streams of a device:
 *
 * <pre>
 *   threads of a process named or labelled as a device     "6 GPU0", "Ascend Hardware" (label NPU)
 *   a thread whose events have a device's word in theirs   "gpu_kernel", "gpu_op"; "gpu", where they do not nest
 *   a thread named as a stream, or of kernels' arguments   "CUDA stream 7", "GPU"; grid; where they do not nest
 *   a thread of work that calls on other threads launch    hipLaunchKernel and the work have one id
 * </pre>
 *
 * <p>Where events of a process are device work by their categories, its others are what theirs say. A document without
 * such lanes costs a look at each of its tracks.
 */
final class UncategorisedLanes {
    /** What the threads of a process are. */
    private enum Role {
        /** Streams of a device. */
        DEVICE,
        /** Streams of copies of the only device. */
        COPIES,
        /** Collectives as a whole, and once more the tasks that streams of the only device show. */
        COLLECTIVES,
        /** Computed from other lanes. */
        DERIVED
    }

    /** A role, and the names and labels of its processes. */
    private record Named(Role role, Pattern name, Pattern label) {
        Named(Role role, String name, String label) {
            this(role, Pattern.compile("(?i)" + name), Pattern.compile("(?i)" + label));
        }
    }

    private static final String DEVICE = "(?:gpu|npu|xpu|hpu|mlu|gcu|dcu|ipu|mtia|musa)";

    private static final String SEPARATOR = "[_ .:-]*";

    /** The first row whose patterns match decides. */
    private static final List<Named> ROLES = List.of(
            new Named(Role.DERIVED, "overlap analysis", ".*"),
            new Named(Role.COLLECTIVES, "hccl|communication", ".*" + DEVICE + ".*"),
            new Named(Role.COPIES, "\\d+ copy", ""),
            new Named(Role.DEVICE, "(?:nv|amd|cuda|hip|metal|cl|qcom|webgpu)(?::\\d+)?", ""), // tinygrad
            new Named(Role.DEVICE, "neuron ?core[ #_-]*\\d+|(?:\\w+ )?device[ :#_-]*\\d+", ".*"),
            new Named(Role.DEVICE, "ascend hardware|(?:\\d+ )?" + DEVICE + "[ :#_-]*\\d*(?: ?[(<].*[)>])?", ".*"),
            new Named(Role.DEVICE, ".*", "(?:\\w+ )?" + DEVICE + "(?: ?\\d+)?"));

    /** Names of threads that programs draw for a device. */
    private static final Pattern STREAM = Pattern.compile("(?i)" + DEVICE
            + "([ :#_-]*(\\d+|kernels?|compute|ops?|work|activity|timeline|stream|queue))*"
            + "|(?:cuda|hip|compute|copy)[ _-]*(?:stream|queue)[ #_-]*\\d*|stream[ #]+\\d+");

    /** Patterns that only traces with such lanes need. */
    private static final class Names {
        private static final Pattern NO_GPU =
                Pattern.compile("(?i)ascend hardware|\\b(npu|hpu|mlu|gcu|ipu|mtia|neuron|gaudi)");
        private static final Pattern NUMBER = Pattern.compile("\\d+$");

        private static final String OF_NO_CALL =
                "(?i)(?!.*(launch|api|call|submit|queue|(?<!kernel[_ ])dispatch|host|cpu))";

        /** Categories of work of a device. */
        private static final Pattern WORK = Pattern.compile(OF_NO_CALL + ".*(" + DEVICE + SEPARATOR
                + "(op|task|exec|comput|activit|work|copy|stream)|(" + DEVICE
                + "|cuda|hip|rocm|sycl|opencl|metal|device)" + SEPARATOR + "(kernel|mem_?(cpy|set))).*");

        /** Categories of what has to do with a device: in a browser, code of the host. */
        private static final Pattern ABOUT = Pattern.compile(OF_NO_CALL + "(?:.*[^a-z])?" + DEVICE + "(?:[^a-z].*)?");

        private static final Pattern COLLECTIVE =
                Pattern.compile("(?i)hcom_|all_?reduce|all_?gather|reduce_?scatter|broadcast|all_?to_?all|send|recv");

        /** Tracers that show the stages of a command name them so: what is queued does not run. */
        private static final Pattern QUEUED = Pattern.compile("\\((?:Queued|Submitted)\\)$");

        /** Calls of runtimes and drivers, by their prefixes and the capital letter that follows: {@code mc_dropout} is none. */
        private static final Pattern CALL = Pattern.compile(
                "(?:(?:cuda|hip|hsa|cu|musa|mu|mc|tops|cnrt|aclrt|ur|ze|syn|vk|cl)[A-Z]|hsa_)\\w*(?:\\( .*)?|(?:AscendCL|Runtime|Node|Model)@.*");

        private Names() {}
    }

    /** Operations of a stream run one after the other; as many of them may overlap because of their stamps. */
    private static final double MOST_NESTED = 0.1;

    /** Of the ranges of a thread as many have a category of a device. */
    private static final double LEAST_OF_DEVICE = 0.9;

    /** Fewer ranges need not show what they are on. */
    private static final int LEAST_RANGES = 100;

    /** Numbers of threads that an operating system gives, other than those in small containers. */
    private static final Pattern OF_SYSTEM = Pattern.compile("\\d{3,}|0x.*");

    /** Launches beyond this number have no connection. */
    private static final int MOST_FLOWS = 1_000_000;

    /** Further categories tell nothing. */
    private static final int MOST_CATEGORIES = 10_000;

    private final TimelineBuilder builder;
    private final KinetoTracks tracks;
    private final CorrelationLinker linker;
    private final Map<String, List<Flow>> flows = new HashMap<>();
    private boolean connected;

    /** Rows whose categories tell of work of a device, or have to do with one. */
    private final BitSet work = new BitSet();

    private final BitSet about = new BitSet();
    private final Map<String, Optional<BitSet>> byCategory = new HashMap<>();

    /** Names of ranges that were compared with those of launches, until one is such a call. */
    private final Set<String> seen = new HashSet<>();

    private boolean launches;

    /** Whether anything but ranges without a category is on a thread. */
    private boolean ofRecorder;

    /** Whether ranges of threads have categories that have to do with a device. */
    private boolean onThreads;

    /** One end of a flow. */
    private record Flow(String pid, String tid, long tsNs) {}

    /** A thread and an instant. */
    private record Start(int track, long startNs) {}

    UncategorisedLanes(TimelineBuilder builder, KinetoTracks tracks, CorrelationLinker linker) {
        this.builder = builder;
        this.tracks = tracks;
        this.linker = linker;
    }

    void clear() {
        flows.clear();
        connected = false;
        work.clear();
        about.clear();
        seen.clear();
        launches = false;
        onThreads = false;
        ofRecorder = false;
    }

    /** Takes a range of a thread whose category is not one of work of a device. */
    void range(TraceEvent event, int row) {
        tell(event, row);
        onThreads |= about.get(row) && !event.category().isEmpty();
        long id = event.number(Arg.ID, -1);
        if (event.category().isEmpty() && !event.has(Arg.CORRELATION) && id >= 0) {
            builder.correlation(row, id + 1); // 0 is none.
            connected = true;
        }
        launches |= !launches && seen.add(event.name()) && LaunchCalls.contains(event.name());
    }

    /** Takes a row of another kind than the range of a program. */
    void other(RowKind kind) {
        ofRecorder |= !kind.isOnStream();
    }

    private void tell(TraceEvent event, int row) {
        String category = event.category();
        ofRecorder |= !category.isEmpty();
        if (category.isEmpty()) {
            // A request to a model is a stream, too, if its answer is: "stream":true.
            String stream = event.text(Arg.STREAM, "");
            about.set(row, event.has(Arg.GRID) || (!stream.isEmpty() && Character.isDigit(stream.charAt(0))));
        } else {
            Optional<BitSet> rows = byCategory.size() < MOST_CATEGORIES
                    ? byCategory.computeIfAbsent(category, this::ofCategory)
                    : byCategory.getOrDefault(category, Optional.empty());
            rows.ifPresent(told -> told.set(row));
        }
    }

    private Optional<BitSet> ofCategory(String category) {
        return Names.WORK.matcher(category).matches()
                ? Optional.of(work)
                : Names.ABOUT.matcher(category).matches() ? Optional.of(about) : Optional.empty();
    }

    /** Takes an asynchronous range. In a browser, categories of the host's threads have to do with a device. */
    void asynchronous(TraceEvent event, int row) {
        if (event.category().isEmpty() || !onThreads) {
            tell(event, row);
        }
    }

    /** Takes an end of a flow whose id is read. */
    void flow(TraceEvent event) {
        if (flows.size() < MOST_FLOWS) {
            flows.computeIfAbsent(event.category() + ' ' + event.text(Arg.ASYNC_ID, ""), id -> new ArrayList<>(2))
                    .add(new Flow(event.pid(), event.tid(), event.tsNs()));
        }
    }

    /** Takes the kind of a row with a correlation id. */
    void correlated(RowKind kind) {
        connected |= kind == RowKind.ANNOTATION;
    }

    /**
     * Says of a document of ranges alone which lanes they are on, if nothing shows that these are threads: neither do any
     * nest, as calls do, nor are their numbers those of an operating system, nor are they labelled.
     */
    private void sayUnknown() {
        Set<String> unknown = new LinkedHashSet<>();
        long[] endNs = new long[builder.tracks().size()];
        for (int row : byStart()) {
            Track lane = builder.tracks().get(builder.trackAt(row));
            String process =
                    lane.parent() < 0 ? "" : builder.tracks().get(lane.parent()).key();
            if (builder.startNsAt(row) < endNs[lane.id()]
                    || lane.kind() != TrackKind.THREAD
                    || OF_SYSTEM.matcher(lane.key()).matches()
                    || !tracks.processLabel(process).isEmpty()) {
                return;
            }
            endNs[lane.id()] = builder.endNsAt(row);
            unknown.add(lane.name());
        }
        if (unknown.size() > 1) {
            builder.property(TimelineInfo.UNKNOWN_LANES, String.join(", ", unknown));
        }
    }

    private int[] byStart() {
        return IntStream.range(0, builder.rowCount())
                .filter(this::isRange)
                .boxed()
                .sorted(Order.comparingLong(builder::startNsAt))
                .mapToInt(row -> row)
                .toArray();
    }

    /** Moves the rows of devices to streams, and adds them and their calls to the linker; returns whether there are any. */
    boolean finish() {
        @Nullable Role[] roles = named();
        if (!flows.isEmpty()) {
            connect();
        }
        boolean named = builder.tracks().stream().anyMatch(UncategorisedLanes::isNamedStream);
        if (named || !work.isEmpty() || !about.isEmpty()) {
            addTold(roles);
        }
        if (connected) {
            addLaunched(roles);
        }
        boolean lanes = Arrays.stream(roles).anyMatch(Objects::nonNull);
        if (!launches && !lanes) {
            if (!ofRecorder && builder.rowCount() >= LEAST_RANGES) {
                sayUnknown();
            }
            return false;
        }
        Map<Integer, Integer> streams = new HashMap<>();
        Set<Long> launched = new HashSet<>();
        for (int row = 0; row < builder.rowCount(); row++) {
            Role role = mayBeOfDevice(row) ? roles[builder.trackAt(row)] : null;
            if (role != null) {
                launched.add(builder.correlationAt(row));
                int stream = streams.computeIfAbsent(builder.trackAt(row), thread -> stream(roles, role, thread));
                move(row, role, stream);
            }
        }
        for (int row = 0; row < builder.rowCount(); row++) {
            if (isRange(row) || isCall(row)) {
                call(row, launched);
            }
        }
        return lanes;
    }

    /** Python functions are of the host even on a device's process: Kineto puts those that began before it there. */
    private boolean mayBeOfDevice(int row) {
        return isRange(row) || builder.kindAt(row) == RowKind.OPERATOR;
    }

    /** Intel's unitrace gives calls the category of operators. */
    private boolean isCall(int row) {
        return builder.kindAt(row) == RowKind.OPERATOR && isCall(name(row));
    }

    private static boolean isCall(String name) {
        return Names.CALL.matcher(name).matches();
    }

    private boolean isRange(int row) {
        return builder.kindAt(row) == RowKind.ANNOTATION;
    }

    /** Returns the role of each process and thread whose process is named or labelled as a device; null for others. */
    private @Nullable Role[] named() {
        List<Track> all = builder.tracks();
        @Nullable Role[] roles = new Role[all.size()];
        for (Track track : all) { // A process comes before its threads.
            boolean hasCategories = builder.knownTrack(TrackKind.DEVICE, -1, track.key()) >= 0;
            if (track.kind() == TrackKind.PROCESS && !hasCategories) {
                roles[track.id()] = role(track.name(), tracks.processLabel(track.key()));
            } else if (track.kind() == TrackKind.THREAD && track.parent() >= 0) {
                roles[track.id()] = roles[track.parent()];
            }
        }
        return roles;
    }

    private static @Nullable Role role(String name, String label) {
        for (Named known : ROLES) {
            if (known.name.matcher(name).matches() && known.label.matcher(label).matches()) {
                return known.role;
            }
        }
        return null;
    }

    /** Gives the rows at both ends of a flow one correlation id, unless they have any. */
    private void connect() {
        Map<Start, Integer> rows = new HashMap<>();
        for (int row = 0; row < builder.rowCount(); row++) {
            if (isRange(row) || isCall(row)) {
                rows.put(new Start(builder.trackAt(row), builder.startNsAt(row)), row);
            }
        }
        long id = 0;
        for (List<Flow> ends : flows.values()) {
            id++;
            for (Flow end : ends) {
                Integer row = rows.get(new Start(tracks.knownThread(end.pid, end.tid), end.tsNs));
                if (row != null && builder.correlationAt(row) == 0) {
                    builder.correlation(row, id);
                    connected = true;
                }
            }
        }
    }

    /** Adds the threads of rows that calls on other threads launched. Some tracers give a copy the name of its call. */
    private void addLaunched(@Nullable Role[] roles) {
        Map<Long, Integer> launches = new HashMap<>();
        for (int row = 0; row < builder.rowCount(); row++) {
            if ((isRange(row) || isCall(row)) && builder.correlationAt(row) != 0 && LaunchCalls.contains(name(row))) {
                launches.merge(
                        builder.correlationAt(row),
                        row,
                        (a, b) -> builder.startNsAt(a) <= builder.startNsAt(b) ? a : b);
            }
        }
        BitSet callers = new BitSet();
        launches.values().forEach(row -> callers.set(builder.trackAt(row)));
        for (int row = 0; row < builder.rowCount() && !launches.isEmpty(); row++) {
            boolean launched = isRange(row) && launches.containsKey(builder.correlationAt(row));
            if (launched && !callers.get(builder.trackAt(row))) {
                roles[builder.trackAt(row)] = Role.DEVICE;
            }
        }
    }

    private static boolean isNamedStream(Track track) {
        return track.kind() == TrackKind.THREAD && STREAM.matcher(track.name()).matches();
    }

    /** Adds the threads that are named as streams, or whose ranges have categories of a device. */
    private void addTold(@Nullable Role[] roles) {
        int[] all = new int[roles.length];
        int[] ofWork = new int[roles.length];
        int[] ofDevice = new int[roles.length];
        int[] nested = new int[roles.length];
        long[] endNs = new long[roles.length];
        Arrays.fill(endNs, Long.MIN_VALUE);
        for (int row : byStart()) {
            int track = builder.trackAt(row);
            all[track]++;
            ofWork[track] += work.get(row) ? 1 : 0;
            ofDevice[track] += (work.get(row) || about.get(row)) && !isCall(name(row)) ? 1 : 0;
            nested[track] += builder.startNsAt(row) < endNs[track] ? 1 : 0;
            endNs[track] = Math.max(endNs[track], builder.endNsAt(row));
        }
        for (int track = 0; track < roles.length; track++) {
            boolean isWork = ofWork[track] >= LEAST_OF_DEVICE * all[track];
            boolean isAbout = ofDevice[track] >= LEAST_OF_DEVICE * all[track];
            boolean isStream = (isAbout || isNamedStream(builder.tracks().get(track)))
                    && nested[track] <= MOST_NESTED * all[track];
            if (all[track] > 0 && roles[track] == null && (isWork || isStream)) {
                roles[track] = Role.DEVICE;
            }
        }
    }

    private String name(int row) {
        return builder.text(builder.nameIdAt(row));
    }

    /** Returns the key of the device of a thread; what belongs to no device by its name is the only one's. */
    private String key(@Nullable Role[] roles, Role role, Track thread) {
        List<Track> devices = builder.tracks().stream()
                .filter(track -> track.kind() == TrackKind.PROCESS
                        && track.id() < roles.length
                        && roles[track.id()] == Role.DEVICE)
                .toList();
        Track parent = thread.parent() < 0 ? thread : builder.tracks().get(thread.parent());
        if (role == Role.DEVICE && roles[parent.id()] == null) {
            return ofHost(roles) ? "0" : parent.key();
        }
        boolean only = devices.size() == 1;
        Track process = only && role != Role.DEVICE ? devices.get(0) : parent;
        String number = number(process);
        return word(process) + (!number.isEmpty() ? number : only ? "0" : process.key());
    }

    /** Returns whether all lanes of devices are threads of one process that is none. */
    private boolean ofHost(@Nullable Role[] roles) {
        return builder.tracks().stream()
                        .filter(track -> track.id() < roles.length && roles[track.id()] == Role.DEVICE)
                        .mapToInt(track -> track.kind() == TrackKind.PROCESS ? -1 : track.parent())
                        .distinct()
                        .count()
                == 1;
    }

    /** Returns what begins the key of a device that is no GPU, as in {@code NPU:0}. */
    private String word(Track process) {
        Matcher word = Names.NO_GPU.matcher(process.name() + ' ' + tracks.processLabel(process.key()));
        return !word.find()
                ? ""
                : word.group(1) == null ? "NPU:" : word.group(1).toUpperCase(Locale.ROOT) + ':';
    }

    private String number(Track process) {
        Matcher number = Names.NUMBER.matcher(process.name().equals(process.key()) ? "" : process.name());
        return number.find() ? number.group() : "";
    }

    private int stream(@Nullable Role[] roles, Role role, int thread) {
        Track track = builder.tracks().get(thread);
        String lane = role == Role.DEVICE ? track.key() : role.name().toLowerCase(Locale.ROOT) + ' ' + track.key();
        return tracks.stream(key(roles, role, track), lane);
    }

    private void move(int row, Role role, int stream) {
        boolean repeats = role == Role.DERIVED
                || Names.QUEUED.matcher(name(row)).find()
                || (role == Role.COLLECTIVES
                        && !Names.COLLECTIVE.matcher(name(row)).find());
        RowKind kind = repeats ? RowKind.DEVICE_ANNOTATION : DeviceTasks.kind(name(row));
        if (repeats) {
            builder.stats().count(Reason.OVERLAY, -1, "");
        }
        builder.move(row, stream);
        builder.kind(row, kind);
        connect(row, kind);
    }

    private void connect(int row, RowKind kind) {
        long correlation = builder.correlationAt(row);
        if (correlation != 0) {
            linker.add(row, kind, CorrelationLinker.ONE_PROCESS, correlation);
        }
    }

    private void call(int row, Set<Long> launched) {
        String name = name(row);
        long correlation = builder.correlationAt(row);
        if ((correlation != 0 && launched.contains(correlation)) || isCall(name)) {
            RowKind kind = name.contains("GraphLaunch") ? RowKind.GRAPH_LAUNCH : RowKind.RUNTIME_CALL;
            builder.kind(row, kind);
            connect(row, kind);
        }
    }
}
