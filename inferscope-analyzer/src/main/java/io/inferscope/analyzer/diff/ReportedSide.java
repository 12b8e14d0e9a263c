package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.RequestTables;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A recording of which only the report exists: no single events, and only the longest kernels and operators. Tables
 * cover the whole recording, independent of the compared part.
 *
 * @param report the report
 * @param format what it was read from
 * @param title what it is called
 * @param steps its steps by name, as far as they are known
 * @param rounds its rounds by the name of their last step; none where only a report exists
 * @param requests its requests by name
 */
record ReportedSide(
        Report report,
        String format,
        String title,
        Map<String, StepLengths> steps,
        Map<String, StepLengths> rounds,
        Map<String, StepLengths> requests)
        implements Side {
    static final String FORMAT = "InferScope report";

    /** Most names of kernels or operators in a report. An unlisted name may still be in the recording. */
    static final int MOST_NAMES = 50;

    ReportedSide(Report report, String format, String title) {
        this(report, format, title, steps(report), Map.of(), requests(report));
    }

    private static Map<String, StepLengths> steps(Report report) {
        Map<String, StepLengths> steps = new TreeMap<>();
        for (StepFigures figures : report.rows(StepTables.STEPS)) {
            steps.putIfAbsent(figures.label(), StepLengths.of(figures.count(), figures.medianNs()));
        }
        return steps;
    }

    /** Of several processes that answer requests of one name, the one with most of them stands for all. */
    private static Map<String, StepLengths> requests(Report report) {
        Map<String, StepLengths> requests = new TreeMap<>();
        for (RequestFigures figures : report.rows(HostTables.REQUESTS)) {
            requests.putIfAbsent(figures.name(), StepLengths.of(figures.count(), figures.medianNs()));
        }
        return requests;
    }

    @Override
    public Map<String, StepLengths> requests(Stretch stretch) {
        return new TreeMap<>(requests);
    }

    @Override
    public ReportedSide reported() {
        return this;
    }

    @Override
    public Side withoutRecording() {
        return this;
    }

    @Override
    public Optional<Ledger> ledger(LedgerPart part) {
        return report.ledger(part);
    }

    @Override
    public Map<String, StepLengths> steps(Stretch stretch) {
        return steps;
    }

    /** Of a report, only their mean is known, so all have that length. */
    @Override
    public StepLengths rounds(String label, Stretch stretch) {
        StepLengths known = rounds.get(label);
        if (known != null) {
            return known;
        }
        long count = steps(stretch).getOrDefault(label, StepLengths.NONE).count();
        return new StepLengths(count, stretch.durationNs() / Math.max(1, count), stretch.durationNs(), new long[0]);
    }

    @Override
    public Map<String, Durations> durations(EntityKind things, Stretch stretch) {
        Map<String, Durations> sums = new TreeMap<>();
        switch (things) {
            case KERNELS ->
                report.rows(Report.KERNELS).forEach(k -> add(sums, things, k.name(), k.count(), k.totalNs()));
            case DEVICE_TIME ->
                report.rows(Report.OPERATORS).stream()
                        .filter(o -> o.launches() > 0)
                        .forEach(o -> add(sums, things, o.name(), o.launches(), o.deviceNs()));
            case COPIES -> report.rows(Report.COPIES).forEach(c -> add(sums, things, name(c), c.count(), c.totalNs()));
            case OPERATORS ->
                report.rows(Report.OPERATORS).forEach(o -> add(sums, things, o.name(), o.count(), o.totalNs()));
            case ANNOTATIONS ->
                report.rows(Report.SCOPES).forEach(s -> add(sums, things, s.name(), s.count(), s.wallNs()));
            case REQUESTS ->
                report.rows(RequestTables.REQUEST_TIME)
                        .forEach(r -> add(
                                sums, things, r.name(), r.count(), r.ledger().durationNs()));
        }
        return sums;
    }

    private static String name(CopyFigures copy) {
        return copy.memoryKinds().isEmpty()
                ? copy.direction().id()
                : copy.direction().id() + " (" + copy.memoryKinds() + ")";
    }

    private static void add(Map<String, Durations> sums, EntityKind things, String name, long count, long totalNs) {
        sums.merge(things.name(name), Durations.summed(count, totalNs), Durations::plus);
    }

    /** Returns whether its tables may be cut. */
    boolean isCut() {
        return report.rows(Report.KERNELS).size() >= MOST_NAMES
                || report.rows(Report.OPERATORS).size() >= MOST_NAMES;
    }
}
