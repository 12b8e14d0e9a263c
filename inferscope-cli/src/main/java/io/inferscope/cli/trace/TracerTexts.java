package io.inferscope.cli.trace;

import io.inferscope.batch.PairResult;
import io.inferscope.batch.TracerInfo;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Texts of {@code trace} about tracers and their outcomes. */
final class TracerTexts {
    private static final int NAME_COLUMNS = 20;

    private TracerTexts() {}

    static void list(Collection<TracerInfo> tracers, PrintWriter out) {
        for (TracerInfo tracer : tracers) {
            String name = tracer.name()
                    + " ".repeat(Math.max(1, NAME_COLUMNS - tracer.name().length()));
            out.println(name + String.join(",", tracer.frameworks()) + "  " + tracer.description());
        }
    }

    static void describe(TracerInfo tracer, PrintWriter out) {
        String group = tracer.exclusiveGroup();
        out.println(tracer.name() + " (version " + tracer.version() + ", " + tracer.origin() + ")");
        out.println(tracer.description());
        out.println();
        out.println(tracer.details());
        out.println();
        out.println("frameworks:      " + String.join(", ", tracer.frameworks()));
        out.println("modes:           " + String.join(", ", tracer.modes()));
        out.println("exclusive group: " + (group == null ? "none" : group));
        out.println("promises:        " + String.join(", ", tracer.outputs()));
    }

    /** Returns one line on a batch: the number of pairs by outcome. */
    static String conclusion(List<PairResult> results) {
        Map<String, Long> counts = results.stream()
                .collect(Collectors.groupingBy(TracerTexts::outcome, TreeMap::new, Collectors.counting()));
        String parts = counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
        return results.size() + (results.size() == 1 ? " pair: " : " pairs: ") + parts;
    }

    /** Returns the outcome of a pair in one word. */
    static String outcome(PairResult result) {
        return result.action() == PairResult.Action.RAN
                ? result.exitClass().label()
                : result.action().name().toLowerCase(Locale.ROOT);
    }
}
