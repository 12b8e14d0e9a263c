package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.CodePlaces;
import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.launch.HostCalls;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.Map;
import java.util.TreeMap;

/** Reports modules that are loaded long after the start. */
final class SteadyStateCompilingRule extends CallsRule {
    /** In more than this part of the steps, it is no exception. */
    private static final double MOST_STEPS = 0.5;

    SteadyStateCompilingRule() {
        super(
                "steady-state-compiling",
                "calls that load or compile kernels in the steady state",
                SteadyStateCompilingRule::calls,
                null);
    }

    /** Without a steady state, the second half of the judged part is used. */
    private static HostCalls calls(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judged().stretch();
        long fromNs = analysis.judgesSteadyState() ? part.startNs() : part.startNs() + part.durationNs() / 2;
        HostCalls calls = new HostCalls();
        for (int row : analysis.apiCalls()) {
            boolean counts = timeline.startNs(row) >= fromNs
                    && timeline.startNs(row) < part.endNs()
                    && timeline.endNs(row) > part.startNs()
                    && !isGraphCall(timeline.name(row))
                    && analysis.classify(row) == LedgerClass.FRAMEWORK_COMPILE_LOAD;
            if (counts) {
                long builtNs = analysis.classifier().builtFromNs(row);
                calls.add(row, Math.max(fromNs, builtNs), timeline.endNs(row));
            }
        }
        return calls;
    }

    @Override
    FindingBuilder measured(FindingBuilder finding, Analysis analysis, HostCalls calls) {
        Timeline timeline = analysis.timeline();
        int longest = calls.longest();
        Steps steps = Steps.judged(analysis);
        long with = steps.with(calls.times());
        boolean usual = analysis.judgesSteadyState() && with > MOST_STEPS * steps.size();
        finding.measure(
                "why",
                (usual ? "in " + Units.count(with) + " of " + Units.count(steps.size()) + " steps, " : "")
                        + (RecordingProperty.NEW_THREADS.holds(analysis)
                                ? "a thread, a shape or an operator is"
                                : "some shape or operator is"));
        if (!areBuilt(timeline, calls)) {
            return finding.measure("builds", "");
        }
        finding.measure("builds", ", and while the host builds what they load,")
                .judgedPlaces(analysis, 2, b -> b.cause() == LedgerClass.FRAMEWORK_COMPILE_LOAD);
        sampled(finding, analysis, calls.times(), timeline.track(longest));
        return launched(finding, analysis, longest);
    }

    private static boolean areBuilt(Timeline timeline, HostCalls calls) {
        return calls.longestFromNs() < timeline.startNs(calls.longest());
    }

    /** A shape that needs no new kernel needs nothing built, so all of it is saved. */
    @Override
    FindingBuilder saving(FindingBuilder finding, Analysis analysis, HostCalls calls) {
        String when = "nothing is built and loaded in the steady state";
        return areBuilt(analysis.timeline(), calls)
                ? finding.saves(analysis, calls, calls, when, when)
                : super.saving(finding, analysis, calls);
    }

    /** Adds the innermost line of Python, of whatever package, in which the thread was seen most meanwhile. */
    private static void sampled(FindingBuilder finding, Analysis analysis, Intervals times, int thread) {
        Timeline timeline = analysis.timeline();
        Map<String, Long> byLine = new TreeMap<>();
        for (int row : analysis.rows(RowKind.STACK_SAMPLE)) {
            long ns =
                    timeline.track(row) == thread ? times.totalWithinNs(timeline.startNs(row), timeline.endNs(row)) : 0;
            String line = ns > 0 ? pythonLine(timeline, timeline.attribute(row, Attribute.STACK)) : "";
            if (!line.isEmpty()) {
                byLine.merge(line, ns, Long::sum);
            }
        }
        byLine.entrySet().stream()
                .min(Order.largestFirst())
                .ifPresent(line ->
                        finding.place("innermost Python, mostly", CodePlaces.place(line.getKey()), line.getValue(), 1));
    }

    private static String pythonLine(Timeline timeline, long stack) {
        Stacks stacks = timeline.stacks();
        for (int at = (int) Math.max(-1, stack); at >= 0; at = stacks.caller(at)) {
            if (stacks.frame(at).isPython()) {
                return stacks.text(at);
            }
        }
        return "";
    }

    /** Adds the first operation that the loading thread launched afterwards. */
    private static FindingBuilder launched(FindingBuilder finding, Analysis analysis, int load) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        int first = -1;
        for (int i = 0; i < device.operationCount(); i++) {
            int call = device.launch(i);
            boolean after = call >= 0
                    && timeline.track(call) == timeline.track(load)
                    && timeline.startNs(call) >= timeline.endNs(load);
            if (after && (first < 0 || timeline.startNs(call) < timeline.startNs(device.launch(first)))) {
                first = i;
            }
        }
        return first < 0
                ? finding
                : finding.place(
                        "launched after the longest",
                        timeline.name(device.row(first)),
                        timeline.durationNs(device.row(first)),
                        1);
    }

    @Override
    String what(Analysis analysis) {
        return analysis.judgesSteadyState()
                ? super.what(analysis)
                : "calls that load or compile kernels in the second half";
    }
}
