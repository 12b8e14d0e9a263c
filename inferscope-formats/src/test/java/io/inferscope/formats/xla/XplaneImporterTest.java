package io.inferscope.formats.xla;

import static io.inferscope.formats.xla.XspaceWriter.event;
import static io.inferscope.formats.xla.XspaceWriter.line;
import static io.inferscope.formats.xla.XspaceWriter.plane;
import static io.inferscope.formats.xla.XspaceWriter.space;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recording in resources/xla is real: JAX on a CPU, made by record.py beside it. The others are built here. */
public class XplaneImporterTest {
    private static final XspaceWriter HOST = plane(
                    "/host:CPU",
                    line(11, "python", 1000)
                            .with(event(1, 500, 9_000_000))
                            .with(event(2, 1_000_000, 2_000_000).stat(1, 5))
                            .with(event(3, 4_000_000, 2_000_000).stat(1, 6)))
            .eventName(1, "predict")
            .eventName(2, "cuMemcpyHtoDAsync_v2")
            .eventName(3, "cuLaunchKernel")
            .statName(1, "correlation_id");
    private static final XspaceWriter GPU = plane(
                    "/device:GPU:0",
                    line(7, "Stream #7(Compute,MemcpyH2D)", 1000)
                            .with(event(1, 2_000_000, 500_000).stat(2, 5).statReference(3, 4))
                            .with(event(2, 5_000_000, 1_499).stat(2, 6).statReference(1, 5)),
                    line(90, "XLA Modules", 1000).with(event(3, 2_000_000, 5_000_000)),
                    line(91, "_counters_", 1000).with(event(3, 2_000_000, 0)))
            .eventName(1, "MemcpyH2D")
            .eventName(2, "gemm_fusion")
            .eventName(3, "jit_predict(8)")
            .statName(1, "hlo_op")
            .statName(2, "correlation_id")
            .statName(3, "memcpy_details")
            .statName(4, "kind_src:pinned kind_dst:device size:64 dest:0 async:1")
            .statName(5, "gemm.1")
            .statName(6, "gpu_device_name")
            .planeStat(6, "Some GPU");
    private static final XspaceWriter TASK =
            plane("Task Environment").statName(1, "profile_start_time").planeStat(1, 1_700_000_000_000_000_017L);

    @TempDir
    private Path folder;

    private Timeline load(byte[] content) throws ImportException {
        return Formats.importers().load(TraceFile.of(folder, "host.xplane.pb", content));
    }

