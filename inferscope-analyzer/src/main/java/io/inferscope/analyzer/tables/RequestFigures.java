package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Samples;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The requests that were answered, by process and name. */
final class RequestFigures {
    private static final int MOST = 50;

    private long count;
    private long items;
    private final Samples lengths = new Samples();
    private final Samples firsts = new Samples();

    private RequestFigures() {}

    static List<HostTables.RequestFigures> of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Map<String, Map<String, RequestFigures>> byProcess = new TreeMap<>();
        for (int row : analysis.rows(RowKind.REQUEST)) {
            int process = timeline.tracks().get(timeline.track(row)).parent();
            String name = process < 0 ? "" : timeline.tracks().get(process).name();
            byProcess
                    .computeIfAbsent(name, p -> new TreeMap<>())
                    .computeIfAbsent(timeline.name(row), n -> new RequestFigures())
                    .add(timeline, row);
        }
        List<HostTables.RequestFigures> figures = new ArrayList<>();
        byProcess.forEach(
                (process, names) -> names.forEach((name, requests) -> figures.add(requests.figures(process, name))));
        figures.sort(Comparator.comparingLong(HostTables.RequestFigures::count).reversed());
        return List.copyOf(figures.subList(0, Math.min(MOST, figures.size())));
    }

    private void add(Timeline timeline, int row) {
        count++;
        lengths.add(timeline.durationNs(row));
        items += Math.max(0, timeline.attribute(row, Attribute.ITEMS));
        long first = timeline.attribute(row, Attribute.FIRST_ANSWER_NS);
        if (first != Attribute.ABSENT) {
            firsts.add(first);
        }
    }

    private HostTables.RequestFigures figures(String process, String name) {
        return new HostTables.RequestFigures(
                name,
                process,
                count,
                lengths.percentile(50),
                lengths.percentile(95),
                lengths.percentile(100),
                firsts.percentile(50),
                firsts.percentile(95),
                items);
    }
}
