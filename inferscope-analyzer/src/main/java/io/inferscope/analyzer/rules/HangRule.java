package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.activity.ThreadActivity;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.analyzer.trust.ProgramEnd;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reports that a program stands still until the end of the recording, as in a deadlock. */
final class HangRule extends Rule {
    /** A standstill is over when the threads use more of one CPU than this; some wake up to look around. */
    private static final double IDLE = 0.02;

    /** What a program does when it is stopped may follow: of the standstill, and at least. */
    private static final double END = 0.10;

    private static final long END_NS = 3_000_000_000L;

    /** All of a short recording, such as one that was attached to see why nothing happens. */
    private static final double ALL = 0.90;

    private static final long LEAST_OF_ALL_NS = 1_000_000_000L;

    private static final int MOST_THREADS = 5;

    /** Waits that only the program itself can end. Connections, files and timers may end from outside. */
    private static final Set<LedgerClass> WAITS = EnumSet.of(
            LedgerClass.WAIT_LOCK, LedgerClass.WAIT_GIL, LedgerClass.WAIT_CHILD_PROCESS, LedgerClass.WAIT_UNKNOWN);

    /** Spans of work: a wait in one of them, of any kind, is that of a program that has not finished it. */
    private static final Set<RangeActivity> WORK = EnumSet.of(
            RangeActivity.MODEL,
            RangeActivity.DATA_LOADING,
            RangeActivity.PREPROCESSING,
            RangeActivity.SYNCHRONISATION,
            RangeActivity.COPY);

    /** A thread's longest wait at one place. */
    private static final class Longest {
        private String place = "";
        private long startNs;
        private long endNs;
        private Map<LedgerClass, Long> classes = new EnumMap<>(LedgerClass.class);
        private String work = "";
        private String openPlace = "";
        private long openStartNs;
        private long openEndNs;
        private Map<LedgerClass, Long> openClasses = new EnumMap<>(LedgerClass.class);

        /** Takes a wait at a place, in a span of work or none. */
        void take(ThreadPiece piece, String at, String inside) {
            if (openClasses.isEmpty()
                    || !at.equals(openPlace)
                    || piece.fromNs() - openEndNs > IDLE * (openEndNs - openStartNs)) {
                openPlace = at;
                openStartNs = piece.fromNs();
                openClasses = new EnumMap<>(LedgerClass.class);
            }
            openEndNs = piece.toNs();
            openClasses.merge(piece.ledgerClass(), piece.ns(), Long::sum);
            if (openEndNs - openStartNs >= endNs - startNs) {
                place = openPlace;
                startNs = openStartNs;
                endNs = openEndNs;
                classes = openClasses;
                work = inside;
            }
        }

        long ns() {
            return endNs - startNs;
        }

        LedgerClass reason() {
            return classes.entrySet().stream()
                    .max(Order.comparingLong(Map.Entry::getValue))
                    .orElseThrow()
                    .getKey();
        }
    }

    @Override
    public Verdict evaluate(Analysis analysis) {
        if (analysis.subjectThread() < 0 || !analysis.threadStatesRecorded()) {
            return new Verdict.NotApplicable("what threads wait for is not recorded");
        }
        if (ProgramEnd.isSuccess(analysis.timeline())) {
            return Verdict.clean("the program came to its end by itself");
        }
        Stretch window = analysis.window();
        Longest longest = new Longest();
        analysis.threads().activity(analysis.subjectThread()).cover(window.startNs(), window.endNs(), piece -> {
            LedgerClass of = piece.ledgerClass();
            int work = of.isWaiting() && of != LedgerClass.WAIT_RUN_QUEUE ? work(analysis.timeline(), piece.row()) : -1;
            if (work >= 0 || WAITS.contains(of)) {
                longest.take(
                        piece,
                        place(analysis, piece),
                        work < 0 ? "" : analysis.timeline().name(work));
            }
        });
        Ledger ledger = HostShare.window(analysis);
        double share = ledger.share(longest.ns());
        boolean isAll = share >= ALL && longest.ns() >= LEAST_OF_ALL_NS && longest.reason() == LedgerClass.WAIT_LOCK;
        boolean isLong = isAll || (longest.ns() >= limit(analysis, "ns") && share >= leastShare(analysis));
        if (!isLong || window.endNs() - longest.endNs > Math.max(END_NS, END * longest.ns())) {
            return Verdict.clean("the longest wait for the program itself that lasts until the end takes "
                    + Units.duration(longest.ns()));
        }
        Stretch still = new Stretch(longest.startNs, longest.endNs);
        if (works(analysis, still)) {
            return Verdict.clean("while the critical thread waits until the end, other threads or a device work");
        }
        if (analysis.has(RowKind.REQUEST) && !isRequestOpen(analysis, still)) {
            return Verdict.clean("no request is open while the program stands still until the end");
        }
        return Verdict.found(finding(analysis, ledger, longest, still));
    }

    /** Returns the innermost span of work around a row, -1 if there is none. */
    private static int work(Timeline timeline, int row) {
        int at = row;
        while (at >= 0 && !isWork(timeline, at)) {
            at = timeline.parent(at);
        }
        return at;
    }

    private static boolean isWork(Timeline timeline, int row) {
        long activity = timeline.kind(row) == RowKind.ANNOTATION ? timeline.attribute(row, Attribute.ACTIVITY) : -1;
        return WORK.stream().anyMatch(work -> work.ordinal() == activity);
    }

