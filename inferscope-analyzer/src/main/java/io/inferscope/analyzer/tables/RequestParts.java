package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ByName;
import io.inferscope.analyzer.activity.Piece;
import io.inferscope.analyzer.activity.Samples;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.StepTables.RequestPart;
import io.inferscope.analyzer.model.StepTables.RequestTime;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the time of requests went: of each, what the thread that served it did from its arrival to the end of its answer, followed along
 * hand-overs to the threads that it waited for.
 *
 * <pre>
 *   request  |queue|tokenize|queue|schedule|  prefill  |decode |decode |detokenize|
 *            arrival                                first token               end
 * </pre>
 *
 * <p>The parts of a request sum to its time, and the requests' to that of their sort. A thread that serves several requests at once
 * spends its time on all of them: each is told what happened while it was there.
 */
final class RequestParts {
    /** In the order of a request's way; ties are broken by it. */
    enum Part {
        QUEUE,
        TOKENIZE,
        SCHEDULE,
        PREFILL,
        DECODE,
        MODEL,
        DETOKENIZE,
        NETWORK,
        OTHER;

        String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private static final int MOST_SORTS = 20;
    private static final int MOST_REQUESTS = 2_000;

    /** Requests of one sort are accounted for until their times sum to so many windows: very many at once repeat each other. */
    private static final long MOST_WINDOWS = 20;

    private final Analysis analysis;
    private final Timeline timeline;
    private final ByName schedules;
    private final ByName passes;
    private final Map<String, Integer> threads = new HashMap<>();

    private RequestParts(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.schedules = new ByName(timeline, StepNames::schedules);
        this.passes = new ByName(timeline, StepNames::isPass);
        for (Track track : timeline.tracks()) {
            if (track.kind() == TrackKind.THREAD) {
                threads.put(track.parent() + " " + track.key(), track.id());
            }
        }
    }

    /** Returns one line per process and name, those with most requests first. */
    static List<RequestTime> of(Analysis analysis) {
        RequestParts parts = new RequestParts(analysis);
        Map<String, Sort> sorts = new TreeMap<>();
        for (int row : analysis.rows(RowKind.REQUEST)) {
            int process = parts.timeline.tracks().get(parts.timeline.track(row)).parent();
            String who = process < 0 ? "" : parts.timeline.tracks().get(process).name();
            String name = parts.timeline.name(row);
            sorts.computeIfAbsent(who + '\n' + name, k -> parts.new Sort(who, name))
                    .rows
                    .add(row);
        }
        return sorts.values().stream()
                .sorted(Comparator.comparingInt((Sort sort) -> sort.rows.size()).reversed())
                .limit(MOST_SORTS)
                .map(Sort::time)
                .toList();
    }

    /** The requests of one process and name. */
    private final class Sort {
        private final String process;
        private final String name;
        private final List<Integer> rows = new ArrayList<>();
        private final Map<Part, Long> parts = new EnumMap<>(Part.class);
        private final Ledger.Builder ledger = new Ledger.Builder();
        private final Samples firsts = new Samples();
        private final Samples perToken = new Samples();
        private long count;
        private long totalNs;

        Sort(String process, String name) {
            this.process = process;
            this.name = name;
        }

        RequestTime time() {
            rows.sort(Comparator.comparingLong(timeline::startNs)
                    .thenComparingLong(timeline::endNs)
                    .thenComparingInt(row -> row));
            long mostNs = MOST_WINDOWS * analysis.window().durationNs();
            for (int row : rows) {
                if (count < MOST_REQUESTS && (count == 0 || totalNs + timeline.durationNs(row) <= mostNs)) {
                    add(row);
                }
            }
            return new RequestTime(
                    name,
                    process,
                    count,
                    firsts.percentile(50),
                    firsts.percentile(95),
                    perToken.percentile(50),
                    perToken.percentile(95),
                    parts.entrySet().stream()
                            .sorted(Map.Entry.<Part, Long>comparingByValue()
                                    .reversed()
                                    .thenComparing(Map.Entry.comparingByKey()))
                            .map(e -> new RequestPart(e.getKey().text(), e.getValue()))
                            .toList(),
                    ledger.build("requests " + name, "requests", totalNs));
        }

        private void add(int row) {
            count++;
            totalNs += timeline.durationNs(row);
            long startNs = timeline.startNs(row);
            long endNs = timeline.endNs(row);
            long firstNs = timeline.attribute(row, Attribute.FIRST_ANSWER_NS);
            long items = timeline.attribute(row, Attribute.ITEMS);
            if (firstNs < 0 || firstNs > endNs - startNs) { // Not recorded, or not inside the request.
                explain(row, startNs, endNs, Part.MODEL);
                return;
            }
            firsts.add(firstNs);
            if (items > 1) {
                perToken.add((endNs - startNs - firstNs) / (items - 1));
            }
            explain(row, startNs, startNs + firstNs, Part.PREFILL);
            explain(row, startNs + firstNs, endNs, Part.DECODE);
        }

        private void explain(int row, long fromNs, long toNs, Part model) {
            int thread = servedBy(row);
            if (thread < 0) {
                add(toNs - fromNs, Part.OTHER);
                ledger.add(LedgerClass.UNATTRIBUTED, toNs - fromNs);
                return;
            }
            analysis.threads().explain(thread, fromNs, toNs, piece -> {
                ledger.add(piece.ledgerClass(), piece.ns(), piece.basis());
                add(piece.ns(), part(piece, model));
            });
        }

        private void add(long ns, Part part) {
            if (ns > 0) {
                parts.merge(part, ns, Long::sum);
            }
        }
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

    private Part part(Piece piece, Part model) {
        LedgerClass cause = piece.ledgerClass();
        return switch (cause) {
            case CPU_TOKENIZATION -> Part.TOKENIZE;
            case CPU_SERIALIZATION -> Part.DETOKENIZE;
            case WAIT_SOCKET -> Part.NETWORK;
            case CPU_MODEL_COMPUTE,
                    FRAMEWORK_PYTHON,
                    FRAMEWORK_DISPATCH,
                    FRAMEWORK_LAUNCH,
                    FRAMEWORK_LAUNCH_LATENCY,
                    FRAMEWORK_ALLOCATION,
                    FRAMEWORK_SYNC_RETURN -> model;
            default ->
                isInside(piece.row(), schedules)
                        ? Part.SCHEDULE
                        : isInside(piece.row(), passes) ? model : cause.isWaiting() ? Part.QUEUE : Part.OTHER;
        };
    }

    private boolean isInside(int row, ByName wanted) {
        for (int at = row; at >= 0; at = timeline.parent(at)) {
            if (timeline.kind(at) == RowKind.ANNOTATION && wanted.testRow(at)) {
                return true;
            }
        }
        return false;
    }
}
