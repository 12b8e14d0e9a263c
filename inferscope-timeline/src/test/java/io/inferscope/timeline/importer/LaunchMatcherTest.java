package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.HiddenLaunches;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.LaunchMatcher.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LaunchMatcherTest {
    private static final int SEEDS = 200;

    static Iterable<Path> traces() {
        return SharedTraces.chrome();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void realTracesAreMatchedWithoutTheirIds(Path trace) throws ImportException {
        HiddenLaunches hidden = HiddenLaunches.of(SharedTraces.timeline(trace));
        System.out.println(trace.getFileName() + ": " + hidden);
        assertThat(hidden.wrong() + hidden.wrongName() + hidden.unnamed())
                .as("%s", hidden)
                .isZero();
        assertThat(hidden.counts().linked() + hidden.counts().leftOut()).isGreaterThanOrEqualTo(hidden.operations());
        if (!trace.toString().contains("mtia")) { // There, a call launches several operations of several streams.
            assertThat(hidden.right()).as("%s", hidden).isGreaterThanOrEqualTo((long)
                    Math.ceil(0.999 * hidden.operations()));
        }
    }

    /** A program with known launches. */
    private static final class Program {
        private record Call(
                int row, long lane, long thread, long sequence, long start, long end, int name, boolean graph) {}

        private record Operation(int row, long lane, long node, long start, long end, int name, int call) {}

        private record Wait(long start, long end) {}

        final List<Call> calls = new ArrayList<>();
        final List<Operation> operations = new ArrayList<>();
        final List<Wait> waits = new ArrayList<>();
        final Random random;
        private final Map<Long, Long> lastStart = new HashMap<>();
        private final Map<Long, Long> busyUntil = new HashMap<>();
        private int rows;

        Program(long seed) {
            random = new Random(seed);
        }

        /** Adds a call that ends at a time and enqueues its operation in the middle. {@code overlaps}: with the operation before it, by programmatic launch. */
        void launch(long lane, long thread, long start, long end, int name, boolean overlaps) {
            calls.add(new Call(rows++, lane, thread, end, start, end, name, false));
            run(lane, 0, (start + end) / 2, name, overlaps);
        }

        private void run(long lane, long node, long enqueued, int name, boolean overlaps) {
            long earliest = enqueued + 2 + random.nextInt(20);
            long free = overlaps ? lastStart.getOrDefault(lane, 0L) + 1 : busyUntil.getOrDefault(lane, 0L);
            long begin = Math.max(earliest, free);
            long end = begin + 1 + random.nextInt(30);
            lastStart.put(lane, begin);
            busyUntil.put(lane, Math.max(busyUntil.getOrDefault(lane, 0L), end));
            operations.add(new Operation(rows++, lane, node, begin, end, name, calls.get(calls.size() - 1).row));
        }

        /** Launches a graph of nodes 1 to {@code nodes}, of which the one in the middle is inside a loop. */
        void replay(long graph, long thread, long start, long end, int nodes) {
            calls.add(new Call(rows++, graph, thread, end, start, end, 0, true));
            for (int node = 1; node <= nodes; node++) {
                int times = node == (nodes + 1) / 2 && nodes > 2 ? random.nextInt(4) : 1;
                for (int i = 0; i < times; i++) {
                    run(graph, node, end, 0, false);
                }
            }
        }

        /** Waits for everything. Returns its end. */
        long waitFrom(long start) {
            long end = Math.max(start, Collections.max(busyUntil.values())) + 3;
            waits.add(new Wait(start, end));
            return end;
        }

        /** Loses records of either side, repeats some, and shuffles all. Returns right, wrong, wrong by name, and what the matcher counted. */
        Result match(double lostOperations, double lostCalls, double repeats) {
            return match(lostOperations, lostCalls, repeats, false, Long.MIN_VALUE, Long.MAX_VALUE);
        }

        /** Returns what is right of a part that is cut out: calls and operations that begin in it, of which none is lost. */
        Result cutOut(boolean isKnown, long fromNs, long toNs) {
            return match(0, 0, 0, isKnown, fromNs, toNs);
        }

        private Result match(
                double lostOperations, double lostCalls, double repeats, boolean isCutOut, long fromNs, long toNs) {
            LaunchMatcher matcher = new LaunchMatcher(0, isCutOut);
            Map<Integer, Operation> byRow = new HashMap<>();
            Map<Integer, Call> callByRow = new HashMap<>();
            int kept = 0;
            for (Operation one : shuffled(operations)) {
                byRow.put(one.row, one);
                boolean lost = random.nextDouble() < lostOperations || one.start < fromNs || one.start >= toNs;
                kept += lost ? 0 : 1;
                for (int times = lost ? 0 : random.nextDouble() < repeats ? 2 : 1; times > 0; times--) {
                    if (one.node > 0) {
                        matcher.replayed(one.row, one.lane, one.node, one.start, one.end);
                    } else {
                        matcher.operation(
                                one.row, one.lane, one.start, one.end, Work.KERNEL, one.name, LaunchMatcher.ANY_SIZE);
                    }
                }
            }
            for (Call one : shuffled(calls)) {
                callByRow.put(one.row, one);
                boolean lost = random.nextDouble() < lostCalls || one.start < fromNs || one.start >= toNs;
                for (int times = lost ? 0 : random.nextDouble() < repeats ? 2 : 1; times > 0; times--) {
                    if (one.graph) {
                        matcher.graphLaunch(one.row, one.lane, one.thread, one.sequence, one.start, one.end);
                    } else {
                        matcher.launch(
                                one.row,
                                one.lane,
                                one.thread,
                                one.sequence,
                                one.start,
                                one.end,
                                Work.KERNEL,
                                one.name,
                                LaunchMatcher.ANY_SIZE);
                    }
                }
            }
            waits.stream()
                    .filter(one -> one.start >= fromNs && one.start < toNs)
                    .forEach(one -> matcher.waitedForAll(one.start, one.end));
            int[] found = new int[3];
            LaunchMatcher.Counts counts = matcher.match((kind, from, to, confidence) -> {
                found[byRow.get(to).call == from ? 0 : 1]++;
                found[2] += callByRow.get(from).name == byRow.get(to).name ? 0 : 1;
            });
            assertThat(counts.linked() + counts.leftOut()).isEqualTo(kept);
            return new Result(kept, found[0], found[1], found[2], counts);
        }

        private <T> List<T> shuffled(List<T> all) {
            List<T> copy = new ArrayList<>(all);
            Collections.shuffle(copy, random);
            return copy;
        }
    }

    private record Result(int operations, int right, int wrong, int wrongName, LaunchMatcher.Counts counts) {}

    /** Steps of a decoder on two streams of one thread: the same kernels in each, sometimes one after the other, sometimes overlapping. */
    private static Program decoder(long seed, boolean waits) {
        Program program = new Program(seed);
        long now = 100;
        int layers = 2 + program.random.nextInt(4);
        for (int step = 0; step < 20; step++) {
            for (int kernel = 0; kernel < layers * 4; kernel++) {
                int name = kernel % 4 == 3 ? 2 : kernel % 4;
                long end = now + 3 + program.random.nextInt(5);
                program.launch(kernel % 7 == 6 ? 2 : 1, 1, now, end, name, program.random.nextInt(3) == 0);
                now = end + program.random.nextInt(10);
            }
            if (waits) {
                now = program.waitFrom(now);
            }
        }
        return program;
    }

    @Test
    void everyOperationOfACompleteRecordingHasItsLaunch() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Result result = decoder(seed, seed % 2 == 0).match(0, 0, seed % 3 * 0.1);
            assertThat(result.right).as("seed %d, %s", seed, result).isEqualTo(result.operations);
        }
    }

    /** If one side is complete, the truth is one of the alignments, so that what all of them share is right. */
    @ParameterizedTest
    @CsvSource({"0.002, 0", "0.05, 0", "0, 0.002", "0, 0.05", "0.5, 0", "0, 0.5"})
    void whatOneSideLostMakesNothingWrong(double lostOperations, double lostCalls) {
        int right = 0;
        int all = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Result result = decoder(seed, seed % 2 == 0).match(lostOperations, lostCalls, 0.05);
            assertThat(result.wrong).as("seed %d, %s", seed, result).isZero();
            right += result.right;
            all += result.operations;
        }
        assertThat(right).isPositive();
        System.out.printf(
                "lost %.3f of operations, %.3f of calls: %.1f %% right, none wrong%n",
                lostOperations, lostCalls, 100.0 * right / all);
    }

    /** Kernels of one name, of which the device is behind: the part has operations of earlier launches, and launches whose operations come later. */
    @Test
    void aPartThatIsCutOutIsAlignedAtItsWaits() {
        int right = 0;
        int rightIfAnyMayBeLost = 0;
        int all = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Program program = new Program(seed);
            long now = 100;
            for (int step = 0; step < 3; step++) {
                for (int kernel = 0; kernel < 100; kernel++) {
                    program.launch(1, 1, now, now + 3, seed % 2 == 0 ? 7 : kernel % 3, kernel % 5 == 4);
                    now += 4;
                }
                now = program.waitFrom(now);
            }
            long fromNs = now / 6 + program.random.nextInt(400);
            long toNs = now - now / 6 - 300;
            Result result = program.cutOut(true, fromNs, toNs);
            assertThat(result.wrong).as("seed %d, %s", seed, result).isZero();
            right += result.right;
            rightIfAnyMayBeLost += program.cutOut(false, fromNs, toNs).right;
            all += result.operations;
        }
        System.out.printf("cut out: %d of %d right, %d if any may be lost%n", right, all, rightIfAnyMayBeLost);
        assertThat(right).isGreaterThan(rightIfAnyMayBeLost * 11 / 10);
    }

    /** Losses that cancel each other out between two waits look like none. */
    @ParameterizedTest
    @CsvSource({"0.002, 0.002, 0.002", "0.02, 0.02, 0.02"})
    void lossesOfBothSidesHardlyMakeAnythingWrongAndNothingByName(
            double lostOperations, double lostCalls, double mostWrong) {
        int wrong = 0;
        int right = 0;
        int all = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Result result = decoder(seed, true).match(lostOperations, lostCalls, 0.05);
            assertThat(result.wrongName).as("seed %d, %s", seed, result).isZero();
            wrong += result.wrong;
            right += result.right;
            all += result.operations;
        }
        System.out.printf(
                "lost %.3f of both: %.2f %% right, %.3f %% wrong%n",
                lostOperations, 100.0 * right / all, 100.0 * wrong / all);
        assertThat((double) wrong / all).isLessThan(mostWrong);
        assertThat((double) right / all).isGreaterThan(0.7);
    }

    @Test
    void overlappingCallsOfTwoThreadsAreToldApartByNameOrLeftOut() {
        int leftOut = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Program program = new Program(seed);
            long now = 100;
            for (int i = 0; i < 60; i++) { // The second of two calls that overlap is sometimes enqueued first.
                long other = now + 1 + program.random.nextInt(12);
                int name = program.random.nextInt(4);
                program.launch(1, 1, now, now + 8, 10 + name, false);
                program.launch(
                        1, 2, other, other + 2 + program.random.nextInt(9), 20 + program.random.nextInt(4), false);
                program.launch(1, 2, other + 20, other + 28, name, false);
                program.launch(1, 1, other + 21, other + 26, name, false);
                now = other + 40;
            }
            Result result = program.match(0, 0, 0);
            assertThat(result.wrong).as("seed %d, %s", seed, result).isZero();
            leftOut += (int) result.counts.leftOut();
            assertThat(result.right).as("seed %d, %s", seed, result).isEqualTo(120);
        }
        assertThat(leftOut).isEqualTo(SEEDS * 120);
    }

    /** A hundred thousand calls of one moment, as no driver makes them: nothing can be told, in linear time. */
    @Test
    void manyCallsAtOnceAreLeftOut() {
        Program program = new Program(1);
        for (int i = 0; i < 100_000; i++) {
            program.launch(1, i, 100 + i, 200_000 + i, i % 3, false);
        }
        Result result = program.match(0, 0, 0);
        assertThat(result.right + result.wrong).isZero();
        assertThat(result.counts.leftOut()).isEqualTo(100_000);
    }

    /** As many replays of a graph with a conditional node, of one without, and launches between them. */
    private static Program graphs(long seed) {
        Program program = new Program(seed);
        long now = 100;
        for (int i = 0; i < 30; i++) {
            program.replay(100, 1, now, now + 5, 7);
            program.replay(200, 1, now + 6, now + 9, 2);
            program.launch(1, 1, now + 10, now + 14, 1, false);
            now += 40 + program.random.nextInt(200);
        }
        return program;
    }

    @Test
    void operationsOfGraphsBelongToTheirReplayEvenInsideConditionalNodes() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Result result = graphs(seed).match(0, 0, 0.05);
            assertThat(result.right).as("seed %d, %s", seed, result).isEqualTo(result.operations);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.005, 0, 0", "0.05, 0, 0", "0, 0.02, 0", "0.001, 0.001, 0.001", "0.01, 0.01, 0.01"})
    void lossesMakeNoReplayWrongUnlessTheyCancelEachOtherOut(
            double lostOperations, double lostCalls, double mostWrong) {
        int right = 0;
        int wrong = 0;
        int all = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Result result = graphs(seed).match(lostOperations, lostCalls, 0.05);
            right += result.right;
            wrong += result.wrong;
            all += result.operations;
        }
        assertThat((double) wrong / all).isLessThanOrEqualTo(mostWrong);
        System.out.printf(
                "graphs, lost %.3f of operations, %.3f of calls: %.1f %% right, %.2f %% wrong%n",
                lostOperations, lostCalls, 100.0 * right / all, 100.0 * wrong / all);
    }

    /** A stream of one name, two of whose launches have lost their operation: nothing says which, but waits bound it. */
    @Test
    void aWaitBoundsWhatALossMakesUncertain() {
        Program program = new Program(1);
        long now = 100;
        for (int step = 0; step < 5; step++) {
            for (int i = 0; i < 10; i++, now += 5) {
                program.launch(1, 1, now, now + 4, 7, false);
            }
            now = program.waitFrom(now);
        }
        program.operations.remove(23);
        Result result = program.match(0, 0, 0);
        assertThat(result.wrong).isZero();
        assertThat(result.right).isGreaterThanOrEqualTo(40);
        assertThat(result.counts.leftOut()).isBetween(1L, 9L);
    }
}
