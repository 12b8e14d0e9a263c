package io.inferscope.formats.stacks;

import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.FrameNames;
import io.inferscope.formats.common.StackOwner;
import io.inferscope.formats.common.StackSamples;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/**
 * Folded stacks, {@code outer;inner 12} per line: py-spy's raw format, stackcollapse-perf.pl, async-profiler's
 * collapsed output. They count samples without times: each sample is assumed to take {@link
 * StackSamples#ASSUMED_PERIOD_NS} and placed after the previous one of its thread, which properties state. Mapping:
 * docs/formats.md.
 */
public final class FoldedStacksImporter extends Importer {
    private static final int LINES_LOOKED_AT = 100;
    private static final Pattern LINE = Pattern.compile("\\S.*[ \\t]\\d{1,18}(\\.\\d{0,9})?");
    private static final Pattern COUNT = Pattern.compile("\\d{1,18}(\\.\\d{0,9})?");

    /** A member of a trace event, which shows that the input is JSON whose beginning is lost. */
    private static final Pattern MEMBER =
            Pattern.compile("\"(ph|cat|ts|dur|pid|tid|args|traceEvents|schemaVersion)\"\\s*:");

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\x00-\\x08\\x0e-\\x1f]");

    public FoldedStacksImporter() {
        super("folded-stacks", "folded stacks (py-spy record --format raw, perf, async-profiler)");
    }

    /** Returns whether every complete line of the head is a stack with a count, and some stack has two frames. */
    @Override
    public boolean recognises(TraceHead head) {
        String text = head.text();
        if (head.isDirectory()
                || text.isEmpty()
                || MEMBER.matcher(text).find() // Found within the first bytes of most traces.
                || UNPRINTABLE.matcher(text).find()) {
            return false;
        }
        List<String> lines = text.lines().limit(LINES_LOOKED_AT).toList();
        int whole = lines.size() == 1 || lines.size() == LINES_LOOKED_AT ? lines.size() : lines.size() - 1;
        List<String> looked = lines.subList(0, whole).stream()
                .filter(l -> !l.isBlank() && !isComment(l))
                .toList();
        return looked.stream().anyMatch(l -> l.indexOf(';') >= 0)
                && looked.stream().allMatch(l -> LINE.matcher(l).matches());
    }

    /** Lines that some writers put before the stacks. */
    private static boolean isComment(String line) {
        return line.startsWith("#") && !LINE.matcher(line).matches();
    }

    @Override
    public void read(TraceSource source, TimelineBuilder builder) throws ImportException, IOException {
        Stacks stacks = new Stacks(builder);
        try (TraceSource.CountingStream in = source.open()) {
            try {
                new TextLines(in, builder.stats()).forEach(stacks::line);
            } catch (EOFException e) {
                builder.stats().count(Reason.TRUNCATED, in.count(), "");
            } catch (ZipException e) {
                builder.stats().count(Reason.MALFORMED, in.count(), "damaged gzip stream: " + e.getMessage());
            } finally {
                builder.stats().bytes(in.count());
            }
        }
        if (builder.rowCount() == 0) {
            throw new ImportException(
                    source.file().toString(), "no stack with a count in it", "expected lines such as main;work 12");
        }
        builder.property(StackSamples.AXIS, StackSamples.PACKED);
        builder.property(StackSamples.ASSUMED_PERIOD, Long.toString(StackSamples.ASSUMED_PERIOD_NS));
        builder.clockDomain(new ClockDomain("sample counts", 0, -1));
        builder.coverage(new Coverage("stacks, counted", stacks.samples, 0, ""));
    }

    /** Places the stacks of each thread one after the other. */
    private static final class Stacks {
        private final TimelineBuilder builder;
        private final Map<List<String>, Long> endsNs = new HashMap<>();
        private long samples;

        Stacks(TimelineBuilder builder) {
            this.builder = builder;
        }

        void line(String line, boolean ended, long offsetBytes) {
            if (line.isBlank() || isComment(line)) {
                return;
            }
            builder.stats().event();
            int space = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'));
            double count = space <= 0 ? -1 : count(line.substring(space + 1));
            if (count < 0) {
                builder.stats().count(ended ? Reason.NOT_AN_EVENT : Reason.TRUNCATED, offsetBytes, "no count");
            } else {
                add(line.substring(0, space), count, offsetBytes);
            }
        }

        /** Returns a count of samples, or a time in their place, which may have decimals; -1 for other text. */
        private static double count(String text) {
            return COUNT.matcher(text).matches() ? Double.parseDouble(text) : -1;
        }

        private void add(String stack, double count, long offsetBytes) {
            StackOwner owner = StackOwner.ALL_THREADS;
            int id = -1;
            int name = 0;
            for (String frame : stack.split(";", -1)) {
                StackOwner refined = id < 0 ? owner.refinedBy(frame) : null;
                if (refined == null) {
                    name = builder.name(FrameNames.ofFolded(frame));
                    id = builder.stack(id, name);
                } else {
                    owner = refined;
                }
            }
            List<String> thread = List.of(owner.process(), owner.thread());
            long atNs = endsNs.getOrDefault(thread, 0L);
            if (count > (DecimalTime.MAX_NS - atNs) / (double) StackSamples.ASSUMED_PERIOD_NS) {
                builder.stats().count(Reason.BAD_TIMESTAMP, offsetBytes, "count " + count);
                return;
            }
            long whole = count > 0 ? Math.max(1, Math.round(count)) : 0;
            long endNs = atNs + Math.round(count * StackSamples.ASSUMED_PERIOD_NS);
            if (id >= 0) {
                StackSamples.add(builder, owner.track(builder), atNs, endNs, id, name, whole);
            }
            endsNs.put(thread, endNs);
            samples += whole;
        }
    }

    /**
     * The lines of a text in UTF-8. A line beyond {@link #MAX_BYTES} is dropped and counted, so that no input needs much
     * memory.
     */
    private static final class TextLines {
        static final int MAX_BYTES = 1 << 20;

        private final InputStream in;
        private final ImportStats.Builder stats;
        private byte[] line = new byte[1 << 12];
        private int length;
        private boolean tooLong;
        private long offsetBytes;
        private long startBytes;

        /** Receives a line; {@code ended} is false for a last line without a line feed. */
        interface Consumer {
            void line(String text, boolean ended, long offsetBytes);
        }

        TextLines(InputStream in, ImportStats.Builder stats) {
            this.in = in;
            this.stats = stats;
        }

        void forEach(Consumer consumer) throws IOException {
            byte[] buffer = new byte[1 << 16];
            try {
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    for (int i = 0; i < read; i++) {
                        offsetBytes++;
                        if (buffer[i] == '\n') {
                            give(consumer, true);
                        } else {
                            append(buffer[i]);
                        }
                    }
                }
            } finally {
                give(consumer, false);
            }
        }

        private void append(byte b) {
            if (length == MAX_BYTES) {
                tooLong = true;
            } else {
                if (length == line.length) {
                    line = Arrays.copyOf(line, length * 2);
                }
                line[length++] = b;
            }
        }

        private void give(Consumer consumer, boolean ended) {
            if (tooLong) {
                stats.event();
                stats.count(Reason.NOT_AN_EVENT, startBytes, "line longer than " + MAX_BYTES + " bytes");
            } else if (length > 0) {
                int end = line[length - 1] == '\r' ? length - 1 : length;
                String text = new String(line, 0, end, StandardCharsets.UTF_8);
                stats.count(Reason.BAD_TEXT, text.indexOf('\ufffd') < 0 ? 0 : 1, startBytes, "");
                consumer.line(text, ended, startBytes);
            }
            length = 0;
            tooLong = false;
            startBytes = offsetBytes;
        }
    }
}
