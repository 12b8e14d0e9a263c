package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.launch.LaunchCosts;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.MemoryKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The rules about host calls of one kind. Their cost is the time during the calls in which the device is idle. */
class CallsRule extends Rule {
    /** A caching allocator asks the driver for one kernel in hundreds. */
    private static final Threshold PER_KERNEL = Threshold.of("device-allocation.per-kernel");

    /** Blocks that are freed for one that is allocated. */
    private static final long MOST_FREED = 2;

    private static final Threshold GRAPHS = Threshold.of("graph-captures.graphs");
    private static final long LEAST_KERNELS = 20;
    static final Rule LATE_LAUNCHES = new CallsRule(
            "launch-delay",
            "kernels that start more than {limit} after their launch call begins, with nothing queued before them",
            analysis -> LaunchCosts.of(analysis).late(),
            LaunchCosts.DELAY);

    static final Rule SLOW_LAUNCHES = new CallsRule(
            "slow-launch-calls",
            "launch calls of more than {limit}",
            analysis -> LaunchCosts.of(analysis).slow(),
            LaunchCosts.SLOW_CALL);

    static final Rule SHORT_KERNELS = new CallsRule(
            "short-kernels",
            "kernels shorter than their launch call",
            analysis -> LaunchCosts.of(analysis).shorterThanCall(),
            null);

    static final Rule ASYNC_PAGEABLE_COPIES = new CallsRule(
            "async-pageable-copies", "asynchronous copies with pageable memory", CallsRule::asyncPageableCopies, null);

    static final Rule SYNCHRONOUS_COPIES = new CallsRule(
            "synchronous-copies",
            "synchronous copy calls",
            analysis -> apiCalls(
                    analysis,
                    row -> analysis.isSynchronising(row)
                            && analysis.timeline().name(row).contains("Memcpy")),
            null);

    static final Rule SYNCHRONOUS_MEMSETS = new CallsRule(
            "synchronous-memsets", "synchronous sets of pinned or managed memory", CallsRule::synchronousMemsets, null);

    static final Rule ALLOCATION = new CallsRule(
            "device-allocation",
            "calls that allocate or free memory",
            analysis -> apiCalls(analysis, analysis::isAllocation),
            null);

    static final Rule GRAPH_CAPTURES = new CallsRule(
            "graph-captures", "calls that make CUDA graphs of many shapes", CallsRule::graphCaptures, null);

    private final String what;
    private final Function<Analysis, HostCalls> calls;
    private final @Nullable Threshold limit;

    /**
     * Makes a rule.
     *
     * @param what a short description of the calls; {@code {limit}} is the value of a threshold, a time
     */
    CallsRule(String id, String what, Function<Analysis, HostCalls> calls, @Nullable Threshold limit) {
        super(id);
        this.what = what;
        this.calls = calls;
        this.limit = limit;
    }

    /** Returns a short description of the calls. */
    String what(Analysis analysis) {
        return limit == null ? what : what.replace("{limit}", Units.duration((long) analysis.threshold(limit)));
    }

    private String topic() {
        return this == ALLOCATION
                ? LedgerClass.FRAMEWORK_ALLOCATION.name()
                : this == ASYNC_PAGEABLE_COPIES ? "pageable-copies.input" : info().id();
    }

    /** Returns why these calls are no loss of their own, empty where they may be. */
    private String explained(Analysis analysis) {
        return this == SLOW_LAUNCHES || this == SHORT_KERNELS ? BlockingLaunchesRule.explains(analysis) : "";
    }

    /** Adds measures and evidence of this rule alone, before those of all such rules. */
    FindingBuilder measured(FindingBuilder finding, Analysis analysis, HostCalls found) {
        return finding;
    }

    /** Claims what is saved without the calls: at least their time beyond that of the shortest. */
    FindingBuilder saving(FindingBuilder finding, Analysis analysis, HostCalls found) {
        return finding.saves(analysis, found, "none of them takes time");
    }

