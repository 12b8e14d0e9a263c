package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.OutputColumn;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.apache.parquet.schema.MessageType;

/**
 * Reads one Parquet file that {@link TableWriter} wrote. From a damaged file, the rows before the damage are passed;
 * then an unchecked exception of any kind is thrown, which the caller counts.
 */
final class TableReader implements Closeable {
    private static final int TAIL_BYTES = Integer.BYTES + TableWriter.MAGIC.length;
    private static final int MAX_FOOTER_BYTES = 16 << 20;
    /** Most rows per byte. Rows contain distinct numbers, so they cannot be compressed further. */
    private static final int MAX_ROWS_PER_BYTE = 1024;

    private final FileChannel channel;
    private final FileMetaData footer;
    private final List<OutputColumn> columns;
    private final long bytes;

    interface Rows {
        void row(TableRow row);
    }

    TableReader(Path file) throws IOException {
        channel = FileChannel.open(file);
        try {
            bytes = channel.size();
            footer = footer();
            columns = Schemas.columns(footer.getSchema());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private FileMetaData footer() throws IOException {
        if (bytes < TableWriter.MAGIC.length + TAIL_BYTES) {
            throw new EOFException("shorter than any Parquet file");
        }
        byte[] tail = read(bytes - TAIL_BYTES, TAIL_BYTES);
        if (!Arrays.equals(Arrays.copyOfRange(tail, Integer.BYTES, TAIL_BYTES), TableWriter.MAGIC)) {
            throw new EOFException("no Parquet footer at its end");
        }
        int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (length < 0 || length > Math.min(MAX_FOOTER_BYTES, bytes - TAIL_BYTES)) {
            throw new IllegalArgumentException("footer of " + length + " bytes");
        }
        byte[] text = read(bytes - TAIL_BYTES - length, length);
        return Util.readFileMetaData(new ByteArrayInputStream(text), length);
    }

    private byte[] read(long offset, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new EOFException("ends at byte " + bytes);
            }
        }
        return buffer.array();
    }

    /** Returns the number of rows stated in the file. */
    long rowCount() {
        long rows = footer.getNum_rows();
        if (rows < 0 || rows > bytes * MAX_ROWS_PER_BYTE) {
            throw new IllegalArgumentException(rows + " rows in " + bytes + " bytes");
        }
        return rows;
    }

    /** Returns the number of a column, -1 when the file has none of this name and type. */
    int column(OutputColumn column) {
        return columns.indexOf(column);
    }

    /** Visits every row in its order. */
    void read(Rows rows) throws IOException {
        long left = rowCount();
        MessageType schema = Schemas.message(columns);
        for (RowGroup group : footer.getRow_groups()) {
            long count = group.getNum_rows();
            if (count < 0 || count > left || group.getColumnsSize() != columns.size()) {
                throw new IllegalArgumentException("row group of " + count + " rows, " + left + " left");
            }
            left -= count;
            TableRow row = new TableRow(schema, chunks(group, schema, count));
            for (long i = 0; i < count; i++) {
                rows.row(row);
                row.next();
            }
        }
    }

    private ColumnChunkReader[] chunks(RowGroup group, MessageType schema, long rows) throws IOException {
        ColumnChunkReader[] chunks = new ColumnChunkReader[columns.size()];
        for (int i = 0; i < chunks.length; i++) {
            ColumnChunk chunk = group.getColumns().get(i);
            var data = chunk.getMeta_data();
            long start =
                    data.isSetDictionary_page_offset() ? data.getDictionary_page_offset() : data.getData_page_offset();
            long length = data.getTotal_compressed_size();
            boolean plausible = start >= 0
                    && length >= 0
                    && length <= Math.min(bytes, Integer.MAX_VALUE - 8)
                    && start <= bytes - length
                    && data.getNum_values() == rows
                    && data.getCodec() == CompressionCodec.GZIP;
            if (!plausible) {
                throw new IllegalArgumentException("column " + columns.get(i).name() + " of " + length + " bytes at "
                        + start + ", " + data.getCodec());
            }
            chunks[i] = new ColumnChunkReader(
                    read(start, (int) length), rows, schema.getType(i).asPrimitiveType());
        }
        return chunks;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
