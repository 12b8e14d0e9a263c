package io.inferscope.cli.run;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.cli.common.Log;
import io.inferscope.collectors.os.ThreadEnd;
import io.inferscope.formats.Formats;
import io.inferscope.report.console.ConsoleLive;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.cut.TimelineCut;
import io.inferscope.timeline.importer.ImportException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows the last seconds of a running recording, read from its recorders' files. The figures are those of a report on
 * these seconds. It updates every second, or less often if an update takes long: updates take at most a fifth of the
 * time.
 */
final class LiveView implements AutoCloseable {
    private static final long SHOWN_NS = 10_000_000_000L;
    private static final long PERIOD_MS = 1_000;
    private static final int REST = 4;

    /**
     * The recorders' files may be at most one in this many of the heap's size, because reading and analysing them takes
     * several times their size.
     */
    private static final int HEAP_PART = 20;

    private final Path spools;
    private final String program;
    private final Analyzer analyzer;
    private final LiveScreen screen;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "inferscope-live");
    private final long startNs = System.nanoTime();
    private final long mostBytes;
    private final long periodMs;
    private volatile @Nullable String failure;
    private boolean closed;

    LiveView(Path spools, String program, Analyzer analyzer, LiveScreen screen, long mostBytes, long periodMs) {
        this.spools = spools;
        this.program = program;
        this.analyzer = analyzer;
        this.screen = screen;
        this.mostBytes = mostBytes;
        this.periodMs = periodMs;
    }

    /** Starts showing the recording in a folder; to be closed when the recorders have ended. */
    static LiveView start(Path spools, String program, Analyzer analyzer, LiveScreen screen) {
        long mostBytes = Runtime.getRuntime().maxMemory() / HEAP_PART;
        LiveView view = new LiveView(spools, program, analyzer, screen, mostBytes, PERIOD_MS);
        view.begin();
        return view;
    }

    void begin() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until the view has ended by itself. */
    void awaitEnd() throws InterruptedException {
        thread.join();
    }

    /** Ends the view and restores the terminal. An update in progress is not shown, because it may take long. */
    @Override
    public void close() {
        over.countDown();
        ThreadEnd.awaitEnd(thread, periodMs);
        synchronized (screen) {
            if (!closed) {
                closed = true;
                screen.close();
            }
        }
        thread.interrupt(); // From here on it cannot draw.
    }

    private void show(List<String> lines) {
        synchronized (screen) {
            if (!closed) {
                screen.show(lines);
            }
        }
    }

    /** Ends a view, if there is one, and prints the reason if it ended before the program. */
    static void end(@Nullable LiveView view, PrintWriter err) {
        if (view == null) {
            return;
        }
        view.close();
        if (view.failure != null) {
            Log.tell(err, "the live view ended early: " + view.failure);
        }
    }

    private void run() {
        try {
            long waitMs = periodMs;
            boolean cold = true; // The first update takes longer, because it loads and compiles classes.
            while (!over.await(waitMs, TimeUnit.MILLISECONDS)) {
                long bytes = bytes(spools);
                if (bytes > mostBytes) {
                    failure = "the recording has grown to " + bytes / 1_000_000
                            + " MB, too much to read while it grows; a larger heap can read it, for instance INFERSCOPE_JAVA_OPTS=-Xmx"
                            + Math.max(1, (2 * Runtime.getRuntime().maxMemory()) >> 30) + "g";
                    return;
                }
                long beginNs = System.nanoTime();
                show();
                long tookMs = (System.nanoTime() - beginNs) / 1_000_000;
                waitMs = cold ? periodMs : Math.max(periodMs, REST * tookMs);
                cold = false;
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error broken) { // The recording continues without its view.
            failure = broken.toString();
        }
    }

    private static long bytes(Path folder) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                bytes += file.toFile().length(); // 0 for a deleted file.
            }
        }
        return bytes;
    }

    private void show() {
        String time = String.format(Locale.ROOT, "after %d s", (System.nanoTime() - startNs) / 1_000_000_000L);
        String lead = "inferscope: " + program + " " + time;
        try {
            Timeline timeline = Formats.importers().load(spools);
            long endNs = endNs(timeline);
            if (endNs == Long.MIN_VALUE) {
                return;
            }
            Timeline last = TimelineCut.of(timeline, endNs - SHOWN_NS, endNs);
            show(lines(
                    last, analyzer, lead + ", the last " + SHOWN_NS / 1_000_000_000L + " s" + screen.hint(), screen));
        } catch (ImportException notYet) { // Nothing is usable before the recorders have written clock readings.
            show(List.of(lead + ": nothing recorded yet"));
        }
    }

    /** Returns the view of an interval of a recording for a screen. */
    static List<String> lines(Timeline stretch, Analyzer analyzer, String title, LiveScreen screen) {
        return ConsoleLive.lines(analyzer.analysis(stretch), title, screen.options(), screen.height());
    }

    /** Returns the latest end of a row with a length. */
    private static long endNs(Timeline timeline) {
        return timeline.rows()
                .filter(row -> timeline.endNs(row) > timeline.startNs(row))
                .mapToLong(timeline::endNs)
                .max()
                .orElse(Long.MIN_VALUE);
    }
}
