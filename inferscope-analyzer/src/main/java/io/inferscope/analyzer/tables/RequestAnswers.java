package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Threads;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds requests and their answers: those recorded by a server or an engine; without any, generating calls. */
final class RequestAnswers {
    private final Analysis analysis;
    private final Timeline timeline;
    private final List<Answer> answers = new ArrayList<>();

    private RequestAnswers(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
    }

    /** Returns all of them in the order of arrival. */
    static List<Answer> of(Analysis analysis) {
        return analysis.once(RequestAnswers.class, RequestAnswers::found).answers;
    }

    private static RequestAnswers found(Analysis analysis) {
        RequestAnswers answers = new RequestAnswers(analysis);
        for (int row : analysis.rows(RowKind.REQUEST)) {
            answers.addRequest(row);
        }
        if (answers.timeline.instantsAreRecorded()
                && (analysis.has(RowKind.ANNOTATION) || analysis.has(RowKind.PYTHON_FUNCTION))) {
            answers.addGenerations();
        }
        answers.answers.sort(Order.comparingLong(Answer::startNs).thenComparingLong(Answer::endNs));
        return answers;
    }

    private void addRequest(int row) {
        long lengthNs = timeline.durationNs(row);
        long firstNs = timeline.attribute(row, Attribute.FIRST_ANSWER_NS);
        boolean inside = firstNs >= 0 && firstNs <= lengthNs;
        long items = Math.max(0, timeline.attribute(row, Attribute.ITEMS));
        answers.add(new Answer(
                timeline.name(row),
                process(timeline.track(row)),
                timeline.startNs(row),
                timeline.endNs(row),
                Threads.servedBy(timeline, row),
                inside ? firstNs : -1,
                Math.min(lengthNs, Math.max(-1, timeline.attribute(row, Attribute.WAITED_NS))),
                items,
                items,
                inside ? gapsNs(timeline.numbers(row, Attribute.ANSWER_GAPS), lengthNs - firstNs) : List.of()));
    }

    private String process(int track) {
        int process = timeline.tracks().get(track).parent();
        return process < 0 ? "" : timeline.tracks().get(process).name();
    }

    /** Returns microseconds as ns, up to the first that exceeds the rest of the request. */
    private static List<Long> gapsNs(List<Long> microseconds, long mostNs) {
        List<Long> gaps = new ArrayList<>();
        long leftNs = mostNs;
        for (long us : microseconds) {
            long ns = us * 1_000;
            if (ns > leftNs + 1_000) { // Each is rounded.
                break;
            }
            gaps.add(Math.min(ns, leftNs));
            leftNs -= Math.min(ns, leftNs);
        }
        return gaps;
    }

    /**
     * Adds the outermost generating calls of each thread, except those during recorded requests of the same process.
     */
    private void addGenerations() {
        Map<String, Intervals.Builder> requested = new HashMap<>();
        answers.forEach(a -> requested
                .computeIfAbsent(a.process(), p -> new Intervals.Builder(16))
                .add(a.startNs(), a.endNs()));
        Map<String, Intervals> known = new HashMap<>();
        requested.forEach((process, times) -> known.put(process, times.build()));
        Generations generations = new Generations(analysis);
        timeline.tracks(TrackKind.THREAD).forEach(track -> {
            String process = process(track.id());
            Intervals times = known.getOrDefault(process, Intervals.EMPTY);
            answers.addAll(
                    generations.of(track.id(), process, (startNs, endNs) -> times.totalWithinNs(startNs, endNs) == 0));
        });
    }
}
