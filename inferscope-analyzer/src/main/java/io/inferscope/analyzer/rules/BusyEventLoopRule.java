package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Service;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Stacks;
import io.inferscope.timeline.Timeline;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Reports work that keeps an event loop from its other tasks. Basis and threshold: docs/rules/busy-event-loop.md. */
final class BusyEventLoopRule extends Rule {
    static final String ID = "busy-event-loop";

    /**
     * The probe's mark at the end of a long turn after which something was due:
     * python/inferscope/hooks/socket_hooks.py.
     */
    static final String TURN = "event loop turn";

    private static final int MOST_PLACES = 3;

    @Override
    public Verdict evaluate(Analysis analysis) {
        int track = analysis.subjectThread();
        Intervals turns = track < 0 ? Intervals.EMPTY : turns(analysis, track);
        if (turns.isEmpty()) {
            return new Verdict.NotApplicable("no event loop was seen that kept tasks waiting");
        }
        Work work = new Work(analysis, track);
        if (work.tasks.isEmpty()) {
            return new Verdict.NotApplicable("no stack sample shows a task of the event loop");
        }
        Ledger ledger = HostShare.wall(analysis);
        turns.forEach((fromNs, toNs) -> analysis.threads().activity(track).cover(fromNs, toNs, work::take));
        if (ledger.share(work.totalNs) < leastShare(analysis)) {
            return Verdict.clean("no task of an event loop computes for long while others wait");
        }
        FindingBuilder finding = finding(ledger, Math.min(work.totalNs, ledger.durationNs()));
        work.most(work.calls).forEach(at -> finding.place("the task's call", at.getKey(), at.getValue(), 1));
        work.most(work.places).forEach(at -> finding.place("computes", at.getKey(), at.getValue(), 1));
        return Verdict.found(finding.advice(analysis).noGain("what other tasks would do meanwhile is not recorded"));
    }

    /** Returns the long turns of the thread's loop, as far as they are judged. */
    private static Intervals turns(Analysis analysis, int track) {
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        Intervals.Builder turns = new Intervals.Builder(16);
        for (int row : analysis.rows(RowKind.INSTANT)) {
            if (timeline.track(row) == track && timeline.name(row).equals(TURN)) {
                long endNs = Math.min(timeline.startNs(row), part.endNs());
                long startNs = JsonValues.ofDetail(timeline, row).get("ns") instanceof Number length
                        ? timeline.startNs(row) - length.longValue()
                        : endNs;
                if (Math.max(startNs, part.startNs()) < endNs) {
                    turns.add(Math.max(startNs, part.startNs()), endNs);
                }
            }
        }
        return turns.build();
    }

    /** The places at which the thread works in its tasks. */
    private static final class Work {
        private final Analysis analysis;
        private final Stacks stacks;
        private final boolean[] inTask;

        /** Intervals from the first to the last of consecutive samples that show a task. */
        private final Intervals tasks;

        private final Map<String, Long> calls = new LinkedHashMap<>();
        private final Map<String, Long> places = new LinkedHashMap<>();
        private long totalNs;

        Work(Analysis analysis, int track) {
            this.analysis = analysis;
            stacks = analysis.timeline().stacks();
            inTask = Service.inTask(stacks);
            tasks = sampledTasks(analysis.timeline(), track);
        }

        private Intervals sampledTasks(Timeline timeline, int track) {
            Intervals.Builder found = new Intervals.Builder(16);
            long beginNs = -1; // Of consecutive samples that show a task; -1 for none.
            for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
                if (timeline.kind(row) != RowKind.STACK_SAMPLE) {
                    continue;
                }
                int stack = (int) timeline.attribute(row, Attribute.STACK);
                if (stack < 0 || !inTask[stack]) {
                    beginNs = -1;
                } else {
                    beginNs = beginNs < 0 ? timeline.startNs(row) : beginNs;
                    found.add(beginNs, timeline.endNs(row));
                }
            }
            return found.build();
        }

        void take(ThreadPiece piece) {
            int stack = piece.sample() < 0 ? -1 : (int) analysis.timeline().attribute(piece.sample(), Attribute.STACK);
            boolean works = !piece.ledgerClass().isWaiting() && piece.ledgerClass() != LedgerClass.PROFILER;
            if (!works || (stack >= 0 && !inTask[stack])) {
                return;
            }
            long ns = stack >= 0 ? piece.ns() : Math.min(piece.ns(), tasks.totalWithinNs(piece.fromNs(), piece.toNs()));
            if (ns == 0) {
                return;
            }
            totalNs += ns;
            places.merge(analysis.classifier().place(analysis.classifier().placeOf(piece)), ns, Long::sum);
            String call = stack < 0 ? "" : call(stack);
            if (!call.isEmpty()) {
                calls.merge(call, ns, Long::sum);
            }
        }

        /** Returns the outermost line of the program's own code that the loop runs. */
        private String call(int innermost) {
            int stack = innermost;
            while (inTask[stack]) {
                stack = stacks.caller(stack);
            }
            String outside = analysis.classifier().ownLine(stack); // What started the loop.
            String call = "";
            for (stack = innermost; inTask[stack]; stack = stacks.caller(stack)) {
                String line = analysis.classifier().ownLine(stack);
                call = line.equals(outside) ? call : line;
            }
            return call;
        }

        Stream<Map.Entry<String, Long>> most(Map<String, Long> found) {
            return found.entrySet().stream()
                    .filter(entry -> !entry.getKey().isEmpty())
                    .sorted(Order.largestFirst())
                    .limit(MOST_PLACES);
        }
    }
}
