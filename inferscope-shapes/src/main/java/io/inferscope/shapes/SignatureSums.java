package io.inferscope.shapes;

import io.inferscope.shapes.ShapeReport.OperatorFigures;
import io.inferscope.shapes.ShapeReport.Totals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Sums over the signatures of a collection. */
final class SignatureSums {
    private SignatureSums() {}

    /**
     * Adds up calls.
     *
     * @param calls returns how many calls with a signature to add
     * @param beyond the logs of which calls with signatures beyond the limit are added, too
     */
    static Totals calls(ShapeCollection all, IntToLongFunction calls, List<LogTally> beyond) {
        CallSums sums = new CallSums();
        BitSet operators = new BitSet();
        long shapes = 0;
        for (int id = 0; id < all.signatures().size(); id++) {
            long count = calls.applyAsLong(id);
            sums.add(all.facts(id), count);
            shapes += count > 0 ? 1 : 0;
            operators.set(all.operationOf(id), count > 0 || operators.get(all.operationOf(id)));
        }
        for (LogTally log : beyond) {
            for (int operation = 0; operation < all.signatures().operationCount(); operation++) {
                beyond(sums, log, operation);
                operators.set(operation, log.beyond(operation) > 0 || operators.get(operation));
            }
        }
        return sums.totals(operators.cardinality(), all.isQuick() ? 0 : shapes);
    }

    private static void beyond(CallSums sums, LogTally log, int operation) {
        sums.addOther(log.beyond(operation) - log.beyondFailed(operation), false);
        sums.addOther(log.beyondFailed(operation), true);
    }

    /** Returns every operator that was called, by name. */
    static List<OperatorFigures> operators(ShapeCollection all) {
        int count = all.signatures().operationCount();
        CallSums[] sums = new CallSums[count];
        Arrays.setAll(sums, operation -> new CallSums());
        long[] shapes = new long[count];
        for (int id = 0; id < all.signatures().size(); id++) {
            sums[all.operationOf(id)].add(all.facts(id), all.calls(id));
            shapes[all.operationOf(id)] += all.calls(id) > 0 ? 1 : 0;
        }
        List<OperatorFigures> operators = new ArrayList<>();
        for (int operation = 0; operation < count; operation++) {
            for (LogTally log : all.logs()) {
                beyond(sums[operation], log, operation);
            }
            if (sums[operation].calls() > 0) {
                Totals totals = sums[operation].totals(1, all.isQuick() ? 0 : shapes[operation]);
                operators.add(new OperatorFigures(all.signatures().operationName(operation), totals));
            }
        }
        operators.sort(Comparator.comparing(OperatorFigures::name));
        return operators;
    }
}