    private FindingBuilder finding(Analysis analysis, Ledger ledger, Longest longest, Stretch still) {
        Timeline timeline = analysis.timeline();
        int subject = analysis.subjectThread();
        FindingBuilder finding = finding(ledger, Math.min(longest.ns(), ledger.durationNs()))
                .causes(List.of(longest.reason()))
                .measure("wait", longest.reason().label())
                .measure("where", longest.place.isEmpty() ? "" : " at " + longest.place)
                .measure("span", longest.work.isEmpty() ? "" : " in `" + longest.work + "`")
                .measure(
                        "from",
                        Units.duration(longest.startNs - analysis.window().startNs()))
                .evidence(new Evidence.Range(
                        longest.reason().label(),
                        still.startNs(),
                        still.endNs(),
                        Threads.label(timeline, subject),
                        longest.place));
        others(analysis, still).forEach(finding::evidence);
        boolean asIs = ledger.share(longest.ns()) >= ALL && ProgramEnd.mayHaveNothingToDo(analysis);
        if (asIs && longest.reason() == LedgerClass.WAIT_UNKNOWN && !isLocked(analysis, still)) {
            finding.claim("hang.rests").severity(Severity.INFO); // It was never seen to work.
        }
        if (!analysis.has(RowKind.REQUEST) && listens(analysis, still)) {
            finding.severity(Severity.INFO); // A server whose requests are not recorded may have none.
        }
        return finding.advice(analysis).noGain("what the program would have done instead is not recorded");
    }

    /** Returns what the other threads of the program's processes wait for during the standstill, and where. */
    private static List<Evidence> others(Analysis analysis, Stretch still) {
        List<Evidence.Place> places = new ArrayList<>();
        for (Track thread : threads(analysis)) {
            Map<String, Long> waits = new HashMap<>();
            analysis.threads().activity(thread.id()).cover(still.startNs(), still.endNs(), piece -> {
                String at = place(analysis, piece);
                if (piece.ledgerClass().isWaiting() && !at.isEmpty()) {
                    waits.merge(piece.ledgerClass().label() + '\n' + at, piece.ns(), Long::sum);
                }
            });
            waits.entrySet().stream()
                    .max(Order.<Map.Entry<String, Long>>comparingLong(Map.Entry::getValue)
                            .thenComparing(Map.Entry::getKey, Order.comparing(text -> text)))
                    .filter(most -> thread.id() != analysis.subjectThread())
                    .ifPresent(most -> places.add(new Evidence.Place(
                            Threads.label(analysis.timeline(), thread.id()) + " is "
                                    + most.getKey().substring(0, most.getKey().indexOf('\n')),
                            most.getKey().substring(most.getKey().indexOf('\n') + 1),
                            most.getValue(),
                            1)));
        }
        // Reports of a few lines show the first ones: who waits for a lock comes before who waits for work.
        String lock = " is " + LedgerClass.WAIT_LOCK.label();
        places.sort(Order.<Evidence.Place>comparingLong(place -> place.label().endsWith(lock) ? 1 : 0)
                .thenComparing(Order.comparingLong(Evidence.Place::ns))
                .reversed());
        return List.copyOf(places.subList(0, Math.min(MOST_THREADS, places.size())));
    }

    /** Returns whether another thread waits for a connection nearly all the time. */
    private static boolean listens(Analysis analysis, Stretch still) {
        return isThroughout(analysis, still, LedgerClass.WAIT_SOCKET);
    }

    private static boolean isLocked(Analysis analysis, Stretch still) {
        return isThroughout(analysis, still, LedgerClass.WAIT_LOCK);
    }

    private static boolean isThroughout(Analysis analysis, Stretch still, LedgerClass wait) {
        long limitNs = Math.round((1 - END) * (still.endNs() - still.startNs()));
        for (Track thread : threads(analysis)) {
            long[] waitedNs = {0};
            analysis.threads().activity(thread.id()).cover(still.startNs(), still.endNs(), piece -> {
                waitedNs[0] += piece.ledgerClass() == wait ? piece.ns() : 0;
            });
            if (waitedNs[0] >= limitNs) {
                return true;
            }
        }
        return false;
    }

    /** Returns the line of a piece, or else the span around it. */
    private static String place(Analysis analysis, ThreadPiece piece) {
        String line = analysis.classifier().place(analysis.classifier().placeOf(piece));
        return line.isEmpty() && piece.row() >= 0 ? analysis.timeline().name(piece.row()) : line;
    }

    private static List<Track> threads(Analysis analysis) {
        return analysis.threads().all().stream()
                .filter(thread -> !Threads.isRecorders(analysis.timeline(), thread.id()))
                .toList();
    }

    private static boolean works(Analysis analysis, Stretch still) {
        long limitNs = Math.round(IDLE * (still.endNs() - still.startNs()));
        long onCpuNs = threads(analysis).stream()
                .map(thread -> analysis.threads().activity(thread.id()))
                .filter(ThreadActivity::hasCpuTime)
                .mapToLong(activity -> activity.onCpuNs(still.startNs(), still.endNs()))
                .sum();
        return onCpuNs > limitNs
                || analysis.devices().stream()
                        .anyMatch(device -> device.busy().totalWithinNs(still.startNs(), still.endNs()) > limitNs);
    }

    private static boolean isRequestOpen(Analysis analysis, Stretch still) {
        Timeline timeline = analysis.timeline();
        return Arrays.stream(analysis.rows(RowKind.REQUEST))
                .anyMatch(row ->
                        timeline.startNs(row) <= still.startNs() + END_NS && timeline.endNs(row) >= still.endNs());
    }
}
