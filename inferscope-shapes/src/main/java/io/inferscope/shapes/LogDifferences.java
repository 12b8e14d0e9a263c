package io.inferscope.shapes;

import io.inferscope.shapes.ShapeReport.Difference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the operators whose calls or shapes are not the same in all logs, be they logs of ranks of one program or of
 * two recordings. Every signature is compared.
 */
final class LogDifferences {
    private final ShapeCollection all;
    private final int logs;
    private final long[][] shapes;
    private final long[] common;
    private final int[] example;

    private LogDifferences(ShapeCollection all) {
        this.all = all;
        this.logs = all.logs().size();
        int operators = all.signatures().operationCount();
        this.shapes = new long[operators][logs];
        this.common = new long[operators];
        this.example = new int[operators];
        Arrays.fill(example, -1);
    }

    /** Returns the operators that differ, largest difference in calls first, then by name. */
    static List<Difference> of(ShapeCollection all) {
        return compared(all).list(false);
    }

    /** Returns the operators with the same calls and shapes in all logs, most calls first, then by name. */
    static List<Difference> alike(ShapeCollection all) {
        return compared(all).list(true);
    }

    private static LogDifferences compared(ShapeCollection all) {
        LogDifferences differences = new LogDifferences(all);
        for (int id = 0; id < all.signatures().size(); id++) {
            differences.compare(id);
        }
        return differences;
    }

    private void compare(int id) {
        int operation = all.operationOf(id);
        long first = all.logs().get(0).calls(id);
        boolean everywhere = true;
        boolean alike = true;
        for (int log = 0; log < logs; log++) {
            long calls = all.logs().get(log).calls(id);
            shapes[operation][log] += calls > 0 ? 1 : 0;
            everywhere &= calls > 0;
            alike &= calls == first;
        }
        common[operation] += everywhere ? 1 : 0;
        if (!alike && example[operation] < 0) {
            example[operation] = id;
        }
    }

    private List<Difference> list(boolean alike) {
        List<Difference> list = new ArrayList<>();
        for (int operation = 0; operation < common.length; operation++) {
            Difference difference = difference(operation);
            boolean isAlike = difference.spread() == 0 && example[operation] < 0;
            if (isAlike == alike && Collections.max(difference.calls()) > 0) {
                list.add(difference);
            }
        }
        list.sort(Comparator.comparingLong((Difference d) -> alike ? d.calls().get(0) : d.spread())
                .reversed()
                .thenComparing(Difference::operation));
        return list;
    }

    private Difference difference(int operation) {
        List<Long> calls = new ArrayList<>();
        List<Long> kinds = new ArrayList<>();
        List<Long> exampleCalls = new ArrayList<>();
        int id = example[operation];
        for (int log = 0; log < logs; log++) {
            calls.add(all.logs().get(log).callsOf(operation));
            kinds.add(shapes[operation][log]);
            exampleCalls.add(id < 0 ? 0L : all.logs().get(log).calls(id));
        }
        return new Difference(
                all.signatures().operationName(operation),
                calls,
                kinds,
                common[operation],
                id < 0 ? null : all.signatures().get(id),
                exampleCalls);
    }
}
