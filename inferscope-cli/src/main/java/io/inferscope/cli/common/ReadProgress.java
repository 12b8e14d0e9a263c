package io.inferscope.cli.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress of reading recordings, as a bar on a terminal if reading takes long. */
public interface ReadProgress extends LongConsumer, AutoCloseable {
    /** Least bytes for a bar: about a second's work. A .gz file contains some 15 times its size. */
    long WORTH_A_BAR_BYTES = 100L << 20;

    int GZIP_RATIO = 15;

    @Override
    void close();

    /**
     * Returns a bar on stderr if that is a terminal and the files are large; otherwise nothing is shown, and no library
     * is loaded.
     */
    static ReadProgress of(List<Path> files) {
        boolean shown = Boolean.getBoolean("inferscope.stderr.tty") && inflatedBytes(files) >= WORTH_A_BAR_BYTES;
        return shown ? new Bar(files.stream().mapToLong(ReadProgress::size).sum()) : new Silent();
    }

    /** Returns the size of the files in bytes, with an estimate of what .gz files inflate to. */
    static long inflatedBytes(List<Path> files) {
        long bytes = 0;
        for (Path file : files) {
            bytes += file.toString().endsWith(".gz") ? size(file) * GZIP_RATIO : size(file);
        }
        return bytes;
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (IOException unknown) {
            return 0;
        }
    }

    /** Shows nothing. */
    final class Silent implements ReadProgress {
        @Override
        public void accept(long bytes) {}

        @Override
        public void close() {}
    }

    /** A line on stderr that is removed at the end. It counts the file's raw bytes. */
    final class Bar implements ReadProgress {
        private final ProgressBar bar;

        Bar(long bytes) {
            bar = builder("Reading", bytes, 200).setUnit(" MB", 1_000_000).build();
        }

        /** Returns a bar on stderr as wide as the terminal, which disappears at the end. */
        public static ProgressBarBuilder builder(String task, long total, int updateMs) {
            return new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(total)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(updateMs)
                    .setConsumer(new ConsoleProgressBarConsumer(
                            System.err, Math.max(40, Integer.getInteger("inferscope.columns", 80) - 1)))
                    .clearDisplayOnFinish();
        }

        @Override
        public void accept(long bytes) {
            bar.stepBy(bytes);
        }

        @Override
        public void close() {
            bar.close();
        }
    }
}
