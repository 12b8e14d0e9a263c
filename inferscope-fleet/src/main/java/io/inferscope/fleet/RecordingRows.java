package io.inferscope.fleet;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.metrics.Metric;
import io.inferscope.analyzer.metrics.Metrics;
import io.inferscope.analyzer.metrics.ReportFacts;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.HasStableId;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.RuleOutcome;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.redact.Redaction;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one recording, free of what {@code convert --redact} removes.
 *
 * @param traceId the recording
 * @param rows per table its rows: a {@link Long}, a {@link Double}, a {@link String} or null per column
 */
public record RecordingRows(String traceId, Map<FleetTable, List<List<@Nullable Object>>> rows) {
    /** Values of {@code trace.trust}. */
    static final String OK = "ok";

    static final String FAILED = "failed";
    private static final String WITHHELD = "withheld";

    private static final int MOST_PLACES = 200;
    private static final int LONGEST_TEXT = 1000;

    /** The year 2000 in ns: no recording is older, so a smaller time is not Unix time. */
    private static final long EARLIEST_UNIX_NS = 946_684_800_000_000_000L;

    /** Returns the rows of a recording that was explained. */
    public static RecordingRows of(Origin origin, AnalyzedReport explained) {
        Rows rows = new Rows(origin, Redaction.cleaner(explained.analysis().timeline()));
        rows.explained(explained.analysis(), explained.report());
        return new RecordingRows(origin.traceId(), rows.all);
    }

    /** Returns the row of a recording that could not be read or explained. */
    public static RecordingRows failed(Origin origin, String problem) {
        Rows rows = new Rows(origin, Redaction.cleaner(null));
        rows.trace(null, null, FAILED, null, problem);
        return new RecordingRows(origin.traceId(), rows.all);
    }

    /** Returns the rows of a table. */
    List<List<@Nullable Object>> of(FleetTable table) {
        return Objects.requireNonNull(rows.get(table));
    }

    /** Returns whether the recording could not be read or explained. */
    public boolean hasFailed() {
        int trust = FleetTable.TRACE.columns().indexOf(OutputColumn.text("trust"));
        return FAILED.equals(of(FleetTable.TRACE).get(0).get(trust));
    }

    private static final class Rows {
        private final Map<FleetTable, List<List<@Nullable Object>>> all = new EnumMap<>(FleetTable.class);
        private final Origin origin;
        private final UnaryOperator<String> cleaner;

        Rows(Origin origin, UnaryOperator<String> cleaner) {
            this.origin = origin;
            this.cleaner = cleaner;
            for (FleetTable table : FleetTable.values()) {
                all.put(table, new ArrayList<>());
            }
        }

        /** Adds a row; ids become texts, other texts are cleaned, and empty ones null. */
        private void add(FleetTable table, @Nullable Object... values) {
            List<OutputColumn> columns = table.columns();
            @Nullable Object[] row = new Object[columns.size()];
            for (int i = 0; i < row.length; i++) {
                Object value = values[i];
                row[i] = switch (columns.get(i).type()) {
                    case NUMBER -> (Long) value;
                    case REAL -> (Double) value;
                    case TEXT -> value instanceof HasStableId id ? id.id() : text((String) value);
                };
            }
            if (values.length != row.length) {
                throw new IllegalArgumentException(table + " has " + row.length + " columns, not " + values.length);
            }
            Objects.requireNonNull(all.get(table)).add(Arrays.asList(row));
        }

        private @Nullable String text(@Nullable String text) {
            if (text == null || text.isEmpty()) {
                return null;
            }
            return cleaner.apply(text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text);
        }

        private void explained(Analysis analysis, Report report) {
            Optional<String> withheldBy = report.trust().stream()
                    .filter(check -> !check.passed() && check.withholds())
                    .map(TrustCheck::check)
                    .findFirst();
            trace(analysis, report, withheldBy.isPresent() ? WITHHELD : OK, withheldBy.orElse(null), null);
            report.ledgers().forEach(this::ledger);
            blame(report.rows(Report.IDLE_BLAME));
            for (Finding finding : report.findings()) {
                Finding.Gain gain = finding.gain();
                add(
                        FleetTable.FINDING,
                        origin.traceId(),
                        finding.rule(),
                        RuleOutcome.Outcome.FOUND,
                        finding.severity(),
                        finding.costNs(),
                        gain == null ? null : gain.lowNs(),
                        gain == null ? null : gain.highNs(),
                        finding.places().stream().findFirst().orElse(null),
                        finding.claim());
            }
            for (RuleOutcome outcome : report.outcomes()) {
                if (outcome.outcome() == RuleOutcome.Outcome.FAILED) {
                    add(
                            FleetTable.FINDING,
                            origin.traceId(),
                            outcome.rule(),
                            outcome.outcome(),
                            null,
                            null,
                            null,
                            null,
                            null,
                            outcome.because());
                }
            }
            metrics(report);
            steps(analysis.steps());
        }

