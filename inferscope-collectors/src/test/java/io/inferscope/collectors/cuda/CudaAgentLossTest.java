package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.QuietMachine;
import io.inferscope.timeline.spool.CCompiler;
import io.inferscope.timeline.spool.CuptiDefects;
import io.inferscope.timeline.spool.StubCuda;
import io.inferscope.timeline.spool.StubCuda.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the CUDA agent loses, and whether it says so: kills, full disks, missing libraries, other profilers, clocks that step. */
@Tag("process")
@Tag("native")
class CudaAgentLossTest {
    @TempDir
    Path spools;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    /** Judges what the agent's own thread does between the program's steps. */
    private void judge(QuietMachine.Step attempt) throws Exception {
        QuietMachine.judge(spools, folder -> {
            spools = folder;
            attempt.run();
        });
    }

    private Timeline record(Map<String, String> environment, String... steps) throws Exception {
        Ended ended = StubCuda.run(spools, 13, environment, steps);
        assertThat(ended.exitCode()).isZero();
        return CoreFormats.load(spools);
    }

    private static long count(Timeline timeline, RowKind kind) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind)
                .count();
    }

    private static String why(Timeline timeline) {
        return timeline.info().coverage().stream()
                .filter(said -> said.source().equals("cuda-agent"))
                .map(said -> said.why())
                .findFirst()
                .orElse("");
    }

    @Test
    void aFileThatMayNotGrowStopsTheRecordingAndNotTheProgram() throws Exception {
        Timeline timeline = record(Map.of(), "limit:2500000", "launch:100000");
        assertThat(count(timeline, RowKind.KERNEL)).isBetween(10_000L, 99_999L);
        assertThat(timeline.importStats().count(Reason.CANNOT_GROW)).isPositive();
    }

    @Test
    void aFileThatTookThePlaceOfTheSpoolIsNotWrittenTo() throws Exception {
        byte[] content = new byte[5 << 20];
        Arrays.fill(content, (byte) 'x');
        Path victim = Files.write(spools.resolve("victim"), content);
        Path folder = Files.createDirectory(spools.resolve("spools"));
        Map<String, String> environment = Map.of("STUB_VICTIM", victim.toString());
        Ended ended = StubCuda.run(folder, 13, environment, "launch:10", "swap", "launch:60000");
        assertThat(ended.exitCode()).isZero();
        assertThat(Files.readAllBytes(victim)).isEqualTo(content);
    }

    @Test
    void theCapForTracesHolds() throws Exception {
        Timeline timeline = record(Map.of("INFERSCOPE_SPOOL_MAX_BYTES", "150000"), "launch:100000");
        try (Stream<Path> files = Files.list(spools)) {
            assertThat(Files.size(files.findFirst().orElseThrow())).isLessThanOrEqualTo(150_000);
        }
        assertThat(count(timeline, RowKind.KERNEL)).isPositive();
        assertThat(timeline.importStats().count(Reason.RECORDER_DROPPED)).isPositive();
    }

    @Test
    void aFullDiskStopsTheRecordingAndNotTheProgram() throws Exception {
        Path disk = Files.createDirectory(spools.resolve("disk"));
        Process mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk.toString())
                .redirectErrorStream(true)
                .start();
        boolean mounted = mount.waitFor() == 0;
        if (!mounted) {
            System.out.println("skipped: a small file system cannot be mounted here");
        }
        Assumptions.assumeTrue(mounted, "needs the right to mount a small file system");
        try {
            Ended ended = StubCuda.run(disk, 13, Map.of(), "launch:100000");
            assertThat(ended.exitCode()).isZero();
            Timeline timeline = CoreFormats.load(disk);
            assertThat(count(timeline, RowKind.KERNEL)).isBetween(10_000L, 99_999L);
            assertThat(timeline.importStats().count(Reason.DISK_FULL)).isPositive();
        } finally {
            new ProcessBuilder("umount", disk.toString()).start().waitFor();
        }
    }

    @Test
    void withoutLibcuptiTheReportSaysWhereItWasLookedFor() throws Exception {
        Ended ended = StubCuda.run(spools, 0, Map.of(), "launch:10");
        assertThat(ended.exitCode()).isZero();
        String why = why(CoreFormats.load(spools));
        if (Files.exists(Path.of("/usr/local/cuda"))) {
            assertThat(why).contains("libcupti refused"); // The toolkit's own, to which the stand-in is no driver.
        } else {
            assertThat(why).contains("no libcupti was found", "INFERSCOPE_CUPTI");
        }
    }

    @Test
    void aLibraryThatIsNotOneIsNamed() throws Exception {
        Timeline timeline = record(Map.of("INFERSCOPE_CUPTI", "/etc/hostname"), "launch:10");
        assertThat(why(timeline)).isEqualTo("INFERSCOPE_CUPTI names a file that cannot be loaded");
    }

    @Test
    void whatLibcuptiRefusesIsSaidInItsWords() throws Exception {
        Timeline timeline = record(Map.of("STUB_REFUSE", "35"), "launch:10");
        assertThat(why(timeline)).contains("cuptiActivityEnable", "35", "INSUFFICIENT_PRIVILEGES");
        assertThat(count(timeline, RowKind.KERNEL)).isZero();
    }

    @Test
    void aClientOfCuptisOtherInterfaceIsNamedAsTheReason() throws Exception {
        Timeline timeline = record(Map.of("STUB_OTHER", "1"), "launch:10");
        assertThat(why(timeline))
                .contains("MULTIPLE_SUBSCRIBERS", "interface for several subscribers (CUDA 13.2 and later), as JAX's");
        assertThat(count(timeline, RowKind.KERNEL)).isZero();
    }

    private static final Map<String, String> SEVERAL = Map.of("STUB_SEVERAL", "1", "STUB_DRIVER", "13030");

    private static String library(Timeline timeline) {
        return timeline.properties().entrySet().stream()
                .filter(one -> one.getKey().endsWith(".cupti"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    @Test
    void aProfilerOfTheInterfaceForSeveralRecordsBesideTheAgent() throws Exception {
        Ended ended = StubCuda.run(spools, 13, SEVERAL, "launch:50", "several:70:300", "quiet:5", "launch:30", "fork");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).startsWith("subscriber: 70 kernels, 0 foreign buffers");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(150);
        assertThat(count(timeline, RowKind.RUNTIME_CALL)).isEqualTo(150);
        assertThat(library(timeline))
                .startsWith("API 130300, the system's: /")
                .endsWith("/libcupti.so.13; driver for CUDA 13.3; one of several subscribers");
        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(why(timeline)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"libtorch_cpu.so", "libonnxruntime_providers_cuda.so", "libproton.so"})
    void besideAProfilerThatWantsToBeTheOnlyReceiverTheAgentIsOneToo(String library) throws Exception {
        Path receiver = spools.resolve(library);
        CCompiler.compile(List.of("-shared", "-x", "c", "-o", receiver.toString(), "/dev/null"));
        Map<String, String> environment = new TreeMap<>(SEVERAL);
        environment.put("LD_PRELOAD", receiver.toString());
        Ended ended = StubCuda.run(spools, 13, environment, "launch:50", "several:5:0", "profiled:70:300", "launch:30");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .startsWith("subscriber: refused, error 39")
                .contains("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(85);
        assertThat(library(timeline)).endsWith("; the only receiver");
    }

    /** As PyTorch's own monitor beside PyTorch's library, whose other profiler wants to be the only receiver. */
    private String besidePyTorch(Map<String, String> more, String... steps) throws Exception {
        Path receiver = spools.resolve("libtorch_cpu.so");
        CCompiler.compile(List.of("-shared", "-x", "c", "-o", receiver.toString(), "/dev/null"));
        Map<String, String> environment = new TreeMap<>(SEVERAL);
        environment.put("LD_PRELOAD", receiver.toString());
        environment.putAll(more);
        Ended ended = StubCuda.run(spools, 13, environment, steps);
        assertThat(ended.exitCode()).isZero();
        return ended.out();
    }

    @Test
    void aMonitorThatSubscribedBeforeTheAgentBeganAndTheAgentBothRecord() throws Exception {
        assertThat(besidePyTorch(Map.of(), "early", "launch:50", "sleep:300", "launch:30"))
                .startsWith("subscriber: 80 kernels, 0 foreign buffers");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(80);
        assertThat(library(timeline)).endsWith("; one of several subscribers");
        assertThat(why(timeline)).isEmpty();
    }

    @Test
    void aMonitorThatSubscribesLaterAndTheAgentBothRecordIfCuptiLetsTheReceiverGo() throws Exception {
        assertThat(besidePyTorch(Map.of("STUB_RELEASES", "1"), "launch:50", "monitor:70:300", "launch:30"))
                .startsWith("subscriber: 70 kernels, 0 foreign buffers");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(150);
        assertThat(timeline.info().coverage()).anyMatch(one -> one.why().contains("records beside another subscriber"));
    }

    @Test
    void aMonitorThatCuptiRefusesBecauseOfTheAgentIsNamed() throws Exception {
        assertThat(besidePyTorch(Map.of(), "launch:50", "monitor:70:300", "launch:30"))
                .startsWith("subscriber: refused, error 39");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(150);
        assertThat(timeline.info().coverage())
                .anyMatch(one -> one.why().contains("refused the program's own profiler"));
    }

    /** As reported of CUDA before 13.4 Update 1, a flush beside the thread that turned on tracing in hardware kills the program. */
    @ParameterizedTest
    @CsvSource({"130300, 0, 134", "130300, 1, 0", "130401, 1, 134"})
    void theAgentEndsItsRecordingBeforeFlushesBesideTracingInHardwareCorruptMemory(String api, int told, int exitCode)
            throws Exception {
        String[] steps = {"launch:50", "hardware:" + told, "launch:30", "sleep:600"};
        Ended ended = StubCuda.run(spools, 13, Map.of("STUB_API", api), steps);
        assertThat(ended.exitCode()).isEqualTo(exitCode);
        if (exitCode == 0) {
            Timeline timeline = CoreFormats.load(spools);
            assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(50);
            assertThat(timeline.properties()).containsKey("inferscope.device_unrecorded_ns");
            assertThat(timeline.info().coverage())
                    .anyMatch(one -> one.source().equals("libcupti: hardware-flush"))
                    .anyMatch(one -> one.why().contains("turned on CUPTI's tracing in hardware"));
        }
    }

    @Test
    void theAgentRecordsBesideTracingInHardwareFromTheVersionOnThatIsNotKnownToCorruptMemory() throws Exception {
        String code = Files.readString(Path.of("../native/agent/recording.c"));
        assertThat(CuptiDefects.ALL.stream().filter(one -> one.id().equals("hardware-flush")))
                .allMatch(one -> code.contains("FIRST_API_OF_SAFE_HARDWARE_TRACING = " + one.fixedApi() + ' '))
                .hasSize(1);
    }

    @Test
    void aSubscribedAgentLeavesForAProfilerThatWantsToBeTheOnlyReceiver() throws Exception {
        Ended ended = StubCuda.run(spools, 13, SEVERAL, "launch:50", "sleep:300", "profiled:70:300", "launch:30");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).startsWith("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
        Timeline timeline = CoreFormats.load(spools);
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(80);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }

    @Test
    void buffersThatCuptiReturnsWhileTheAgentUnsubscribesAreRead() throws Exception {
        Map<String, String> environment = new TreeMap<>(SEVERAL);
        environment.put("STUB_LATE", "1");

        Timeline timeline = record(environment, "launch:50");

        assertThat(library(timeline)).endsWith("; one of several subscribers");
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(50);
        assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1, 13020, the only receiver", "1, 13030, one of several subscribers", "2, 13030, the only receiver"})
    void whereTheInterfaceForSeveralDoesNotWorkTheAgentIsTheOnlyReceiver(int several, String driver, String how)
            throws Exception {
        Timeline timeline = record(Map.of("STUB_SEVERAL", "" + several, "STUB_DRIVER", driver), "launch:10");
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(10);
        assertThat(library(timeline)).endsWith("; " + how);
        assertThat(why(timeline)).isEmpty();
    }

    @Test
    void theOnlyReceiverStepsAsideForAProfilerThatCouldRecordBesideIt() throws Exception {
        Ended ended = StubCuda.run(spools, 13, Map.of(), "launch:50", "alone:70:300", "launch:30");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).startsWith("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
        assertThat(count(CoreFormats.load(spools), RowKind.KERNEL)).isEqualTo(80);
    }

    /** CUPTI holds locks of its own over calls and callbacks, so that the agent may call it only while it holds none that callbacks take. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void noFunctionOfCuptiIsCalledUnderALockThatItsCallbacksTake(int several) throws Exception {
        Map<String, String> environment = Map.of(
                "STUB_LOCKED",
                "1",
                "STUB_SEVERAL",
                "" + several,
                "STUB_DRIVER",
                "13030",
                "INFERSCOPE_GPU_GRAPHS",
                "whole");
        Process program = StubCuda.builder(
                        spools, 13, environment, "threads:20:3000", "graph:500:5", "profiled:5:300", "threads:20:3000")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        boolean ended = program.waitFor(300, TimeUnit.SECONDS); // Of about one.
        program.destroyForcibly();
        assertThat(ended).isTrue();
        assertThat(program.exitValue()).isZero();
        assertThat(CoreFormats.load(spools).importStats().count(Effect.DROPPED)).isZero();
    }

    @Test
    void whatCannotBeKeptIsNotAskedForAnyMore() throws Exception {
        judge(() -> {
            Path asked = spools.resolve("asked");
            Map<String, String> environment =
                    Map.of("INFERSCOPE_SPOOL_MAX_BYTES", "150000", "STUB_COST", asked.toString());
            record(environment, "launch:20000", "sleep:600", "launch:50000", "sleep:300");
            long delivered = Long.parseLong(Files.readAllLines(asked).get(1));
            assertThat(delivered).isLessThan(2 * 20_000 + 100);
        });
    }

    @Test
    void aProgramThatUsesNoCudaIsNotEntered() throws Exception {
        ProcessBuilder builder = StubCuda.builder(spools, 13, Map.of());
        assertThat(builder.command("true").start().waitFor()).isZero();
        try (Stream<Path> files = Files.list(spools)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aSpoolFolderThatCannotBeWrittenLeavesTheProgramAlone() throws Exception {
        Ended ended = StubCuda.run(spools.resolve("missing"), 13, Map.of(), "launch:10", "quiet:2");
        assertThat(ended.exitCode()).isZero();
    }

    @Test
    void recordsThatAnotherProfilerTookAreMarkedAsNotKnown() throws Exception {
        judge(() -> {
            Timeline timeline = record(
                    Map.of(),
                    "launch:50",
                    "sleep:500",
                    "take:1",
                    "launch:70",
                    "sleep:2600",
                    "take:0",
                    "launch:30",
                    "sleep:400");
            assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(80);
            assertThat(why(timeline)).contains("device work is not known from", "another profiler");
            long lostNs = Long.parseLong(timeline.properties().get("inferscope.device_unrecorded_ns"));
            assertThat(lostNs).isGreaterThan(1_500_000_000L);
        });
    }

    @Test
    void theAgentStepsAsideForTheProgramsOwnProfilerAndComesBack() throws Exception {
        judge(() -> {
            Ended ended = StubCuda.run(
                    spools, 12, Map.of(), "launch:50", "sleep:300", "profiled:70:700", "launch:30", "sleep:300");
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).startsWith("profiler: 70 kernels, 0 foreign buffers, 0 foreign flushes");
            Timeline timeline = CoreFormats.load(spools);
            assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(80);
            assertThat(why(timeline)).contains("device work is not known from", "the program's own profiler");
            long lostNs = Long.parseLong(timeline.properties().get("inferscope.device_unrecorded_ns"));
            assertThat(lostNs).isGreaterThan(700_000_000L);
            assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 13})
    void nobodysBuffersAreAskedForWhenAnotherReceivesTheRecords(int generation) throws Exception {
        judge(() -> {
            Ended ended = StubCuda.run(spools, generation, Map.of(), "launch:50", "sleep:300", "profile:70:3000");
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).startsWith("profiler: 70 kernels");
            int flushes = Integer.parseInt(
                    ended.out().lines().findFirst().orElseThrow().replaceAll(".*, (\\d+) foreign flushes", "$1"));
            assertThat(flushes).isLessThanOrEqualTo(5);
        });
    }

    @Test
    void operationsWithoutTimesAreCountedApart() throws Exception {
        Timeline timeline = record(Map.of("STUB_ZERO", "10"), "launch:100");
        assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(90);
        assertThat(timeline.importStats().count(Reason.NOT_TIMED)).isEqualTo(10);
        assertThat(why(timeline)).isEmpty();
    }

    @Test
    void aTimeInWhichTheProgramIsIdleIsNoLoss() throws Exception {
        judge(() -> {
            Timeline timeline = record(Map.of(), "launch:50", "sleep:1700", "launch:50", "sleep:300");
            assertThat(timeline.properties()).doesNotContainKey("inferscope.device_unrecorded_ns");
            assertThat(why(timeline)).isEmpty();
        });
    }

    @Test
    void stampsOfTheProcessorsCounterAreConvertedAndCounted() throws Exception {
        judge(() -> {
            Timeline timeline = record(
                    Map.of(),
                    "launch:50",
                    "sleep:500",
                    "ticks:1",
                    "launch:70",
                    "sleep:700",
                    "ticks:0",
                    "launch:30",
                    "sleep:300");
            assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(150);
            assertThat(timeline.importStats().count(Reason.OTHER_CLOCK)).isEqualTo(140);
            assertThat(timeline.importStats().count(Effect.DROPPED)).isZero();
            assertThat(why(timeline)).isEmpty();
            long[] launches = IntStream.range(0, timeline.rowCount())
                    .filter(row -> timeline.kind(row) == RowKind.RUNTIME_CALL)
                    .mapToLong(timeline::startNs)
                    .toArray();
            assertThat(launches[50] - launches[49]).isGreaterThan(480_000_000L);
            assertThat(launches[120] - launches[119]).isGreaterThan(680_000_000L);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"3600000000000", "-3600000000000"})
    void aStepOfTheClockMovesNoRecord(String step) throws Exception {
        judge(() -> {
            Timeline timeline = record(Map.of(), "launch:50", "sleep:500", "step:" + step, "launch:50", "sleep:500");
            assertThat(count(timeline, RowKind.KERNEL)).isEqualTo(100);
            long firstNs = timeline.startNs(0);
            for (int row = 0; row < timeline.rowCount(); row++) {
                assertThat(Math.abs(timeline.startNs(row) - firstNs)).isLessThan(60_000_000_000L);
            }
            assertThat(timeline.info().clockDomains())
                    .extracting(ClockDomain::name)
                    .contains("cupti");
        });
    }

    @Test
    void theErrorOfTheClockIsStated() throws Exception {
        judge(() -> {
            Timeline timeline = record(Map.of(), "launch:50", "sleep:900");
            ClockDomain cupti = timeline.info().clockDomains().stream()
                    .filter(domain -> domain.name().equals("cupti"))
                    .findFirst()
                    .orElseThrow();
            assertThat(cupti.anchors()).isGreaterThanOrEqualTo(3);
            assertThat(cupti.errorBoundNs()).isBetween(1L, 50_000_000L);
        });
    }
}
