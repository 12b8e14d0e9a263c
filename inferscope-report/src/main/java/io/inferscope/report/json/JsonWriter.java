package io.inferscope.report.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import io.inferscope.report.common.PlainText;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.CharBuffer;
import java.util.Collection;

/**
 * Writes the members of the JSON report in its few types: text, whole numbers, ratios, and null for what was not
 * recorded.
 */
public final class JsonWriter implements AutoCloseable {
    /** Longest text in a JSON report, in characters; longer than any demangled kernel name. */
    public static final int TEXT = 8_192;

    private static final int RATIO_DECIMALS = 6;
    private final JsonGenerator json;
    private final Appendable out;

    JsonWriter(Appendable out) throws IOException {
        this.out = out;
        // ASCII only, so that no reader must guess the encoding and no terminal executes a control character.
        json = JsonFactory.builder()
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                .build()
                .createGenerator(new AppendableWriter(out));
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        json.setPrettyPrinter(new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withArrayIndenter(indenter)
                .withObjectIndenter(indenter));
    }

    /** Writes something inside an object or array. */
    interface Body {
        void write() throws IOException;
    }

    /** Writes one element of an array. */
    interface Element<T> {
        void write(T value) throws IOException;
    }

    void object(Body body) throws IOException {
        json.writeStartObject();
        body.write();
        json.writeEndObject();
    }

    void object(String name, Body body) throws IOException {
        json.writeFieldName(name);
        object(body);
    }

    /** Writes an array of objects. */
    <T> void objects(String name, Collection<T> values, Element<T> element) throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            object(() -> element.write(value));
        }
        json.writeEndArray();
    }

    void texts(String name, Collection<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(mended(value));
        }
        json.writeEndArray();
    }

    void numbers(String name, Collection<Long> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (long value : values) {
            json.writeNumber(value);
        }
        json.writeEndArray();
    }

    void text(String name, String value) throws IOException {
        json.writeStringField(name, mended(value));
    }

    /** Writes a text, or null for an empty one. */
    void textOrNull(String name, String value) throws IOException {
        if (value.isEmpty()) {
            json.writeNullField(name);
        } else {
            text(name, value);
        }
    }

    void number(String name, long value) throws IOException {
        json.writeNumberField(name, value);
    }

    /** Writes a number, or null for a negative one, which means "not recorded". */
    void numberOrNull(String name, long value) throws IOException {
        if (value < 0) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, value);
        }
    }

    void flag(String name, boolean value) throws IOException {
        json.writeBooleanField(name, value);
    }

    void nothing(String name) throws IOException {
        json.writeNullField(name);
    }

    /** Writes a number with six decimals; null for NaN. */
    void decimal(String name, double value) throws IOException {
        if (!Double.isFinite(value)) {
            json.writeNullField(name);
            return;
        }
        json.writeFieldName(name);
        json.writeNumber(new BigDecimal(value).setScale(RATIO_DECIMALS, RoundingMode.HALF_UP));
    }

    /** Writes a number without decimals; null for NaN. */
    void whole(String name, double value) throws IOException {
        if (!Double.isFinite(value)) {
            json.writeNullField(name);
            return;
        }
        json.writeFieldName(name);
        json.writeNumber(new BigDecimal(value).setScale(0, RoundingMode.HALF_UP).toBigInteger());
    }

    /**
     * Writes names unchanged, because programs compare them, except for excessive length and halves of surrogate pairs.
     */
    static String mended(String value) {
        String text = PlainText.shorten(value, TEXT);
        StringBuilder whole = new StringBuilder(text.length());
        text.codePoints().forEach(c -> whole.appendCodePoint(c >= 0xd800 && c <= 0xdfff ? 0xfffd : c));
        return whole.toString().replace("\u007f", "\ufffd");
    }

    @Override
    public void close() throws IOException {
        json.close();
        out.append('\n');
    }

    /** A writer over any {@link Appendable}, which stays open. */
    private static final class AppendableWriter extends Writer {
        private final Appendable out;

        AppendableWriter(Appendable out) {
            this.out = out;
        }

        @Override
        public void write(char[] buffer, int offset, int length) throws IOException {
            out.append(CharBuffer.wrap(buffer, offset, length));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
