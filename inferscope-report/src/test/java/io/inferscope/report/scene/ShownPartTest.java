package io.inferscope.report.scene;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.AnalyzedReport;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The time by call stack: of which part it is, of which threads together, and how imports are shown. */
class ShownPartTest {
    private static final String FIND = "<frozen importlib._bootstrap>(1176): _find_and_load";
    private static final String EXECUTE = "<frozen importlib._bootstrap>(241): _call_with_frames_removed";
    private static final String TORCH = "/x/lib/python3.11/site-packages/torch/__init__.py(18): <module>";

    @Test
    void itIsOfTheSteadyStateAlone() {
        List<String> tree = trees(steps(40)).get(0);

        assertThat(tree.get(0)).startsWith("time of thread 1 in the steady state, by call stack");
        assertThat(tree).noneMatch(line -> line.contains("load")).anyMatch(line -> line.contains("decode"));
        assertThat(totalNs(tree)).isEqualTo(us(40 * 1_000));
    }

    /** Seven steps of two pieces each. */
    @Test
    void itIsOfTheWindowIfLittleIsKnownOfTheSteadyState() {
        List<String> tree = trees(steps(7)).get(0);

        assertThat(tree.get(0))
                .startsWith("time of thread 1 in the window, since little is known of the steady state, by call stack");
        assertThat(tree).anyMatch(line -> line.contains("load"));
        assertThat(totalNs(tree)).isEqualTo(us(9_000 + 7 * 1_000));
    }

    @Test
    void idleTimeIsOfTheSteadyStateToo() {
        TimelineFixture fixture = TimelineFixture.blank().kernel("7", 0, 100, "warm");
        fixture.python("1", 100, 9_000, "app.py(3): load");
        for (int step = 0; step < 40; step++) {
            double at = 9_000 + 1_000 * step;
            fixture.scope("1", at, at + 1_000, "ProfilerStep#" + step).python("1", at, at + 600, "app.py(9): decode");
            fixture.kernel("7", at + 700, at + 1_000, "gemm").launchedBy("1", at + 600, at + 610);
        }
        List<String> tree = trees(fixture).get(0);

        assertThat(tree.get(0)).startsWith("idle time of device 0 in the steady state, by whom it waited for");
        assertThat(totalNs(tree)).isEqualTo(us(40 * 700));
    }

    /** The judged thread is of the same kind, by its name, and still alone. */
    @Test
    void threadsOfAKindAreOneTree() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.scope("1", 0, 1_000, "forward").userScope();
        for (int worker = 2; worker < 10; worker++) {
            fixture.sample(Integer.toString(worker), 0, 1_000, "app.py(3): work", "app.py(" + worker % 2 + "): parse");
        }
        fixture.sample("20", 0, 1_000, "app.py(9): watch");
        for (int worker = 1; worker < 10; worker++) {
            int process = fixture.builder().track(TrackKind.PROCESS, -1, "1");
            int thread = fixture.builder().track(TrackKind.THREAD, process, Integer.toString(worker));
            fixture.builder().trackName(thread, "pool-" + worker);
        }
        List<List<String>> trees = trees(fixture);

