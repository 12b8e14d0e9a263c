package io.inferscope.shapes.log;

import io.inferscope.analyzer.model.ShapeTensor;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The content of a row of a shape log without the ids and counts, which differ from row to row. */
public sealed interface ShapeBody {
    /**
     * A call of an operator.
     *
     * @param operation its name as PyTorch writes it, {@code aten.mm.default}
     * @param inputs tensors among its arguments, in the order of the log
     * @param outputs tensors that it returned; none when it failed
     * @param errorType the exception's class when it failed, else empty
     * @param errorMessage the exception's message; else empty
     */
    record Call(
            String operation,
            List<ShapeTensor> inputs,
            List<ShapeTensor> outputs,
            String errorType,
            String errorMessage)
            implements ShapeBody {
        public Call {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }

        /** Returns whether the operator failed. */
        public boolean isError() {
            return !errorType.isEmpty();
        }
    }

    /**
     * A row that is not a call: a phase of the engine begins, or a CUDA graph was replayed, whose operators have no
     * rows.
     *
     * @param name {@code PREFILL_START}, {@code GRAPH_REPLAY}
     * @param graph the number of a CUDA graph; -1 for a marker that is not about a graph
     */
    record Marker(String name, long graph) implements ShapeBody {
        /** A graph is being captured: the calls up to {@link #CAPTURE_END} run again at each {@link #REPLAY} of it. */
        public static final String CAPTURE_START = "GRAPH_CAPTURE_START";

        /** The capture is over. */
        public static final String CAPTURE_END = "GRAPH_CAPTURE_END";

        /** The graph runs. */
        public static final String REPLAY = "GRAPH_REPLAY";

        private static final Pattern TEXT = Pattern.compile("\\W*([A-Z][A-Z_]*_(?:START|END))\\W*");
        private static final Pattern PHASE = Pattern.compile("(?!GRAPH_|COMPILED_)([A-Z_]+)_(START|END)");

        /**
         * Returns the marker whose name a row has in place of an operator's; null for an operator, whose name has small
         * letters.
         */
        static @Nullable Marker inPlaceOf(String operation) {
            Matcher matcher = TEXT.matcher(operation);
            return matcher.matches() ? new Marker(matcher.group(1), -1) : null;
        }

        /**
         * Returns the phase that begins, {@code prefill}; empty when one ends; null when the marker is not about a
         * phase.
         */
        public @Nullable String phase() {
            Matcher matcher = PHASE.matcher(name);
            if (!matcher.matches()) {
                return null;
            }
            return matcher.group(2).equals("START") ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
        }
    }
}
