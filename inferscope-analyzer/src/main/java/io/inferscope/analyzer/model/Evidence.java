package io.inferscope.analyzer.model;

/** Evidence for a claim that can be looked up in the trace. */
public sealed interface Evidence {
    /** Returns a short description. */
    String label();

    /**
     * An interval of time.
     *
     * @param label what it is
     * @param startNs its start
     * @param endNs its end
     * @param track the device or thread it is on
     * @param where {@code file:line}, operator or function active there; empty when not known
     */
    record Range(String label, long startNs, long endNs, String track, String where) implements Evidence {}

    /**
     * A number.
     *
     * @param label what is counted or measured
     * @param value the number
     * @param unit {@code count}, {@code ns}, {@code bytes}, {@code bytes/s} or {@code ratio}
     */
    record Quantity(String label, double value, String unit) implements Evidence {}

    /**
     * A place in the code and the time attributed to it.
     *
     * @param label what happens there
     * @param where {@code file:line}, operator or function
     * @param ns the time
     * @param count how often
     */
    record Place(String label, String where, long ns, long count) implements Evidence {}
}
