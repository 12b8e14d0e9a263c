package io.inferscope.analyzer.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Error bound of an amount of time that comes from counters, which do not tell when. Mutable, not thread-safe.
 *
 * <p>A thread state covers a room of R ns and counts L ns on a CPU (or blocked, or runnable). The parts of the room
 * that belong to one class have the total length P. With even spreading, they contain E = L P / R of the counted time;
 * the true amount T is between max(0, L - (R - P)) and min(L, P):
 *
 * <pre>
 *   room    [ tokenize ][ other ][ tokenize ][ other ]      R = 10 ms
 *   class    pppppppppp           ppppppppppp               P = 6 ms
 *   on a CPU  ?  3 ms somewhere  ?                          L = 3 ms: E = 1.8 ms, T from 0 to 3 ms
 * </pre>
 *
 * <p>All parts of one room are taken together, so errors inside it cancel: a class that has the whole room has all of
 * L, exactly. Over all rooms the error is at most the sum of max T - E, or of E - min T; this bound is called
 * <em>logic</em>. Over many rooms two statistical terms give a smaller bound:
 *
 * <p><em>Chance</em>: where the thread's states fall independently of what it does, T has mean E, and no distribution
 * between the two ends has a greater variance than (max T - E) (E - min T) (Bhatia, Davis, A Better Bound on the
 * Variance, American Mathematical Monthly 107, 2000). The rooms' variances add up, not their errors.
 *
 * <p><em>Habit</em>: a thread may always be on a CPU in one kind of part and blocked in the other. Then T = P x and L -
 * T = (R - P) x', and rooms in which the class has another share a = P / R have another y = L / R = x' + a (x - x').
 * The slope b of y over a, by least squares weighted with R, is the difference x - x'; the error that it makes is b S,
 * S being the sum of R a (1 - a). The slope is known to within its standard error, which counts as chance.
 *
 * <p>The bound is |b| S + 1.96 sqrt(chance variance + S<sup>2</sup> var b), for 95 %. Logic is used if it is less, if
 * all rooms have the same share, or if there are fewer than 10 rooms of equal weight (Kish's (sum R)<sup>2</sup> / sum
 * R<sup>2</sup>), because then the slope is not known.
 */
public final class PlacementError {
    private static final double Z = 1.96;
    private static final double FEWEST_ROOMS = 10;

    /** A spread of shares below that of one nanosecond in a second is rounding. */
    private static final double SAME_SHARE = 1e-18;

    /** The current room of each thread and kind. Rows of one thread come in the order of time. */
    private @Nullable Room[] rooms = new @Nullable Room[2];

    private int open;
    private double aboveNs;
    private double belowNs;
    private double variance;
    private double mixed;
    private final double[] sums = new double[SUMS];

    /** Sums over rooms, weighted with their length: of the weight itself, its square, a, y, and their products. */
    private static final int WEIGHT = 0;

    private static final int WEIGHT_SQUARED = 1;
    private static final int A = 2;
    private static final int Y = 3;
    private static final int AA = 4;
    private static final int AY = 5;
    private static final int YY = 6;
    private static final int SUMS = 7;

    private static final class Room {
        private final int thread;
        private final Placement.Kind kind;
        private int row;
        private long totalNs;
        private long roomNs;
        private double partNs;

        Room(Placement placement) {
            thread = placement.thread();
            kind = placement.kind();
            begin(placement);
        }

        void begin(Placement placement) {
            row = placement.row();
            totalNs = placement.totalNs();
            roomNs = placement.roomNs();
            partNs = placement.partNs();
        }
    }

    /** Adds the placement of an amount of time. Rows of one thread must be added in their order. */
    public void add(Placement placement) {
        for (Placement at = placement; at != null; at = at.next()) {
            Room room = roomOf(at);
            if (room == null) {
                rooms = open == rooms.length ? Arrays.copyOf(rooms, 2 * open) : rooms;
                rooms[open++] = new Room(at);
            } else if (room.row == at.row()) {
                room.partNs += at.partNs();
            } else {
                close(room);
                room.begin(at);
            }
        }
    }

    private @Nullable Room roomOf(Placement placement) {
        for (int i = 0; i < open; i++) {
            Room room = rooms[i];
            if (room != null && room.thread == placement.thread() && room.kind == placement.kind()) {
                return room;
            }
        }
        return null;
    }

    private void close(Room room) {
        double roomNs = room.roomNs;
        double totalNs = room.totalNs;
        double partNs = Math.min(room.partNs, roomNs);
        double share = partNs / roomNs;
        double spentNs = totalNs * share;
        double above = Math.max(0, Math.min(totalNs, partNs) - spentNs);
        double below = Math.max(0, spentNs - Math.max(0, totalNs - (roomNs - partNs)));
        aboveNs += above;
        belowNs += below;
        variance += above * below;
        mixed += partNs * (1 - share);
        double ratio = totalNs / roomNs;
        sums[WEIGHT] += roomNs;
        sums[WEIGHT_SQUARED] += roomNs * roomNs;
        sums[A] += partNs;
        sums[Y] += totalNs;
        sums[AA] += partNs * share;
        sums[AY] += partNs * ratio;
        sums[YY] += totalNs * ratio;
    }

    private void closeAll() {
        for (int i = 0; i < open; i++) {
            Room room = rooms[i];
            if (room != null) {
                close(room);
            }
        }
        open = 0;
    }

    /** Adds all of another error, whose time must not overlap. A row with parts in both counts as two rows. */
    public void addAll(PlacementError other) {
        closeAll();
        other.closeAll();
        aboveNs += other.aboveNs;
        belowNs += other.belowNs;
        variance += other.variance;
        mixed += other.mixed;
        for (int i = 0; i < SUMS; i++) {
            sums[i] += other.sums[i];
        }
    }

    /** Returns the bound in ns, either way. */
    public long boundNs() {
        closeAll();
        double logic = Math.max(aboveNs, belowNs);
        return (long) Math.ceil(Math.min(logic, likely()));
    }

    /** Returns the bound from habit and chance; infinite if the rooms do not suffice. */
    private double likely() {
        double weight = sums[WEIGHT];
        double count = weight * weight / Math.max(1, sums[WEIGHT_SQUARED]);
        double spread = sums[AA] - sums[A] * sums[A] / Math.max(1, weight);
        if (count < FEWEST_ROOMS || spread < SAME_SHARE * weight) {
            return Double.POSITIVE_INFINITY;
        }
        double together = sums[AY] - sums[A] * sums[Y] / weight;
        double slope = together / spread;
        double unexplained = Math.max(0, sums[YY] - sums[Y] * sums[Y] / weight - slope * together);
        double slopeVariance = unexplained / spread / (count - 2);
        return Math.min(1, Math.abs(slope)) * mixed + Z * Math.sqrt(variance + mixed * mixed * slopeVariance);
    }
}
