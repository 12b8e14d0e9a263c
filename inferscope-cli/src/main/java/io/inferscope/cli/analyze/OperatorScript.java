package io.inferscope.cli.analyze;

import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.traceevent.EventArguments;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Generates a Python program that runs and times a single operator of a recording, with the recorded sizes, strides,
 * types and values: {@code operator.py}.
 */
final class OperatorScript {
    private static final Pattern PLACEHOLDER = Pattern.compile("@([A-Z]+)@");

    /** Operators that are not run with the arguments of a recording, which may come from a stranger, and what they do. */
    private static final Map<Pattern, String> REFUSED = Map.of(
            Pattern.compile("aten::save|debugprims::.*|.*::(.*_)?(file|filename|path|url)(_.*)?"),
            "it opens a file that the recording names",
            Pattern.compile("(c10d|_c10d_.*|symm_mem|_dtensor|rpc)::.*"),
            "it exchanges data with other processes",
            Pattern.compile("(prim|profiler|cuda|static_runtime|export|debug_mode_ops|_test|inductor)::.*"
                    + "|aten::(_print|warn|manual_seed|seed|set_grad_enabled|_cufft_.*_plan_cache.*"
                    + "|_?backward|dist_backward|wait|_propagate_xla_data)|.*::data_ptr"),
            "it changes or reads the state of its process instead of computing");

    private final Timeline timeline;
    private final Map<String, Calls> byInputs = new HashMap<>();

    private static final class Calls {
        int row;
        long count;
        long hostNs;
        long deviceNs;

        long ns() {
            return deviceNs > 0 ? deviceNs : hostNs;
        }
    }

    private OperatorScript(Timeline timeline) {
        this.timeline = timeline;
    }

    /**
     * The program for an operator of one recording.
     *
     * @param ns the time of all calls with these inputs
     */
    record Found(long ns, String text) {}

    /** Throws if an operator does more than compute, so that a recording would decide what the program does. */
    static void checkComputes(String operator) {
        String bare = operator.split("\\.", 2)[0]; // Without its overload.
        REFUSED.forEach((names, effect) -> {
            if (names.matcher(bare).matches()) {
                throw new IllegalArgumentException(operator + " is not run alone: " + effect);
            }
        });
    }

    /**
     * Returns the program for an operator with those inputs that took most time; empty if the recording has no such
     * operator, or not its inputs.
     *
     * @param operator its name, {@code aten::addmm}
     * @throws IOException when the recording cannot be read again
     */
    static Optional<Found> find(Timeline timeline, TraceSource source, String operator) throws IOException {
        OperatorScript script = new OperatorScript(timeline);
        script.add(operator);
        Optional<Calls> longest = script.byInputs.values().stream()
                .max(Order.comparingLong(Calls::ns).thenComparing(calls -> -calls.row));
        return longest.isEmpty()
                ? Optional.empty()
                : Optional.of(new Found(longest.get().ns(), script.text(longest.get(), source, operator)));
    }

    private void add(String operator) {
        Map<Integer, Calls> byRow = new HashMap<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.OPERATOR
                    && timeline.name(row).equals(operator)
                    && timeline.attribute(row, Attribute.INPUT_DIMS) != Attribute.ABSENT
                    && timeline.sourceOffsetBytes(row) >= 0) {
                Calls calls = byInputs.computeIfAbsent(
                        timeline.attributeText(row, Attribute.INPUT_DIMS)
                                + timeline.attributeText(row, Attribute.INPUT_TYPES),
                        inputs -> new Calls());
                calls.row = calls.count++ == 0 ? row : calls.row;
                calls.hostNs += timeline.durationNs(row);
                byRow.put(row, calls);
            }
        }
        Links links = timeline.links();
        for (int link = 0; link < links.count() && !byRow.isEmpty(); link++) {
            int call = links.kind(link) == LinkKind.LAUNCH ? links.fromRow(link) : -1;
            while (call >= 0 && !byRow.containsKey(call)) {
                call = timeline.parent(call);
            }
            Calls calls = byRow.get(call);
            if (calls != null && timeline.kind(links.toRow(link)).isDeviceOperation()) {
                calls.deviceNs += timeline.durationNs(links.toRow(link));
            }
        }
    }

    private String text(Calls calls, TraceSource source, String operator) throws IOException {
        Map<String, String> arguments = EventArguments.at(source, timeline.sourceOffsetBytes(calls.row));
        Map<String, String> values = Map.of(
                "CALLS", Units.count(calls.count) + (calls.count == 1 ? " call" : " calls"),
                "HOST", Units.duration(calls.hostNs / calls.count),
                "DEVICE", calls.deviceNs == 0 ? "nothing" : Units.duration(calls.deviceNs / calls.count),
                "OPERATOR", escaped(operator),
                "SIZES", escaped(first(arguments, List.of("Input Dims", "Input dims"))),
                "STRIDES", escaped(first(arguments, List.of("Input Strides"))),
                "TYPES", escaped(first(arguments, List.of("Input type", "Input Type"))),
                "VALUES", escaped(first(arguments, List.of("Concrete Inputs"))));
        try (InputStream in = Objects.requireNonNull(OperatorScript.class.getResourceAsStream("operator.py"))) {
            String template = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return PLACEHOLDER
                    .matcher(template)
                    .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(values.get(found.group(1)))));
        }
    }

    private static String first(Map<String, String> arguments, List<String> names) {
        return names.stream()
                .filter(arguments::containsKey)
                .map(arguments::get)
                .findFirst()
                .orElse("[]");
    }

    /** Returns what stands for a text in a Python string literal, so that no text of a recording becomes code. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(c -> {
            boolean plain = c >= ' ' && c < 127 && c != '"' && c != '\\';
            escaped.append(plain ? Character.toString(c) : String.format("\\u%04x", c));
        });
        return escaped.toString();
    }
}
