package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.analyzer.trust.ProgramEnd;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.WaitDetail;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reports time in which the program waits for others. */
final class WaitingForRequestsRule extends Rule {
    /** From this share of the waits on, tasks that block their event loop, or threads at work meanwhile, come first. */
    private static final double MOSTLY = 0.5;

    /** From this share of the waits on, another thread's sleep is shown: samples miss the begin of a short one. */
    private static final double ASLEEP = 0.25;

    private static final List<LedgerClass> OTHERS = List.of(LedgerClass.WAIT_SOCKET, LedgerClass.WAIT_UNKNOWN);
    /** Waits of a thread that somebody may wait for meanwhile. */
    private static final List<LedgerClass> ASKS = List.of(
            LedgerClass.WAIT_TIMER, LedgerClass.WAIT_SOCKET, LedgerClass.WAIT_IO, LedgerClass.WAIT_CHILD_PROCESS);

    private static final List<LedgerClass> OTHERS_AND_TIMERS =
            List.of(LedgerClass.WAIT_SOCKET, LedgerClass.WAIT_TIMER, LedgerClass.WAIT_UNKNOWN);

    @Override
    public Verdict evaluate(Analysis analysis) {
        boolean statesKnown = Tables.of(analysis).rows(Report.THREADS).stream().anyMatch(t -> t.runnableNs() != null);
        Ledger ledger = HostShare.judged(analysis);
        boolean sleepIsAFinding = ledger.share(LedgerClass.WAIT_TIMER) >= analysis.threshold(SleepingRule.SHARE);
        List<LedgerClass> classes = sleepIsAFinding ? OTHERS : OTHERS_AND_TIMERS;
        long costNs = HostShare.ns(ledger, classes);
        long idleNs = ledger.ns(LedgerClass.WAIT_IDLE);
        long stoppedNs = ledger.ns(LedgerClass.WAIT_STOPPED);
        if (stoppedNs > costNs && ledger.share(stoppedNs) >= leastShare(analysis)) {
            return Verdict.found(finding(ledger, stoppedNs)
                    .claim("waiting-for-requests.stopped")
                    .advice(Advice.against(LedgerClass.WAIT_STOPPED, analysis))
                    .quantity(LedgerClass.WAIT_STOPPED.label(), stoppedNs, "ns")
                    .causes(List.of(LedgerClass.WAIT_STOPPED))
                    .noGain("no code of the program waits here"));
        }
        if (idleNs >= costNs && ledger.share(idleNs) >= leastShare(analysis)) {
            boolean serves = analysis.classifier().idle().serves(analysis.subjectProcess());
            String kind = "waiting-for-requests." + (serves ? "idle" : "rests");
            FindingBuilder idle = finding(ledger, idleNs)
                    .claim(kind)
                    .advice(serves ? Advice.against(LedgerClass.WAIT_IDLE, analysis) : Advice.of(kind, analysis))
                    .causes(List.of(LedgerClass.WAIT_IDLE));
            places(idle, analysis, List.of(LedgerClass.WAIT_IDLE));
            return Verdict.found(idle.healthy());
        }
        if (costNs == 0 && !sleepIsAFinding && !statesKnown) {
            return new Verdict.NotApplicable("thread states are not recorded");
        }
        if (ledger.share(costNs) < leastShare(analysis)) {
            return Verdict.clean("waiting for others takes " + ledger.shareOfPart(costNs)
                    + (sleepIsAFinding ? "; time slept is covered by " + SleepingRule.ID : ""));
        }
        return Verdict.found(finding(analysis, ledger, classes, costNs, statesKnown));
    }

    private FindingBuilder finding(
            Analysis analysis, Ledger ledger, List<LedgerClass> waits, long costNs, boolean statesKnown) {
        List<LedgerClass> classes = waits.stream()
                .filter(one -> ledger.ns(one) > 0)
                .sorted(Order.comparingLong(ledger::ns).reversed())
                .toList();
        LedgerClass largest = classes.get(0);
        boolean isUnknown = largest == LedgerClass.WAIT_UNKNOWN;
        FindingBuilder finding = finding(ledger, costNs)
                .measure("largest", largest.label())
                .measure("its part", Units.percent((double) ledger.ns(largest) / costNs))
                .claim(
                        "waiting-for-requests",
                        !isUnknown
                                ? "waiting-for-requests.known"
                                : ledger.ns(largest) == costNs
                                        ? "waiting-for-requests.unknown"
                                        : "waiting-for-requests.partly");
        if (largest == LedgerClass.WAIT_SOCKET && mayAwaitTimer(analysis, MOSTLY * ledger.ns(largest))) {
            places(finding, analysis, classes);
            return finding.claim("waiting-for-requests.timer")
                    .advice("waiting-for-requests.timer", analysis)
                    .causes(classes)
                    .noGain("whether the timer or a connection is waited for is not recorded");
        }
        boolean blocks = MOSTLY * costNs < BlockedEventLoopRule.blockedNs(analysis, classes);
        finding.measure("held back", "")
                .advice(blocks ? Advice.of(BlockedEventLoopRule.ID, analysis) : Advice.against(largest, analysis));
        if (largest == LedgerClass.WAIT_SOCKET) {
            DelayedAcks.explain(finding, analysis, ledger.ns(largest));
        }
        boolean held = isUnknown && isMostlyHeld(analysis, ledger);
        if (held) {
            WaitRule.holders(finding, analysis, LedgerClass.WAIT_UNKNOWN);
        } else if (isUnknown) {
            asleepMeanwhile(finding, analysis, ASLEEP * ledger.ns(LedgerClass.WAIT_UNKNOWN));
        }
        places(finding, analysis, classes);
        if (isUnknown && !held) {
            WaitRule.holders(finding, analysis, LedgerClass.WAIT_UNKNOWN);
        }
        finding.quantity(largest.label(), ledger.ns(largest), "ns");
        if (OTHERS_AND_TIMERS.contains(largest)
                && largest != LedgerClass.WAIT_SOCKET
                && ProgramEnd.mayHaveNothingToDo(analysis)) {
            finding.severity(Severity.INFO)
                    .claim("waiting-for-requests", "waiting-for-requests.quiet")
                    .advice("waiting-for-requests.rests", analysis);
        }
        return isUnknown && !statesKnown
                ? finding.causes(classes).noGain("what ends these waits, and how much sooner it could, is not recorded")
                : finding.saves(analysis, classes, "work is always there");
    }

