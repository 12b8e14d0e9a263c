package io.inferscope.analyzer.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A partition of an interval of time into exclusive classes, in integer nanoseconds that sum exactly.
 *
 * @param subject the device or thread: {@code device 0}, {@code thread 4711 (MainThread)}
 * @param part which part of its time
 * @param durationNs its length
 * @param entries the classes that are not empty, largest first
 */
public record Ledger(String subject, LedgerPart part, long durationNs, List<Entry> entries) {
    /**
     * The time of one class.
     *
     * @param ledgerClass the class
     * @param ns its time
     * @param estimated whether any of its time comes from samples or counters rather than from intervals
     * @param boundNs error bound of an estimate, either way, with 95 % confidence; 0 if measured
     */
    public record Entry(LedgerClass ledgerClass, long ns, boolean estimated, long boundNs) {
        /** Returns {@code measured} or {@code estimated}. */
        public String basis() {
            return estimated ? "estimated" : "measured";
        }
    }

    /** Checks that the entries sum to the duration. */
    public Ledger {
        entries = List.copyOf(entries);
        long sum = entries.stream().mapToLong(Entry::ns).sum();
        if (sum != durationNs) {
            throw new IllegalArgumentException(
                    "ledger of " + subject + " (" + part.id() + ") sums to " + sum + " ns, not " + durationNs);
        }
    }

    /** Returns subject and part in words. */
    public String what() {
        return partName() + " of " + subject;
    }

    /** Returns the part as a word or two for people. */
    public String partName() {
        return part.words();
    }

    /** Returns a time's share of the part, in words: "12.5% of the steady state". */
    public String shareOfPart(long ns) {
        return Units.percent(share(ns)) + " of the " + partName();
    }

    /** Returns the sum of ledgers of disjoint intervals of one subject. Errors of estimates add up. */
    public static Ledger sum(LedgerPart part, List<Ledger> ledgers) {
        Builder sum = new Builder();
        long durationNs = 0;
        for (Ledger ledger : ledgers) {
            durationNs += ledger.durationNs;
            for (Entry entry : ledger.entries) {
                if (entry.estimated) {
                    sum.addEstimated(entry.ledgerClass, entry.ns, entry.boundNs);
                } else {
                    sum.add(entry.ledgerClass, entry.ns);
                }
            }
        }
        return sum.build(ledgers.get(0).subject, part, durationNs);
    }

    /** Returns the time of a class, in ns. */
    public long ns(LedgerClass ledgerClass) {
        return entries.stream()
                .filter(e -> e.ledgerClass() == ledgerClass)
                .mapToLong(Entry::ns)
                .sum();
    }

    /** Returns {@code ns} as a ratio of the duration, 0 for an empty stretch. */
    public double share(long ns) {
        return durationNs == 0 ? 0 : (double) ns / durationNs;
    }

    public double share(LedgerClass ledgerClass) {
        return share(ns(ledgerClass));
    }

    /** Returns the roll-up: its lines that are not empty, in their fixed order, in ns. */
    public Map<LedgerClass.Rollup, Long> rollup() {
        Map<LedgerClass.Rollup, Long> lines = new EnumMap<>(LedgerClass.Rollup.class);
        for (Entry entry : entries) {
            lines.merge(entry.ledgerClass().rollup(), entry.ns(), Long::sum);
        }
        return lines;
    }

    private static final Comparator<Entry> LARGEST_FIRST = (a, b) ->
            a.ns() != b.ns() ? Long.compare(b.ns(), a.ns()) : a.ledgerClass().compareTo(b.ledgerClass());

    /** Collects time per class. Not thread-safe. */
    public static final class Builder {
        private final long[] ns = new long[LedgerClass.values().length];
        private final long[] bounds = new long[ns.length];
        private final boolean[] estimated = new boolean[ns.length];
        private final Map<LedgerClass, PlacementError> placed = new EnumMap<>(LedgerClass.class);
        private final Map<LedgerClass, SamplingError> sampled = new EnumMap<>(LedgerClass.class);

        /** Adds measured time. */
        public Builder add(LedgerClass ledgerClass, long addedNs) {
            ns[ledgerClass.ordinal()] += addedNs;
            return this;
        }

        /** Adds estimated time with an error bound, either way. */
        public Builder addEstimated(LedgerClass ledgerClass, long addedNs, long boundNs) {
            estimated[ledgerClass.ordinal()] |= addedNs != 0 || boundNs != 0;
            bounds[ledgerClass.ordinal()] += boundNs;
            return add(ledgerClass, addedNs);
        }

        /** Adds time that rests on {@code basis}. */
        public Builder add(LedgerClass ledgerClass, long addedNs, AmountBasis basis) {
            estimated[ledgerClass.ordinal()] |= basis.isEstimated() && addedNs != 0;
            Placement placement = basis.placed();
            if (placement != null) {
                placed.computeIfAbsent(ledgerClass, c -> new PlacementError()).add(placement);
            }
            if (basis.sampleNs() > 0) {
                sampled.computeIfAbsent(ledgerClass, c -> new SamplingError()).add(addedNs, basis.sampleNs());
            }
            return add(ledgerClass, addedNs);
        }

        /** Adds everything of another builder, whose time must not overlap this builder's. */
        public Builder addAll(Builder other) {
            for (int i = 0; i < ns.length; i++) {
                ns[i] += other.ns[i];
                bounds[i] += other.bounds[i];
                estimated[i] |= other.estimated[i];
            }
            other.placed.forEach((of, error) ->
                    placed.computeIfAbsent(of, c -> new PlacementError()).addAll(error));
            other.sampled.forEach((of, error) ->
                    sampled.computeIfAbsent(of, c -> new SamplingError()).addAll(error));
            return this;
        }

        /** Returns the ledger. It must sum to {@code durationNs}. */
        public Ledger build(String subject, LedgerPart part, long durationNs) {
            List<Entry> entries = new ArrayList<>();
            long sampledNs = sampled.values().stream()
                    .mapToLong(SamplingError::sampledNs)
                    .sum();
            for (LedgerClass ledgerClass : LedgerClass.values()) {
                int i = ledgerClass.ordinal();
                if (ns[i] != 0) {
                    PlacementError place = placed.get(ledgerClass);
                    SamplingError sampling = sampled.get(ledgerClass);
                    long boundNs = bounds[i]
                            + (place == null ? 0 : place.boundNs())
                            + (sampling == null ? 0 : sampling.boundNs(sampledNs));
                    entries.add(new Entry(ledgerClass, ns[i], estimated[i], Math.min(boundNs, durationNs)));
                }
            }
            entries.sort(LARGEST_FIRST);
            return new Ledger(subject, part, durationNs, entries);
        }
    }
}
