package io.inferscope.report.json;

import io.inferscope.analyzer.model.BoundVerdict;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.MeasureUnit;
import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.Renderer;
import java.io.IOException;
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
                new JsonRecording(json).write(report);
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
}
