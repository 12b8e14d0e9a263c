package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.rules.Advice.Figure;
import io.inferscope.timeline.Timeline;
import java.util.Arrays;
import java.util.List;

/** Reports time before the first and after the last device operation. */
final class OutsideSpanRule extends Rule {
    @Override
    public Verdict evaluate(Analysis analysis) {
        Ledger window = analysis.ledger(LedgerPart.WINDOW).orElseThrow();
        Ledger head = analysis.ledger(LedgerPart.HEAD).orElseThrow();
        Ledger tail = analysis.ledger(LedgerPart.TAIL).orElseThrow();
        Ledger larger = head.durationNs() >= tail.durationNs() ? head : tail;
        if (window.share(larger.durationNs()) < limit(analysis, "share")) {
            return Verdict.clean("head and tail of the window are short");
        }
        DeviceActivity device = analysis.headline().orElseThrow();
        Ledger.Entry main = larger.entries().get(0);
        LedgerClass cause = main.ledgerClass();
        if (cause == LedgerClass.GPU_DEPENDENCY) {
            return new Verdict.NotApplicable("what the device waits for there is not in the recording");
        }
        FindingBuilder finding = finding(window, larger.durationNs())
                .measure("device", device.id())
                .measure("gpu", device.label())
                .measure("cause", cause.label())
                .measure("part of it", Units.percent(larger.share(main.ns())))
                .claim(larger.part() == LedgerPart.HEAD ? "outside-span.head" : "outside-span.tail")
                .places(analysis, 3, b -> isIn(b, larger.part(), device) && b.cause() == cause)
                .places(analysis, 1, b -> isIn(b, larger.part(), device) && b.cause() != cause)
                .gaps(analysis, 1, g -> g.phase() == larger.part())
                .figure(Figure.ONE_OFF, analysis.judgesSteadyState() ? 1 : 0)
                .figure(Figure.CALL_NS, (double) main.ns() / launches(analysis, larger.part()))
                .adviceAgainst(cause, analysis);
        return Verdict.found(
                cause == LedgerClass.UNATTRIBUTED
                        ? finding.causes(List.of(cause)).noGain("nothing is recorded of what happens there")
                        : finding.saves(analysis, List.of(cause), larger.part(), "it happens elsewhere or not at all"));
    }

    /** Returns how many calls launch work in the head or the tail, at least 1. */
    private static long launches(Analysis analysis, LedgerPart part) {
        Timeline timeline = analysis.timeline();
        DeviceActivity device = analysis.headline().orElseThrow();
        long calls = Arrays.stream(analysis.apiCalls())
                .filter(analysis::isLaunch)
                .filter(call -> part == LedgerPart.HEAD
                        ? timeline.startNs(call) < device.firstNs()
                        : timeline.endNs(call) > device.lastNs())
                .count();
        return Math.max(1, calls);
    }

    private static boolean isIn(BlameFigures blame, LedgerPart part, DeviceActivity device) {
        return blame.phase() == part && blame.device().equals(device.id());
    }
}
