package io.inferscope.formats.parquet;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;

/** The current row while a row group is read. */
final class TableRow {
    private static final int MAX_CACHED = 1 << 16;

    private final ColumnReader[] readers;
    private final Map<Binary, String> texts = new HashMap<>();

    TableRow(MessageType schema, ColumnChunkReader[] chunks) {
        List<ColumnDescriptor> descriptors = schema.getColumns();
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                new Chunks(descriptors, List.of(chunks)), new NoConverter(), schema, "inferscope");
        readers = new ColumnReader[chunks.length];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = store.getColumnReader(descriptors.get(i));
        }
    }

    private record Chunks(List<ColumnDescriptor> descriptors, List<ColumnChunkReader> chunks) implements PageReadStore {
        @Override
        public PageReader getPageReader(ColumnDescriptor descriptor) {
            return chunks.get(descriptors.indexOf(descriptor));
        }

        @Override
        public long getRowCount() {
            return chunks.isEmpty() ? 0 : chunks.get(0).getTotalValueCount();
        }
    }

    /** Values are taken from the readers, never converted. */
    private static final class NoConverter extends GroupConverter {
        @Override
        public Converter getConverter(int field) {
            return new PrimitiveConverter() {};
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }

    /** Returns whether a column of this number exists and has a value here. */
    boolean has(int column) {
        return column >= 0 && readers[column].getCurrentDefinitionLevel() == 1;
    }

    long number(int column, long otherwise) {
        return has(column) ? readers[column].getLong() : otherwise;
    }

    double real(int column) {
        return readers[column].getDouble();
    }

    String text(int column) {
        if (!has(column)) {
            return "";
        }
        Binary bytes = readers[column].getBinary();
        String known = texts.get(bytes);
        if (known != null) {
            return known;
        }
        String text = bytes.toStringUsingUTF8();
        if (texts.size() < MAX_CACHED) {
            texts.put(bytes.copy(), text);
        }
        return text;
    }

    void next() {
        for (ColumnReader reader : readers) {
            reader.consume();
        }
    }
}
