package io.inferscope.analyzer.collectives;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.timeline.Order;
import java.util.List;

/**
 * One collective. Its kernel starts on each GPU when that GPU reaches it; data moves only after the last GPU has
 * arrived:
 *
 * <pre>
 *   GPU 0   [------waiting------|transfer]
 *   GPU 1           [--waiting--|transfer]
 *   GPU 2                       [transfer]     the last to arrive
 * </pre>
 *
 * @param name name of its kernel
 * @param arrivals the kernel on each GPU that took part
 */
public record Collective(String name, List<Arrival> arrivals) {
    /** A kernel of a collective on one GPU, in ns. */
    public record Arrival(DeviceActivity device, int row, long startNs, long endNs) {}

    public Collective {
        arrivals = List.copyOf(arrivals);
    }

    /** Returns the GPU that arrived last. */
    public Arrival last() {
        return arrivals.stream().max(Order.comparingLong(Arrival::startNs)).orElseThrow();
    }

    /** Returns the GPU that arrived first. */
    Arrival first() {
        return arrivals.stream().min(Order.comparingLong(Arrival::startNs)).orElseThrow();
    }

    /** Returns when the first GPU arrived. */
    public long firstNs() {
        return first().startNs();
    }

    /** Returns the kernel of a GPU that took part. */
    Arrival of(DeviceActivity device) {
        return arrivals.stream()
                .filter(arrival -> arrival.device() == device)
                .findFirst()
                .orElseThrow();
    }

    /** Returns how long the first GPU waits for the last one, in ns. */
    public long skewNs() {
        return last().startNs() - firstNs();
    }

    /** Returns how long data moves once all are there, in ns: up to the end of the kernel that ends last. */
    public long transferNs() {
        return arrivals.stream().mapToLong(Arrival::endNs).max().orElseThrow() - last().startNs();
    }

    /**
     * Returns the end of a GPU's wait: the last arrival, or the end of its own kernel if that is earlier because clocks
     * disagree.
     */
    long waitsUntilNs(Arrival arrival) {
        return Math.min(arrival.endNs(), Math.max(arrival.startNs(), last().startNs()));
    }

    /** Returns the time from the last start to the first end, in ns; negative if one GPU ended before another began. */
    long commonNs() {
        return arrivals.stream().mapToLong(Arrival::endNs).min().orElseThrow() - last().startNs();
    }
}