    /**
     * Returns whether a thread waited for longer than {@code leastNs} in a loop whose waits end by a timer, and the probe,
     * which sees what the loop's tasks await, does not record.
     */
    private static boolean mayAwaitTimer(Analysis analysis, double leastNs) {
        Timeline timeline = analysis.timeline();
        int track = analysis.subjectThread();
        if (track < 0 || !analysis.isAttached()) {
            return false;
        }
        Stretch part = analysis.judgedHostStretch();
        long ns = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            RowKind kind = timeline.kind(row);
            if (kind == RowKind.THREAD_STATE) {
                long partNs =
                        Math.min(part.endNs(), timeline.endNs(row)) - Math.max(part.startNs(), timeline.startNs(row));
                boolean ended = WaitDetail.ENDED_BY_TIMEOUT.isOf(timeline, row);
                ns += ended ? Math.max(0, partNs) : 0;
            } else if (kind != RowKind.STACK_SAMPLE) {
                return false; // The probe of this process records.
            }
        }
        return ns > leastNs;
    }

    /** Returns whether one thread, or threads that are alike, worked during at least half of the unknown waits. */
    private static boolean isMostlyHeld(Analysis analysis, Ledger ledger) {
        return Tables.of(analysis).rows(HostTables.WAITED_FOR).stream()
                .anyMatch(holder -> holder.cause() == LedgerClass.WAIT_UNKNOWN
                        && holder.ns() >= MOSTLY * ledger.ns(LedgerClass.WAIT_UNKNOWN));
    }

    /** Adds the line at which another thread of the process slept or waited for an answer meanwhile. */
    private static void asleepMeanwhile(FindingBuilder finding, Analysis analysis, double leastNs) {
        int subject = analysis.subjectThread();
        if (subject < 0) {
            return;
        }
        Timeline timeline = analysis.timeline();
        Stretch part = analysis.judgedHostStretch();
        Intervals.Builder unknown = new Intervals.Builder(16);
        analysis.threads().activity(subject).cover(part.startNs(), part.endNs(), piece -> {
            if (piece.ledgerClass() == LedgerClass.WAIT_UNKNOWN) {
                unknown.add(piece.fromNs(), piece.toNs());
            }
        });
        Intervals waits = unknown.build();
        Map<String, Long> places = new HashMap<>();
        for (Track other : analysis.threads().all()) {
            if (other.id() != subject
                    && other.parent() == timeline.tracks().get(subject).parent()
                    && !Threads.isRecorders(timeline, other.id())) {
                analysis.threads().activity(other.id()).cover(part.startNs(), part.endNs(), piece -> {
                    String place = sleepsAt(analysis, piece);
                    double share = (double) piece.ns() / Math.max(1, piece.toNs() - piece.fromNs());
                    long ns = Math.round(share * waits.totalWithinNs(piece.fromNs(), piece.toNs()));
                    if (!place.isEmpty() && ns > 0) {
                        places.merge(place, ns, Long::sum);
                    }
                });
            }
        }
        places.entrySet().stream()
                .filter(at -> at.getValue() >= leastNs)
                .max(Order.<Map.Entry<String, Long>>comparingLong(Map.Entry::getValue)
                        .thenComparing(Map.Entry::getKey))
                .ifPresent(at -> finding.place("asleep meanwhile", at.getKey(), at.getValue(), 1));
    }

    /** Returns the line of own code that sleeps or waits for an answer in a piece; empty if none does. */
    private static String sleepsAt(Analysis analysis, ThreadPiece piece) {
        ActivityClassifier classifier = analysis.classifier();
        long stack = piece.sample() < 0 ? -1 : analysis.timeline().attribute(piece.sample(), Attribute.STACK);
        boolean asks = ASKS.contains(piece.ledgerClass())
                && stack >= 0
                && classifier.stacks().hasOwnCode((int) stack)
                && !classifier.takesWork((int) stack)
                && !classifier.isOfLoop(piece);
        return asks ? classifier.place(classifier.placeOf(piece)) : "";
    }

    /** Adds the places where the program waits. */
    private static void places(FindingBuilder finding, Analysis analysis, List<LedgerClass> classes) {
        if (!analysis.devices().isEmpty()) {
            HostShare.blamed(finding, analysis, classes);
        } else if (!HostShare.timePlaces(finding, analysis, classes)
                && !HostShare.sampledLines(finding, analysis, classes)) {
            HostShare.scopes(finding, analysis, classes);
        }
    }
}
