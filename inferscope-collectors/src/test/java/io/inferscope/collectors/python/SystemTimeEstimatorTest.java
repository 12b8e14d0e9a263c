package io.inferscope.collectors.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.collectors.host.ObservedThread;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.fixture.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Time in the kernel without perf events: what a thread's own clock says, at the lines that cause it. */
class SystemTimeEstimatorTest {
    private static final CalledFunctions.Called WRITE = new CalledFunctions.Called(null, "_io.FileIO", "write");
    private static final CalledFunctions.Called PARSE = CalledFunctions.Called.UNKNOWN;
    private static final long SAMPLE_NS = 10_000_000L;

    @TempDir
    Path folder;

    private @Nullable Process started;

    /** A thread that the kernel accounts for. */
    private static final class Accounted implements ObservedThread {
        private long cpuNs;
        private long exactSystemNs;
        private long faults;
        private long restNs;
        private long restFaults;

        /** Its counts are read at each sample, or only when it has run for so long: what it did since is counted later. */
        private long readEveryNs;

        private long readNs;
        private long readSystemNs;
        private long readFaults;
        private long residentPages;

        /** Runs the rest of what it did, and half of something: it is in the middle of that when it is looked at. */
        void runs(long systemNs, long newFaults) {
            cpuNs += SAMPLE_NS;
            exactSystemNs += restNs + systemNs / 2;
            faults += restFaults + newFaults / 2;
            restNs = systemNs - systemNs / 2;
            restFaults = newFaults - newFaults / 2;
        }

        @Override
        public boolean hasRun() {
            return true;
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public long cpuNs() {
            return cpuNs;
        }

        @Override
        public long systemNs() {
            if (cpuNs - readNs >= readEveryNs) {
                readNs = cpuNs;
                readSystemNs = exactSystemNs / SAMPLE_NS * SAMPLE_NS;
                readFaults = faults;
            }
            return readSystemNs;
        }

        @Override
        public long pageFaults() {
            return readFaults;
        }

        @Override
        public long residentPages() {
            return residentPages;
        }

        @Override
        public long cpuNsOfCounts() {
            return readNs;
        }

        @Override
        public boolean isBlocked() {
            return false;
        }

        @Override
        public boolean waitsForGil() {
            return false;
        }
    }

    @AfterEach
    void endWhatWasStarted() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @Test
    void systemTimeIsGivenToTheLooksThatWereLikelyInTheKernel() {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Map<String, Integer> samples = new TreeMap<>();
        for (int sample = 0; sample < 1500; sample++) {
            String what = List.of("write", "parse", "touch").get(sample % 3);
            thread.runs(
                    what.equals("write") ? 8_000_000 : what.equals("touch") ? 4_000_000 : 0,
                    what.equals("touch") ? 4000 : 1);
            SystemTimeEstimator.Cause cause =
                    time.sample(thread, thread.cpuNs, what.equals("write") ? WRITE : PARSE, what.hashCode(), false);
            samples.merge(what + " " + cause, 1, Integer::sum);
        }

        assertThat(samples).doesNotContainKeys("parse FILES", "write PAGE_FAULTS", "touch FILES");
        assertThat(samples.get("write FILES")).isBetween(370, 430); // of 400
        assertThat(samples.get("touch PAGE_FAULTS")).isBetween(150, 230); // of 200
        assertThat(samples.get("parse null")).isGreaterThan(450); // of 500
    }

    /** Bytecode and a library take turns, faster than samples: what is counted between two samples is of both. */
    @Test
    void theShareOfAPlaceIsLearnedWherePlacesAlternate() {
        CalledFunctions.Called map = new CalledFunctions.Called("/lib/work.cpython-312.so", "", "");
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Map<String, Integer> samples = new TreeMap<>();
        Random random = new Random(7);
        for (int sample = 0; sample < 1000; sample++) {
            boolean maps = random.nextInt(5) < 3;
            thread.runs(maps ? 9_500_000 : 0, maps ? 5000 : 0);
            SystemTimeEstimator.Cause cause = time.sample(thread, thread.cpuNs, maps ? map : PARSE, 1, maps);
            samples.merge((maps ? "map " : "parse ") + cause, 1, Integer::sum);
        }

        int maps = samples.get("map PAGE_FAULTS") + samples.getOrDefault("map null", 0);
        assertThat(samples.get("map PAGE_FAULTS")).isGreaterThan(maps * 80 / 100);
        assertThat(samples.getOrDefault("parse PAGE_FAULTS", 0) + samples.getOrDefault("parse OTHER", 0))
                .isLessThan((1000 - maps) * 5 / 100);
    }

