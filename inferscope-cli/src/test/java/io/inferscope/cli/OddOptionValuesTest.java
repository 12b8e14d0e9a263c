package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.fleet.SummarySets;
import io.inferscope.formats.parquet.ParquetTables;
import io.inferscope.timeline.fixture.TraceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Values that no option can mean, given to every option of every command that takes a value. */
class OddOptionValuesTest {
    private static final List<String> ODD = List.of(
            "-1", "0", "-9223372036854775808", "99999999999999999999", "2147483648", "NaN", "1e999", "0x10", "");

    /**
     * What each command works on, besides the option. Nothing is observed or served even if the value is accepted: there
     * is no such program, process, file or tracer.
     */
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("run", "-- /nonexistent/program"),
            Map.entry("attach", "2147483647"),
            Map.entry("top", "TRACE"),
            Map.entry("analyze", "TRACE"),
            Map.entry("diff", "TRACE TRACE"),
            Map.entry("scaling", "--vary n=1 -- /nonexistent/program"),
            Map.entry("shapes analyze", "/nonexistent/log"),
            Map.entry("shapes diff", "/nonexistent/log /nonexistent/log"),
            Map.entry("shapes run", "-- /nonexistent/program"),
            Map.entry("shapes standalone", "--model-path /nonexistent/model --python /nonexistent/python"),
            Map.entry("shapes recover", "/nonexistent/log"),
            Map.entry("shapes env", ""),
            Map.entry("convert", "TRACE -o OUT.json"),
            Map.entry("isolate", "TRACE --operator aten::nothing -o OUT.py"),
            Map.entry("minimize", "TRACE --finding nonsense -o OUT.json"),
            Map.entry("query", "TRACE"),
            Map.entry("fleet build", "/nonexistent/traces -o OUT-fleet"),
            Map.entry("fleet watch", "/nonexistent/traces -o OUT-fleet"),
            Map.entry("fleet report", "/nonexistent/fleet"),
            Map.entry("fleet query", "/nonexistent/fleet SQL"),
            Map.entry("recover", "/nonexistent/spool"),
            Map.entry("doctor", ""),
            Map.entry("engine-metrics", "no-address"),
            Map.entry("trace", "--model /nonexistent/model --python /nonexistent/python"),
            Map.entry("trace worker", "--model-path /nonexistent --tracer none"),
            Map.entry("config", ""),
            Map.entry("open", "/nonexistent/report.html"),
            Map.entry("mcp", "--root /nonexistent"),
            Map.entry("setup", "--root /nonexistent"),
            Map.entry("demo", "-o OUT"),
            Map.entry("completion", ""),
            Map.entry("help", ""));

    @TempDir
    private static Path folder;

    private static String trace;

    @BeforeAll
    static void draw() throws Exception {
        trace = TraceFile.ofHalfIdleDevice(folder).toString();
    }

    /** Command and option. */
    private record Case(String command, OptionSpec option) {
        @Override
        public String toString() {
            return command + " " + option.longestName();
        }
    }

    static Stream<Case> options() {
        List<Case> cases = new ArrayList<>();
        add("", Main.commandLine(), cases);
        return cases.stream();
    }

    private static void add(String path, CommandLine line, List<Case> cases) {
        if (!path.isEmpty()) {
            for (OptionSpec option : line.getCommandSpec().options()) {
                if (option.arity().max() > 0 && !option.inherited()) {
                    cases.add(new Case(path, option));
                }
            }
        }
        line.getSubcommands().forEach((name, inner) -> add((path + " " + name).strip(), inner, cases));
    }

    @Test
    void everyCommandIsTried() {
        Set<String> commands = new TreeSet<>();
        options().forEach(one -> commands.add(one.command()));

        assertThat(WORDS.keySet()).containsAll(commands);
    }

    @ParameterizedTest
    @MethodSource("options")
    void anOddValueIsNoInternalError(Case one) throws Exception {
        for (String odd : ODD) {
            List<String> words = new ArrayList<>(List.of(one.command().split(" ")));
            words.add(one.option().longestName() + "=" + odd);
            for (String word : WORDS.getOrDefault(one.command(), "").split(" ")) {
                if (!word.isEmpty()) {
                    words.add(word.replace("TRACE", trace).replace("OUT", folder + "/out"));
                }
            }
            TestProgram.Answer answer = TestProgram.run(words.toArray(String[]::new));
            if (one.option().longestName().equals("--summary") && !odd.isEmpty()) {
                for (Path set : new SummarySets(Path.of(odd)).sets()) { // Any name may be a folder's.
                    ParquetTables.delete(set);
                }
                Files.deleteIfExists(Path.of(odd));
            }

            assertThat(answer.exitCode()).as(words + ": " + answer.err()).isNotEqualTo(70);
            assertThat(answer.err()).as(words.toString()).doesNotContain("internal error", "Exception");
            boolean number = Number.class.isAssignableFrom(one.option().type())
                    || (one.option().type().isPrimitive() && one.option().type() != boolean.class);
            if (number && !odd.equals("0") && !odd.equals("2147483648")) {
                assertThat(answer.err())
                        .as(words.toString())
                        .contains(one.option().longestName());
                assertThat(answer.exitCode()).as(words.toString()).isIn(2, 125);
            }
        }
        Files.deleteIfExists(folder.resolve("out.json"));
    }
}
