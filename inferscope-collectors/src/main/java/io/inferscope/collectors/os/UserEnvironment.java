package io.inferscope.collectors.os;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The user's environment. The launcher hides the variables that would change InferScope's own JVM, and those that bash
 * sets: {@code NAME} becomes {@code INFERSCOPE_CHILD_NAME}, and {@code INFERSCOPE_UNSET} names those that were not set.
 */
public final class UserEnvironment {
    private static final String HIDDEN = "INFERSCOPE_CHILD_";
    private static final String UNSET = "INFERSCOPE_UNSET";

    private UserEnvironment() {}

    /**
     * Gives the hidden variables back, in place, for a program that the user could have started. Returns false if the
     * launcher has hidden none.
     */
    public static boolean restore(Map<String, String> variables) {
        String unset = variables.remove(UNSET);
        if (unset == null) {
            return false;
        }
        List.of(unset.split(" ")).forEach(variables::remove);
        for (String name : List.copyOf(variables.keySet())) {
            if (name.startsWith(HIDDEN)) {
                variables.put(name.substring(HIDDEN.length()), String.valueOf(variables.remove(name)));
            }
        }
        return true;
    }

    /**
     * Returns the user's value of a variable that the launcher has hidden, empty if it was not set; null if the
     * launcher has left the variable alone.
     */
    public static @Nullable String hidden(Function<String, @Nullable String> environment, String name) {
        String unset = environment.apply(UNSET);
        boolean wasUnset = unset != null && List.of(unset.split(" ")).contains(name);
        return wasUnset ? "" : environment.apply(HIDDEN + name);
    }
}
