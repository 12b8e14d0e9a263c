package io.inferscope.report.console;

import static io.inferscope.report.common.PlainText.in;

import io.inferscope.report.common.PlainText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines of a terminal: cleaned, wrapped to its width, and in its character set. Colour is added last, so that it does
 * not count as columns.
 */
public final class ConsolePage {
    /** The style of a line when colour is on. */
    public enum Tone {
        PLAIN(""),
        STRONG("\u001b[1m"),
        BAD("\u001b[1;31m"),
        WARN("\u001b[33m"),
        GOOD("\u001b[32m"),
        FAINT("\u001b[2m");

        private final String on;

        Tone(String on) {
            this.on = on;
        }
    }

    private static final Pattern SENTENCE_END = Pattern.compile("[.!?] (?=\\p{Lu})");
    private static final String OFF = "\u001b[0m";
    private final ConsoleOptions options;
    private final StringBuilder text = new StringBuilder();

    public ConsolePage(ConsoleOptions options) {
        this.options = options;
    }

    int width() {
        return options.width();
    }

    public ConsolePage blank() {
        text.append('\n');
        return this;
    }

    public ConsolePage line(String line) {
        return line(Tone.PLAIN, line);
    }

    /** Writes a line, wrapped under its own indentation. */
    public ConsolePage line(Tone tone, String line) {
        int indent = 0;
        while (indent < line.length() && line.charAt(indent) == ' ') {
            indent++;
        }
        return wrapped(tone, " ".repeat(indent), " ".repeat(indent), line.substring(indent));
    }

    /** Writes a list item, its continuation lines under its text. */
    public ConsolePage item(String bullet, String words) {
        return wrapped(Tone.PLAIN, bullet, " ".repeat(bullet.length()), words);
    }

    /** Writes words after a lead, wrapped, the other lines after {@code indent}. */
    public ConsolePage wrapped(Tone tone, String lead, String indent, String words) {
        String clean = spell(PlainText.clean(words, PlainText.SENTENCE));
        String before = spell(lead);
        for (String line : wrap(clean, options.width() - Math.max(before.length(), indent.length()))) {
            String whole = (before + line).stripTrailing();
            boolean coloured = options.color() && tone != Tone.PLAIN && !whole.isEmpty();
            text.append(coloured ? tone.on + whole + OFF : whole).append('\n');
            before = indent;
        }
        return this;
    }

    /** Writes words after a lead on one line; a text that does not fit is cut and ends in dots. */
    ConsolePage fitted(Tone tone, String lead, String words) {
        return atMost(1, tone, lead, words);
    }

    /**
     * Writes words after a lead on at most {@code most} lines, continuation lines indented: as many whole sentences as
     * fit; a longer first sentence is cut and ends in dots.
     */
    ConsolePage atMost(int most, Tone tone, String lead, String words) {
        int room = options.width() - lead.length();
        String dots = spell("…");
        String clean = spell(PlainText.clean(words, PlainText.SENTENCE));
        List<String> lines = wrap(clean, room);
        if (lines.size() > most) {
            lines = wholeSentences(clean, most, room).orElse(lines);
        }
        for (int i = 0; i < Math.min(most, lines.size()); i++) {
            boolean cut = i == most - 1 && lines.size() > most;
            String line = cut ? wrap(lines.get(i), room - dots.length()).get(0) + dots : lines.get(i);
            wrapped(tone, i == 0 ? lead : " ".repeat(lead.length()), "", line);
        }
        return this;
    }

    /** Returns the lines of the first sentences that fit, if they fill all lines. */
    private static Optional<List<String>> wholeSentences(String text, int most, int room) {
        Matcher end = SENTENCE_END.matcher(text);
        List<String> fitting = List.of();
        while (end.find()) {
            List<String> lines = wrap(text.substring(0, end.start() + 1), room);
            if (lines.size() > most) {
                break;
            }
            fitting = lines;
        }
        return fitting.size() == most ? Optional.of(fitting) : Optional.empty();
    }

    /** Returns a bar of at most {@code width} columns, at least one for a ratio above 0. */
    String bar(double ratio, int width) {
        double length = Math.min(1, Math.max(0, ratio)) * width;
        int whole = length > 0 ? Math.max(1, (int) Math.round(length)) : 0;
        return (options.ascii() ? "#" : "█").repeat(whole);
    }

    public void writeTo(Appendable out) throws IOException {
        out.append(text);
    }

    /** Returns lines of at most {@code width} columns, broken at spaces where there are any. */
    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int columns = 0;
        int breakAt = -1;
        int[] characters = text.codePoints().toArray();
        for (int c : characters) {
            if (columns + columns(c) > width) {
                int end = c == ' ' || breakAt <= 0 ? line.length() : breakAt;
                lines.add(line.substring(0, end));
                line.delete(0, end);
                while (line.length() > 0 && line.charAt(0) == ' ') {
                    line.deleteCharAt(0);
                }
                columns = line.codePoints().map(ConsolePage::columns).sum();
                breakAt = -1;
            }
            if (c == ' ' && columns == 0 && !lines.isEmpty()) {
                continue;
            }
            breakAt = c == ' ' ? line.length() : breakAt;
            line.appendCodePoint(c);
            columns += columns(c);
        }
        lines.add(line.toString());
        return lines;
    }

    /**
     * Returns how many columns a character takes: two for East Asian wide ones and pictographs, none for combining
     * marks.
     */
    public static int columns(int c) {
        if (in(c, 0x300, 0x36f) || in(c, 0xfe00, 0xfe0f) || in(c, 0x20d0, 0x20ff)) {
            return 0;
        }
        boolean wide = in(c, 0x1100, 0x115f)
                || in(c, 0x2e80, 0xa4cf)
                || in(c, 0xac00, 0xd7a3)
                || in(c, 0xf900, 0xfaff)
                || in(c, 0xfe30, 0xfe6f)
                || in(c, 0xff00, 0xff60)
                || in(c, 0x1f300, 0x1faff)
                || in(c, 0x20000, 0x3ffff);
        return wide ? 2 : 1;
    }

    /** Returns clean text in the terminal's character set. */
    private String spell(String clean) {
        if (!options.ascii()) {
            return clean;
        }
        StringBuilder out = new StringBuilder(clean.length());
        clean.codePoints().forEach(c -> {
            switch (c) {
                case 'µ' -> out.append('u');
                case '±' -> out.append("+-");
                case '–', '—' -> out.append('-');
                case '…' -> out.append("...");
                case '×' -> out.append('x');
                case '≥' -> out.append(">=");
                case '≤' -> out.append("<=");
                case '→' -> out.append("->");
                default -> {
                    if (c < 0x80) {
                        out.append((char) c);
                    } else {
                        PlainText.escape(c, out);
                    }
                }
            }
        });
        return out.toString();
    }
}