    /** Looks that are in step with the program, at the end of each of two works: the counts say which work they are of only by the names. */
    @Test
    void namesTellApartWhatIsInStepWithTheLooks() {
        CalledFunctions.Called read = new CalledFunctions.Called(null, "posix", "read");
        CalledFunctions.Called model = new CalledFunctions.Called("/lib/libwork.so", "", "");
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Map<String, Integer> samples = new TreeMap<>();
        Random random = new Random(5);
        for (int sample = 0; sample < 2000; sample++) {
            boolean reads = sample % 2 == 0;
            thread.runs(reads ? 9_000_000 : 0, 0);
            thread.exactSystemNs += (random.nextInt(5) - 2) * 1_000_000L; // Ticks count by chance.
            boolean inPython = reads && random.nextInt(10) == 0;
            SystemTimeEstimator.Cause cause =
                    time.sample(thread, thread.cpuNs, inPython ? PARSE : reads ? read : model, 1, !inPython);
            samples.merge((reads ? "read " : "model ") + cause, 1, Integer::sum);
        }

        assertThat(samples.get("read FILES")).as("%s", samples).isGreaterThan(700); // of 900
        assertThat(samples.getOrDefault("model OTHER", 0)).as("%s", samples).isLessThan(200); // of 1000
    }

    @Test
    void systemTimeOfUnknownCauseIsNotLost() {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        int other = 0;
        for (int sample = 0; sample < 100; sample++) {
            thread.runs(3_000_000, 0);
            other += time.sample(thread, thread.cpuNs, PARSE, 1, true) == SystemTimeEstimator.Cause.OTHER ? 1 : 0;
        }

        assertThat(other).isBetween(23, 30);
    }

    @ParameterizedTest
    @CsvSource({
        "/lib/zlib.cpython-312.so, zlib.Decompress, flush, -",
        "-, _io.BytesIO, write, -",
        "-, _io.StringIO, read, -",
        "-, str, replace, -",
        "-, list, remove, -",
        "/lib/_sqlite3.cpython-312.so, _sqlite3, connect, -",
        "-, '', write, -",
        "-, posix, fspath, -",
        "-, _io.TextIOWrapper, isatty, -",
        "-, _io.TextIOWrapper, write, FILES",
        "-, _io.BufferedRandom, read, FILES",
        "-, io, open, FILES",
        "-, posix, replace, FILES",
        "-, posix, pipe, NETWORK",
        "-, posix, fork, PROCESSES",
        "-, posix, urandom, OTHER",
        "-, _socket.socket, sendall, NETWORK",
        "/lib/_socket.cpython-312.so, _socket.socket, recv, NETWORK",
        "/lib/mmap.cpython-312.so, '', '', MEMORY",
        "/lib/mmap.cpython-312.so, mmap.mmap, close, MEMORY",
    })
    void aNameCountsTogetherWithItsModuleOrType(String file, String owner, String function, String cause) {
        CalledFunctions.Called called = new CalledFunctions.Called(file.equals("-") ? null : file, owner, function);
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        time.sample(thread, 0, called, 1, true);
        thread.runs(2 * SAMPLE_NS, 0);

        SystemTimeEstimator.Cause found = time.sample(thread, thread.cpuNs, called, 1, true);

        assertThat("" + found).isEqualTo(cause.equals("-") ? "null" : cause);
    }

    @Test
    void faultsThatExplainMostOfTheSystemTimeAreItsCause() {
        assertThat(causeOfRead(5_500)).isEqualTo(SystemTimeEstimator.Cause.PAGE_FAULTS); // of 10 ms in the kernel
        assertThat(causeOfRead(4_000)).isEqualTo(SystemTimeEstimator.Cause.FILES);
    }

    @Test
    void unmappingIsNoPageFaultWhateverHappensBesideIt() {
        CalledFunctions.Called close = new CalledFunctions.Called("/lib/mmap.cpython-312.so", "mmap.mmap", "close");
        CalledFunctions.Called assign = new CalledFunctions.Called("/lib/mmap.cpython-312.so", "", "");

        assertThat(causeOf(close, 10_000)).isEqualTo(SystemTimeEstimator.Cause.MEMORY);
        assertThat(causeOf(assign, 10_000)).isEqualTo(SystemTimeEstimator.Cause.PAGE_FAULTS);
    }