        private void trace(
                @Nullable Analysis analysis,
                @Nullable Report report,
                String trust,
                @Nullable String check,
                @Nullable String problem) {
            Map<String, String> labels = origin.labels();
            long startNs =
                    report == null ? 0 : report.originUnixNs() + report.window().startNs();
            boolean dated = startNs >= EARLIEST_UNIX_NS;
            add(
                    FleetTable.TRACE,
                    FleetTable.SCHEMA_VERSION,
                    origin.traceId(),
                    origin.toolVersion(),
                    origin.name(),
                    analysis == null ? null : analysis.timeline().info().format(),
                    labels.get("service"),
                    labels.get("model"),
                    labels.get("engine"),
                    labels.get("engine_version"),
                    labels.entrySet().stream() // Labels need no escapes in JSON.
                            .map(label -> '"' + label.getKey() + "\":\"" + cleaner.apply(label.getValue()) + '"')
                            .collect(Collectors.joining(",", "{", "}")),
                    report == null ? null : gpu(report),
                    report == null ? null : (long) report.rows(Report.DEVICES).size(),
                    dated ? startNs : null,
                    dated
                            ? Instant.ofEpochSecond(0, startNs)
                                    .atOffset(ZoneOffset.UTC)
                                    .toLocalDate()
                                    .toString()
                            : null,
                    report == null ? null : report.window().durationNs(),
                    report == null ? null : report.judged().what(),
                    report == null ? null : report.judged().subject(),
                    report == null ? null : report.judged().stretch().durationNs(),
                    report == null ? null : report.verdict().bound(),
                    trust,
                    check,
                    problem,
                    analysis == null ? null : (long) analysis.timeline().rowCount(),
                    report == null ? null : (long) report.failures().size());
        }

        private static @Nullable String gpu(Report report) {
            return report.judgedDevice()
                    .or(() -> report.rows(Report.DEVICES).stream().findFirst())
                    .map(DeviceFigures::name)
                    .orElse(null);
        }

        private void ledger(Ledger ledger) {
            boolean ofDevice = ledger.subject().startsWith(Report.DEVICE_SUBJECT);
            String device = ofDevice ? ledger.subject().substring(Report.DEVICE_SUBJECT.length()) : null;
            for (Ledger.Entry entry : ledger.entries()) {
                add(
                        FleetTable.LEDGER,
                        origin.traceId(),
                        ledger.subject(),
                        device,
                        ledger.part(),
                        entry.ledgerClass(),
                        entry.ledgerClass().isDeviceBusy() ? 1L : 0L,
                        entry.ns(),
                        entry.basis(),
                        entry.boundNs());
            }
        }

        private void blame(List<BlameFigures> figures) {
            figures.stream().limit(MOST_PLACES).forEach(one -> blame(one, one.state(), one.activity(), one.where()));
            Map<List<Object>, BlameFigures> others = new LinkedHashMap<>();
            figures.stream()
                    .skip(MOST_PLACES)
                    .forEach(one -> others.merge(List.of(one.device(), one.phase(), one.cause()), one, Rows::sum));
            others.values().forEach(one -> blame(one, null, null, null));
        }

        private static BlameFigures sum(BlameFigures a, BlameFigures b) {
            return new BlameFigures(
                    a.device(),
                    a.phase(),
                    a.thread(),
                    a.cause(),
                    a.state(),
                    a.activity(),
                    a.where(),
                    a.ns() + b.ns(),
                    a.gaps() + b.gaps(),
                    a.estimated() || b.estimated(),
                    a.boundNs() + b.boundNs());
        }

        private void blame(
                BlameFigures figures, @Nullable HasStableId state, @Nullable String activity, @Nullable String place) {
            add(
                    FleetTable.BLAME,
                    origin.traceId(),
                    figures.device(),
                    figures.phase(),
                    figures.cause(),
                    state,
                    activity,
                    place,
                    figures.gaps(),
                    figures.ns(),
                    figures.estimated() ? "estimated" : "measured",
                    figures.boundNs());
        }

        private void metrics(Report report) {
            ReportFacts facts = new ReportFacts(report);
            for (String name : Metrics.names()) {
                Metric metric = Metrics.named(name).orElseThrow();
                OptionalDouble value = metric.name().equals(name) ? metric.read(facts) : OptionalDouble.empty();
                value.ifPresent(known -> add(
                        FleetTable.METRIC, origin.traceId(), name, metric.unit().id(), known));
            }
        }

        private void steps(List<Step> steps) {
            Map<List<@Nullable Object>, List<Step>> groups = new LinkedHashMap<>();
            steps.forEach(step -> groups.computeIfAbsent(
                            Arrays.asList(step.name(), step.kind(), step.phase()), key -> new ArrayList<>())
                    .add(step));
            groups.values().forEach(group -> {
                Percentiles lengthsNs = new Percentiles();
                group.forEach(step -> lengthsNs.add(step.durationNs()));
                Step one = group.get(0);
                add(
                        FleetTable.STEP,
                        origin.traceId(),
                        one.name(),
                        one.kind(),
                        one.phase(),
                        (long) group.size(),
                        group.stream().mapToLong(Step::durationNs).sum(),
                        lengthsNs.percentile(50),
                        lengthsNs.percentile(99),
                        lengthsNs.percentile(100));
            });
        }
    }
}
