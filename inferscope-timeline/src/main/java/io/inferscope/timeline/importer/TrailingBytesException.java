package io.inferscope.timeline.importer;

import java.util.zip.ZipException;

/** Bytes that are neither gzip nor padding follow a gzip member. Everything before them was inflated. */
public final class TrailingBytesException extends ZipException {
    private static final long serialVersionUID = 1L;

    TrailingBytesException() {
        super("bytes that are not gzip follow it");
    }
}
