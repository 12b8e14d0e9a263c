package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.formats.Formats;
import io.inferscope.scope.Scope;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A Java service with a busy method, garbage and a contended monitor, recorded by its own JVM. */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class JvmRunTest {
    /**
     * Begins when it is recorded, or after a minute, or after as many seconds as the second argument says; works for a number of rounds, and leaves
     * a file after some of them.
     */
    private static final String SERVICE = """
            import java.util.*;
            import jdk.jfr.*;
            public class Service {
                static final Object LOCK = new Object();
                static double sink;
                static double score() {
                    double sum = 0;
                    for (int i = 1; i < 20_000_000; i++) { sum += (i % 7) * 1.5 / i; }
                    return sum;
                }
                static void garbage() {
                    List<byte[]> kept = new ArrayList<>();
                    for (int i = 0; i < 400; i++) { kept.add(new byte[100_000]); }
                    sink += kept.size();
                }
                static void hold() throws Exception {
                    synchronized (LOCK) { Thread.sleep(20); }
                    Thread.sleep(5);
                }
                static boolean isRecorded() {
                    return FlightRecorder.isInitialized() && FlightRecorder.getFlightRecorder().getRecordings().stream()
                            .anyMatch(recording -> recording.getState() == RecordingState.RUNNING);
                }
                public static void main(String[] arguments) throws Exception {
                    long end = System.nanoTime() + 1_000_000_000L * (arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60);
                    int rounds = Integer.parseInt(arguments[0]);
                    Thread holder = new Thread(() -> {
                        try { while (true) hold(); } catch (Exception e) { throw new RuntimeException(e); }
                    }, "holder");
                    holder.setDaemon(true);
                    holder.start();
                    System.out.println("ready");
                    System.err.println("up");
                    while (!isRecorded() && System.nanoTime() < end) Thread.sleep(50);
                    for (int i = 0; i < rounds; i++) {
                        sink += score();
                        garbage();
                        synchronized (LOCK) { sink++; }
                        if (i == 40) new java.io.File("worked").createNewFile();
                    }
                    System.out.println("done");
                }
            }
            """;

    /** The same after work in a scope of its own. */
    private static final String SCOPED_SERVICE = """
            import io.inferscope.scope.Scope;
            public class ScopedService {
                public static void main(String[] arguments) throws Exception {
                    try (Scope outer = Scope.open("llm_inference"); Scope inner = Scope.open("render")) {
                        for (int i = 0; i < 10; i++) { Service.sink += Service.score(); }
                    }
                    Service.main(arguments);
                }
            }
            """;

    private static final String JAVA = System.getProperty("java.home") + "/bin/java";

    @TempDir
    Path folder;

    private static byte[] serviceClass = {};
    private static byte[] scopedServiceClass = {};

    private InferScopeProcess inferscope;

    @BeforeAll
    static void compileService(@TempDir Path once) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assumeTrue(compiler != null && ModuleLayer.boot().findModule("jdk.jfr").isPresent(), "needs a whole JDK");
        Path source = Files.writeString(once.resolve("Service.java"), SERVICE);
        Path scoped = Files.writeString(once.resolve("ScopedService.java"), SCOPED_SERVICE);
        assertThat(compiler.run(
                        null, null, null, "--release", "17", "-cp", library(), source.toString(), scoped.toString()))
                .isZero();
        serviceClass = Files.readAllBytes(once.resolve("Service.class"));
        scopedServiceClass = Files.readAllBytes(once.resolve("ScopedService.class"));
    }

    @BeforeEach
    void placeService() throws IOException {
        Files.write(folder.resolve("Service.class"), serviceClass);
        Files.write(folder.resolve("ScopedService.class"), scopedServiceClass);
        inferscope = new InferScopeProcess(folder);
    }

    @Test
    void serviceUnderRunIsExplainedByItsOwnJvm() throws Exception {
        QuietMachine.judge(attempt -> explain(JAVA));
    }

    /** A JVM of another release than InferScope's own. */
    @Tag("slow")
    @Test
    void releaseOfTheServicesJvmMayDiffer() throws Exception {
        String other = anotherJava();
        QuietMachine.judge(attempt -> explain(other));
    }

    /** Returns where the library of scopes lies. */
    private static String library() {
        try {
            return Path.of(Scope.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void explain(String java) throws Exception {
        Result result = inferscope.run(
                "run",
                "-o",
                "r.md",
                "--trace",
                "t.json.gz",
                "--keep-spool",
                "env",
                "API_KEY=" + Canary.TEXT,
                java,
                "-Dapi.key=" + Canary.TEXT,
                "-cp",
                library() + File.pathSeparator + ".",
                "ScopedService",
                "15",
                "60",
                Canary.TEXT);
        assertThat(result.exitCode()).isZero();
        Canary.assertInNone(folder);
        assertThat(result.out()).isEqualTo("ready\ndone\n");
        assertThat(result.stderr()).startsWith("up\n\nInferScope: ").contains("Spools: ");
        assertThat(folder.resolve("r.md")).content().contains("Service.score").contains("| `jfr` | 1 | 0 |");
        assertThat(folder.resolve("r.md"))
                .content()
                .as("the program's own scopes")
                .contains("`llm_inference`", "`render`");
        Timeline timeline = Formats.importers().load(folder.resolve("t.json.gz"));
        assertThat(rows(timeline, RowKind.GC, row -> timeline.name(row).startsWith("GC: ")))
                .isNotEmpty();
        assertThat(rows(timeline, RowKind.GC, row -> timeline.name(row).startsWith("safepoint: ")))
                .isNotEmpty();
        List<Integer> locks = rows(timeline, RowKind.THREAD_STATE, row -> isOn(timeline, row, WaitReason.LOCK));
        assertThat(locks.stream()
                        .filter(row -> trackName(timeline, row).equals("main"))
                        .map(row -> timeline.attributeText(row, Attribute.DETAIL)))
                .filteredOn(what -> !what.contains("jdk.jfr.internal")) // Held while the recording begins.
                .isNotEmpty()
                .allMatch(what -> what.contains("java.lang.Object"));
        assertThat(rows(
                        timeline,
                        RowKind.THREAD_STATE,
                        row -> isOn(timeline, row, WaitReason.TIMER)
                                && trackName(timeline, row).equals("holder")))
                .isNotEmpty();
        assertStatesDoNotOverlap(timeline);
        assertSamplesLieInTheProcess(timeline);
    }

    private static void assertStatesDoNotOverlap(Timeline timeline) {
        int last = -1;
        for (int row : rows(timeline, RowKind.THREAD_STATE, r -> true)) {
            if (last >= 0 && timeline.track(last) == timeline.track(row)) {
                assertThat(timeline.startNs(row)).isGreaterThanOrEqualTo(timeline.endNs(last));
            }
            last = row;
        }
    }

    /** The JVM's stamps and the host's are on one clock: samples of a method lie where the kernel saw its thread. */
    private static void assertSamplesLieInTheProcess(Timeline timeline) {
        List<Integer> samples =
                rows(timeline, RowKind.STACK_SAMPLE, row -> timeline.name(row).contains("Service.score"));
        assertThat(samples).hasSizeGreaterThan(10);
        List<Integer> running = rows(
                timeline,
                RowKind.THREAD_STATE,
                row -> timeline.attribute(row, Attribute.ON_CPU_NS) + timeline.attribute(row, Attribute.RUNNABLE_NS)
                        > 0);
        long inside = samples.stream()
                .filter(sample -> running.stream()
                        .anyMatch(state -> timeline.track(state) == timeline.track(sample)
                                && timeline.startNs(state) <= timeline.startNs(sample)
                                && timeline.startNs(sample) < timeline.endNs(state)))
                .count();
        assertThat(inside).isGreaterThan(samples.size() * 9L / 10);
    }

    @Tag("slow")
    @Test
    void killedJvmLosesOnlyItsLastMoments() throws Exception {
        QuietMachine.judge(attempt -> {
            Files.deleteIfExists(folder.resolve("worked"));
            String script = JAVA
                    + " -cp . Service 100000 & while [ ! -e worked ]; do sleep 0.1; done; sleep 3; kill -9 $!; wait $!";
            Result result = inferscope.run("run", "-o", "r.md", "sh", "-c", script);
            assertThat(result.exitCode()).isEqualTo(137);
            assertThat(folder.resolve("r.md"))
                    .content()
                    .contains("Service.score")
                    .contains("was killed");
        });
    }

    @Test
    void recordingFromTheStartIsSaidOnStandardError() throws Exception {
        QuietMachine.judge(attempt -> {
            Result result = inferscope.run("run", "--jfr", "start", "-o", "r.md", JAVA, "-cp", ".", "Service", "6");
            assertThat(result.out()).isEqualTo("ready\ndone\n");
            assertThat(result.stderr()).startsWith("NOTE: Picked up JDK_JAVA_OPTIONS: ");
            assertThat(folder.resolve("r.md")).content().contains("Service.score");
        });
    }

    @Test
    void turnedOffItAsksNoJvm() throws Exception {
        Result result = inferscope.run("run", "--jfr", "off", "-o", "r.md", JAVA, "-cp", ".", "Service", "2", "2");
        assertThat(result.out()).isEqualTo("ready\ndone\n");
        assertThat(folder.resolve("r.md")).content().doesNotContain("Service.score", "`jfr`");
        assertThat(InferScopeProcess.here("attach", "--jfr", "start", "1").exitCode())
                .isEqualTo(2);
    }

    @Test
    void attachEndsTheRecordingThatItBegan() throws Exception {
        QuietMachine.judge(attempt -> {
            Process service = new ProcessBuilder(JAVA, "-cp", ".", "Service", "100000")
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                BufferedReader output =
                        new BufferedReader(new InputStreamReader(service.getInputStream(), StandardCharsets.UTF_8));
                assertThat(output.readLine()).isEqualTo("ready");
                String pid = Long.toString(service.pid());
                Result result = inferscope.run("attach", pid, "-d", "1500ms", "-o", "r.md");
                assertThat(result.exitCode()).isZero();
                assertThat(folder.resolve("r.md")).content().contains("Service.score");
                assertThat(jcmd(pid, "JFR.check")).contains("No available recordings");
                assertThat(output.ready()).isFalse();
                assertThat(service.isAlive()).isTrue();
                assertThat(Path.of("/tmp/.attach_pid" + pid)).doesNotExist();
            } finally {
                service.destroyForcibly().waitFor();
            }
        });
    }

    @Tag("slow")
    @Test
    void aJvmThatOutlivesTheRunKeepsNoRepositoryInAFolderThatIsGone() throws Exception {
        QuietMachine.judge(attempt -> {
            Files.deleteIfExists(folder.resolve("worked"));
            String script =
                    "\"$0\" -cp . Service 100000 >/dev/null 2>&1 & echo $!; until [ -e worked ]; do sleep 0.1; done";
            Result result = inferscope.run("run", "-o", "r.md", "sh", "-c", script, JAVA);
            String pid = result.out().strip();
            try {
                assertThat(folder.resolve("r.md")).content().contains("Service.score");
                String configuration = jcmd(pid, "JFR.configure");
                assertThat(configuration).contains("Repository path: ").doesNotContain(folder.toString());
                assertThat(jcmd(pid, "JFR.start")).contains("Started recording");
            } finally {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
        });
    }

    private static String jcmd(String pid, String command) throws IOException {
        Process jcmd = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd", pid, command).start();
        return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static List<Integer> rows(Timeline timeline, RowKind kind, IntPredicate wanted) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == kind && wanted.test(row))
                .boxed()
                .toList();
    }

    private static boolean isOn(Timeline timeline, int row, WaitReason reason) {
        return timeline.attribute(row, Attribute.WAIT_REASON) == reason.ordinal()
                && timeline.attribute(row, Attribute.DETAIL) != Attribute.ABSENT
                && timeline.attributeText(row, Attribute.DETAIL).matches("(JavaMonitorEnter|ThreadSleep).*");
    }

    private static String trackName(Timeline timeline, int row) {
        return timeline.tracks().get(timeline.track(row)).name();
    }

    private static String anotherJava() throws IOException {
        Path here = Path.of(System.getProperty("java.home")).toRealPath();
        Path all = here.getParent(); // Where this JDK lies, others lie.
        assumeTrue(all != null && Files.isDirectory(all), "no folder of JDKs");
        try (Stream<Path> folders = Files.list(all)) {
            Path other = folders.filter(jdk -> Files.isExecutable(jdk.resolve("bin/java")))
                    .filter(jdk -> !Files.isSymbolicLink(jdk) && !jdk.equals(here))
                    .findFirst()
                    .orElse(null);
            assumeTrue(other != null, "no second JDK");
            return other + "/bin/java";
        }
    }
}
