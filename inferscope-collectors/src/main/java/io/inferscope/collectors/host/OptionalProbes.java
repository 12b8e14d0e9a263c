package io.inferscope.collectors.host;

import java.util.LinkedHashMap;
import java.util.Map;

/** Optional readings. A reading that failed is not tried again and is reported, and does not affect the sampling. */
final class OptionalProbes {
    private final Map<String, String> failures = new LinkedHashMap<>();

    /**
     * Takes a reading, unless an earlier one of its kind failed.
     *
     * @param what the reading's name in a note
     */
    void take(String what, Runnable look) {
        if (failures.containsKey(what)) {
            return;
        }
        try {
            look.run();
        } catch (RuntimeException broken) { // What a kernel writes of itself may have any form.
            failures.put(what, broken.toString());
        }
    }

    /** Returns what failed and why, empty when nothing did. */
    String failures() {
        StringBuilder said = new StringBuilder();
        failures.forEach((what, why) -> said.append(said.isEmpty() ? "" : "; ")
                .append("reading ")
                .append(what)
                .append(" failed and was given up: ")
                .append(why));
        return said.toString();
    }
}
