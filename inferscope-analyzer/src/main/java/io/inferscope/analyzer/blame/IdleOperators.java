package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.StepTables.OperatorIdle;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Idle time of a device by the innermost framework operator around what it waited for. */
final class IdleOperators {
    private static final int LARGEST = 30;

    private final Timeline timeline;

    /** By row: the name id of the operator around it plus one, 0 if not computed yet, -1 for none. */
    private final int[] operators;

    /** By name id of the operator: the time of each class, in ns. */
    private final long[] @Nullable [] times;

    /** Takes no time where no operator was recorded. */
    IdleOperators(Timeline timeline, boolean recorded) {
        this.timeline = timeline;
        this.operators = new int[recorded ? timeline.rowCount() : 0];
        this.times = new long[recorded ? timeline.nameCount() : 0] @Nullable [];
    }

    /** Adds idle time during which the host was in {@code row}, -1 for none. */
    void add(int row, LedgerClass cause, long ns) {
        int operator = row < 0 || operators.length == 0 ? -1 : around(row);
        if (operator >= 0) {
            long[] ofOperator = times[operator];
            if (ofOperator == null) {
                ofOperator = new long[LedgerClass.values().length];
                times[operator] = ofOperator;
            }
            ofOperator[cause.ordinal()] += ns;
        }
    }

    private int around(int row) {
        int at = row;
        while (at >= 0 && operators[at] == 0 && timeline.kind(at) != RowKind.OPERATOR) {
            at = timeline.parent(at);
        }
        int known = at < 0 ? -1 : operators[at] != 0 ? operators[at] : timeline.nameId(at) + 1;
        for (int on = row; on >= 0 && operators[on] == 0; on = on == at ? -1 : timeline.parent(on)) {
            operators[on] = known;
        }
        return known < 0 ? -1 : known - 1;
    }

    /** Returns the operators with most idle time, largest first. */
    List<OperatorIdle> figures() {
        List<OperatorIdle> figures = new ArrayList<>();
        for (int name = 0; name < times.length; name++) {
            long[] ofOperator = times[name];
            if (ofOperator != null) {
                figures.add(figure(timeline.text(name), ofOperator));
            }
        }
        figures.sort(Comparator.comparingLong(OperatorIdle::ns).reversed().thenComparing(OperatorIdle::name));
        return List.copyOf(figures.subList(0, Math.min(LARGEST, figures.size())));
    }

    private static OperatorIdle figure(String name, long[] ofOperator) {
        long totalNs = 0;
        int most = 0;
        for (int i = 0; i < ofOperator.length; i++) {
            totalNs += ofOperator[i];
            most = ofOperator[i] > ofOperator[most] ? i : most;
        }
        return new OperatorIdle(name, LedgerClass.values()[most], totalNs);
    }
}
