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
 */
public final class Collective {
    private final String name;
    private final List<Arrival> arrivals;
    private final Arrival first;
    private final Arrival last;
    private final long firstEndNs;
    private final long lastEndNs;

    /** A kernel of a collective on one GPU, in ns. */
    public record Arrival(DeviceActivity device, int row, long startNs, long endNs) {}

    /**
     * Makes a collective.
     *
     * @param name name of its kernel
     * @param arrivals the kernel on each GPU that took part, at least one
     */
    Collective(String name, List<Arrival> arrivals) {
        this.name = name;
        this.arrivals = List.copyOf(arrivals);
        Order<Arrival> byStart = Order.comparingLong(Arrival::startNs);
        this.first = this.arrivals.stream().min(byStart).orElseThrow();
        this.last = this.arrivals.stream().max(byStart).orElseThrow();
        this.firstEndNs = this.arrivals.stream().mapToLong(Arrival::endNs).min().orElseThrow();
        this.lastEndNs = this.arrivals.stream().mapToLong(Arrival::endNs).max().orElseThrow();
    }

    public String name() {
        return name;
    }

    public List<Arrival> arrivals() {
        return arrivals;
    }

    /** Returns the GPU that arrived last. */
    public Arrival last() {
        return last;
    }

    /** Returns the GPU that arrived first. */
    Arrival first() {
        return first;
    }

    /** Returns when the first GPU arrived. */
    public long firstNs() {
        return first.startNs();
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
        return last.startNs() - firstNs();
    }

    /** Returns how long data moves once all are there, in ns: up to the end of the kernel that ends last. */
    public long transferNs() {
        return lastEndNs - last.startNs();
    }

    /**
     * Returns the end of a GPU's wait: the last arrival, or the end of its own kernel if that is earlier because clocks
     * disagree.
     */
    long waitsUntilNs(Arrival arrival) {
        return waitsUntilNs(arrival.startNs(), arrival.endNs());
    }

    /** The same for the start and the end of its kernel. */
    long waitsUntilNs(long startNs, long endNs) {
        return Math.min(endNs, Math.max(startNs, last.startNs()));
    }

    /** Returns the time from the last start to the first end, in ns; negative if one GPU ended before another began. */
    long commonNs() {
        return firstEndNs - last.startNs();
    }
}
