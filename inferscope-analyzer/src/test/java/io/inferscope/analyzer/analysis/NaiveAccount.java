package io.inferscope.analyzer.analysis;

import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Placement;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Time per class. */
final class NaiveAccount {
    /** The time of one class, measured or estimated to within a bound. */
    record Time(long ns, boolean estimated, long boundNs) {
        Time plus(Time other) {
            return new Time(ns + other.ns, estimated || other.estimated, boundNs + other.boundNs);
        }
    }

    /** A part of a place somewhere in which a counter's time lies. */
    record Room(int thread, Placement.Kind kind, int row, long totalNs, long roomNs, double partNs) {
        Room of(double ratio) {
            return new Room(thread, kind, row, totalNs, roomNs, partNs * ratio);
        }

        Room plus(Room other) {
            return new Room(thread, kind, row, totalNs, roomNs, partNs + other.partNs);
        }

        double share() {
            return Math.min(1, partNs / roomNs);
        }

        double spentNs() {
            return totalNs * share();
        }

        double mostNs() {
            return Math.min((double) totalNs, share() * roomNs);
        }

        double leastNs() {
            return Math.max(0, totalNs - roomNs + share() * roomNs);
        }
    }

    /** What is one and the same room for one class: of one stretch, thread, kind and row. */
    private record RoomOf(LedgerClass ledgerClass, int stretch, Placement.Kind kind, int row) {}

    /** A piece of time of which a stack sample of some weight says what it was spent on. */
    record Sampled(LedgerClass ledgerClass, long ns, long weightNs) {}

    private final Map<LedgerClass, Time> times = new EnumMap<>(LedgerClass.class);
    private final List<Sampled> sampled = new ArrayList<>();
    private final Map<RoomOf, Room> rooms = new LinkedHashMap<>();
    private int stretches;

    void add(LedgerClass ledgerClass, Time time) {
        if (time.ns > 0) {
            times.merge(ledgerClass, time, Time::plus);
        }
    }

    void addMeasured(LedgerClass ledgerClass, long ns) {
        add(ledgerClass, new Time(ns, false, 0));
    }

    void addSampled(Sampled piece) {
        if (piece.ns > 0) {
            add(piece.ledgerClass, new Time(piece.ns, true, 0));
            sampled.add(piece);
        }
    }

    /** Adds the rooms in which time of a class lies, as far as they leave a choice. */
    void addRooms(LedgerClass ledgerClass, List<Room> more) {
        more.stream()
                .filter(room -> room.totalNs > 0 && room.totalNs < room.roomNs)
                .forEach(room -> addRoom(new RoomOf(ledgerClass, 0, room.kind, room.row), room));
    }

    private void addRoom(RoomOf of, Room room) {
        rooms.merge(of, room, Room::plus);
    }

    /** Adds time of the same stretch. */
    void addAll(NaiveAccount other) {
        addTimes(other);
        other.rooms.forEach(this::addRoom);
    }

    /** Adds time of another stretch: a row of which both have a part counts as two. */
    void addStretch(NaiveAccount other) {
        stretches++;
        addTimes(other);
        other.rooms.forEach((of, room) -> addRoom(new RoomOf(of.ledgerClass, stretches, of.kind, of.row), room));
    }

    private void addTimes(NaiveAccount other) {
        other.times.forEach(this::add);
        sampled.addAll(other.sampled);
    }

    /**
     * The bound of a class that counters speak of: at most the sum of what each room leaves on one side; where the rooms of 10 and more differ in
     * the class' share, the slope of the counted share over it times the mixing of the rooms, and 1.96 standard errors of slope and place.
     */
    private double placementBoundNs(LedgerClass ledgerClass) {
        List<Room> own = rooms.entrySet().stream()
                .filter(e -> e.getKey().ledgerClass == ledgerClass)
                .map(Map.Entry::getValue)
                .toList();
        double above = sum(own, r -> r.mostNs() - r.spentNs());
        double below = sum(own, r -> r.spentNs() - r.leastNs());
        double logic = Math.max(above, below);
        double weight = sum(own, r -> r.roomNs);
        double count = weight * weight / sum(own, r -> (double) r.roomNs * r.roomNs);
        double meanShare = sum(own, r -> r.roomNs * r.share()) / weight;
        double meanRatio = sum(own, r -> r.totalNs) / weight;
        double spread = sum(own, r -> r.roomNs * Math.pow(r.share() - meanShare, 2));
        if (own.isEmpty() || count < 10 || spread < 1e-18 * weight) {
            return logic;
        }
        double slope = sum(own, r -> (r.share() - meanShare) * (r.totalNs - r.roomNs * meanRatio)) / spread;
        double left = sum(
                own,
                r -> r.roomNs
                        * Math.pow((double) r.totalNs / r.roomNs - meanRatio - slope * (r.share() - meanShare), 2));
        double mixed = sum(own, r -> r.roomNs * r.share() * (1 - r.share()));
        double chance = sum(own, r -> (r.mostNs() - r.spentNs()) * (r.spentNs() - r.leastNs()))
                + mixed * mixed * left / spread / (count - 2);
        return Math.min(logic, Math.min(1, Math.abs(slope)) * mixed + 1.96 * Math.sqrt(chance));
    }

    private static double sum(List<Room> rooms, ToDoubleFunction<Room> of) {
        return rooms.stream().mapToDouble(of).sum();
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

    private long boundNs(LedgerClass ledgerClass) {
        return (long) Math.ceil(placementBoundNs(ledgerClass)) + samplingBoundNs(ledgerClass);
    }

    /** Returns the classes that are not empty. No estimate is off by more than the whole stretch. */
    Map<LedgerClass, Time> ofStretch(long durationNs) {
        Map<LedgerClass, Time> capped = new EnumMap<>(LedgerClass.class);
        times.forEach((c, t) -> capped.put(c, new Time(t.ns, t.estimated, Math.min(boundNs(c), durationNs))));
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
