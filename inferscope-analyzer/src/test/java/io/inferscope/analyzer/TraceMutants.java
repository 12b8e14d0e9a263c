package io.inferscope.analyzer;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Damaged copies of a trace in Chrome's format: what recorders, disks and people do to them. Equal for equal seeds. */
final class TraceMutants {
    private static final Pattern STAMP = Pattern.compile("\"ts\"\\s*:\\s*\"?(-?\\d+)");
    private static final double[] DELETED = {0.01, 0.02, 0.05, 0.1, 0.2};

    private final byte[] content;
    private final Timeline timeline;
    private final Random random;

    /**
     * One damaged copy.
     *
     * @param kind what was done
     * @param lost roughly the share of the trace, or of the records of a kind, that is lost
     */
    record Mutant(String kind, String what, double lost, byte[] content) {}

    /** Makes them of a document and of what it holds undamaged. */
    TraceMutants(byte[] content, Timeline timeline, Random random) {
        this.content = content;
        this.timeline = timeline;
        this.random = random;
    }

    /** Orders in which writers put events, beside the trace's own. */
    private enum Order {
        BY_TIME("events by time"),
        DEVICES_FIRST("device work first"),
        DEVICES_LAST("device work last");

        private final String words;

        Order(String words) {
            this.words = words;
        }
    }

    /** Returns the document with the events that became rows in another order, in the places that they had. */
    private byte[] inOrder(Order order) {
        int[] rows = IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.sourceOffsetBytes(row) > 0)
                .boxed()
                .sorted((a, b) -> Long.compare(timeline.sourceOffsetBytes(a), timeline.sourceOffsetBytes(b)))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] places = Arrays.stream(rows)
                .mapToLong(timeline::sourceOffsetBytes)
                .distinct()
                .mapToInt(place -> (int) place)
                .toArray();
        int[] moved = Arrays.stream(rows)
                .boxed()
                .sorted(Comparator.comparingLong(row -> rank(order, row)))
                .mapToLong(timeline::sourceOffsetBytes)
                .distinct()
                .mapToInt(place -> (int) place)
                .toArray();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = 0;
        for (int i = 0; i < places.length; i++) {
            out.write(content, at, places[i] - at);
            out.write(content, moved[i], end(moved[i]) - moved[i]);
            at = end(places[i]);
        }
        out.write(content, at, content.length - at);
        return out.toByteArray();
    }

    private long rank(Order order, int row) {
        boolean isDevice = timeline.kind(row).isDeviceOperation();
        return switch (order) {
            case BY_TIME -> timeline.startNs(row);
            case DEVICES_FIRST -> isDevice ? 0 : 1;
            case DEVICES_LAST -> isDevice ? 1 : 0;
        };
    }

    /** Receives mutants one by one: all of them would not fit into memory. */
    interface Receiver {
        void take(Mutant mutant) throws Exception;
    }

    /** Passes the mutants; {@code size} is how many places of the document are damaged. */
    void each(int size, Receiver to) throws Exception {
        for (int i = 0; i < (size * 2 + 4) / 5; i++) {
            int at = random.nextInt(content.length);
            double lost = 1 - (double) at / content.length;
            to.take(new Mutant("cut", "at byte " + at, lost, Arrays.copyOf(content, at)));
        }
        for (Order order : Order.values()) {
            byte[] written = inOrder(order);
            for (int i = 0; i < (size + 4) / 5; i++) {
                int at = random.nextInt(written.length);
                double lost = 1 - (double) at / written.length;
                to.take(new Mutant("cut, " + order.words, "at byte " + at, lost, Arrays.copyOf(written, at)));
            }
        }
        for (int i = 0; i < size; i++) {
            byte[] damaged = content.clone();
            int at = random.nextInt(content.length);
            damaged[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : ' ' + random.nextInt(95));
            to.take(new Mutant("byte", "at byte " + at + " is " + (damaged[at] & 0xff), 1e-6, damaged));
        }
        for (double share : Arrays.copyOf(DELETED, Math.min(DELETED.length, 1 + size / 5))) {
            to.take(deleted("device records", share, row -> timeline.kind(row).isDeviceOperation()));
            to.take(deleted("launches", share, row -> timeline.kind(row).isApiCall()));
            to.take(deleted("operators", share, row -> timeline.kind(row) == RowKind.OPERATOR));
        }
        for (int i = 0; i < (size + 3) / 4; i++) {
            moved("kernel stamp", row -> timeline.kind(row).isDeviceOperation(), to);
            moved("call stamp", row -> timeline.kind(row).isApiCall(), to);
            moved(
                    "range stamp",
                    row -> timeline.kind(row).isHostActivity()
                            && !timeline.kind(row).isApiCall(),
                    to);
        }
    }

    private int[] rows(IntPredicate of) {
        return IntStream.range(0, timeline.rowCount())
                .filter(row -> timeline.sourceOffsetBytes(row) > 0 && of.test(row))
                .toArray();
    }

    private Mutant deleted(String what, double share, IntPredicate of) {
        int[] rows = rows(of);
        long[] places = Arrays.stream(rows)
                .filter(row -> random.nextDouble() < share)
                .mapToLong(timeline::sourceOffsetBytes)
                .sorted()
                .toArray();
        ByteArrayOutputStream left = new ByteArrayOutputStream();
        int at = 0;
        for (long place : places) {
            left.write(content, at, (int) place - at);
            left.writeBytes("{\"ph\":\"M\"}".getBytes(StandardCharsets.US_ASCII));
            at = end((int) place);
        }
        left.write(content, at, content.length - at);
        return new Mutant(what, 100 * share + " % deleted", share, left.toByteArray());
    }

    /** Returns where the event that begins at a byte ends. */
    private int end(int from) {
        int depth = 0;
        boolean text = false;
        for (int at = from; ; at++) {
            byte b = content[at];
            if (text) {
                at += b == '\\' ? 1 : 0;
                text = b != '"';
            } else if (b == '"') {
                text = true;
            } else if (b == '{' || b == '[') {
                depth++;
            } else if ((b == '}' || b == ']') && --depth == 0) {
                return at + 1;
            }
        }
    }

    /** Moves the stamp of one row by 1 s to 1 h, to either side, evenly in the logarithm. */
    private void moved(String kind, IntPredicate of, Receiver to) throws Exception {
        int[] rows = rows(of);
        if (rows.length == 0) {
            return;
        }
        int row = rows[random.nextInt(rows.length)];
        int from = (int) timeline.sourceOffsetBytes(row);
        String event = new String(content, from, end(from) - from, StandardCharsets.ISO_8859_1);
        Matcher stamp = STAMP.matcher(event);
        if (!stamp.find()) {
            return;
        }
        long byUs = Math.round(1e6 * Math.pow(3600, random.nextDouble())) * (random.nextBoolean() ? 1 : -1);
        String changed = event.substring(0, stamp.start(1))
                + (Long.parseLong(stamp.group(1)) + byUs)
                + event.substring(stamp.end(1));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(content, 0, from);
        out.writeBytes(changed.getBytes(StandardCharsets.ISO_8859_1));
        out.write(content, end(from), content.length - end(from));
        to.take(new Mutant(kind, timeline.name(row) + " by " + byUs + " us", 1.0 / rows.length, out.toByteArray()));
    }
}
