package io.inferscope.timeline.kineto;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What stands outside the event list. Only named facts are kept: metadata of real traces holds host, user and job names. */
final class KinetoProperties {
    private static final Pattern DEVICE = Pattern.compile("deviceProperties\\[(\\d+)\\]\\.(id|name)");
    private static final Pattern OURS = Pattern.compile("inferscope\\.(coverage|overheads)\\[(\\d+)\\]\\.(\\w+)");
    private static final Pattern KEPT = Pattern.compile(
            "with_stack|record_shapes|profile_memory|with_modules|schemaVersion|distributedInfo\\.(rank|world_size|backend)"
                    + "|cupti_version|cuda_(runtime|driver)_version|hip_(runtime|driver)_version|roctracer_version|inferscope\\.(version|window_end_ns|window_start_ns|program|exit_code)");

    private final TimelineBuilder builder;
    private final Map<String, String> values = new TreeMap<>();

    KinetoProperties(TimelineBuilder builder) {
        this.builder = builder;
    }

    void take(String path, String value) {
        if (path.equals("baseTimeNanoseconds")
                || DEVICE.matcher(path).matches()
                || OURS.matcher(path).matches()
                || KEPT.matcher(path).matches()) {
            values.put(path, value);
        }
    }

    void clear() {
        values.clear();
    }

    void finish() {
        builder.originUnixNs(number("baseTimeNanoseconds"));
        values.forEach((path, value) -> {
            if (KEPT.matcher(path).matches()) {
                builder.property(path, value);
            }
            Matcher device = DEVICE.matcher(path);
            if (device.matches() && device.group(2).equals("id")) {
                String name = values.getOrDefault("deviceProperties[" + device.group(1) + "].name", "");
                if (!name.isEmpty()) {
                    builder.property("device." + value + ".name", name);
                }
            }
            Matcher ours = OURS.matcher(path);
            if (ours.matches() && ours.group(3).equals("source")) {
                coverage("inferscope.coverage[" + ours.group(2) + "].");
            } else if (ours.matches() && ours.group(3).equals("recorder")) {
                overhead("inferscope.overheads[" + ours.group(2) + "].");
            }
        });
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