    public static byte[] resource(String name) throws IOException {
        try (InputStream in = XplaneImporterTest.class.getResourceAsStream("/xla/" + name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void bothFilesOfARecordingGiveTheSameRows() throws IOException, ImportException {
        Timeline xplane = load(resource("host.xplane.pb"));
        Timeline json =
                Formats.importers().load(TraceFile.of(folder, "host.trace.json.gz", resource("host.trace.json.gz")));

        assertThat(rows(xplane)).hasSizeGreaterThan(60).containsExactlyElementsOf(rows(json));
        assertThat(xplane.tracks()).isEqualTo(json.tracks());
        assertThat(xplane.importStats().entries()).isEmpty();
        assertThat(json.importStats().entries()).isEmpty();
    }

    @Test
    void aRealRecordingNamesItsOperatorsStepsAndStart() throws IOException, ImportException {
        Timeline timeline = load(resource("host.xplane.pb"));

        assertThat(rows(timeline).stream().filter(r -> r.startsWith("OPERATOR ")))
                .hasSize(12);
        assertThat(rows(timeline).stream().filter(r -> r.endsWith(" step"))).hasSize(3);
        assertThat(rows(timeline).stream().filter(r -> r.startsWith("PROFILER_OVERHEAD ")))
                .isEmpty();
        assertThat(timeline.originUnixNs()).isBetween(1_790_000_000_000_000_000L, 1_800_000_000_000_000_000L);
    }

    @Test
    void planesLinesAndStatsOfAGpuBecomeTracksKindsAndLinks() throws ImportException {
        Timeline timeline = load(space(HOST, GPU, TASK));

        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION 11 [1000,10000) predict",
                        "DRIVER_CALL 11 [2000,4000) cuMemcpyHtoDAsync_v2 c5",
                        "DRIVER_CALL 11 [5000,7000) cuLaunchKernel c6",
                        "MEMCPY_H2D 7 [3000,3500) MemcpyH2D c5 SIZE_BYTES=64 MEMORY_KINDS=Pinned -> Device",
                        "KERNEL 7 [6000,6001) gemm_fusion c6 DETAIL=gemm.1 HLO_INSTRUCTION=gemm.1",
                        "DEVICE_ANNOTATION 90 [3000,8000) jit_predict(8)");
        assertThat(timeline.links().count()).isEqualTo(2);
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.LAUNCH);
        assertThat(timeline.originUnixNs()).isEqualTo(1_700_000_000_000_000_017L);
        assertThat(timeline.properties()).containsEntry("device.0.name", "Some GPU");
        assertThat(timeline.importStats().count(Reason.NOT_USED)).isEqualTo(1);
    }

    /** A name stands in the file once, and each of the events refers to it. Counted is the memory that reading takes. */
    @ParameterizedTest
    @ValueSource(strings = {"$file.py:31 ", "MemcpyH2D"})
    void aLongNameIsLookedAtOnceAndNotInEachEvent(String beginning) throws ImportException {
        load(longName(beginning, 10)); // What is set up once.
        long few = allocatedBytes(longName(beginning, 10));
        long many = allocatedBytes(longName(beginning, 210));

        assertThat(many - few).isLessThan(20_000_000);
    }

    /** Host, stream and core with so many events each, whose name and whose stats are long. */
    private static byte[] longName(String beginning, int events) {
        String name = beginning + "x".repeat(500_000);
        XspaceWriter[] lines = {line(1, "python", 1000), line(2, "Stream #2", 1000), line(3, "XLA Ops", 1000)};
        for (int event = 0; event < events; event++) {
            for (XspaceWriter line : lines) {
                line.with(event(1, event * 2_000L, 1_000)
                        .statReference(1, 4)
                        .statReference(2, 4)
                        .statReference(3, 4));
            }
        }
        String[] planes = {"/host:CPU", "/device:GPU:0", "/device:TPU:0"};
        return space(IntStream.range(0, planes.length)
                .mapToObj(i -> plane(planes[i], lines[i])
                        .eventName(1, name)
                        .statName(1, i == 0 ? "correlation_id" : "hlo_op")
                        .statName(2, "hlo_module")
                        .statName(3, "memcpy_details")
                        .statName(4, name))
                .toArray(XspaceWriter[]::new));
    }

    private long allocatedBytes(byte[] file) throws ImportException {
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();
        Timeline timeline = load(file);
        long bytes = thread.getCurrentThreadAllocatedBytes() - before;
        assertThat(timeline.rowCount()).isGreaterThanOrEqualTo(30);
        return bytes;
    }

    /** Field numbers of hlo.proto: a module's computations are 3, their instructions 2, of which 1 is the name and 2 the opcode. */
    private static XspaceWriter instruction(String name, String opcode) {
        return new XspaceWriter().text(1, name).text(2, opcode);
    }

    private static XspaceWriter modules(XspaceWriter proto) {
        XspaceWriter stat = new XspaceWriter().number(1, 1).message(6, proto);
        XspaceWriter metadata =
                new XspaceWriter().number(1, 17).text(2, "jit_step(17)").message(5, stat);
        return plane("/host:metadata")
                .message(4, new XspaceWriter().number(1, 17).message(2, metadata))
                .statName(1, "Hlo Proto");
    }

    private static XspaceWriter kernelsOf(String... instructions) {
        XspaceWriter line = line(7, "Stream #7(Compute)", 1000);
        for (int i = 0; i < instructions.length; i++) {
            line.with(event(1, i * 2_000L, 1_000)
                    .statReference(1, 10 + i)
                    .statReference(2, 4)
                    .stat(3, 17));
        }
        XspaceWriter gpu = plane("/device:GPU:0", line)
                .eventName(1, "kernel")
                .statName(1, "hlo_op")
                .statName(2, "hlo_module")
                .statName(3, "program_id")
                .statName(4, "jit_step");
        for (int i = 0; i < instructions.length; i++) {
            gpu.statName(10 + i, instructions[i]);
        }
        return gpu;
    }

    @Test
    void theHloModuleSaysWhatAnInstructionIsAndWhereItComesFrom() throws ImportException {
        XspaceWriter fused = new XspaceWriter()
                .message(2, instruction("dot.1", "dot"))
                .message(2, instruction("p", "parameter"))
                .number(5, 3);
        XspaceWriter entry = new XspaceWriter()
                .message(2, instruction("custom-call.1", "custom-call").text(28, "__cublas$gemm"))
                .message(
                        2,
                        instruction("some_fusion", "fusion").text(11, "kCustom").packed(38, 3))
                .message(
                        2,
                        instruction("loop_fusion", "fusion")
                                .message(
                                        7,
                                        new XspaceWriter()
                                                .text(3, "/app/train.py")
                                                .number(4, 23))
                                .text(11, "kLoop"))
                .number(5, 4);
        XspaceWriter proto = new XspaceWriter()
                .message(
                        1,
                        new XspaceWriter().text(1, "jit_step").message(3, fused).message(3, entry));

        Timeline timeline =
                load(space(modules(proto), kernelsOf("custom-call.1", "some_fusion", "loop_fusion", "unknown")));

        assertThat(IntStream.range(0, 4).mapToObj(row -> timeline.attributeText(row, Attribute.DETAIL)))
                .containsExactly(
                        "custom-call.1 (jit_step) = custom-call __cublas$gemm",
                        "some_fusion (jit_step) = fusion kCustom dot",
                        "loop_fusion (jit_step) = fusion kLoop",
                        "unknown (jit_step)");
        assertThat(timeline.attributeText(2, Attribute.WHERE)).isEqualTo("/app/train.py:23");
    }

    @Test
    void aDamagedHloModuleCostsNoEvent() throws ImportException {
        XspaceWriter proto = new XspaceWriter().message(1, new XspaceWriter().length(3, 500));

        Timeline timeline = load(space(modules(proto), kernelsOf("custom-call.1")));

        assertThat(timeline.attributeText(0, Attribute.DETAIL)).isEqualTo("custom-call.1 (jit_step)");
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isPositive();
    }

    @Test
    void linesThatCountFrom1970AreTheAxisThemselves() throws ImportException {
        Timeline timeline = load(space(
                plane("/host:CPU", line(1, "main", 1_700_000_000_000_000_000L).with(event(1, 0, 1000)))
                        .eventName(1, "a"),
                TASK));

        assertThat(timeline.startNs(0)).isEqualTo(1_700_000_000_000_000_000L);
        assertThat(timeline.originUnixNs()).isZero();
    }

    @Test
    void aFileCutInsideALaterPlaneKeepsThePlanesBefore() throws ImportException {
        byte[] whole = space(HOST, GPU, TASK);
        int length = HOST.toBytes().length + 60;
        Timeline timeline = load(Arrays.copyOf(whole, length));

        assertThat(timeline.rowCount()).isEqualTo(3);
        assertThat(timeline.importStats().count(Reason.TRUNCATED)).isEqualTo(1);
        assertThat(timeline.importStats().bytesRead()).isEqualTo(length);
    }

    @Test
    void eventsWhoseNamesAreCutOffAreDroppedAndCounted() {
        byte[] whole = space(HOST);

        assertThatThrownBy(() -> load(Arrays.copyOf(whole, whole.length / 2)))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("event whose name is not in the file")
                .hasMessageContaining("the input ends before the document does");
    }

    @Test
    void anEventIsNotGuessedAtWhenTheNamesOfItsStatsAreLost() throws ImportException {
        Timeline timeline = load(space(plane(
                        "/host:CPU",
                        line(1, "main", 0)
                                .with(event(1, 0, 9_000))
                                .with(event(2, 0, 5_000).stat(7, 1)))
                .eventName(1, "a")
                .eventName(2, "fusion")));

        assertThat(rows(timeline)).containsExactly("ANNOTATION 1 [0,9) a");
        assertThat(timeline.importStats().count(Reason.UNNAMED)).isEqualTo(1);
    }

    @Test
    void damageInsideAnEventCostsThatEventAlone() throws ImportException {
        XspaceWriter group =
                new XspaceWriter().number(XplaneFields.EVENT_METADATA_ID, 1).raw(0x0b);
        Timeline timeline = load(space(
                plane("/host:CPU", line(1, "main", 0).with(group).with(event(1, 0, 9_000)))
                        .eventName(1, "a"),
                HOST));

        assertThat(timeline.rowCount()).isEqualTo(4);
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isEqualTo(1);
    }

    @Test
    void theNewestRunOfTheProfilersFolderIsReadAndSaid() throws IOException, ImportException {
        byte[] content = resource("host.xplane.pb");
        for (String file : List.of("2026_01_01/a", "2026_02_01/b", "2026_02_01/a")) {
            Path target = folder.resolve("log/plugins/profile/" + file + ".xplane.pb");
            Files.createDirectories(target.getParent());
            Files.write(target, content);
        }

        Timeline timeline = Formats.importers().load(folder.resolve("log"));

        assertThat(timeline.info().coverage())
                .extracting(Coverage::why)
                .containsExactly(
                        "the xplane.pb read is of run 2026_02_01, of the first of 2 hosts, the latest of 2 runs;"
                                + " name a file to read another");
    }

    @Test
    void anEndlessNameIsRefusedInOneLine() {
        byte[] endless = new XspaceWriter()
                .message(
                        XplaneFields.SPACE_PLANE,
                        new XspaceWriter()
                                .text(XplaneFields.PLANE_NAME, "/host:CPU")
                                .eventName(1, "x".repeat(2 << 20)))
                .toBytes();

        assertThatThrownBy(() -> load(endless))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("a text longer than 1 MiB");
    }

    /** A length of 2^31 - 1, of 2^63 - 1 and of -1, and groups in groups, which no writer has used since 2008. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void lengthsAndNestingBeyondTheFileAreRefusedInOneLine(int attack) {
        XspaceWriter hostile = new XspaceWriter()
                .message(XplaneFields.SPACE_PLANE, new XspaceWriter().text(XplaneFields.PLANE_NAME, "/host:CPU"));
        switch (attack) {
            case 0 -> hostile.length(XplaneFields.SPACE_PLANE, Integer.MAX_VALUE);
            case 1 -> hostile.length(XplaneFields.SPACE_PLANE, Long.MAX_VALUE);
            case 2 -> hostile.length(XplaneFields.SPACE_PLANE, -1);
            default -> {
                for (int i = 0; i < 1_000_000; i++) {
                    hostile.raw(15 << 3 | 3);
                }
            }
        }

        assertThatThrownBy(() -> load(hostile.toBytes()))
                .isInstanceOf(ImportException.class)
                .message()
                .doesNotContain("\n", "Exception");
    }

    /** The decoder adds a length to the place where it is, which overflows. */
    @Test
    void aLengthNearTwoGibibytesCostsItsEventAlone() throws ImportException {
        XspaceWriter damaged = event(1, 0, 9_000).length(15, Integer.MAX_VALUE - 3);
        XspaceWriter line = line(1, "main", 0).with(damaged);
        for (int i = 0; i < 2_000; i++) {
            line.with(event(1, 10_000L * i, 9_000));
        }
        Timeline timeline = load(space(plane("/host:CPU", line).eventName(1, "a"), HOST));

        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).isEqualTo(1);
        assertThat(timeline.rowCount()).isGreaterThan(2_000);
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }

