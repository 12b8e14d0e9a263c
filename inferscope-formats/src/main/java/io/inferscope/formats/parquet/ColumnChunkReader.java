package io.inferscope.formats.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one column in one row group, inflated one at a time. Sizes are checked against the actual bytes before
 * memory is allocated.
 */
final class ColumnChunkReader implements PageReader {
    private static final int MAX_PAGE_BYTES = 64 << 20;
    /**
     * Most values of a page. InferScope writes at most 20000 rows per page; a page with 0 bits per value could claim
     * any number.
     */
    private static final int MAX_PAGE_VALUES = 1 << 20;

    private final byte[] chunk;
    private final ByteArrayInputStream in;
    private final long values;
    private final PrimitiveType type;
    private final @Nullable DictionaryPage dictionary;
    private @Nullable PageHeader next;
    private long valuesRead;

    ColumnChunkReader(byte[] chunk, long values, PrimitiveType type) {
        this.chunk = chunk;
        this.in = new ByteArrayInputStream(chunk);
        this.values = values;
        this.type = type;
        this.dictionary = dictionary();
    }

    @Override
    public long getTotalValueCount() {
        return values;
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
        return dictionary;
    }

    private @Nullable DictionaryPage dictionary() {
        PageHeader header = header();
        if (header.getType() != PageType.DICTIONARY_PAGE) {
            next = header;
            return null;
        }
        byte[] page = page(header);
        int entries = header.getDictionary_page_header().getNum_values();
        if (entries < 0 || entries > page.length) {
            throw new IllegalArgumentException("dictionary of " + entries + " entries in " + page.length + " bytes");
        }
        return new DictionaryPage(BytesInput.from(page), entries, Encoding.PLAIN);
    }

    @Override
    public @Nullable DataPage readPage() {
        if (valuesRead >= values) {
            return null;
        }
        PageHeader header = next == null ? header() : next;
        next = null;
        if (header.getType() != PageType.DATA_PAGE) {
            throw new IllegalArgumentException("page of type " + header.getType());
        }
        int count = header.getData_page_header().getNum_values();
        if (count < 1 || count > MAX_PAGE_VALUES) {
            throw new IllegalArgumentException("page of " + count + " values");
        }
        valuesRead += count;
        return new DataPageV1(
                BytesInput.from(page(header)),
                count,
                header.getUncompressed_page_size(),
                Statistics.createStats(type),
                Encoding.RLE,
                Encoding.RLE,
                encoding(header.getData_page_header().getEncoding()));
    }

    private static Encoding encoding(org.apache.parquet.format.Encoding said) {
        return switch (said) {
            case PLAIN -> Encoding.PLAIN;
            case PLAIN_DICTIONARY, RLE_DICTIONARY -> Encoding.RLE_DICTIONARY;
            default -> throw new IllegalArgumentException("encoding " + said);
        };
    }

    private PageHeader header() {
        try {
            PageHeader header = Util.readPageHeader(in);
            boolean complete = header.getType() == PageType.DATA_PAGE
                    ? header.isSetData_page_header()
                    : header.isSetDictionary_page_header();
            if (!complete) {
                throw new IllegalArgumentException("page without its header");
            }
            return header;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] page(PageHeader header) {
        int deflated = header.getCompressed_page_size();
        int inflated = header.getUncompressed_page_size();
        if (deflated < 0 || deflated > in.available() || inflated < 0 || inflated > MAX_PAGE_BYTES) {
            throw new IllegalArgumentException("page of " + deflated + " bytes, inflated " + inflated);
        }
        int at = chunk.length - in.available();
        long skipped = in.skip(deflated);
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(chunk, at, (int) skipped))) {
            byte[] page = gzip.readNBytes(inflated);
            if (page.length < inflated) {
                throw new IllegalArgumentException("page shorter than it says");
            }
            return page;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
