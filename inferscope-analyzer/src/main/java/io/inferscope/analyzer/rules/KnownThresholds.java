package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.trust.TrustGate;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Every threshold that users can set, by its key: those of rules, of the trust gate, and the general ones. */
public final class KnownThresholds {
    private static final Map<String, Threshold> BY_KEY = new TreeMap<>();

    static {
        add(Thresholds.GENERAL);
        add(TrustGate.thresholds());
        Rules.ALL.forEach(rule -> add(rule.info().thresholds()));
    }

    private KnownThresholds() {}

    private static void add(Collection<Threshold> thresholds) {
        for (Threshold threshold : thresholds) {
            Threshold known = BY_KEY.putIfAbsent(threshold.key(), threshold);
            if (known != null && !known.equals(threshold)) {
                throw new IllegalStateException("declared twice: " + threshold.key());
            }
        }
    }

    /** Returns the thresholds by key, sorted. */
    public static Map<String, Threshold> byKey() {
        return Collections.unmodifiableMap(BY_KEY);
    }
}