    /** A library makes arrays and frees them: the C library gives their pages back, and no function shows it. */
    @ParameterizedTest
    @CsvSource({
        "4000, 2000, 90", // 2.5 us for each fault; half of the samples find the last array still there
        "4000, 0, 0", // Faults that copy pages, as after a fork.
        "40, 2000, 0", // Huge pages.
    })
    void pagesThatAreGivenBackAreMappedMemory(long faults, long fallsBy, int expected) {
        CalledFunctions.Called library = new CalledFunctions.Called("/lib/arrays.cpython-312.so", "", "");
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Map<SystemTimeEstimator.Cause, Integer> causes = new TreeMap<>();
        for (int sample = 0; sample < 600; sample++) {
            thread.runs(SAMPLE_NS, faults);
            thread.residentPages = 10_000 + (sample % 2) * fallsBy;
            SystemTimeEstimator.Cause cause = time.sample(thread, thread.cpuNs, library, 1, true);
            if (cause != null && sample >= 100) {
                causes.merge(cause, 1, Integer::sum);
            }
        }

        assertThat(causes.getOrDefault(SystemTimeEstimator.Cause.MEMORY, 0))
                .as("%s", causes)
                .isCloseTo(expected, within(10));
        assertThat(causes.get(SystemTimeEstimator.Cause.PAGE_FAULTS))
                .as("%s", causes)
                .isGreaterThan(350);
    }

    /** Every tenth sample sees pages returned: what faults predict beyond that is no hidden return. */
    @Test
    void pagesThatAVisibleFunctionGivesBackAreNotGivenBackAgain() {
        CalledFunctions.Called close = new CalledFunctions.Called("/lib/mmap.cpython-312.so", "mmap.mmap", "close");
        CalledFunctions.Called assign = new CalledFunctions.Called("/lib/mmap.cpython-312.so", "", "");
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        int unmapping = 0;
        for (int sample = 0; sample < 600; sample++) {
            boolean closes = sample % 10 == 9;
            thread.runs(SAMPLE_NS, closes ? 0 : 4_000);
            thread.residentPages = 10_000 + (sample % 2) * 2_000L;
            SystemTimeEstimator.Cause cause = time.sample(thread, thread.cpuNs, closes ? close : assign, 1, true);
            unmapping += !closes && cause == SystemTimeEstimator.Cause.MEMORY ? 1 : 0;
        }

        assertThat(unmapping).isLessThan(10);
    }

    private static SystemTimeEstimator.@Nullable Cause causeOfRead(long newFaults) {
        return causeOf(new CalledFunctions.Called(null, "_io.FileIO", "read"), newFaults);
    }

    private static SystemTimeEstimator.@Nullable Cause causeOf(CalledFunctions.Called read, long newFaults) {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        time.sample(thread, 0, read, 1, true);
        thread.runs(2 * SAMPLE_NS, 2 * newFaults);
        return time.sample(thread, thread.cpuNs, read, 1, true);
    }

    /** A thread runs for 1 ms at a time, rarely in the kernel: a tick is ten times what it ran since the sample before. */
    @Test
    void aTickAtAShortRunIsNoProofOfTheKernel() {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Random random = new Random(3);
        int parses = 0;
        int kernel = 0;
        for (int sample = 0; sample < 6000; sample++) {
            boolean writes = sample % 40 < 20;
            thread.cpuNs += 1_000_000;
            thread.exactSystemNs += writes && random.nextInt(10) == 0 ? SAMPLE_NS : 0; // As often as it ticks.
            SystemTimeEstimator.Cause cause = time.sample(thread, sample * SAMPLE_NS, writes ? WRITE : PARSE, 1, false);
            parses += writes ? 0 : 1;
            kernel += writes || cause == null ? 0 : 1;
        }

        assertThat(kernel).isLessThan(parses / 50);
    }

    /** Looks of 1 ms: a tick is counted rarely, and read late; on some kernels CPU time is counted every 4 ms alone. */
    @ParameterizedTest
    @CsvSource({"1, 5", "4, 5", "1, 50", "4, 50"})
    void theSharesOfShortLooksAreLearned(int countedEveryMs, int percentOfWrites) {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        thread.readEveryNs = 16_000_000;
        Random random = new Random(11);
        Map<String, Integer> samples = new TreeMap<>();
        int writes = 0;
        long exactSystemNs = 0;
        for (int sample = 1; sample <= 30_000; sample++) {
            boolean isWrite = random.nextInt(100) < percentOfWrites;
            writes += isWrite ? 1 : 0;
            exactSystemNs += isWrite ? 900_000 : 0;
            if (sample % countedEveryMs == 0) {
                thread.cpuNs = sample * 1_000_000L;
                thread.exactSystemNs = exactSystemNs;
            }
            SystemTimeEstimator.Cause cause =
                    time.sample(thread, sample * 1_000_000L, isWrite ? WRITE : PARSE, 1, false);
            samples.merge((isWrite ? "write " : "parse ") + cause, 1, Integer::sum);
        }

        assertThat(samples.getOrDefault("write FILES", 0)).isBetween(writes * 80 / 100, writes * 95 / 100);
        assertThat(samples.get("parse null")).isGreaterThan((30_000 - writes) * 98 / 100);
    }

