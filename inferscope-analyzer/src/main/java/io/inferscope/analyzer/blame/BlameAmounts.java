package io.inferscope.analyzer.blame;

import io.inferscope.analyzer.activity.ActivityClassifier;
import io.inferscope.analyzer.activity.RowMeanings;
import io.inferscope.analyzer.activity.ThreadPiece;
import io.inferscope.analyzer.model.AmountBasis;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.LedgerPart;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Placement;
import io.inferscope.analyzer.model.PlacementError;
import io.inferscope.analyzer.model.SamplingError;
import io.inferscope.analyzer.model.ThreadState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects idle time by what it was spent on, over all gaps and within the current gap.
 *
 * <p>A hash table of its own, because the pieces of idle time are as many as the rows, and the amounts a few thousand:
 * finding an amount by numbers allocates nothing, where a record as the key of a map cost 400 MB and half the analysis
 * of 2 million Python calls.
 */
public final class BlameAmounts {
    /** A part of the window, in the order of time. */
    public enum Phase {
        HEAD(LedgerPart.HEAD),
        SPAN(LedgerPart.SPAN),
        TAIL(LedgerPart.TAIL);

        private final LedgerPart part;

        Phase(LedgerPart part) {
            this.part = part;
        }

        public LedgerPart part() {
            return part;
        }

        /**
         * Returns the number of the group of time in this part of the window and in a phase; null stands for no phase.
         */
        int in(@Nullable PhaseKind phase) {
            return ordinal() * GROUPS_PER_PART + (phase == null ? 0 : 1 + phase.ordinal());
        }

        /** Returns the group of all time in the same part of the window as a group, in any phase. */
        static int whole(int group) {
            return group - group % GROUPS_PER_PART;
        }
    }

    /** Selects the amounts of other collections to which a new amount adds its time. */
    interface Sums {
        Amount[] of(Amount part);
    }

    /**
     * So many cells has the table that finds amounts by meaning, in 64 MB. Thousands of threads with thousands of
     * meanings would have more; those beyond are found by the hash table.
     */
    private static final int MOST_CELLS = 1 << 24;

    /** The group of undivided time. */
    public static final int ONE_GROUP = 0;

    private static final Amount[] NONE = {};
    private static final @Nullable Amount[] NONE_YET = {};
    private static final Phase[] PARTS = Phase.values();
    private static final PhaseKind[] PHASES = PhaseKind.values();
    private static final int GROUPS_PER_PART = 8;

    /** The time of one group, thread, cause, state, activity and place. */
    public final class Amount {
        private final int group;
        private final int thread;
        private final LedgerClass cause;
        private final ThreadState state;
        private final int activity;
        private final int place;
        private final int hash;
        private final int number = all.size();
        private Amount[] sums = NONE;
        private @Nullable Amount next;
        private @Nullable PlacementError placed;
        private @Nullable SamplingError sampled;
        private long ns;
        private long gaps;
        private long pieces;
        private long samples;
        private long seenNs;
        private int lastSample = -1;
        private boolean estimated;
        private long gap;
        private long gapNs;

        private Amount(int group, int thread, LedgerClass cause, ThreadState state, int activity, int place, int hash) {
            this.group = group;
            this.thread = thread;
            this.cause = cause;
            this.state = state;
            this.activity = activity;
            this.place = place;
            this.hash = hash;
        }

        private boolean is(int group, int thread, LedgerClass cause, ThreadState state, int activity, int place) {
            return this.activity == activity
                    && this.place == place
                    && this.cause == cause
                    && this.thread == thread
                    && this.state == state
                    && this.group == group;
        }

        /** Adds measured pieces of the current gap. */
        private void add(long addedNs, int count) {
            ns += addedNs;
            pieces += count;
            if (gap != gapAtHand) {
                gap = gapAtHand;
                gapNs = 0;
                gaps++;
                ofGap.add(this);
            }
            gapNs += addedNs;
        }

