package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import java.util.EnumMap;
import java.util.Map;

/** Time per class. */
final class NaiveAccount {
    /** The time of one class, measured or estimated to within a bound. */
    record Time(long ns, boolean estimated, long boundNs) {
        Time plus(Time other) {
            return new Time(ns + other.ns, estimated || other.estimated, boundNs + other.boundNs);
        }
    }

    private final Map<LedgerClass, Time> times = new EnumMap<>(LedgerClass.class);

    void add(LedgerClass ledgerClass, Time time) {
        if (time.ns > 0) {
            times.merge(ledgerClass, time, Time::plus);
        }
    }

    void addMeasured(LedgerClass ledgerClass, long ns) {
        add(ledgerClass, new Time(ns, false, 0));
    }

    void addAll(NaiveAccount other) {
        other.times.forEach(this::add);
    }

    /** Returns the classes that are not empty. No estimate is off by more than the whole stretch. */
    Map<LedgerClass, Time> ofStretch(long durationNs) {
        Map<LedgerClass, Time> capped = new EnumMap<>(LedgerClass.class);
        times.forEach((c, t) -> capped.put(c, new Time(t.ns, t.estimated, Math.min(t.boundNs, durationNs))));
        return capped;
    }

    long totalNs() {
        return times.values().stream().mapToLong(Time::ns).sum();
    }

    Map<LedgerClass, Time> times() {
        return times;
    }

    /** Returns what a ledger of the product says, in the same form. */
    static Map<LedgerClass, Time> of(Ledger ledger) {
        Map<LedgerClass, Time> times = new EnumMap<>(LedgerClass.class);
        ledger.entries().forEach(e -> times.put(e.ledgerClass(), new Time(e.ns(), e.estimated(), e.boundNs())));
        return times;
    }
}
