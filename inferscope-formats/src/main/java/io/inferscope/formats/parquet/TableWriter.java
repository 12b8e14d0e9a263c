package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.formats.tables.OutputTable;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnWriteStoreV1;
import org.apache.parquet.column.page.PageWriteStore;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;

/**
 * Writes one Parquet file, row by row. Parquet's libraries do encodings and metadata; only the file structure is
 * written here, because their file writer needs Hadoop.
 */
final class TableWriter implements OutputTable {
    /** Begins and ends a file: Parquet format specification, "File Format". */
    static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    private static final int ROWS_PER_GROUP = 1 << 18;

    private final List<OutputColumn> columns;
    private final MessageType schema;
    private final OutputStream out;
    private final List<RowGroup> groups = new ArrayList<>();
    private List<ColumnPages> pages = List.of();
    private ColumnWriteStore store;
    private long offset;
    private long rowsInGroup;
    private long rows;

    TableWriter(Path file, List<OutputColumn> columns) throws IOException {
        this.columns = columns;
        this.schema = Schemas.message(columns);
        this.store = newStore();
        this.out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
        out.write(MAGIC);
        offset = MAGIC.length;
    }

    private ColumnWriteStore newStore() {
        List<ColumnDescriptor> descriptors = schema.getColumns();
        pages = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            pages.add(new ColumnPages(columns.get(i), descriptors.get(i).getPrimitiveType()));
        }
        ParquetProperties properties = ParquetProperties.builder()
                .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
                .withSizeStatisticsEnabled(false)
                .build();
        return new ColumnWriteStoreV1(schema, new Pages(descriptors, pages), properties);
    }

    private record Pages(List<ColumnDescriptor> descriptors, List<ColumnPages> pages) implements PageWriteStore {
        @Override
        public PageWriter getPageWriter(ColumnDescriptor descriptor) {
            return pages.get(descriptors.indexOf(descriptor));
        }
    }

    @Override
    public void number(int column, long value) {
        writer(column).write(value, 0, 1);
    }

    @Override
    public void real(int column, double value) {
        writer(column).write(value, 0, 1);
    }

    @Override
    public void text(int column, String value) {
        writer(column).write(Binary.fromString(value), 0, 1);
    }

    @Override
    public void nothing(int column) {
        writer(column).writeNull(0, 0);
    }

    private org.apache.parquet.column.ColumnWriter writer(int column) {
        return store.getColumnWriter(schema.getColumns().get(column));
    }

    @Override
    public void endRow() throws IOException {
        store.endRecord();
        rows++;
        rowsInGroup++;
        if (rowsInGroup == ROWS_PER_GROUP) {
            endGroup();
            store = newStore();
        }
    }

    private void endGroup() throws IOException {
        store.flush();
        if (rowsInGroup > 0) {
            List<ColumnChunk> chunks = new ArrayList<>();
            long inflatedBytes = 0;
            for (ColumnPages column : pages) {
                chunks.add(column.writeTo(out, offset));
                offset += column.bytes();
                inflatedBytes += column.inflatedBytes();
            }
            groups.add(new RowGroup(chunks, inflatedBytes, rowsInGroup));
        }
        rowsInGroup = 0;
        store.close();
    }

    /** Writes the remaining rows and the footer. */
    @Override
    public void finish() throws IOException {
        endGroup();
        FileMetaData footer = new FileMetaData(1, Schemas.elements(columns), rows, groups)
                .setCreated_by("inferscope")
                .setColumn_orders(Collections.nCopies(columns.size(), ColumnOrder.TYPE_ORDER(new TypeDefinedOrder())));
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        Util.writeFileMetaData(footer, bytes);
        bytes.writeTo(out);
        for (int i = 0; i < Integer.BYTES; i++) {
            out.write(bytes.size() >>> (8 * i));
        }
        out.write(MAGIC);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