        private void add(long addedNs, AmountBasis basis, int sample) {
            seenNs += sample >= 0 ? addedNs : 0;
            if (sample >= 0 && sample != lastSample) { // Pieces come in the order of time.
                lastSample = sample;
                samples++;
            }
            Placement placement = basis.placed();
            if (placement != null) {
                placed = placed == null ? new PlacementError() : placed;
                placed.add(placement);
            }
            estimated |= basis.isEstimated();
            if (basis.sampleNs() > 0) {
                sampled = sampled == null ? new SamplingError() : sampled;
                sampled.add(addedNs, basis.sampleNs());
            }
            add(addedNs, 1);
        }

        /** Returns its position in {@link BlameAmounts#all}. */
        public int number() {
            return number;
        }

        public int group() {
            return group;
        }

        /** Returns the part of the window, where groups are numbered by {@link Phase#in}. */
        Phase phase() {
            return PARTS[group / GROUPS_PER_PART];
        }

        /** Returns the phase of the program likewise, null for none. */
        public @Nullable PhaseKind during() {
            int phase = group % GROUPS_PER_PART;
            return phase == 0 ? null : PHASES[phase - 1];
        }

        /** Returns the track of the thread, -1 where no launch was recorded. */
        public int thread() {
            return thread;
        }

        public LedgerClass cause() {
            return cause;
        }

        public ThreadState state() {
            return state;
        }

        /** Returns the name id of the activity, -1 for none. */
        public int activity() {
            return activity;
        }

        public int place() {
            return place;
        }

        /** Returns the time in ns. */
        public long ns() {
            return ns;
        }

        /** Returns the time within the current gap, in ns. */
        long gapNs() {
            return gapNs;
        }

        /** Returns how many pieces were added. */
        public long pieces() {
            return pieces;
        }

        /** Returns how many stack samples represent any of it. */
        public long samples() {
            return samples;
        }

        /** Returns how much of it stack samples represent, in ns: the place of the rest is that of its activity. */
        public long seenNs() {
            return seenNs;
        }

        /** Returns how much of it comes from samples, in ns. */
        public long sampledNs() {
            return sampled == null ? 0 : sampled.sampledNs();
        }

        /** Returns how many gaps hold any of it. */
        public long gaps() {
            return gaps;
        }

        public boolean estimated() {
            return estimated;
        }

        /**
         * Returns how far the time may be off, in ns either way, if {@code sampledNs} of all idle time come from
         * samples.
         */
        public long boundNs(long sampledNs) {
            long placedNs = placed == null ? 0 : placed.boundNs();
            return Math.min(placedNs + (sampled == null ? 0 : sampled.boundNs(sampledNs)), ns);
        }
    }

    private @Nullable Amount[] table = new @Nullable Amount[256];
    private final List<Amount> all = new ArrayList<>();
    private final List<Amount> ofGap = new ArrayList<>();
    private final Sums sums;
    private long gapAtHand;

    /** By group and thread, by number of a meaning: its amount, null if not looked up yet. */
    private long cells;

    private final Map<Long, @Nullable Amount[]> byMeaning = new HashMap<>();

    /** The array of the group and thread last asked for. */
    private @Nullable Amount[] meaningsAtHand = NONE_YET;

    private long keyAtHand = -1;

    public BlameAmounts() {
        this(part -> NONE);
    }

    /**
     * Collects nothing itself where {@code sums} names amounts: a piece is looked up once, however many of them it adds
     * to.
     */
    BlameAmounts(Sums sums) {
        this.sums = sums;
    }

    /** Starts the next gap. */
    public void beginGap() {
        gapAtHand++;
        ofGap.clear();
    }

    /** Adds a piece of the current gap. Returns the amount to which it was added. */
    public Amount add(
            int group,
            int thread,
            LedgerClass cause,
            ThreadState state,
            int activity,
            int place,
            long ns,
            AmountBasis basis) {
        return add(group, thread, cause, state, activity, place, ns, basis, -1);
    }

    private Amount add(
            int group,
            int thread,
            LedgerClass cause,
            ThreadState state,
            int activity,
            int place,
            long ns,
            AmountBasis basis,
            int sample) {
        Amount amount = find(group, thread, cause, state, activity, place);
        if (amount.sums.length == 0) {
            amount.add(ns, basis, sample);
        }
        for (Amount sum : amount.sums) {
            sum.add(ns, basis, sample);
        }
        return amount;
    }

