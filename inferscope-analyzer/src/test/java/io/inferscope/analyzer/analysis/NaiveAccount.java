package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Time per class. */
final class NaiveAccount {
    /** The time of one class, measured or estimated to within a bound. */
    record Time(long ns, boolean estimated, long boundNs) {
        Time plus(Time other) {
            return new Time(ns + other.ns, estimated || other.estimated, boundNs + other.boundNs);
        }
    }

    /** A piece of time of which a stack sample of some weight says what it was spent on. */
    record Sampled(LedgerClass ledgerClass, long ns, long weightNs) {}

    private final Map<LedgerClass, Time> times = new EnumMap<>(LedgerClass.class);
    private final List<Sampled> sampled = new ArrayList<>();

    void add(LedgerClass ledgerClass, Time time) {
        if (time.ns > 0) {
            times.merge(ledgerClass, time, Time::plus);
        }
    }

    void addMeasured(LedgerClass ledgerClass, long ns) {
        add(ledgerClass, new Time(ns, false, 0));
    }

    void addSampled(Sampled piece, Time time) {
        if (time.ns > 0) {
            add(piece.ledgerClass, new Time(time.ns, true, time.boundNs));
            sampled.add(piece);
        }
    }

    void addAll(NaiveAccount other) {
        other.times.forEach(this::add);
        sampled.addAll(other.sampled);
    }

    /**
     * The bound of a class that samples speak of: with X of S in the class and V the sum of length times weight over its pieces, 1.96
     * standard deviations sqrt(V (1 - X / S)), at least three mean weights V / X, at most what is not certain.
     */
    private long samplingBoundNs(LedgerClass ledgerClass) {
        BigInteger squares = BigInteger.ZERO;
        long ownNs = 0;
        long allNs = 0;
        for (Sampled piece : sampled) {
            allNs += piece.ns;
            if (piece.ledgerClass == ledgerClass) {
                ownNs += piece.ns;
                squares = squares.add(BigInteger.valueOf(piece.ns).multiply(BigInteger.valueOf(piece.weightNs)));
            }
        }
        if (ownNs == 0) {
            return 0;
        }
        double variance = squares.doubleValue();
        double deviations = 1.96 * Math.sqrt(variance * (1 - (double) ownNs / allNs));
        double threeWeights = 3 * variance / ownNs;
        return (long) Math.min(Math.ceil(Math.max(deviations, threeWeights)), (double) Math.max(ownNs, allNs - ownNs));
    }

    /** Returns the classes that are not empty. No estimate is off by more than the whole stretch. */
    Map<LedgerClass, Time> ofStretch(long durationNs) {
        Map<LedgerClass, Time> capped = new EnumMap<>(LedgerClass.class);
        times.forEach((c, t) ->
                capped.put(c, new Time(t.ns, t.estimated, Math.min(t.boundNs + samplingBoundNs(c), durationNs))));
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
