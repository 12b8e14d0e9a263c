package io.inferscope.collectors.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.ImportStats.Effect;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.spool.StubCuda;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that start, stop, fork, replace themselves, profile themselves, end and are killed in random orders, with the agent in them, over each
 * generation of CUPTI: none crashes or hangs, and a profiler of theirs that the agent is told of loses no row.
 */
@Tag("process")
@Tag("native")
@Tag("slow")
class CudaAgentOrdersTest {
    private static final int ORDERS = 200;
    private static final long LONGEST_S = 300;
    private static final Pattern PROFILED = Pattern.compile("profiler: (\\d+) kernels");

    /** Steps of native/stubs/program.c, and how many kernels each launches that the agent may record. */
    private static final Map<String, Integer> STEPS = new TreeMap<>(Map.ofEntries(
            Map.entry("launch:40", 40),
            Map.entry("launch:3000", 3000),
            Map.entry("graph:20:6", 120),
            Map.entry("threads:20:30", 600),
            Map.entry("thread:15", 15),
            Map.entry("range:3", 3),
            Map.entry("sleep:30", 0),
            Map.entry("sleep:260", 0),
            Map.entry("fork", 0),
            Map.entry("spawn", 25),
            Map.entry("sync:4", 0),
            Map.entry("profile:30:50", 0),
            Map.entry("profiled:70:250", 0),
            Map.entry("profiled:20:0", 0)));

    private static final List<String> ENDS =
            List.of("sleep:1", "sleep:1", "sleep:250", "exit:3", "abort", "exec", "kill", "kill", "kill");

    private static final List<Map<String, String>> ENVIRONMENTS = List.of(
            Map.of(),
            Map.of(),
            Map.of("STUB_KEEP", "2"),
            Map.of("STUB_SLOW", "40"),
            Map.of("STUB_ZERO", "7"),
            Map.of("STUB_SEVERAL", "1", "STUB_DRIVER", "13030"),
            Map.of("STUB_LOCKED", "1"),
            Map.of("INFERSCOPE_SPOOL_MAX_BYTES", "200000"),
            Map.of("INFERSCOPE_SPOOL_MAX_BYTES", "300000", "INFERSCOPE_GPU_KEEP", "newest"),
            Map.of("INFERSCOPE_GPU_WINDOWS", "0 0 60000000 150000000"));

    @TempDir
    Path folder;

    @BeforeAll
    static void build() throws Exception {
        StubCuda.prepare();
    }

    static LongStream seeds() {
        return Seeds.upTo(ORDERS);
    }

    private static <T> T any(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyOrderOfStepsEndsAsItWouldWithoutTheAgent(long seed) throws Exception {
        Random random = new Random(seed);
        int drawn = 11 + random.nextInt(3);
        Map<String, String> environment = any(ENVIRONMENTS, random);
        int generation = environment.containsKey("STUB_SEVERAL") ? 13 : drawn;
        List<String> steps = new ArrayList<>();
        for (String early : List.of("nvtx", "atexit:30")) {
            if (random.nextInt(4) == 0) {
                steps.add(early);
            }
        }
        int asked = 0; // Kernels of profilers for which the agent is asked to step aside, as the probe asks it for
        // torch.profiler.
        int unasked = 0;
        int launched = 0;
        int length = 1 + random.nextInt(8);
        for (int i = 0; i < length; i++) {
            String step = any(List.copyOf(STEPS.keySet()), random);
            steps.add(step);
            launched += STEPS.get(step);
            asked += step.startsWith("profiled:") ? Integer.parseInt(step.split(":", -1)[1]) : 0;
            unasked += step.startsWith("profile:") ? Integer.parseInt(step.split(":", -1)[1]) : 0;
        }
        String end = any(ENDS, random);
        launched += end.equals("exec") ? 25 : 0;
        steps.add(end.equals("kill") ? "forever" : end);
        String order = "seed " + seed + ", CUDA " + generation + ", " + environment + ": " + String.join(" ", steps);

        Path out = folder.resolve("out");
        Path spools = Files.createDirectory(folder.resolve("spools"));
        Process program = StubCuda.builder(spools, generation, environment, steps.toArray(String[]::new))
                .redirectOutput(out.toFile())
                .start();
        if (end.equals("kill")) {
            while (program.isAlive() && Files.size(out) == 0 && random.nextInt(200) > 0) {
                Thread.sleep(5);
            }
            program.waitFor(random.nextInt(400), TimeUnit.MILLISECONDS);
            program.destroyForcibly();
        }
        boolean ended = program.waitFor(LONGEST_S, TimeUnit.SECONDS);
        program.destroyForcibly();
        assertThat(ended).as("ends: %s", order).isTrue();
        int expected = end.equals("kill") ? 128 + 9 : end.equals("abort") ? 128 + 6 : end.equals("exit:3") ? 3 : 0;
        assertThat(program.exitValue()).as(order).isEqualTo(expected);

        int seen = 0; // The program counts on from profile to profile.
        Matcher said = PROFILED.matcher(Files.readString(out));
        while (said.find()) {
            seen = Integer.parseInt(said.group(1));
        }
        if ((expected == 0 && !end.equals("exec")) || expected == 3) {
            // What the agent is not told of may miss what CUPTI put into a buffer that the agent had out.
            assertThat(seen).as("rows of the program's own profiler: %s", order).isBetween(asked, asked + unasked);
        }
        // A subscribed agent records beside profilers that it is not told of, and CUPTI refuses these.
        launched += environment.containsKey("STUB_SEVERAL") ? unasked : 0;
        checkSpools(spools, launched, steps, environment, end, order);
    }

    private static void checkSpools(
            Path spools, int launched, List<String> steps, Map<String, String> environment, String end, String order)
            throws Exception {
        boolean killed = end.equals("kill");
        String[] files = spools.toFile().list();
        if (killed && files != null && files.length == 0) {
            return; // Before it had used CUDA.
        }
        Timeline timeline = CoreFormats.load(spools);
        long kernels = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.kind(row) == RowKind.KERNEL)
                .count();
        boolean whole =
                environment.isEmpty() || environment.containsKey("STUB_KEEP") || environment.containsKey("STUB_SLOW");
        boolean ownUnasked = steps.stream().anyMatch(step -> step.startsWith("profile:"));
        if (whole && !ownUnasked && !killed && !end.equals("abort") && !end.equals("exec")) {
            assertThat(kernels).as(order).isEqualTo(launched);
            assertThat(timeline.importStats().count(Effect.DROPPED)).as(order).isZero();
        } else if (!killed) {
            assertThat(kernels).as(order).isLessThanOrEqualTo(launched);
        }
        assertThat(timeline.importStats().count(Reason.BAD_RECORD)).as(order).isZero();
        assertThat(timeline.importStats().count(Reason.MALFORMED)).as(order).isZero();
    }
}
