package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.HostTables;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Answered requests and generating calls, by process and name. */
final class RequestFigures {
    private static final int MOST = 50;

    private long count;
    private long items;
    private long waitedNs;
    private boolean waits;
    private final Percentiles lengths = new Percentiles();
    private final Percentiles firsts = new Percentiles();

    private RequestFigures() {}

    static List<HostTables.RequestFigures> of(Analysis analysis) {
        Map<String, Map<String, RequestFigures>> byProcess = new TreeMap<>();
        for (Answer answer : RequestAnswers.of(analysis)) {
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

    /**
     * Returns how many requests of the name that took most time were answered, how fast, and which part of their time
     * they waited before a handler was called: {@code 147 requests, 14.0/s, p50 497 ms, p95 812 ms, p99 815 ms; 63.0% of
     * their time before the handler}. The name follows where others were recorded: an engine's requests are inside those
     * of its server, and many short ones, as for metrics, say nothing of the others. Empty without recorded requests.
     */
    static Optional<String> sentence(Analysis analysis) {
        if (!analysis.has(RowKind.REQUEST)) {
            return Optional.empty();
        }
        Map<String, List<Answer>> byName = RequestAnswers.of(analysis).stream()
                .collect(Collectors.groupingBy(a -> a.process() + '\n' + a.name(), TreeMap::new, Collectors.toList()));
        return byName.values().stream()
                .max(Order.comparingLong(RequestFigures::totalNs))
                .map(most ->
                        sentence(most, byName.size() > 1 ? " `" + most.get(0).name() + "`" : ""));
    }

    private static long totalNs(List<Answer> answers) {
        return answers.stream().mapToLong(Answer::durationNs).sum();
    }

    private static String sentence(List<Answer> answers, String name) {
        RequestFigures all = new RequestFigures();
        answers.forEach(all::add);
        long lengthNs = totalNs(answers);
        long endNs = answers.stream().mapToLong(Answer::endNs).max().orElse(0);
        double seconds = Math.max(1, endNs - answers.get(0).startNs()) / 1e9;
        String waited = all.waits && lengthNs > 0
                ? "; " + Units.percent((double) all.waitedNs / lengthNs) + " of their time before the handler"
                : "";
        return String.format(
                Locale.ROOT,
                "%s, %.1f/s, p50 %s, p95 %s, p99 %s%s",
                Units.count(all.count) + (all.count == 1 ? " request" : " requests") + name,
                answers.size() / seconds,
                Units.duration(all.lengths.percentile(50)),
                Units.duration(all.lengths.percentile(95)),
                Units.duration(all.lengths.percentile(99)),
                waited);
    }

    private void add(Answer answer) {
        count++;
        lengths.add(answer.durationNs());
        items += answer.items();
        waits |= answer.waitedNs() >= 0;
        waitedNs += Math.max(0, answer.waitedNs());
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
                lengths.percentile(99),
                lengths.percentile(100),
                firsts.percentileIfAny(50),
                firsts.percentileIfAny(95),
                items,
                waits ? waitedNs : null);
    }
}
