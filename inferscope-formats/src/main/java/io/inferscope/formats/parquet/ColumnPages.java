package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.OutputColumn;
import io.inferscope.timeline.files.LeveledGzip;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one column in one row group, deflated and kept until the group is written. Layout: Parquet format
 * specification, "Data Pages".
 */
final class ColumnPages implements PageWriter {
    private final OutputColumn column;
    private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
    private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();
    private final List<org.apache.parquet.format.Encoding> encodings = new ArrayList<>();
    private final Statistics<?> statistics;
    private long values;
    private long inflatedBytes;

    ColumnPages(OutputColumn column, PrimitiveType type) {
        this.column = column;
        this.statistics = Statistics.createStats(type);
    }

    @Override
    public void writePage(
            BytesInput bytes,
            int valueCount,
            int rowCount,
            Statistics<?> pageStatistics,
            @Nullable SizeStatistics sizes,
            @Nullable GeospatialStatistics places,
            Encoding repetition,
            Encoding definition,
            Encoding data)
            throws IOException {
        PageHeader header = new PageHeader(PageType.DATA_PAGE, 0, 0)
                .setData_page_header(new DataPageHeader(valueCount, said(data), said(definition), said(repetition)));
        page(bytes, header, pages);
        values += valueCount;
        if (pageStatistics.getClass() == statistics.getClass()) {
            statistics.mergeStatistics(pageStatistics);
        }
    }

    @Override
    public void writeDictionaryPage(DictionaryPage page) throws IOException {
        PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, 0, 0)
                .setDictionary_page_header(
                        new DictionaryPageHeader(page.getDictionarySize(), said(page.getEncoding())));
        page(page.getBytes(), header, dictionary);
    }

    private org.apache.parquet.format.Encoding said(Encoding encoding) {
        org.apache.parquet.format.Encoding said = org.apache.parquet.format.Encoding.valueOf(encoding.name());
        if (!encodings.contains(said)) {
            encodings.add(said);
        }
        return said;
    }

    private void page(BytesInput bytes, PageHeader header, ByteArrayOutputStream to) throws IOException {
        int inflated = Math.toIntExact(bytes.size());
        ByteArrayOutputStream deflated = new ByteArrayOutputStream(inflated / 4 + 64);
        try (OutputStream gzip = new LeveledGzip(deflated, 1 << 13, Deflater.BEST_SPEED)) {
            bytes.writeAllTo(gzip);
        }
        header.setUncompressed_page_size(inflated).setCompressed_page_size(deflated.size());
        int before = to.size();
        Util.writePageHeader(header, to);
        inflatedBytes += inflated + (to.size() - before);
        deflated.writeTo(to);
    }

    /** Writes the pages, and returns their footer entry. */
    ColumnChunk writeTo(OutputStream out, long offset) throws IOException {
        dictionary.writeTo(out);
        pages.writeTo(out);
        long bytes = (long) dictionary.size() + pages.size();
        ColumnMetaData data = new ColumnMetaData(
                Schemas.physical(column.type()),
                encodings,
                List.of(column.name()),
                CompressionCodec.GZIP,
                values,
                inflatedBytes,
                bytes,
                offset + dictionary.size());
        if (dictionary.size() > 0) {
            data.setDictionary_page_offset(offset);
        }
        if (column.type() == OutputColumn.Type.NUMBER && statistics.hasNonNullValue()) {
            data.setStatistics(new org.apache.parquet.format.Statistics()
                    .setNull_count(statistics.getNumNulls())
                    .setMin_value(statistics.getMinBytes())
                    .setMax_value(statistics.getMaxBytes()));
        }
        return new ColumnChunk(offset).setMeta_data(data);
    }

    long bytes() {
        return (long) dictionary.size() + pages.size();
    }

    long inflatedBytes() {
        return inflatedBytes;
    }

    @Override
    public void writePage(
            BytesInput bytes,
            int values,
            int rows,
            Statistics<?> said,
            Encoding repetition,
            Encoding definition,
            Encoding data)
            throws IOException {
        writePage(bytes, values, rows, said, null, null, repetition, definition, data);
    }

    @Deprecated
    @Override
    public void writePage(
            BytesInput bytes, int values, Statistics<?> said, Encoding repetition, Encoding definition, Encoding data) {
        throw new UnsupportedOperationException("page without row count");
    }

    @Override
    public void writePageV2(
            int rowCount,
            int nullCount,
            int valueCount,
            BytesInput repetition,
            BytesInput definition,
            Encoding dataEncoding,
            BytesInput data,
            @Nullable Statistics<?> said) {
        throw new UnsupportedOperationException("version 2 page");
    }

    @Override
    public long getMemSize() {
        return bytes();
    }

    @Override
    public long allocatedSize() {
        return bytes();
    }

    @Override
    public String memUsageString(String prefix) {
        return prefix + bytes();
    }
}
