package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Samples;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Answered requests and generating calls, by process and name. */
final class RequestFigures {
    private static final int MOST = 50;

    private long count;
    private long items;
    private final Samples lengths = new Samples();
    private final Samples firsts = new Samples();

    private RequestFigures() {}

    static List<HostTables.RequestFigures> of(Analysis analysis) {
        Map<String, Map<String, RequestFigures>> byProcess = new TreeMap<>();
        for (Answer answer : Answers.of(analysis)) {
            byProcess
                    .computeIfAbsent(answer.process(), process -> new TreeMap<>())
                    .computeIfAbsent(answer.name(), name -> new RequestFigures())
                    .add(answer);
        }
        List<HostTables.RequestFigures> figures = new ArrayList<>();
        byProcess.forEach(
                (process, names) -> names.forEach((name, requests) -> figures.add(requests.figures(process, name))));
        figures.sort(Order.comparingLong(HostTables.RequestFigures::count).reversed());
        return List.copyOf(figures.subList(0, Math.min(MOST, figures.size())));
    }

    private void add(Answer answer) {
        count++;
        lengths.add(answer.durationNs());
        items += answer.items();
        if (answer.firstNs() >= 0) {
            firsts.add(answer.firstNs());
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
                firsts.percentileIfAny(50),
                firsts.percentileIfAny(95),
                items);
    }
}
