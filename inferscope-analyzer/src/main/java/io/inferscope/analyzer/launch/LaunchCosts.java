package io.inferscope.analyzer.launch;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * The cost of launches for the headline device in the judged part, from one pass over the kernels that were launched
 * one by one.
 *
 * <pre>
 *   host    [launch A ][B][C]..............[D]
 *   device  ...........aa.b.c................   (A's kernel is shorter than its call)
 *                                           ......d   (D starts late, and nothing ran or was queued since its call began)
 * </pre>
 */
public final class LaunchCosts {
    /** Longest call that a small kernel still hides. */
    public static final Threshold SHORT_CALL = Threshold.of("short-kernels.call-ns");

    public static final Threshold SLOW_CALL = Threshold.of("slow-launch-calls.call-ns");
    public static final Threshold DELAY = Threshold.of("launch-delay.delay-ns");

    private final Timeline timeline;
    private final DeviceActivity device;
    private final Stretch part;
    private final Limits limits;
    private final HostCalls shorterThanCall = new HostCalls();
    private final HostCalls slow = new HostCalls();
    private final HostCalls late = new HostCalls();
    private final long replayed;
    private final long leastLatencyNs;
    private long kernels;
    private long kernelNs;
    private long atFloor;
    private long latencyNs;

    /**
     * Longest call that a small kernel still hides, longest call that is not slow, longest delay of a start that is not
     * late.
     */
    private record Limits(long shortCallNs, long slowCallNs, long lateNs) {}

    private LaunchCosts(Analysis analysis) {
        this.timeline = analysis.timeline();
        this.device = analysis.headline().orElseThrow();
        this.part = analysis.judged().stretch();
        this.limits = new Limits((long) analysis.threshold(SHORT_CALL), (long) analysis.threshold(SLOW_CALL), (long)
                analysis.threshold(DELAY));
        int[] kernelLaunches = device.launched().filter(this::isJudgedKernel).toArray();
        int[] alone =
                Arrays.stream(kernelLaunches).filter(device::isLaunchedAlone).toArray();
        replayed = (long) kernelLaunches.length - alone.length;
        leastLatencyNs = Arrays.stream(alone)
                .mapToLong(i -> Math.max(0, device.launchLatencyNs(i)))
                .min()
                .orElse(Long.MAX_VALUE);
        Arrays.stream(alone).forEach(this::add);
    }

    /** Returns the launch costs of the headline device. There must be a headline device. */
    public static LaunchCosts of(Analysis analysis) {
        return analysis.once(LaunchCosts.class, LaunchCosts::new);
    }

    private boolean isJudgedKernel(int i) {
        int row = device.row(i);
        return timeline.kind(row) == RowKind.KERNEL && part.holds(timeline.startNs(row));
    }

    private void add(int i) {
        int call = device.launch(i);
        long callNs = timeline.durationNs(call);
        long startNs = timeline.startNs(device.row(i));
        long delayNs = Math.max(0, device.launchLatencyNs(i));
        kernels++;
        kernelNs += timeline.durationNs(device.row(i));
        latencyNs += delayNs;
        atFloor += delayNs <= 2 * leastLatencyNs ? 1 : 0;
        if (callNs > timeline.durationNs(device.row(i)) && callNs <= limits.shortCallNs) {
            shorterThanCall.add(call, timeline.startNs(call), timeline.endNs(call));
        }
        if (callNs > limits.slowCallNs) {
            slow.add(call, timeline.startNs(call), timeline.endNs(call));
        }
        if (delayNs > limits.lateNs
                && device.busy().totalWithinNs(timeline.startNs(call), startNs) == 0
                && !waitsForHost(i, call)) {
            late.add(call, timeline.startNs(call), startNs);
        }
    }

    /** Returns whether a function of the host was queued before the kernel. */
    private boolean waitsForHost(int i, int call) {
        return timeline.links().hostFunctionsBefore(device.row(i)).stream()
                .anyMatch(function -> timeline.endNs(function) > timeline.startNs(call));
    }

    /** Returns how many kernels were launched one by one. */
    public long kernels() {
        return kernels;
    }

    /** Returns the mean duration of these kernels, in ns; 0 without any. */
    public long meanKernelNs() {
        return kernelNs / Math.max(1, kernels);
    }

    /** Returns how many kernels are nodes of graphs. */
    public long replayed() {
        return replayed;
    }

    /** Returns whether more kernels are nodes of graphs than are launched one by one. */
    public boolean mostAreReplayed() {
        return replayed > kernels;
    }

    /**
     * Returns how many of these kernels started within twice the least launch latency: nothing was queued before them.
     */
    public long atFloor() {
        return atFloor;
    }

    /** Returns the least launch latency, in ns; {@link Long#MAX_VALUE} without kernels. */
    public long leastLatencyNs() {
        return leastLatencyNs;
    }

    /**
     * Returns the sum of all launch latencies, in ns: the total kernel launch and queue time (TKLQT, arXiv 2504.11750).
     */
    public long latencyNs() {
        return latencyNs;
    }

    /** Returns the calls that took longer than their kernels. */
    public HostCalls shorterThanCall() {
        return shorterThanCall;
    }

    /** Returns the calls that took long. */
    public HostCalls slow() {
        return slow;
    }

    /**
     * Returns the calls whose kernel started late although the device had nothing else to do. Each lasts up to the
     * kernel's start.
     */
    public HostCalls late() {
        return late;
    }
}
