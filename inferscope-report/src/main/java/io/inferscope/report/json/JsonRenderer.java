package io.inferscope.report.json;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.Renderer;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The report for programs: schema {@code inferscope-report/1}, whose members docs/report-json.md describes. */
public final class JsonRenderer implements Renderer {
    static final String SCHEMA = "inferscope-report/1";

    @Override
    public String format() {
        return "json";
    }

    @Override
    public void render(Report report, Appendable out) throws IOException {
        try (JsonWriter json = new JsonWriter(out)) {
            json.object(() -> {
                head(json, report);
                time(json, report);
                JsonFigures.write(json, report);
                json.objects("findings", report.findings(), finding -> finding(json, finding));
                recording(json, report);
            });
        }
    }

    private static void head(JsonWriter json, Report report) throws IOException {
        json.text("schema", SCHEMA);
        json.text("title", report.title());
        json.text("originUnixNs", Long.toString(report.originUnixNs()));
        json.object("window", () -> {
            json.number("startNs", report.window().startNs());
            json.number("endNs", report.window().endNs());
            json.number("durationNs", report.window().durationNs());
        });
        json.object("judged", () -> {
            json.text("what", report.judged().what().id());
            json.text("subject", report.judged().subject());
            json.number("startNs", report.judged().stretch().startNs());
            json.number("endNs", report.judged().stretch().endNs());
        });
        BoundVerdict verdict = report.verdict();
        json.object("verdict", () -> {
            json.text("bound", verdict.bound().id());
            json.text("claim", verdict.claim());
            json.decimal("marginPoints", verdict.marginPoints());
            json.textOrNull("next", verdict.next() == null ? "" : verdict.next().id());
            json.texts("because", verdict.because());
            json.objects("reasons", verdict.reasons(), reason -> {
                json.textOrNull("check", Objects.requireNonNullElse(reason.check(), ""));
                json.text("detail", reason.detail());
                json.textOrNull("remedy", Objects.requireNonNullElse(reason.remedy(), ""));
            });
        });
        json.texts("diagnosis", report.diagnosis());
        json.texts("suggestions", report.suggestions());
        json.texts("notes", report.notes());
    }

    private static void time(JsonWriter json, Report report) throws IOException {
        json.objects("ledgers", report.ledgers(), ledger -> ledger(json, ledger));
        long windowNs = report.window().durationNs();
        json.objects("rollup", report.rollup().entrySet(), line -> {
            json.text("id", line.getKey().id());
            json.number("ns", line.getValue());
            json.decimal("share", windowNs == 0 ? 0 : (double) line.getValue() / windowNs);
        });
    }

    private static void ledger(JsonWriter json, Ledger ledger) throws IOException {
        json.text("subject", ledger.subject());
        json.text("part", ledger.part().id());
        json.number("durationNs", ledger.durationNs());
        classes(json, ledger);
    }

    /** Writes the classes of a ledger with their times. */
    static void classes(JsonWriter json, Ledger ledger) throws IOException {
        json.objects("classes", ledger.entries(), entry -> {
            json.text("id", entry.ledgerClass().id());
            json.number("ns", entry.ns());
            json.decimal("share", ledger.share(entry.ns()));
            json.text("basis", entry.basis());
            json.number("boundNs", entry.boundNs());
        });
    }

    private static void finding(JsonWriter json, Finding finding) throws IOException {
        json.text("rule", finding.rule());
        json.text("severity", finding.severity().id());
        json.text("claim", finding.claim());
        json.number("costNs", finding.costNs());
        json.decimal("share", finding.share());
        json.text("of", finding.of());
        json.texts("causes", finding.causes().stream().map(LedgerClass::id).toList());
        json.objects("evidence", finding.evidence(), evidence -> evidence(json, evidence));
        json.text("advice", finding.advice());
        Finding.Gain gain = finding.gain();
        if (gain == null) {
            json.nothing("gain");
        } else {
            json.object("gain", () -> {
                json.number("lowNs", gain.lowNs());
                json.number("highNs", gain.highNs());
                json.texts("assumptions", gain.assumptions());
            });
        }
        json.textOrNull("noGainBecause", finding.noGainBecause());
    }

