package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.timeline.fixture.Json;
import io.inferscope.timeline.fixture.QuietMachine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One program, of which each function does one thing beneath Python, recorded by each version of CPython and with the rights
 * that a recorder may have. The report must name what each function's time goes to.
 */
@EnabledOnOs(OS.LINUX)
@Tag("process")
class BeneathPythonEverywhereTest {
    private static final Path PROGRAMS = Path.of("src/test/resources/beneath").toAbsolutePath();
    private static final Path UNPACKED = Path.of("../inferscope-collectors/target/cpython");
    private static final String NOBODY = "65534";

    /** The older builds that are unpacked have no module sqlite3. */
    private static final int FIRST_WITH_SQLITE = 12;

    @TempDir
    Path folder;

    /** What the recorder may do. */
    enum Rights {
        /** All that this user may. */
        ALL,
        /** No perf events: a sandbox refuses them. */
        NO_PERF,
        /** What an ordinary user may; reading files is left to it, since the class path may lie where only root reads. */
        ORDINARY;

        private String[] launcher() {
            boolean lower = this == ORDINARY && isRoot();
            return switch (this) {
                case ALL -> new String[0];
                case NO_PERF ->
                    new String[] {"python3", PROGRAMS.resolve("refuse_perf.py").toString()};
                case ORDINARY ->
                    lower
                            ? new String[] {
                                "setpriv",
                                "--reuid=" + NOBODY,
                                "--regid=" + NOBODY,
                                "--clear-groups",
                                "--bounding-set=-all,+dac_read_search",
                                "--inh-caps=-all,+dac_read_search",
                                "--ambient-caps=+dac_read_search",
                                "--"
                            }
                            : new String[0];
            };
        }
    }

    /** An interpreter that the build unpacked. */
    private record Interpreter(int minor, Path home) {
        Path binary() {
            return home.resolve("bin/python3." + minor);
        }

        @Override
        public String toString() {
            return "CPython 3." + minor;
        }
    }

    /** The newest, without the right that tells most. */
    static Stream<Arguments> newest() throws IOException {
        List<Interpreter> all = interpreters();
        return all.isEmpty()
                ? Stream.of(Arguments.of(null, Rights.ALL))
                : Stream.of(Arguments.of(all.get(all.size() - 1), Rights.NO_PERF));
    }

