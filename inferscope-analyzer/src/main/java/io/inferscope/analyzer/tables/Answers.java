package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds requests and their answers: those that a server or an engine recorded, and where there are none, the calls that generate, each
 * of whose passes gives the next token.
 *
 * <pre>
 *   [generate .................................]
 *     [forward      ] [forward] [forward] [forward]
 *   first token ----^         ^         ^         ^   tokens
 * </pre>
 */
final class Answers {
    private static final int LEAST_PASSES = 2;
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern MICROSECONDS = Pattern.compile("\\d{1,12}");

    private final Analysis analysis;
    private final Timeline timeline;
    private final ByName generations;
    private final ByName passes;
    private final ByName modules;
    private final Map<String, Integer> threads = new HashMap<>();
    private final List<Answer> answers = new ArrayList<>();

    private Answers(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.generations = new ByName(timeline, StepNames::isGenerationCall);
        this.passes = new ByName(timeline, StepNames::isPass);
        this.modules = new ByName(timeline, StepNames::isModule);
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.THREAD) {
                threads.put(track.parent() + " " + track.key(), track.id());
            }
        }
    }

    /** Returns all of them in the order of arrival. */
    static List<Answer> of(Analysis analysis) {
        Answers answers = new Answers(analysis);
        for (int row : analysis.rows(RowKind.REQUEST)) {
            answers.addRequest(row);
        }
        if (answers.timeline.instantsAreRecorded()) {
            answers.addGenerations();
        }
        answers.answers.sort(Comparator.comparingLong(Answer::startNs).thenComparingLong(Answer::endNs));
        return answers.answers;
    }

    private void addRequest(int row) {
        long lengthNs = timeline.durationNs(row);
        long firstNs = timeline.attribute(row, Attribute.FIRST_ANSWER_NS);
        boolean inside = firstNs >= 0 && firstNs <= lengthNs;
        answers.add(new Answer(
                timeline.name(row),
                process(timeline.track(row)),
                timeline.startNs(row),
                timeline.endNs(row),
                servedBy(row),
                inside ? firstNs : -1,
                Math.max(0, timeline.attribute(row, Attribute.ITEMS)),
                inside ? gapsNs(timeline.attributeText(row, Attribute.ANSWER_GAPS), lengthNs - firstNs) : List.of()));
    }

    private String process(int track) {
        int process = timeline.tracks().get(track).parent();
        return process < 0 ? "" : timeline.tracks().get(process).name();
    }

    /** Returns the thread that served a request: the one that its recorder names, else its process' first. */
    private int servedBy(int request) {
        int process = timeline.tracks().get(timeline.track(request)).parent();
        if (process < 0) {
            return -1;
        }
        long tid = timeline.attribute(request, Attribute.OTHER_THREAD);
        Integer named = threads.get(process + " " + tid);
        String pid = timeline.tracks().get(process).key();
        return named != null ? named : threads.getOrDefault(process + " " + pid, -1);
    }

    /** Reads microseconds divided by commas, as far as they make sense and fit into what is left of the request. */
    private static List<Long> gapsNs(String microseconds, long mostNs) {
        List<Long> gaps = new ArrayList<>();
        long leftNs = mostNs;
        for (String text : COMMA.split(microseconds, -1)) {
            long ns = MICROSECONDS.matcher(text).matches() ? Long.parseLong(text) * 1_000 : Long.MAX_VALUE;
            if (ns > leftNs + 1_000) { // Each is rounded.
                break;
            }
            gaps.add(Math.min(ns, leftNs));
            leftNs -= Math.min(ns, leftNs);
        }
        return gaps;
    }

    /** Adds the outermost generating calls of each thread whose process records no request meanwhile. */
    private void addGenerations() {
        Map<String, Intervals.Builder> requested = new HashMap<>();
        answers.forEach(a -> requested
                .computeIfAbsent(a.process(), p -> new Intervals.Builder(16))
                .add(a.startNs(), a.endNs()));
        Map<String, Intervals> known = new HashMap<>();
        requested.forEach((process, times) -> known.put(process, times.build()));
        boolean calls = analysis.has(RowKind.ANNOTATION) || analysis.has(RowKind.PYTHON_FUNCTION);
        for (Track track : timeline.tracks()) {
            if (calls && track.kind() == TrackKind.THREAD) {
                addGenerations(track.id(), known.getOrDefault(process(track.id()), Intervals.EMPTY));
            }
        }
    }

    private void addGenerations(int track, Intervals requested) {
        long endNs = Long.MIN_VALUE;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            boolean outermost = timeline.startNs(row) >= endNs;
            if (outermost && isCall(row) && generations.testRow(row)) {
                endNs = timeline.endNs(row);
                if (requested.totalWithinNs(timeline.startNs(row), endNs) == 0) {
                    addGeneration(row, track);
                }
            }
        }
    }

    private boolean isCall(int row) {
        return timeline.kind(row) == RowKind.ANNOTATION || timeline.kind(row) == RowKind.PYTHON_FUNCTION;
    }

    private boolean isPass(int row) {
        return switch (timeline.kind(row)) {
            case ANNOTATION -> passes.testRow(row);
            case PYTHON_FUNCTION -> modules.testRow(row);
            default -> false;
        };
    }

    private void addGeneration(int generation, int track) {
        long startNs = timeline.startNs(generation);
        long endNs = timeline.endNs(generation);
        List<Long> gaps = new ArrayList<>();
        long firstNs = -1;
        long passEndNs = Long.MIN_VALUE;
        for (int row = generation + 1; row < timeline.endRow(track) && timeline.startNs(row) < endNs; row++) {
            if (timeline.startNs(row) >= passEndNs && isPass(row)) {
                long tokenNs = Math.min(timeline.endNs(row), endNs);
                if (firstNs < 0) {
                    firstNs = tokenNs - startNs;
                } else {
                    gaps.add(tokenNs - passEndNs);
                }
                passEndNs = tokenNs;
            }
        }
        if (gaps.size() + 1 >= LEAST_PASSES) {
            String name = StepNames.common(timeline.name(generation));
            answers.add(new Answer(name, process(track), startNs, endNs, track, firstNs, gaps.size() + 1, gaps));
        }
    }
}
