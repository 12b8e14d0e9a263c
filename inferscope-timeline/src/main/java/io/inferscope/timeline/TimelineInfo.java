package io.inferscope.timeline;

import java.util.List;
import java.util.Map;

/**
 * Where a timeline came from.
 *
 * @param format name of the format, such as {@code kineto}
 * @param originUnixNs Unix time, in ns, of the axis' zero; 0 when the axis itself is Unix time or its origin is not known
 * @param clockDomains the clocks its rows came from
 * @param coverage what each recorder recorded and what it missed
 * @param overheads what each recorder cost
 * @param properties facts that are no events, sorted by key
 * @param importStats what the import used and what it could not use
 */
public record TimelineInfo(
        String format,
        long originUnixNs,
        List<ClockDomain> clockDomains,
        List<Coverage> coverage,
        List<RecorderOverhead> overheads,
        Map<String, String> properties,
        ImportStats importStats) {
    /** Property that says where instants come from; absent where they were recorded. */
    public static final String INSTANTS = "instants";

    /** Value of {@link #INSTANTS}: only durations and their order were recorded, and rows were laid out one after the other. */
    public static final String LAID_OUT = "laid-out";

    /** Property that names recordings of a folder or an archive that were not read with the others. */
    public static final String LEFT_ASIDE = "input.left_aside";

    /** Copies the collections. */
    public TimelineInfo {
        clockDomains = List.copyOf(clockDomains);
        coverage = List.copyOf(coverage);
        overheads = List.copyOf(overheads);
        properties = java.util.Collections.unmodifiableSortedMap(new java.util.TreeMap<>(properties));
    }

    /**
     * What one recorder saw.
     *
     * @param source the recorder or hook
     * @param recorded how many events it recorded
     * @param missing how many it knows it missed
     * @param why why it missed them or saw nothing; empty when all is well
     */
    public record Coverage(String source, long recorded, long missing, String why) {}

    /**
     * What one recorder cost.
     *
     * @param recorder its name
     * @param cpuNs CPU time it took, in ns
     * @param heldUpNs time it held the program up, in ns
     * @param events how many events it recorded
     */
    public record RecorderOverhead(String recorder, long cpuNs, long heldUpNs, long events) {}
}