    static Stream<Arguments> all() throws IOException {
        return interpreters().stream()
                .flatMap(one -> Stream.of(Rights.values()).map(right -> Arguments.of(one, right)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("newest")
    void eachFunctionIsNamedByWhatItDoes(Interpreter interpreter, Rights rights) throws Exception {
        judge(interpreter, rights);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("all")
    @Tag("slow")
    void eachFunctionIsNamedByWhatItDoesOnAnyVersionWithAnyRights(Interpreter interpreter, Rights rights)
            throws Exception {
        judge(interpreter, rights);
    }

    private void judge(Interpreter interpreter, Rights rights) throws Exception {
        assumeTrue(interpreter != null, "the build has unpacked no interpreters");
        assumeTrue(
                rights != Rights.ORDINARY || !isRoot() || new File("/usr/bin/setpriv").canExecute(),
                "setpriv is absent");
        QuietMachine.judge(folder, attempt -> {
            record(attempt, interpreter, rights);
            Map<String, Object> report = Json.object(Json.parse(Files.readString(attempt.resolve("r.json"))));
            assertThat(coverage(report, "native-stacks").get("recorded"))
                    .as("%s", report.get("coverage"))
                    .matches(recorded -> rights != Rights.NO_PERF || ((Number) recorded).longValue() == 0);
            Map<String, Map<String, Long>> byFunction = byFunction(report);
            assertMostly(byFunction, "computes", "cpu.python");
            assertMostly(byFunction, "calls_c", "cpu.native");
            if (interpreter.minor() >= FIRST_WITH_SQLITE) {
                assertMostly(byFunction, "scans", "cpu.native");
            }
            assertMostly(byFunction, "packs", "cpu.native");
            assertMostly(byFunction, "touches", "system.");
            assertMostly(byFunction, "writes", "system.file-io");
            assertMostly(byFunction, "forks", "system.");
            Map<String, Long> receives = byFunction.get("receives");
            assertThat(receives).as("receives in %s", byFunction).isNotNull();
            assertThat(sum(receives, "profiler") * 10).as("%s", receives).isLessThan(sum(receives, ""));
            assertThat(sum(receives, "wait.") - sum(receives, "wait.unknown"))
                    .as("%s", receives)
                    .isGreaterThan(sum(receives, "") / 2);
            assertThat(byFunction.values().stream()
                            .mapToLong(causes -> sum(causes, "wait.unknown"))
                            .sum())
                    .as("%s", byFunction)
                    .isLessThan(100_000_000);
            // Of a child of 50 ms, samples seldom see more than that it runs, or waits for a CPU.
            assertThat(byFunction).containsKey("<module> of a child");
        });
    }

    private static void record(Path attempt, Interpreter interpreter, Rights rights) throws Exception {
        Files.copy(PROGRAMS.resolve("works.py"), attempt.resolve("works.py"));
        ProcessBuilder builder = new InferScopeProcess(attempt, rights.launcher())
                .builder(
                        "run",
                        "-o",
                        "r.json",
                        "--",
                        "env",
                        "LD_LIBRARY_PATH=" + interpreter.home(),
                        "PYTHONHOME=" + interpreter.home(),
                        interpreter.binary().toString(),
                        "works.py",
                        "0.3");
        if (rights == Rights.ORDINARY && isRoot()) {
            builder.environment().put("HOME", attempt.toString());
            reach(attempt);
        }
        Result result = new InferScopeProcess(attempt).await(builder.start());
        assumeTrue(!result.stderr().contains("no seccomp filter here"), "no seccomp filters here");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
    }

    /** Gives a folder to the ordinary user, and lets him reach it. */
    private static void reach(Path attempt) throws Exception {
        for (Path above = attempt; above.startsWith(System.getProperty("java.io.tmpdir")); above = above.getParent()) {
            if (above.getNameCount() > 1) {
                above.toFile().setExecutable(true, false);
            }
        }
        assertThat(new ProcessBuilder("chown", "-R", NOBODY + ":" + NOBODY, attempt.toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void assertMostly(Map<String, Map<String, Long>> byFunction, String function, String classes) {
        Map<String, Long> causes = byFunction.get(function);
        assertThat(causes).as("%s in %s", function, byFunction).isNotNull();
        long work = sum(causes, "") - sum(causes, "wait.");
        assertThat(sum(causes, classes)).as("%s %s", function, causes).isGreaterThan(work / 2);
    }

    private static long sum(Map<String, Long> causes, String beginning) {
        return causes.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(beginning))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns the time of each function of the program by cause. */
    private static Map<String, Map<String, Long>> byFunction(Map<String, Object> report) {
        Map<String, Map<String, Long>> byFunction = new HashMap<>();
        for (Object row : Json.list(report.get("hostTime"))) {
            Map<String, Object> time = Json.object(row);
            String where = String.valueOf(time.get("where"));
            boolean own = where.startsWith("works.py:");
            String function = own
                    ? where.substring(where.indexOf(' ') + 1)
                    : where.startsWith("<string>:") ? "<module> of a child" : where;
            byFunction
                    .computeIfAbsent(function, unknown -> new HashMap<>())
                    .merge((String) time.get("cause"), ((Number) time.get("ns")).longValue(), Long::sum);
        }
        return byFunction;
    }

    private static Map<String, Object> coverage(Map<String, Object> report, String source) {
        return Json.list(report.get("coverage")).stream()
                .map(Json::object)
                .filter(one -> source.equals(one.get("source")))
                .findFirst()
                .orElseThrow();
    }

    private static List<Interpreter> interpreters() throws IOException {
        List<Interpreter> found = new ArrayList<>();
        for (int minor = 9; minor <= 14; minor++) {
            Path home = UNPACKED.resolve("3." + minor + "/org/bytedeco/cpython/linux-x86_64")
                    .toAbsolutePath()
                    .normalize();
            Interpreter interpreter = new Interpreter(minor, home);
            File binary = interpreter.binary().toFile();
            if (binary.exists() && ((binary.canExecute() && !isRoot()) || binary.setExecutable(true, false))) {
                found.add(interpreter);
            }
        }
        return found;
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
