package io.inferscope.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.report.console.ConsoleOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The view of a recording that is under way, here of one whose recorder has written what the golden spool holds. */
class LiveViewTest {
    @TempDir
    private Path spools;

    private final BlockingQueue<List<String>> shown = new LinkedBlockingQueue<>();
    private final StringWriter err = new StringWriter();

    @Test
    void whatRecordersHaveWrittenIsShownAndTheScreenIsClosed() throws Exception {
        Files.copy(Path.of("../python/tests/golden/spool-v1.1.spool"), spools.resolve("host.spool"));
        Screen screen = new Screen();

        LiveView view = started(Long.MAX_VALUE, screen);
        List<String> lines = shown.poll(60, TimeUnit.SECONDS);
        LiveView.end(view, new PrintWriter(err, true));

        assertThat(lines).isNotNull().hasSizeBetween(3, 12);
        assertThat(lines.get(0)).matches("inferscope: serve\\.py after \\d+ s, the last 10 s");
        assertThat(lines.get(1)).startsWith("The time of ");
        assertThat(lines.get(2)).matches(" {2}.+ \\d+\\.\\d% .*");
        assertThat(screen.closed).isTrue();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void beforeAnythingIsWrittenTheViewSaysSo() throws Exception {
        LiveView view = started(Long.MAX_VALUE, new Screen());
        List<String> lines = shown.poll(60, TimeUnit.SECONDS);
        LiveView.end(view, new PrintWriter(err, true));

        assertThat(lines).isNotNull().singleElement().asString().endsWith("nothing recorded yet");
    }

    @Test
    void aRecordingTooLargeForTheHeapIsNotLookedAt() throws Exception {
        Files.copy(Path.of("../python/tests/golden/spool-v1.1.spool"), spools.resolve("host.spool"));
        Screen screen = new Screen();
        LiveView view = started(100, screen);
        view.awaitEnd();
        LiveView.end(view, new PrintWriter(err, true));

        assertThat(shown).isEmpty();
        assertThat(err.toString())
                .contains("the live view ended early: the recording has grown to 0 MB")
                .contains("-Xmx");
        assertThat(screen.closed).isTrue();
    }

    @Test
    void aScreenThatFailsEndsTheViewAndNotTheRecording() throws Exception {
        LiveView view = started(Long.MAX_VALUE, new Screen() {
            @Override
            public void show(List<String> lines) {
                shown.add(lines);
                throw new IllegalStateException("no terminal any more");
            }
        });
        assertThat(shown.poll(60, TimeUnit.SECONDS)).isNotNull();
        LiveView.end(view, new PrintWriter(err, true));

        assertThat(err.toString()).contains("the live view ended early").contains("no terminal any more");
    }

    @Test
    void aLookThatTakesLongDoesNotKeepTheEndWaiting() throws Exception {
        Files.copy(Path.of("../python/tests/golden/spool-v1.1.spool"), spools.resolve("host.spool"));
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Screen screen = new Screen() {
            @Override
            public ConsoleOptions options() {
                looks.countDown();
                try {
                    never.await();
                } catch (InterruptedException asked) {
                    ended.countDown();
                }
                return super.options();
            }
        };
        LiveView view = started(Long.MAX_VALUE, screen);
        assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();

        LiveView.end(view, new PrintWriter(err, true));

        assertThat(screen.closed).isTrue();
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(shown).as("nothing is drawn on a terminal that was left").isEmpty();
    }

    /** Returns a view that is updated more often than people can read. */
    private LiveView started(long mostBytes, LiveScreen screen) {
        LiveView view = new LiveView(spools, "serve.py", new Analyzer(), screen, mostBytes, 20);
        view.begin();
        return view;
    }

    private class Screen implements LiveScreen {
        private volatile boolean closed;

        @Override
        public ConsoleOptions options() {
            return new ConsoleOptions(80, false, false);
        }

        @Override
        public int height() {
            return 12;
        }

        @Override
        public void show(List<String> lines) {
            shown.add(lines);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
