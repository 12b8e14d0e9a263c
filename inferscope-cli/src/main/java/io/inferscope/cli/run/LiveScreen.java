package io.inferscope.cli.run;

import io.inferscope.cli.common.TerminalStyle;
import io.inferscope.collectors.os.Terminal;
import io.inferscope.collectors.os.TerminalKeys;
import io.inferscope.report.console.ConsoleOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Where a live view is drawn. */
interface LiveScreen extends AutoCloseable {
    /** Returns the current terminal settings; a terminal's size can change. */
    ConsoleOptions options();

    /** Returns how many lines fit. */
    int height();

    /** Replaces the lines shown before. */
    void show(List<String> lines);

    /** Returns the end of a view's first line: the available keys. */
    default String hint() {
        return "";
    }

    /** Restores the terminal. */
    @Override
    void close();

    /**
     * Returns a screen that fills the terminal at standard output; without a terminal, each view is written as plain
     * text below the previous one.
     *
     * @param quit called when the user presses q
     */
    static LiveScreen full(PrintWriter out, Runnable quit) throws IOException {
        return draws("inferscope.stdout.tty")
                ? TerminalScreen.full(
                        new FileOutputStream(FileDescriptor.out),
                        () -> Terminal.size(1),
                        TerminalKeys.take().map(keys -> new QuitKey(keys, quit)))
                : new Plain(out);
    }

    /** Returns whether there is a terminal with cursor positioning, by the launcher's findings. */
    static boolean draws(String terminal) {
        return Boolean.getBoolean(terminal) && !"dumb".equals(System.getenv("TERM"));
    }

    /**
     * Returns a screen in the last lines of the terminal at standard error. The program above has the other lines, and
     * its output is unchanged.
     */
    static LiveScreen below() throws IOException {
        return TerminalScreen.below(new FileOutputStream(FileDescriptor.err), () -> Terminal.size(2));
    }

    /** Writes views one below the other, for pipes and files. */
    record Plain(PrintWriter out) implements LiveScreen {
        private static final int LINES = 16;

        @Override
        public ConsoleOptions options() {
            return new TerminalStyle().pipe();
        }

        @Override
        public int height() {
            return LINES;
        }

        @Override
        public void show(List<String> lines) {
            lines.forEach(out::println);
            out.println();
            out.flush();
        }

        @Override
        public void close() {
            out.flush();
        }
    }
}