    /** Returns the API calls in the judged part that meet a condition on their row. */
    static HostCalls apiCalls(Analysis analysis, IntPredicate wanted) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        return HostCalls.of(
                timeline,
                Arrays.stream(analysis.apiCalls())
                        .filter(wanted)
                        .filter(row -> timeline.startNs(row) < part.endNs() && timeline.endNs(row) > part.startNs()));
    }

    /**
     * Returns the launches of operations of the judged device that meet a condition on the operation's row and the
     * call's.
     */
    private static HostCalls launches(Analysis analysis, BiIntPredicate wanted) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        return HostCalls.of(
                timeline,
                device.launched()
                        .filter(i -> wanted.test(device.row(i), device.launch(i)))
                        .map(device::launch));
    }

    /** A condition on an operation's row and that of the call that launched it. */
    private interface BiIntPredicate {
        boolean test(int operation, int call);
    }

    private static HostCalls asyncPageableCopies(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return launches(
                analysis,
                (row, call) -> timeline.kind(row).isMemcpy()
                        && timeline.name(call).contains("Async")
                        && MemoryKind.PAGEABLE.isOf(timeline, row));
    }

    /**
     * {@code cudaMemset} returns at once, except on pinned and managed memory (CUDA runtime API, synchronization
     * behaviour).
     */
    private static HostCalls synchronousMemsets(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        return launches(
                analysis,
                (row, call) -> timeline.kind(row) == RowKind.MEMSET
                        && (timeline.name(row).contains("Pinned")
                                || timeline.name(row).contains("Managed"))
                        && !timeline.name(call).contains("Async"));
    }

    /** As long as there are few, each shape is captured once. */
    private static HostCalls graphCaptures(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        HostCalls made = apiCalls(analysis, row -> timeline.name(row).contains("GraphInstantiate"));
        return made.count() < analysis.threshold(GRAPHS)
                ? new HostCalls()
                : apiCalls(analysis, row -> isGraphCall(timeline.name(row)));
    }

    static boolean isGraphCall(String name) {
        return name.contains("GraphInstantiate") || name.contains("StreamEndCapture");
    }

    /**
     * Returns whether the driver allocates for a good part of the kernels, and frees as much again. A caching allocator
     * that runs out of memory frees many blocks for one that it allocates, and reports what it reserves.
     */
    static boolean isAllocationUncached(Analysis analysis) {
        LaunchCosts costs = LaunchCosts.of(analysis);
        long kernels = costs.kernels() + costs.replayed();
        NamePredicate uncached = new NamePredicate(analysis.timeline(), NameRole.UNCACHED::in);
        long calls = apiCalls(analysis, uncached::testRow).count();
        long frees = apiCalls(
                        analysis,
                        row -> uncached.testRow(row)
                                && analysis.timeline().name(row).contains("Free"))
                .count();
        return kernels >= LEAST_KERNELS
                && calls >= 2 * analysis.threshold(PER_KERNEL) * kernels
                && frees <= MOST_FREED * (calls - frees)
                && !analysis.timeline().has(Attribute.RESERVED_BYTES);
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        HostCalls found = calls.apply(analysis);
        Ledger ledger = analysis.ledger();
        long costNs = found.totalNs(analysis.idle());
        if (found.count() == 0) {
            return Verdict.clean("no " + what(analysis));
        }
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean(Units.count(found.count()) + " " + what(analysis) + "; the GPU is idle for "
                    + ledger.shareOfPart(costNs) + " meanwhile");
        }
        String explained = explained(analysis);
        if (!explained.isEmpty()) {
            return Verdict.clean(explained);
        }
        FindingBuilder finding = measured(finding(ledger, costNs), analysis, found)
                .measure("count", Units.count(found.count()))
                .measure("what", what(analysis))
                .longest(analysis, found)
                .quantity(what(analysis), found.count(), "count")
                .advice(topic(), analysis);
        return Verdict.found(saving(finding, analysis, found));
    }
}