    /** Half a second in the kernel where nothing is likely to enter it, as an interpreter's start: it is not told of what comes next. */
    @Test
    void systemTimeThatFoundNoPlaceIsNotGivenToLaterOnes() {
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        for (int sample = 0; sample < 200; sample++) { // Each at code not seen before.
            thread.runs(sample < 100 ? 5_000_000 : 0, 0);
            time.sample(thread, thread.cpuNs, PARSE, 100 + sample, false);
        }
        int later = 0;
        for (int sample = 0; sample < 100; sample++) {
            thread.runs(0, 0);
            later += time.sample(thread, thread.cpuNs, WRITE, 1, true) == null ? 0 : 1;
        }

        assertThat(later).isLessThan(8);
    }

    /** A log is written into a buffer, at one sample in five; beside it a library spends all of its time in the kernel. */
    @Test
    void aLikelyFunctionDoesNotTakeTheTimeThatOthersSpend() {
        CalledFunctions.Called library =
                new CalledFunctions.Called("/lib/_sqlite3.cpython-312.so", "_sqlite3.Connection", "commit");
        CalledFunctions.Called log = new CalledFunctions.Called(null, "_io.TextIOWrapper", "write");
        SystemTimeEstimator time = new SystemTimeEstimator();
        Accounted thread = new Accounted();
        Map<String, Integer> samples = new TreeMap<>();
        for (int sample = 0; sample < 1000; sample++) {
            boolean writes = sample % 100 >= 80;
            thread.runs(writes ? 0 : 6_000_000, 0);
            SystemTimeEstimator.Cause cause = time.sample(thread, thread.cpuNs, writes ? log : library, 1, true);
            samples.merge((writes ? "write " : "commit ") + cause, 1, Integer::sum);
        }

        assertThat(samples.get("commit OTHER")).isBetween(450, 481); // of 480
        assertThat(samples.getOrDefault("write FILES", 0)).isLessThan(10); // of 200
    }

    static List<Interpreters.Interpreter> interpreters() throws IOException {
        return Interpreters.some();
    }

    @ParameterizedTest
    @MethodSource("interpreters")
    @EnabledOnOs(OS.LINUX)
    @Tag("process")
    void systemTimeOfAProgramIsFoundAtItsLines(Interpreters.Interpreter interpreter) throws Exception {
        QuietMachine.judge(attempt -> assertAgrees(interpreter, folder.resolve("spool" + attempt)));
    }

    private void assertAgrees(Interpreters.Interpreter interpreter, Path spool) throws Exception {
        started = interpreter
                .start("src/test/resources/python/kernel.py", Seeds.areAll() ? "100" : "60")
                .start();
        StackSamples.awaitReady(started);
        Map<String, List<String>> said = new TreeMap<>();
        StackSamples samples =
                StackSamples.of(started, spool, 200, () -> said.putAll(StackSamples.awaitReady(started)));
        started.destroyForcibly();
        Map<String, Long> ns = new TreeMap<>();
        for (int row : samples.rows()) {
            List<String> stack = samples.stack(row);
            String last = stack.get(stack.size() - 1);
            String function = stack.stream()
                    .filter(frame -> frame.contains("kernel.py("))
                    .reduce("", (outer, inner) -> inner)
                    .replaceFirst(".*: ", "");
            ns.merge(
                    function + (last.endsWith("[kernel]") ? " " + last : ""),
                    samples.timeline().durationNs(row),
                    Long::sum);
        }
        double user = Double.parseDouble(said.get("times").get(0));
        double system = Double.parseDouble(said.get("times").get(1));
        double truth = 100 * system / (user + system);
        // A tenth or more of the system time is left out: bytecode, which frees the mapped memory here, hardly learns.
        assertThat(100.0 * sum(ns, ".*\\[kernel]") / sum(ns, ".*")).as("%s", ns).isBetween(truth - 18, truth + 12);
        assertThat(sum(ns, "touches page faults \\[kernel]"))
                .as("%s", ns)
                .isGreaterThan(sum(ns, "touches.*") / 2)
                .isGreaterThan(sum(ns, "counts .*"));
        assertThat(sum(ns, "writes file I/O \\[kernel]")).as("%s", ns).isGreaterThan(sum(ns, "writes.*") / 2);
        assertThat(sum(ns, "grows file I/O.*")).as("%s", ns).isLessThan(sum(ns, "grows.*") / 10);
    }

    private static long sum(Map<String, Long> ns, String functions) {
        return ns.entrySet().stream()
                .filter(entry -> entry.getKey().matches(functions))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
