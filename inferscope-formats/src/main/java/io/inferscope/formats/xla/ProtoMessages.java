package io.inferscope.formats.xla;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.importer.ImportException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/**
 * Reads protobuf messages field by field from a stream. Memory is needed only for values that the caller keeps; the
 * caller decides which messages to enter.
 */
final class ProtoMessages {
    /** Longest text. The longest name seen is an HLO instruction of some KiB. */
    private static final int MAX_TEXT_BYTES = 1 << 20;

    private final CodedInputStream in;
    private final String input;
    private int wireType;
    private long retiredBytes;
    private boolean textRepaired;
    private final int containers;
    private final Damages damagedContainers = new Damages();
    private final Damages damagedRecords = new Damages();
    private int depth;

    /** Messages that were left where they are damaged. */
    static final class Damages {
        private int count;
        private long firstBytes = -1;
        private String first = "";

        private void add(long offsetBytes, InvalidProtocolBufferException damage) {
            if (count++ == 0) {
                firstBytes = offsetBytes;
                first = String.valueOf(damage.getMessage());
            }
        }

        void count(Reason reason, ImportStats.Builder stats) {
            stats.count(reason, count, firstBytes, first);
        }
    }

    /**
     * Reads from a stream.
     *
     * @param input its name for error messages
     * @param containers number of levels of messages that only contain other messages
     */
    ProtoMessages(InputStream stream, String input, int containers) {
        this.containers = containers;
        this.in = CodedInputStream.newInstance(stream);
        this.input = input;
    }

    /** Receives the fields of a message. */
    interface Fields {
        /** Reads the value of field {@code number}, or does not, to skip it. */
        void field(int number) throws IOException, ImportException;
    }

    /** Reads the fields up to the end of the input. Each may be 2 GiB long. */
    void whole(Fields fields) throws IOException, ImportException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            field(tag, fields);
            retiredBytes += in.getTotalBytesRead();
            in.resetSizeCounter();
        }
    }

    /**
     * Reads the message that is the current field's value. Damage loses the rest of this message only, because its
     * length shows where the next one begins.
     */
    void message(Fields fields) throws IOException, ImportException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        int limit = in.pushLimit(in.readRawVarint32());
        depth++;
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                field(tag, fields);
            }
            skipRest();
        } catch (InvalidProtocolBufferException e) {
            long damageBytes = offset();
            skipRest();
            (depth <= containers ? damagedContainers : damagedRecords).add(damageBytes, e);
        }
        depth--;
        in.popLimit(limit);
    }

    private void skipRest() throws IOException {
        try {
            in.skipRawBytes(in.getBytesUntilLimit());
        } catch (InvalidProtocolBufferException e) {
            throw (EOFException) new EOFException("the input ends inside a message").initCause(e);
        }
    }

    private void field(int tag, Fields fields) throws IOException, ImportException {
        wireType = WireFormat.getTagWireType(tag);
        if (wireType == WireFormat.WIRETYPE_START_GROUP || wireType == WireFormat.WIRETYPE_END_GROUP) {
            throw new InvalidProtocolBufferException("group in a format that has none");
        }
        int valueBytes = in.getTotalBytesRead();
        fields.field(WireFormat.getTagFieldNumber(tag));
        if (in.getTotalBytesRead() == valueBytes) {
            skip(tag);
        }
    }

    /** Skips a value. The decoder's own check of a length near 2 GiB overflows, and it then loses its place. */
    private void skip(int tag) throws IOException {
        if (wireType != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            in.skipField(tag);
            return;
        }
        int length = in.readRawVarint32();
        int left = in.getBytesUntilLimit();
        if (length < 0 || (left >= 0 && length > left)) {
            throw new InvalidProtocolBufferException(
                    "value of " + Integer.toUnsignedString(length) + " bytes in a message that has fewer");
        }
        in.skipRawBytes(length);
    }

    private void expect(int type) throws InvalidProtocolBufferException {
        if (wireType != type) {
            throw new InvalidProtocolBufferException("field of wire type " + wireType + " instead of " + type);
        }
    }

    /** Returns the current field's value as a number. */
    long number() throws IOException {
        expect(WireFormat.WIRETYPE_VARINT);
        return in.readRawVarint64();
    }

    /** Passes on each number of the current field, which may hold several. */
    void numbers(LongConsumer each) throws IOException {
        if (wireType == WireFormat.WIRETYPE_VARINT) {
            each.accept(in.readRawVarint64());
            return;
        }
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        int limit = in.pushLimit(in.readRawVarint32());
        while (!in.isAtEnd()) {
            each.accept(in.readRawVarint64());
        }
        in.popLimit(limit);
    }

    /** Returns the current field's value as text; bytes that are not UTF-8 are replaced. */
    String text() throws IOException, ImportException {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        int length = in.readRawVarint32();
        if (length < 0 || length > MAX_TEXT_BYTES) {
            throw new ImportException(
                    input,
                    "refused at byte " + offset() + ": a text longer than " + (MAX_TEXT_BYTES >> 20) + " MiB",
                    "this is not a profile that a profiler writes");
        }
        String text = new String(in.readRawBytes(length), StandardCharsets.UTF_8);
        textRepaired |= text.indexOf('\ufffd') >= 0;
        return text;
    }

    /** Returns how many bytes were taken. */
    long offset() {
        return retiredBytes + in.getTotalBytesRead();
    }

    /** Returns whether any text was not UTF-8. */
    boolean textRepaired() {
        return textRepaired;
    }

    /** Returns how many messages were left because of damage. */
    int damages() {
        return damagedContainers.count + damagedRecords.count;
    }

    /** Returns the damage of containers, which may have lost much. */
    Damages damagedContainers() {
        return damagedContainers;
    }

    /** Returns the damage of single records. */
    Damages damagedRecords() {
        return damagedRecords;
    }
}
