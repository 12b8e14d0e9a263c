package io.inferscope.report.json;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Claimed;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.report.common.ComparisonRenderer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A comparison for programs: schema {@code inferscope-diff/1}, whose members docs/diff.md describes. */
public final class JsonComparison implements ComparisonRenderer {
    static final String SCHEMA = "inferscope-diff/1";

    @Override
    public void render(Comparison comparison, Appendable out) throws IOException {
        try (JsonWriter json = new JsonWriter(out)) {
            json.object(() -> {
                json.text("schema", SCHEMA);
                json.text("outcome", comparison.outcome().id());
                json.texts("conclusion", comparison.conclusion());
                json.texts("cautions", comparison.cautions());
                json.object("before", () -> party(json, comparison.before()));
                json.object("after", () -> party(json, comparison.after()));
                json.text("unit", comparison.unit().id());
                json.object("pace", () -> change(json, comparison.pace()));
                json.object("runs", () -> {
                    json.numbers("beforeNs", comparison.runs().beforeNs());
                    json.numbers("afterNs", comparison.runs().afterNs());
                });
                json.objects("groups", comparison.groups(), group -> group(json, group));
                json.objects("findings", comparison.findings(), finding -> {
                    json.text("rule", finding.rule());
                    json.textOrNull("beforeSeverity", finding.beforeSeverity());
                    json.textOrNull("afterSeverity", finding.afterSeverity());
                    json.decimal("beforeNs", finding.beforeNs());
                    json.decimal("afterNs", finding.afterNs());
                    claimed(json, finding.claimed());
                });
            });
        }
    }

    private static void claimed(JsonWriter json, @Nullable Claimed claimed) throws IOException {
        if (claimed == null) {
            json.nothing("claimed");
            return;
        }
        json.object("claimed", () -> {
            json.decimal("lowRatio", claimed.lowRatio());
            json.decimal("highRatio", claimed.highRatio());
        });
    }

    private static void party(JsonWriter json, Party party) throws IOException {
        json.text("title", party.title());
        json.text("format", party.format());
        json.textOrNull("device", party.device());
        json.text("bound", party.bound().id());
        json.text("claim", party.claim());
        json.number("windowNs", party.windowNs());
        json.decimal("units", party.units());
    }

    private static void group(JsonWriter json, Group group) throws IOException {
        json.text("id", group.id());
        json.text("title", group.title());
        json.flag("perUnit", group.perUnit());
        json.objects("changes", group.changes(), change -> change(json, change));
    }

    private static void change(JsonWriter json, Change change) throws IOException {
        json.text("name", change.name());
        json.textOrNull("formerly", change.formerly());
        json.textOrNull("id", change.id());
        json.decimal("beforeCount", change.beforeCount());
        json.decimal("afterCount", change.afterCount());
        json.decimal("beforeNs", change.beforeNs());
        json.decimal("afterNs", change.afterNs());
        json.decimal("grownNs", change.grownNs());
        json.decimal("grownRatio", change.grownRatio());
        Shift shift = change.shift();
        if (shift == null) {
            json.nothing("shift");
            return;
        }
        json.object("shift", () -> {
            json.number("beforeSamples", shift.beforeSamples());
            json.number("afterSamples", shift.afterSamples());
            json.decimal("ratio", shift.ratio());
            json.decimal("lowRatio", shift.lowRatio());
            json.decimal("highRatio", shift.highRatio());
            json.flag("beyondNoise", shift.isBeyondNoise());
        });
    }
}
