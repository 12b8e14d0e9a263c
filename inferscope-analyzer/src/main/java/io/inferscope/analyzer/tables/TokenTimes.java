package io.inferscope.analyzer.tables;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.Percentiles;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.RequestTables.SlowCause;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.timeline.Order;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The time from one token to the next, over all requests of one sort, and the causes of which slow tokens have more
 * than others.
 *
 * <pre>
 *   tokens   |--|--|--|-----------|--|--|     median 2, limit 3: one slow token
 *   others    m  m  m   m          m  m       m: model, 2 each
 *   slow                m + io 9              9 ms more of input and output
 * </pre>
 */
final class TokenTimes {
    /** A token is slow when it takes 1.5 times the median, as a step is. */
    private static final double SLOW = 1.5;

    /** Most tokens of a sort whose time is explained; percentiles are computed from all tokens. */
    private static final int MOST_EXPLAINED = 20_000;

    private static final int MOST_CAUSES = 3;

    /** Causes with a smaller share of the extra time are not listed. */
    private static final double WORTH_NAMING = 0.05;

    private static final LedgerClass[] CLASSES = LedgerClass.values();

    private final Analysis analysis;
    private final Percentiles gaps = new Percentiles();
    private final List<Answer> answers = new ArrayList<>();
    private final long[] slowNs = new long[CLASSES.length];
    private final long[] otherNs = new long[CLASSES.length];
    private final Map<Place, Long> places = new HashMap<>();
    private long count;
    private long slowCount;
    private long slowExtraNs;
    private long slowExplained;
    private long otherExplained;

    private record Place(LedgerClass cause, int place, int activity) {}

    TokenTimes(Analysis analysis) {
        this.analysis = analysis;
    }

    void add(Answer answer) {
        for (long ns : answer.gapsNs()) {
            gaps.add(ns);
        }
        count += answer.gapsNs().size();
        answers.add(answer);
    }

    TokenFigures figures() {
        if (count == 0) {
            return TokenFigures.NONE;
        }
        long medianNs = gaps.percentile(50);
        long limitNs = Math.round(SLOW * medianNs);
        answers.forEach(answer -> explain(answer, medianNs, limitNs));
        return new TokenFigures(
                count,
                medianNs,
                gaps.percentile(95),
                gaps.percentile(99),
                gaps.percentile(100),
                limitNs,
                slowCount,
                slowExtraNs,
                causes());
    }

    private void explain(Answer answer, long medianNs, long limitNs) {
        long fromNs = answer.startNs() + answer.firstNs();
        for (long ns : answer.gapsNs()) {
            boolean slow = ns > limitNs;
            slowCount += slow ? 1 : 0;
            slowExtraNs += slow ? ns - medianNs : 0;
            if (answer.thread() >= 0 && slowExplained + otherExplained < MOST_EXPLAINED) {
                slowExplained += slow ? 1 : 0;
                otherExplained += slow ? 0 : 1;
                analysis.threads().explain(answer.thread(), fromNs, fromNs + ns, piece -> add(piece, slow));
            }
            fromNs += ns;
        }
    }

    private void add(ThreadPiece piece, boolean slow) {
        (slow ? slowNs : otherNs)[piece.ledgerClass().ordinal()] += piece.ns();
        if (slow) {
            int activity = piece.row() < 0 ? -1 : analysis.timeline().nameId(piece.row());
            int place = analysis.classifier().placeOf(piece);
            places.merge(new Place(piece.ledgerClass(), place, activity), piece.ns(), Long::sum);
        }
    }

    /** Returns the causes of which slow tokens have more than the mean of the other tokens, the largest first. */
    private List<SlowCause> causes() {
        List<SlowCause> causes = new ArrayList<>();
        for (LedgerClass cause : CLASSES) {
            double usualNs = otherExplained == 0 ? 0 : (double) otherNs[cause.ordinal()] / otherExplained;
            long moreNs = Math.round(slowNs[cause.ordinal()] - usualNs * slowExplained);
            if (moreNs > 0 && moreNs >= WORTH_NAMING * slowExtraNs) {
                causes.add(new SlowCause(cause, moreNs, place(cause)));
            }
        }
        causes.sort(Order.comparingLong(SlowCause::moreNs).reversed().thenComparing(SlowCause::cause));
        return causes.subList(0, Math.min(MOST_CAUSES, causes.size()));
    }

    private String place(LedgerClass cause) {
        return places.entrySet().stream()
                .filter(e -> e.getKey().cause == cause)
                .max(Order.<Place, Long>comparingByValue()
                        .thenComparing(e -> text(e.getKey()), Comparator.reverseOrder()))
                .map(e -> text(e.getKey()))
                .orElse("");
    }

    private String text(Place place) {
        ActivityClassifier classifier = analysis.classifier();
        String where = classifier.place(place.place);
        String activity = place.activity < 0 ? "" : analysis.timeline().text(place.activity);
        return where.isEmpty() || activity.isEmpty() ? where + activity : where + " > " + activity;
    }
}
