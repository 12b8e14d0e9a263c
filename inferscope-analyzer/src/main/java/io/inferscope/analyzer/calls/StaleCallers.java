package io.inferscope.analyzer.calls;

import io.inferscope.timeline.Frame;
import io.inferscope.timeline.Stacks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * The frames {@code called [library]} that rest on a stale return address. The caller of a function of the interpreter
 * is the first address on its stack that leads into the bytecode loop or a library; an array that the function has not
 * filled still holds the addresses of calls before. A library that a line really calls runs code of its own there, too:
 * where Python formatted a list of floats after a call of PyTorch, 60 samples named libtorch_cpu.so as the caller and
 * none was in it.
 */
public final class StaleCallers {
    /** With fewer samples, those in the library itself may be missing by chance. */
    private static final long FEWEST_SAMPLES = 8;

    /** A caller is stale if the library itself was seen less often than once in so many samples. */
    private static final long MOST_PER_OWN = 20;

    /** A library beneath a line of Python. */
    private record Place(int lineNameId, String library) {}

    private StaleCallers() {}

    /**
     * Returns, by stack, whether its innermost frame is such a frame.
     *
     * @param samples by stack: how often it was seen
     * @param isPython whether a stack's innermost frame is Python's
     * @param libraries by stack: the library of its innermost frame, empty for none
     */
    public static boolean[] of(Stacks stacks, long[] samples, IntPredicate isPython, IntFunction<String> libraries) {
        Map<Place, Long> called = new HashMap<>();
        Map<Place, Long> own = new HashMap<>();
        for (int stack = 0; stack < samples.length; stack++) {
            int guess = -1;
            int at = samples[stack] == 0 ? -1 : stack;
            for (; at >= 0 && !isPython.test(at); at = stacks.caller(at)) {
                guess = isGuess(stacks, at) ? at : guess;
            }
            String library = at < 0 ? "" : libraries.apply(stack);
            if (!library.isEmpty()) {
                int line = stacks.frameNameId(at);
                own.merge(new Place(line, library), samples[stack], Long::sum);
                if (guess >= 0) {
                    called.merge(new Place(line, libraries.apply(guess)), samples[stack], Long::sum);
                }
            }
        }
        Set<Place> stale = new HashSet<>();
        called.forEach((place, seen) -> {
            if (seen >= FEWEST_SAMPLES && seen > MOST_PER_OWN * own.getOrDefault(place, 0L)) {
                stale.add(place);
            }
        });
        boolean[] result = new boolean[samples.length];
        for (int stack = 0; stack < result.length && !stale.isEmpty(); stack++) {
            int line = isGuess(stacks, stack) ? stacks.caller(stack) : -1;
            result[stack] = line >= 0 && stale.contains(new Place(stacks.frameNameId(line), libraries.apply(stack)));
        }
        return result;
    }

    private static boolean isGuess(Stacks stacks, int stack) {
        return stacks.frame(stack).function().equals(Frame.CALLED);
    }
}
