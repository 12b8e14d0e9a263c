package io.inferscope.analyzer.steps;

import java.util.List;

/**
 * A loop of the program, step by step.
 *
 * @param source the evidence for the steps
 * @param track the thread whose loop it is
 * @param steps in the order of time, free of overlaps
 */
public record Loop(Source source, int track, List<Step> steps) {
    /** Evidence for steps, the most reliable first. */
    public enum Source {
        /** {@code ProfilerStep#N}, which the program's author asked for. */
        PROFILER_STEPS("profiler steps"),
        /** Ranges that are named as a pass of a model or as an engine's step. */
        PASSES("ranges around each pass"),
        /** Ranges of one name that follow each other and take much of the time. */
        RANGES("ranges that recur"),
        /** Calls of a module that no other module called, as Python's profiler recorded them. */
        MODULES("calls of the model"),
        /** Equal sequences of launches between exchanges of host and device. */
        LAUNCHES("launches that recur"),
        /** Equal sequences of a device's operations between copies to the host, where no launches are recorded. */
        OPERATIONS("device operations that recur"),
        /**
         * Equal sequences of operators between the reads of their results by the host program, on a thread that
         * computes itself.
         */
        OPERATORS("operators that recur"),
        /** Calls of one Python function in which a thread that computes itself spends its operators' time. */
        FUNCTIONS("calls that recur"),
        /**
         * Lines to which a thread returns, by its stack samples. Steps show only when the loop ran, and its warm-up:
         * {@link SampleLoops}.
         */
        SAMPLES("lines that recur in stack samples");

        private final String text;

        Source(String text) {
            this.text = text;
        }

        /** Returns it in words. */
        public String text() {
            return text;
        }
    }

    /** Keeps the steps as they are. */
    public Loop {
        steps = List.copyOf(steps);
    }
}
