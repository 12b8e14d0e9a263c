package io.inferscope.shapes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Forward passes by number, over all logs: the ranks of one program give the same pass the same number. */
final class Passes {
    /** Passes that are counted separately. */
    static final int LIMIT = 50_000;

    /**
     * Above the highest number that a recorder gives: the recorder stores it in 24 bits
     * (python/inferscope/shapes/log.py).
     */
    static final int BEYOND = 1 << 24;

    /** The counts of one pass; {@code phase} is the one in which it began. */
    record Pass(long number, int phase, CallSums sums) {}

    private final Map<Long, Pass> passes = new HashMap<>();
    private @Nullable Pass last;
    private boolean isCut;

    /** Returns a pass; null for calls outside passes, which have no number, and for passes beyond the limit. */
    @Nullable
    Pass of(long number, int phase) {
        Pass same = last;
        if (same != null && same.number == number) {
            return same;
        }
        if (number < 0) {
            return null;
        }
        Pass pass = passes.get(number);
        if (pass == null) {
            if (passes.size() == LIMIT) {
                isCut = true;
                return null;
            }
            pass = new Pass(number, phase, new CallSums());
            passes.put(number, pass);
        }
        last = pass;
        return pass;
    }

    /** Returns whether there were more passes than are counted separately. */
    boolean isCut() {
        return isCut;
    }

    /** Returns them in the order of their numbers. */
    List<Pass> inOrder() {
        List<Pass> all = new ArrayList<>(passes.values());
        all.sort(Comparator.comparingLong(Pass::number));
        return all;
    }
}
