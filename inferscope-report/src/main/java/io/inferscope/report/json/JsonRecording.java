package io.inferscope.report.json;

import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.TimelineInfo.RecorderOverhead;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The parts of the JSON report about the recording: rules, trust, coverage, import and overhead. */
record JsonRecording(JsonWriter json) {
    void write(Report report) throws IOException {
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
        json.object("importStats", () -> importStats(report.importStats()));
        json.object("overhead", () -> overhead(report.overheads()));
    }

    private void importStats(ImportStats stats) throws IOException {
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

    private void overhead(List<RecorderOverhead> overheads) throws IOException {
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