    @Test
    @Tag("traces")
    void callsOfTheDriverLieOnTheThreadsOfXlaThatMadeThem() throws Exception {
        Timeline timeline =
                Formats.importers().load(SharedTraces.folder().resolve("xla").resolve("jax08.xplane.pb"));

        int launches = 0;
        int inThunks = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.RUNTIME_CALL && timeline.name(row).contains("LaunchKernel")) {
                launches++;
                String thread = timeline.tracks().get(timeline.track(row)).name();
                inThunks += thread.startsWith("py_xla_execute") && timeline.parent(row) >= 0 ? 1 : 0;
            }
        }
        assertThat(launches).isPositive();
        assertThat(inThunks).isGreaterThan(launches * 9 / 10);
    }

    /** 25 kernels on one of eight GPUs, each launched by a call of its name; 53 copies, launched by calls of HIP. */
    @Test
    @Tag("traces")
    void aCallThatIsNamedByItsKernelLaunchedIt() throws Exception {
        Timeline timeline =
                Formats.importers().load(SharedTraces.folder().resolve("xla").resolve("jaxlegacy.xplane.pb"));

        int kernels = 0;
        for (int row = 0; row < timeline.rowCount(); row++) {
            if (timeline.kind(row) == RowKind.KERNEL) {
                kernels++;
                int launch = timeline.links().launchOf(row);
                assertThat(launch).isNotNegative();
                assertThat(timeline.kind(launch)).isEqualTo(RowKind.RUNTIME_CALL);
                assertThat(timeline.name(launch)).isEqualTo("hipLaunchKernel: " + timeline.name(row));
                assertThat(timeline.tracks().get(timeline.track(launch)).name()).startsWith("py_xla_execute");
                assertThat(timeline.startNs(launch)).isLessThan(timeline.startNs(row));
            }
        }
        assertThat(kernels).isEqualTo(25);
    }

    @Test
    @Tag("traces")
    void startingAndStoppingTheProfilerIsNotPartOfTheRecording() throws Exception {
        Path xla = SharedTraces.folder().resolve("xla");

        assertThat(lengthNs(Formats.importers().load(xla.resolve("jaxte.xplane.pb"))))
                .isLessThan(20_000_000L);
        assertThat(lengthNs(Formats.importers().load(xla.resolve("jaxlegacy.xplane.pb"))))
                .isLessThan(50_000_000L);
    }

    private static long lengthNs(Timeline timeline) {
        long startNs = Long.MAX_VALUE;
        long endNs = Long.MIN_VALUE;
        for (int row = 0; row < timeline.rowCount(); row++) {
            startNs = Math.min(startNs, timeline.startNs(row));
            endNs = Math.max(endNs, timeline.endNs(row));
        }
        return endNs - startNs;
    }
}
