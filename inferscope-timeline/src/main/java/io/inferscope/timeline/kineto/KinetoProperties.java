package io.inferscope.timeline.kineto;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.DeviceFact;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Properties from outside the event list. Only known ones are kept, because metadata of real traces contains host, user
 * and job names.
 */
final class KinetoProperties {
    private static final Pattern DEVICE =
            Pattern.compile("deviceProperties\\[(\\d+)\\]\\.(id|name|numSms|totalGlobalMem)");
    private static final Pattern OURS =
            Pattern.compile("inferscope\\.(coverage|overheads|clocks)\\[(\\d+)\\]\\.(\\w+)");
    private static final Pattern KEPT = Pattern.compile(
            "trace_id|with_stack|record_shapes|profile_memory|with_modules|schemaVersion|distributedInfo\\.(rank|world_size|backend)"
                    + "|cupti_version|cuda_(runtime|driver)_version|hip_(runtime|driver)_version|roctracer_version|inferscope\\.(version|links|window_end_ns|window_start_ns|program|exit_code)");

    /** From this version of the member {@code inferscope} on, properties and clocks are complete. */
    private static final int EXACT_VERSION = 2;

    private final TimelineBuilder builder;
    private final Map<String, String> values = new TreeMap<>();

    /** Asked for each event with arguments, so not looked up each time. */
    private boolean exact;

    KinetoProperties(TimelineBuilder builder) {
        this.builder = builder;
    }

    /** Returns whether a property is a member of the document's head. */
    static boolean isOfHead(String key) {
        return key.indexOf('.') < 0
                && !key.equals("schemaVersion")
                && KEPT.matcher(key).matches();
    }

    void take(String path, String value) {
        if (path.equals("baseTimeNanoseconds")
                || DEVICE.matcher(path).matches()
                || OURS.matcher(path).matches()
                || KEPT.matcher(path).matches()) {
            values.put(path, value);
            exact = number("inferscope.version") >= EXACT_VERSION;
        }
    }

    void clear() {
        values.clear();
        exact = false;
    }

    /** Returns whether every link is declared, so that none is made from correlation ids. */
    boolean linksAreDeclared() {
        return "declared".equals(values.get("inferscope.links"));
    }

    /** Returns whether InferScope wrote the trace in a version that reads back exactly. */
    boolean areExact() {
        return exact;
    }

    /** Adds the properties; those that a converted trace declares replace those of its head. */
    void finish(Map<String, String> declared) {
        builder.originUnixNs(number("baseTimeNanoseconds"));
        if (exact) {
            declared.forEach(builder::property);
        } else {
            values.forEach(this::property);
        }
        each("coverage", "source", this::coverage);
        each("overheads", "recorder", this::overhead);
        if (exact) {
            each("clocks", "name", this::clock);
        } else {
            builder.clockDomain(new ClockDomain("kineto", 0, -1));
        }
    }

    private void property(String path, String value) {
        if (KEPT.matcher(path).matches()) {
            builder.property(path, value);
        }
        Matcher device = DEVICE.matcher(path);
        if (device.matches() && device.group(2).equals("id")) {
            String of = "deviceProperties[" + device.group(1) + "].";
            DeviceFact.NAME.store(builder, value, values.getOrDefault(of + "name", ""));
            DeviceFact.SMS.store(builder, value, values.getOrDefault(of + "numSms", ""));
            DeviceFact.MEMORY_BYTES.store(builder, value, values.getOrDefault(of + "totalGlobalMem", ""));
        }
    }

    /** Visits the elements of one of our lists in their order. */
    private void each(String list, String firstMember, Consumer<String> element) {
        String prefix = "inferscope." + list + '[';
        for (int i = 0; values.containsKey(prefix + i + "]." + firstMember); i++) {
            element.accept(prefix + i + "].");
        }
    }

    private void clock(String prefix) {
        builder.clockDomain(new ClockDomain(
                values.getOrDefault(prefix + "name", ""),
                (int) number(prefix + "anchors"),
                number(prefix + "error_bound_ns")));
    }

    private void coverage(String prefix) {
        builder.coverage(new Coverage(
                values.getOrDefault(prefix + "source", ""),
                number(prefix + "recorded"),
                number(prefix + "missing"),
                values.getOrDefault(prefix + "why", "")));
    }

    private void overhead(String prefix) {
        builder.overhead(new RecorderOverhead(
                values.getOrDefault(prefix + "recorder", ""),
                number(prefix + "cpu_ns"),
                number(prefix + "held_up_ns"),
                number(prefix + "events")));
    }

    private long number(String path) {
        try {
            return Long.parseLong(values.getOrDefault(path, "0"));
        } catch (NumberFormatException notANumber) {
            return 0;
        }
    }
}