    /** Adds a piece of a host thread's time. */
    public void add(int group, ThreadPiece piece, ActivityClassifier classifier) {
        add(
                group,
                piece.thread(),
                piece.ledgerClass(),
                piece.state(),
                classifier.activityOf(piece),
                classifier.placeOf(piece),
                piece.ns(),
                piece.basis(),
                piece.sample());
    }

    /** Adds measured pieces of a meaning. Returns the amount to which they were added. */
    public Amount add(int group, int thread, int meaning, RowMeanings meanings, long ns, int count) {
        Amount amount = find(group, thread, meaning, meanings);
        if (amount.sums.length == 0) {
            amount.add(ns, count);
        }
        for (Amount sum : amount.sums) {
            sum.add(ns, count);
        }
        return amount;
    }

    private Amount find(int group, int thread, int meaning, RowMeanings meanings) {
        long key = ((long) group << 32) | (thread & 0xFFFF_FFFFL);
        if (key != keyAtHand || meaning >= meaningsAtHand.length) {
            keyAtHand = key;
            @Nullable Amount[] ofMeanings = byMeaning.getOrDefault(key, NONE_YET);
            if (meaning >= ofMeanings.length) {
                // Meanings are found one by one; growing by a half keeps the copying linear.
                int length = Math.max(meanings.count(), ofMeanings.length + ofMeanings.length / 2);
                if (cells + length - ofMeanings.length <= MOST_CELLS) {
                    cells += length - ofMeanings.length;
                    ofMeanings = Arrays.copyOf(ofMeanings, length);
                    byMeaning.put(key, ofMeanings);
                }
            }
            meaningsAtHand = ofMeanings;
            if (meaning >= ofMeanings.length) {
                return amount(group, thread, meaning, meanings);
            }
        }
        Amount known = meaningsAtHand[meaning];
        if (known == null) {
            known = amount(group, thread, meaning, meanings);
            meaningsAtHand[meaning] = known;
        }
        return known;
    }

    private Amount amount(int group, int thread, int meaning, RowMeanings meanings) {
        return find(
                group,
                thread,
                meanings.cause(meaning),
                ThreadState.NOT_RECORDED,
                meanings.name(meaning),
                meanings.place(meaning));
    }

    /** Returns the amount of a group that is otherwise like another one. */
    Amount find(int group, Amount like) {
        return find(group, like.thread, like.cause, like.state, like.activity, like.place);
    }

    /** Returns the amount of all of that. */
    Amount find(int group, int thread, LedgerClass cause, ThreadState state, int activity, int place) {
        int hash = mixed(
                ((place * 31 + activity) * 31 + thread) * 31 + ((cause.ordinal() * 32 + state.ordinal()) * 32 + group));
        for (Amount at = table[hash & (table.length - 1)]; at != null; at = at.next) {
            if (at.is(group, thread, cause, state, activity, place)) {
                return at;
            }
        }
        Amount fresh = new Amount(group, thread, cause, state, activity, place, hash);
        fresh.sums = sums.of(fresh);
        all.add(fresh);
        if (all.size() > table.length / 2) {
            table = new @Nullable Amount[table.length * 2];
            all.forEach(this::enter);
        } else {
            enter(fresh);
        }
        return fresh;
    }

    private void enter(Amount amount) {
        int slot = amount.hash & (table.length - 1);
        amount.next = table[slot];
        table[slot] = amount;
    }

    /** Fibonacci hashing: spreads numbers that follow each other, with the high bits where the table looks. */
    private static int mixed(int value) {
        int product = value * 0x9E3779B9;
        return product ^ (product >>> 16);
    }

    /** Returns how many amounts there are. */
    public int count() {
        return all.size();
    }

    /** Returns the amounts in the order in which they were first seen. */
    public List<Amount> all() {
        return List.copyOf(all);
    }

    /** Returns the amounts of the current gap; overwritten by the next one. */
    List<Amount> ofGap() {
        return ofGap;
    }

    /** Returns the time whose use is known from stack samples, in ns. */
    public static long sampledNs(List<Amount> amounts) {
        return amounts.stream().mapToLong(Amount::sampledNs).sum();
    }
}
