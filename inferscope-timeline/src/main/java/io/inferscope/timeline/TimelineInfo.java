package io.inferscope.timeline;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where a timeline came from.
 *
 * @param format name of the format, such as {@code kineto}
 * @param originUnixNs Unix time, in ns, of the axis' zero; 0 when the axis itself is Unix time or its origin is not
 *     known
 * @param clockDomains the clocks its rows came from
 * @param coverage recorded and missed events of each recorder
 * @param overheads overhead of each recorder
 * @param properties properties of the recording, sorted by key
 * @param importStats counts of used, dropped and repaired events
 */
public record TimelineInfo(
        String format,
        long originUnixNs,
        List<ClockDomain> clockDomains,
        List<Coverage> coverage,
        List<RecorderOverhead> overheads,
        Map<String, String> properties,
        ImportStats importStats) {
    /** Property with the origin of instants; absent if they were recorded. */
    public static final String INSTANTS = "instants";

    /**
     * Value of {@link #INSTANTS}: only durations and their order were recorded; rows were placed one after the other.
     */
    public static final String LAID_OUT = "laid-out";

    /** Property of a part of a recording: the length of the whole one, in ns, which its recorders' overheads are of. */
    public static final String PART_OF_NS = "inferscope.part_of_ns";

    /** Property with the names of skipped recordings of a folder or an archive. */
    public static final String LEFT_ASIDE = "input.left_aside";

    /** Property with the names of recordings of which the graph captures alone are used, divided by commas. */
    public static final String CAPTURES = "input.captures";

    /**
     * The beginning of properties that name the allocator of a device's memory, where the program allocated some during
     * the recording; the device's number follows.
     */
    public static final String ALLOCATES = "allocates.device.";

    /** Property with the framework whose own profiler wrote the recording, where the format does not tell it. */
    public static final String FRAMEWORK = "framework";

    /**
     * Property with the names of the machine's GPUs, where a recorder that can record their work wrote neither work nor a
     * call of their runtime: whether the program uses them is not known.
     */
    public static final String UNTRACED = "devices.untraced";

    /** Property with the names of lanes of which nothing shows that they are threads: they may be queues of a device. */
    public static final String UNKNOWN_LANES = "devices.unknown_lanes";

    /** Property: stamps are whole multiples of so many ns, where that is coarse. */
    public static final String STAMP_STEP = "recorder.stamp_step_ns";

    /** Property: what each device operation is, where the recorder combines many kernels into one block. */
    public static final String BLOCKS = "devices.blocks";

    /** Property: what the recorder itself says of its recording of device work, as sentences. */
    public static final String RECORDER_SAYS = "devices.recorder_says";

    /** Property with the number of autograd's nodes that operators record, where no operator computes gradients. */
    public static final String GRAPH_NODES = "torch.graph_nodes";

    /**
     * Property with the variable that makes each launch wait for its kernel, where the environment of a program that
     * InferScope started sets one.
     */
    public static final String LAUNCH_BLOCKING = "run.launch_blocking";

    /** Property with the name of the signal by which a user or a supervisor ended a program that InferScope started. */
    public static final String ENDED_BY = "run.ended_by";

    /**
     * Property with the instant, in ns, up to which a recording is complete whose document was cut. Nothing after it is
     * kept, unless {@link #CUT_UNKNOWN} is there, too.
     */
    public static final String CUT = "input.cut_ns";

    /** Property that says how many records contradict their neighbours, where they are too many to be left out. */
    public static final String CONTRADICTIONS = "input.contradictions";

    /** Property that says which part of a cut document may have been lost at any time. */
    public static final String CUT_UNKNOWN = "input.cut_unknown";

    /**
     * Property with what a recorder calls the instant from which a profile that states no Unix time counts, in a
     * recording of the same process: {@code NAME FILE}, where the profile's file name begins with FILE.
     */
    public static final String COUNTS_FROM = "recording.counts_from";

    public TimelineInfo {
        clockDomains = List.copyOf(clockDomains);
        coverage = List.copyOf(coverage);
        overheads = List.copyOf(overheads);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(new TreeMap<>(properties)));
    }

    /**
     * The coverage of one recorder.
     *
     * @param source the recorder or hook
     * @param recorded how many events it recorded
     * @param missing how many it is known to have missed
     * @param why why it missed them or recorded nothing; empty if nothing is missing
     */
    public record Coverage(String source, long recorded, long missing, String why) {}

    /**
     * The overhead of one recorder.
     *
     * @param recorder its name
     * @param cpuNs CPU time it took, in ns
     * @param heldUpNs time for which it delayed the program, in ns
     * @param events how many events it recorded
     */
    public record RecorderOverhead(String recorder, long cpuNs, long heldUpNs, long events) {}
}
