package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Threshold;
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
import java.util.function.Function;
import java.util.function.IntPredicate;

/** The rules about host calls of one kind. Their cost is the time during the calls in which the device is idle. */
class CallsRule extends Rule {
    /** A caching allocator asks the driver for one kernel in hundreds. */
    private static final Threshold PER_KERNEL = new Threshold(
            "device-allocation.per-kernel",
            0.25,
            "allocations per kernel from which on no caching allocator is at work");

    /** Blocks that are freed for one that is allocated. */
    private static final long MOST_FREED = 2;

    private static final Threshold GRAPHS =
            new Threshold("graph-captures.graphs", 9.0, "graphs made in the judged part");
    private static final long LEAST_KERNELS = 20;
    static final Rule LATE_LAUNCHES = new CallsRule(
            "launch-delay",
            0.01,
            "kernels that start more than {limit} after their launch call begins, with nothing queued before them",
            "The GPU is idle for {cost}, {share} of its {part}, before {what} ({count}).",
            analysis -> LaunchCosts.of(analysis).late(),
            LaunchCosts.DELAY);

    static final Rule SLOW_LAUNCHES = new CallsRule(
            "slow-launch-calls",
            0.01,
            "launch calls of more than {limit}",
            "The GPU is idle for {cost}, {share} of its {part}, inside {what} ({count}).",
            analysis -> LaunchCosts.of(analysis).slow(),
            LaunchCosts.SLOW_CALL,
            Advice.LOADS_CODE);

    static final Rule SHORT_KERNELS = new CallsRule(
            "short-kernels",
            0.02,
            "kernels shorter than their launch call",
            "{count} kernels that are launched one by one are shorter than the call that launches them;"
                    + " inside these calls the GPU is idle for {cost}, {share} of its {part}.",
            analysis -> LaunchCosts.of(analysis).shorterThanCall(),
            LaunchCosts.SHORT_CALL);

    static final Rule ASYNC_PAGEABLE_COPIES = new CallsRule(
            "async-pageable-copies",
            0.01,
            "asynchronous copies with pageable memory",
            "Inside the calls of {count} {what} the GPU is idle for {cost}, {share} of its {part}: such a call stages the data and returns late.",
            CallsRule::asyncPageableCopies);

    static final Rule SYNCHRONOUS_COPIES = new CallsRule(
            "synchronous-copies",
            0.01,
            "synchronous copy calls",
            "Inside {count} {what} the GPU is idle for {cost}, {share} of its {part}: the host waits for each copy, and only then launches on.",
            analysis -> apiCalls(
                    analysis,
                    row -> analysis.isSynchronising(row)
                            && analysis.timeline().name(row).contains("Memcpy")));

    static final Rule SYNCHRONOUS_MEMSETS = new CallsRule(
            "synchronous-memsets",
            0.01,
            "synchronous sets of pinned or managed memory",
            "Inside the calls of {count} {what} the GPU is idle for {cost}, {share} of its {part}.",
            CallsRule::synchronousMemsets);

    static final Rule ALLOCATION = new CallsRule(
            "device-allocation",
            0.01,
            "calls that allocate or free memory",
            "Inside {count} {what} (`cudaMalloc`, `cudaFree` and their like) the GPU is idle for {cost}, {share} of its {part}. `cudaFree` waits for the whole device.",
            analysis -> apiCalls(analysis, analysis::isAllocation),
            PER_KERNEL);

    static final Rule GRAPH_CAPTURES = new CallsRule(
            "graph-captures",
            0.01,
            "calls that make CUDA graphs of many shapes",
            "Inside {count} {what} the GPU is idle for {cost}, {share} of its {part}: every new shape is captured anew.",
            CallsRule::graphCaptures,
            GRAPHS);

    private final Threshold share;
    private final String what;
    private final String claim;
    private final Function<Analysis, HostCalls> calls;
    private final Threshold[] others;

    /**
     * Makes a rule that reports a cost of {@code leastShare} or more of the judged time, and has other thresholds.
     *
     * @param what a short description of the calls; {@code {limit}} is the first of the other thresholds, a time
     * @param claim {@code {count}}, {@code {what}}, {@code {cost}}, {@code {share}} and {@code {part}} are filled in
     */
    CallsRule(
            String id,
            double leastShare,
            String what,
            String claim,
            Function<Analysis, HostCalls> calls,
            Threshold... others) {
        super(RuleInfo.of(id, others).limits(Threshold.share(id, leastShare)));
        this.what = what;
        this.claim = claim;
        this.calls = calls;
        this.others = others;
        this.share = Threshold.share(id, leastShare);
    }

    /** Returns a short description of the calls. */
    String what(Analysis analysis) {
        return what.contains("{limit}")
                ? what.replace("{limit}", Units.duration((long) analysis.threshold(others[0])))
                : what;
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
        HostCalls calls = new HostCalls();
        for (int row : analysis.apiCalls()) {
            if (wanted.test(row) && timeline.startNs(row) < part.endNs() && timeline.endNs(row) > part.startNs()) {
                calls.add(row, timeline.startNs(row), timeline.endNs(row));
            }
        }
        return calls;
    }

    /**
     * Returns the launches of operations of the judged device that meet a condition on the operation's row and the
     * call's.
     */
    private static HostCalls launches(Analysis analysis, BiIntPredicate wanted) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        HostCalls calls = new HostCalls();
        for (int i = 0; i < device.operationCount(); i++) {
            int call = device.launch(i);
            if (call >= 0 && wanted.test(device.row(i), call)) {
                calls.add(call, timeline.startNs(call), timeline.endNs(call));
            }
        }
        return calls;
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
        ByName uncached = new ByName(analysis.timeline(), NameRole.UNCACHED::in);
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
        if (ledger.share(costNs) < analysis.threshold(share)) {
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
                .claim(claim)
                .longest(analysis, found)
                .quantity(what(analysis), found.count(), "count")
                .advice(topic(), analysis);
        return Verdict.found(saving(finding, analysis, found));
    }
}
