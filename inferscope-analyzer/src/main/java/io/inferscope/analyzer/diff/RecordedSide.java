package io.inferscope.analyzer.diff;

import io.inferscope.analyzer.Explained;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.steps.Step;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A recording with every event.
 *
 * @param analysis what is computed from it
 * @param report the report on it
 */
record RecordedSide(Analysis analysis, Report report) implements Side {
    Timeline timeline() {
        return analysis.timeline();
    }

    @Override
    public Optional<Explained> explained() {
        return Optional.of(new Explained(analysis, report));
    }

    @Override
    public String format() {
        return timeline().info().format();
    }

    @Override
    public ReportedSide reported() {
        return new ReportedSide(report, format());
    }

    @Override
    public Map<String, Steps> steps(Stretch stretch) {
        Map<String, List<Step>> byLabel = new TreeMap<>();
        for (Step step : analysis.steps()) {
            long middleNs = step.startNs() + step.durationNs() / 2;
            if (middleNs >= stretch.startNs() && middleNs < stretch.endNs()) {
                byLabel.computeIfAbsent(step.label(), label -> new ArrayList<>())
                        .add(step);
            }
        }
        Map<String, Steps> steps = new TreeMap<>();
        byLabel.forEach((label, list) -> steps.put(label, Steps.of(list)));
        return steps;
    }

    @Override
    public Map<String, Durations> durations(EntityKind things, Stretch stretch) {
        return Occurrences.of(timeline(), stretch, things::isKind, things::name);
    }
}