        assertThat(trees)
                .extracting(tree -> tree.get(0))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("time of thread 1 (pool-1) in the window, by call stack"),
                        second -> assertThat(second)
                                .startsWith("time of 8 threads such as thread 2 (pool-2) in the window"),
                        third -> assertThat(third).startsWith("time of thread 20 in the window"));
        assertThat(trees.get(1)).contains("  app.py(3): work 0", "    app.py(0): parse " + us(4_000));
    }

    @Test
    void theWorkersOfAServerAreOneTreeWhileTheyServe() {
        List<String> tree = trees(server(60, "app.py(3): handle")).get(0);

        assertThat(tree.get(0)).startsWith("time of 2 threads such as thread 1").contains(" in the requests' time, ");
        assertThat(totalNs(tree)).isEqualTo(us(14 * 60));
    }

    /** Requests overlap, so a loop serves them whenever it is in a task. */
    @Test
    void anEventLoopThatWaitsForTheNextEventServesNobody() {
        List<String> tree = trees(server(110, "/usr/lib/python3.12/selectors.py(468): EpollSelector.select"))
                .get(0);

        assertThat(tree).anyMatch(line -> line.contains("handle")).noneMatch(line -> line.contains("select"));
    }

    /** Two workers answer seven requests each; every second of their samples shows another line. */
    private static TimelineFixture server(double requestUs, String other) {
        TimelineFixture fixture = TimelineFixture.blank()
                .process("10")
                .scope("10", 0, 1_000, "serve")
                .state("10", 0, 1_000, 10, 0, WaitReason.UNKNOWN);
        for (String pid : new String[] {"11", "12"}) {
            fixture.process(pid).property("process." + pid + ".parent", "10");
            fixture.builder().trackName(fixture.builder().track(TrackKind.PROCESS, -1, pid), "worker");
            for (int i = 0; i < 66; i += 2) {
                double at = 10 + 15 * i;
                fixture.sample(pid, at, at + 15, "asyncio/events.py(88): Handle._run", "app.py(3): handle");
                fixture.sample(pid, at + 15, at + 30, other);
            }
        }
        // Other threads have more rows, but nobody is judged by them.
        for (int i = 0; i < 99; i++) {
            fixture.sample("13", 10 * i, 10 * i + 10, "app.py(9): watch");
        }
        for (int i = 0; i < 14; i++) {
            int pid = i % 2 == 1 ? 11 : 12;
            int process = fixture.builder().track(TrackKind.PROCESS, -1, Integer.toString(pid));
            int track = fixture.builder().track(TrackKind.REQUEST, process, "requests " + i);
            long atNs = us(100 + 30 * i);
            int row = fixture.builder()
                    .row(
                            RowKind.REQUEST,
                            track,
                            atNs,
                            atNs + us(requestUs),
                            fixture.builder().name("GET /"));
            fixture.builder().attribute(row, Attribute.OTHER_THREAD, pid);
        }
        return fixture;
    }

    @Test
    void anImportIsOneFrame() {
        TimelineFixture fixture = TimelineFixture.blank()
                .sample("1", 0, 100, "app.py(2): <module>", FIND, EXECUTE, TORCH)
                .sample(
                        "1",
                        100,
                        300,
                        "app.py(2): <module>",
                        FIND,
                        EXECUTE,
                        TORCH,
                        FIND,
                        EXECUTE,
                        "/srv/own.py(1): <module>")
                .sample("1", 300, 600, "app.py(2): <module>", FIND)
                .sample("1", 600, 1_000, "app.py(2): <module>", FIND, "app.py(7): Finder.find_spec");
        String work = "    import";

        assertThat(trees(fixture).get(0).stream().skip(1))
                .containsExactlyInAnyOrder(
                        "  app.py(2): <module> 0",
                        work + " " + us(300),
                        "      app.py(7): Finder.find_spec " + us(400),
                        work + " of torch 0",
                        "      " + TORCH + " " + us(100),
                        "        import of own 0",
                        "          /srv/own.py(1): <module> " + us(200));
    }

    @Test
    void tracedFunctionsOfAnImportAreOneFrameToo() {
        TimelineFixture fixture = TimelineFixture.blank()
                .python("1", 0, 1_000, "app.py(2): <module>")
                .python("1", 0, 900, FIND)
                .python("1", 100, 900, EXECUTE)
                .python("1", 200, 900, TORCH);

        assertThat(trees(fixture).get(0))
                .contains("    import " + us(200), "    import of torch 0", "      " + TORCH + " " + us(700));
    }

    private static TimelineFixture steps(int steps) {
        TimelineFixture fixture = TimelineFixture.blank().python("1", 0, 9_000, "app.py(3): load");
        for (int step = 0; step < steps; step++) {
            double at = 9_000 + 1_000 * step;
            fixture.scope("1", at, at + 1_000, "ProfilerStep#" + step).python("1", at, at + 600, "app.py(9): decode");
        }
        return fixture;
    }

    private static long totalNs(List<String> tree) {
        return tree.stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Returns a line per frame: indented name, and the time of its own in ns. */
    private static List<List<String>> trees(TimelineFixture fixture) {
        AnalyzedReport explained = new Analyzer().explain(fixture.build(), "test");
        Scene scene = Scene.of(explained.analysis(), explained.report(), Scene.Limits.USUAL);
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(scene.compressed()))) {
            return new Numbers(in.readAllBytes()).trees();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the numbers of a scene that leaves nothing out. */
    private static final class Numbers {
        private final byte[] bytes;
        private int at;

        Numbers(byte[] bytes) {
            this.bytes = bytes;
        }

        List<List<String>> trees() {
            skip(2);
            List<String> names = new ArrayList<>();
            for (long left = number(); left > 0; left--) {
                int length = (int) number();
                names.add(new String(bytes, at, length, StandardCharsets.UTF_8));
                at += length;
            }
            skip(2 * number());
            for (long tracks = number(); tracks > 0; tracks--) {
                skip(4);
                for (long lanes = number(); lanes > 0; lanes--) {
                    skip(5 * number());
                    skip(1);
                }
            }
            List<List<String>> trees = new ArrayList<>();
            for (long left = number(); left > 0; left--) {
                skip(1);
                List<String> lines = new ArrayList<>();
                for (long nodes = number(); nodes > 0; nodes--) {
                    String indent = "  ".repeat((int) number());
                    String name = names.get((int) number());
                    skip(1);
                    lines.add(indent + name + ' ' + number());
                }
                trees.add(lines);
            }
            return trees;
        }

        private void skip(long numbers) {
            for (long left = numbers; left > 0; left--) {
                number();
            }
        }

        private long number() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte part = bytes[at++];
                value |= (part & 0x7fL) << shift;
                if (part >= 0) {
                    return value;
                }
            }
        }
    }
}
