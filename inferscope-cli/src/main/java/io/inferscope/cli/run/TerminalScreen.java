package io.inferscope.cli.run;

import io.inferscope.cli.common.TerminalStyle;
import io.inferscope.collectors.os.Terminal.Size;
import io.inferscope.report.console.ConsoleOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.Status;

/**
 * Draws on a terminal, with JLine. Below a program, keys belong to the program: nothing is read, and the terminal's
 * modes are not changed. Only this class uses JLine, so that no other command loads it.
 */
final class TerminalScreen implements LiveScreen {
    /** A view below a program takes one in this many of the terminal's lines. */
    private static final int PART = 3;

    private static final int LEAST_BELOW = 8;
    private static final int MOST_BELOW = 14;

    /** Least number of lines left to the program. */
    private static final int LEAST_ABOVE = 4;

    private static final String TYPE =
            Optional.ofNullable(System.getenv("TERM")).orElse("ansi");

    private final Supplier<Size> asked;
    private final ExternalTerminal terminal;
    private final Painter painter;
    private final Optional<QuitKey> keys;
    private Size size;

    /** How lines get onto the terminal. */
    private interface Painter {
        int height(Size size);

        void resize(Size size);

        void paint(List<AttributedString> lines);

        void end();
    }

    /**
     * @param type the terminal's type, from TERM
     * @param keys closed with the screen
     */
    TerminalScreen(OutputStream out, Supplier<Size> asked, boolean full, String type, Optional<QuitKey> keys)
            throws IOException {
        this.asked = asked;
        this.keys = keys;
        size = asked.get();
        // One write per view, which the terminal's driver does not mix with the program's output.
        terminal = new ExternalTerminal(
                "inferscope",
                type,
                InputStream.nullInputStream(),
                new BufferedOutputStream(out, 1 << 16),
                StandardCharsets.UTF_8,
                Terminal.SignalHandler.SIG_IGN,
                true);
        terminal.setSize(new org.jline.terminal.Size(size.columns(), size.rows()));
        painter = full ? new Full() : new Below();
    }

    static LiveScreen full(OutputStream out, Supplier<Size> size, Optional<QuitKey> keys) throws IOException {
        return new TerminalScreen(out, size, true, TYPE, keys);
    }

    static LiveScreen below(OutputStream out, Supplier<Size> size) throws IOException {
        return new TerminalScreen(out, size, false, TYPE, Optional.empty());
    }

    @Override
    public ConsoleOptions options() {
        Size now = asked.get();
        if (!now.equals(size)) {
            size = now;
            terminal.setSize(new org.jline.terminal.Size(now.columns(), now.rows()));
            painter.resize(now);
        }
        // The last column is left free, because a terminal that wraps there would shift all lines below.
        return new TerminalStyle().terminal(size.columns() - 1);
    }

    @Override
    public int height() {
        return painter.height(size);
    }

    @Override
    public void show(List<String> lines) {
        painter.paint(lines.stream()
                .limit(height())
                .map(AttributedString::fromAnsi)
                .map(line -> line.columnSubSequence(0, size.columns() - 1))
                .collect(Collectors.toCollection(
                        ArrayList::new))); // A mutable copy, because JLine keeps the list and edits it when lines move.
        terminal.flush();
    }

    @Override
    public String hint() {
        if (!(painter instanceof Full)) {
            return ""; // Below a program Ctrl-C ends the program.
        }
        return keys.isPresent() ? "; q ends" : "; Ctrl-C ends";
    }

    @Override
    public void close() {
        painter.end();
        terminal.flush();
        keys.ifPresent(QuitKey::close);
    }

    /** Uses the whole terminal, on its alternate screen if it has one. */
    private final class Full implements Painter {
        private final Display display = new Display(terminal, true);

        Full() {
            terminal.puts(Capability.enter_ca_mode);
            terminal.puts(Capability.cursor_invisible);
            resize(size);
        }

        @Override
        public int height(Size size) {
            return size.rows();
        }

        @Override
        public void resize(Size size) {
            display.clear();
            display.resize(size.rows(), size.columns());
        }

        @Override
        public void paint(List<AttributedString> lines) {
            display.update(lines, -1);
        }

        @Override
        public void end() {
            terminal.puts(Capability.cursor_normal);
            terminal.puts(Capability.exit_ca_mode);
        }
    }

    /** The last lines: the terminal scrolls only above them. */
    private final class Below implements Painter {
        private final Status status = new Status(terminal);

        @Override
        public int height(Size size) {
            int wanted = Math.min(MOST_BELOW, Math.max(LEAST_BELOW, size.rows() / PART));
            return Math.max(0, Math.min(wanted, size.rows() - LEAST_ABOVE));
        }

        @Override
        public void resize(Size size) {
            status.resize();
        }

        @Override
        public void paint(List<AttributedString> lines) {
            status.update(lines);
        }

        @Override
        public void end() {
            status.update(List.of());
        }
    }
}