    private static void evidence(JsonWriter json, Evidence evidence) throws IOException {
        if (evidence instanceof Evidence.Range range) {
            json.text("kind", "range");
            json.text("label", range.label());
            json.number("startNs", range.startNs());
            json.number("endNs", range.endNs());
            json.textOrNull("track", range.track());
            json.textOrNull("where", range.where());
        } else if (evidence instanceof Evidence.Place place) {
            json.text("kind", "place");
            json.text("label", place.label());
            json.text("where", place.where());
            json.number("ns", place.ns());
            json.number("count", place.count());
        } else if (evidence instanceof Evidence.Quantity quantity) {
            json.text("kind", "quantity");
            json.text("label", quantity.label());
            quantity(json, quantity);
            json.text("unit", quantity.unit());
        }
    }

    private static void quantity(JsonWriter json, Evidence.Quantity quantity) throws IOException {
        boolean decimal =
                quantity.unit().equals(MeasureUnit.RATIO.id()) || quantity.value() != Math.rint(quantity.value());
        if (decimal) {
            json.decimal("value", quantity.value());
        } else {
            json.whole("value", quantity.value());
        }
    }

    /** Writes the parts about the recording: rules, trust, coverage, import and overhead. */
    private static void recording(JsonWriter json, Report report) throws IOException {
        json.objects("failures", report.failures(), failure -> {
            json.text("part", failure.part());
            json.text("problem", failure.problem());
        });
        json.objects("rules", report.outcomes(), outcome -> {
            json.text("rule", outcome.rule());
            json.text("title", outcome.title());
            json.text("outcome", outcome.outcome().id());
            json.textOrNull("because", outcome.because());
        });
        json.objects("trust", report.trust(), check -> {
            json.text("check", check.check());
            json.flag("passed", check.passed());
            json.flag("withholds", check.withholds());
            json.text("detail", check.detail());
            json.textOrNull("remedy", check.remedy());
        });
        json.objects("sources", report.sources(), source -> {
            json.text("name", source.name());
            json.text("format", source.format());
            json.number("offsetNs", source.offsetNs());
            json.numberOrNull("errorBoundNs", source.errorBoundNs());
            json.text("evidence", source.evidence());
        });
        json.objects("coverage", report.coverage(), coverage -> {
            json.text("source", coverage.source());
            json.number("recorded", coverage.recorded());
            json.number("missing", coverage.missing());
            json.textOrNull("why", coverage.why());
        });
        json.object("importStats", () -> importStats(json, report.importStats()));
        json.object("overhead", () -> overhead(json, report.overheads()));
    }

    private static void importStats(JsonWriter json, ImportStats stats) throws IOException {
        json.number("eventsRead", stats.eventsRead());
        json.number("bytesRead", stats.bytesRead());
        json.number("bytesLost", stats.bytesLost());
        json.number("dropped", stats.count(ImportStats.Effect.DROPPED));
        json.number("repaired", stats.count(ImportStats.Effect.REPAIRED));
        json.number("ignored", stats.count(ImportStats.Effect.IGNORED));
        json.objects("reasons", stats.entries(), entry -> {
            json.text("reason", id(entry.reason()));
            json.text("effect", id(entry.reason().effect()));
            json.number("count", entry.count());
            json.textOrNull("source", entry.source());
            json.numberOrNull("firstOffsetBytes", entry.firstOffsetBytes());
            json.textOrNull("firstDetail", entry.firstDetail());
        });
    }

    private static void overhead(JsonWriter json, List<RecorderOverhead> overheads) throws IOException {
        json.number(
                "cpuNs", overheads.stream().mapToLong(RecorderOverhead::cpuNs).sum());
        json.number(
                "heldUpNs",
                overheads.stream().mapToLong(RecorderOverhead::heldUpNs).sum());
        json.objects("recorders", overheads, overhead -> {
            json.text("recorder", overhead.recorder());
            json.number("cpuNs", overhead.cpuNs());
            json.number("heldUpNs", overhead.heldUpNs());
            json.number("events", overhead.events());
        });
    }

    private static String id(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
