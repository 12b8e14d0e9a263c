package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.StepTables.OperatorIdle;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Idle time of a device by the innermost framework operator around what it waited for. */
final class IdleOperators {
    private static final int LARGEST = 30;

    private final Timeline timeline;

    /** By name id of the operator: the time of each class, in ns. */
    private final long[] @Nullable [] times;

    IdleOperators(Timeline timeline) {
        this.timeline = timeline;
        this.times = new long[timeline.nameCount()] @Nullable [];
    }

    /** Adds idle time in which the host was in an operator, given by the id of its name; -1 for none. */
    void add(int operator, LedgerClass cause, long ns) {
        if (operator >= 0) {
            long[] ofOperator = times[operator];
            if (ofOperator == null) {
                ofOperator = new long[LedgerClass.values().length];
                times[operator] = ofOperator;
            }
            ofOperator[cause.ordinal()] += ns;
        }
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
        figures.sort(Order.comparingLong(OperatorIdle::ns).reversed().thenComparing(OperatorIdle::name));
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
