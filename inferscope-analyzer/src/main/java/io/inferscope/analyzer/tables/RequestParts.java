package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.Lazy;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.steps.StepNames;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Divides the time of requests by part. A request's parts are the activities of its serving thread from its arrival to
 * the end of its answer; waits are followed along hand-overs to the awaited threads.
 *
 * <pre>
 *   request  |arrive|queue|tokenize|queue|schedule|  prefill  |decode |decode |detokenize|
 *         arrival  handler                                 first token               end
 * </pre>
 *
 * <p>The parts of a request sum to its time, and the times of requests to that of their sort. A thread that serves
 * several requests at once spends its time on all of them: each request counts everything that the thread did during
 * the request.
 */
final class RequestParts {
    /** In the order in which a request passes through them. Ties are broken by this order. */
    enum Part {
        /** From arrival to the call of the handler. */
        ARRIVE,
        QUEUE,
        TOKENIZE,
        SCHEDULE,
        PREFILL,
        DECODE,
        MODEL,
        DETOKENIZE,
        SERIALIZE,
        SLEEP,
        NETWORK,
        OTHER;

        String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private static final int MOST_SORTS = 20;
    private static final int MOST_REQUESTS = 2_000;

    /**
     * Requests of one sort are divided until their times sum to this many windows; more requests would only repeat the
     * result.
     */
    private static final long MOST_WINDOWS = 20;

    private final Analysis analysis;
    private final Timeline timeline;
    private final Lazy<BitSet> schedules;
    private final Lazy<BitSet> passes;

    private RequestParts(Analysis analysis) {
        this.analysis = analysis;
        this.timeline = analysis.timeline();
        this.schedules = new Lazy<>(() -> inside(new NamePredicate(timeline, StepNames::schedules)));
        this.passes = new Lazy<>(() -> inside(new NamePredicate(timeline, StepNames::isPass)));
    }

    /** Returns one line per process and name, those with most requests first. */
    static List<RequestTime> of(Analysis analysis) {
        RequestParts parts = new RequestParts(analysis);
        Map<String, Sort> sorts = new TreeMap<>();
        for (Answer answer : RequestAnswers.of(analysis)) {
            sorts.computeIfAbsent(answer.process() + '\n' + answer.name(), k -> parts.new Sort())
                    .answers
                    .add(answer);
        }
        return sorts.values().stream()
                .sorted((a, b) -> Integer.compare(b.answers.size(), a.answers.size()))
                .limit(MOST_SORTS)
                .map(Sort::time)
                .toList();
    }

    /** The requests of one process and name. */
    private final class Sort {
        private final List<Answer> answers = new ArrayList<>();
        private final Map<Part, Long> parts = new EnumMap<>(Part.class);
        private final Ledger.Builder ledger = new Ledger.Builder();
        private final Percentiles firsts = new Percentiles();
        private final Percentiles perToken = new Percentiles();
        private final TokenTimes tokens = new TokenTimes(analysis);
        private long count;
        private long totalNs;

        RequestTime time() {
            long mostNs = MOST_WINDOWS * analysis.window().durationNs();
            for (Answer answer : answers) {
                if (count < MOST_REQUESTS && (count == 0 || totalNs + answer.durationNs() <= mostNs)) {
                    add(answer);
                }
            }
            String name = answers.get(0).name();
            Ledger built = ledger.build("requests " + name, LedgerPart.REQUESTS, totalNs);
            rename(built);
            return new RequestTime(
                    name,
                    answers.get(0).process(),
                    count,
                    firsts.percentileIfAny(50),
                    firsts.percentileIfAny(95),
                    perToken.percentileIfAny(50),
                    perToken.percentileIfAny(95),
                    parts.entrySet().stream()
                            .sorted(Order.largestFirst())
                            .map(e -> new RequestPart(e.getKey().text(), e.getValue()))
                            .toList(),
                    tokens.figures(),
                    built);
        }

        private void add(Answer answer) {
            count++;
            totalNs += answer.durationNs();
            tokens.add(answer);
            if (answer.firstNs() >= 0) {
                firsts.add(answer.firstNs());
            }
            if (answer.perTokenNs() >= 0) {
                perToken.add(answer.perTokenNs());
            }
            long handledNs = answer.startNs() + Math.max(0, answer.waitedNs());
            explain(answer, answer.startNs(), handledNs, Part.ARRIVE);
            if (answer.firstNs() < 0 || answer.tokens() <= 1) { // Without a second token there is no decode part.
                explain(answer, handledNs, answer.endNs(), Part.MODEL);
                return;
            }
            long firstNs = Math.max(handledNs, answer.startNs() + answer.firstNs());
            explain(answer, handledNs, firstNs, Part.PREFILL);
            explain(answer, firstNs, answer.endNs(), Part.DECODE);
        }

        /** Without a model, the framework's own code is not its part. */
        private void rename(Ledger of) {
            boolean runsModel = !analysis.devices().isEmpty() || of.ns(LedgerClass.CPU_MODEL_COMPUTE) > 0;
            if (!runsModel && tokens.figures().count() == 0) {
                move(Part.MODEL, Part.OTHER);
                move(Part.PREFILL, Part.OTHER);
                move(Part.DECODE, Part.OTHER);
                move(Part.DETOKENIZE, Part.SERIALIZE);
            }
        }

        private void move(Part from, Part to) {
            Long ns = parts.remove(from);
            if (ns != null) {
                add(ns, to);
            }
        }

        private void explain(Answer answer, long fromNs, long toNs, Part model) {
            if (toNs <= fromNs) {
                return;
            }
            if (answer.thread() < 0) {
                add(toNs - fromNs, Part.OTHER);
                ledger.add(LedgerClass.UNATTRIBUTED, toNs - fromNs);
                return;
            }
            analysis.threads().explain(answer.thread(), fromNs, toNs, piece -> {
                ledger.add(piece.ledgerClass(), piece.ns(), piece.basis());
                add(piece.ns(), model == Part.ARRIVE ? model : part(piece, model));
            });
        }

        private void add(long ns, Part part) {
            if (ns > 0) {
                parts.merge(part, ns, Long::sum);
            }
        }
    }

    private Part part(ThreadPiece piece, Part model) {
        LedgerClass cause = piece.ledgerClass();
        if (analysis.service().map(service -> service.servesNobody(piece)).orElse(false)) {
            return Part.OTHER; // Other threads serve the request; it does not wait for the network.
        }
        return switch (cause) {
            case CPU_TOKENIZATION -> Part.TOKENIZE;
            case CPU_SERIALIZATION -> Part.DETOKENIZE;
            case WAIT_SOCKET -> Part.NETWORK;
            case WAIT_TIMER -> Part.SLEEP;
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

    private boolean isInside(int row, Lazy<BitSet> wanted) {
        return row >= 0 && wanted.get().get(row);
    }

    /**
     * Returns the annotations of some names and the rows inside them. One pass, because parents precede their children.
     */
    private BitSet inside(NamePredicate wanted) {
        BitSet inside = new BitSet();
        for (int row = 0; row < timeline.rowCount(); row++) {
            int parent = timeline.parent(row);
            inside.set(
                    row,
                    (parent >= 0 && inside.get(parent))
                            || (timeline.kind(row) == RowKind.ANNOTATION && wanted.testRow(row)));
        }
        return inside;
    }
}
