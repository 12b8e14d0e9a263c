package io.inferscope.formats.parquet;

import io.inferscope.formats.tables.TableNames;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names of the files in a folder, which must not change: docs/convert.md. */
final class Folder {
    /** The file that identifies such a folder. */
    static final String MANIFEST = "inferscope.json";

    static final int VERSION = 1;

    /** Every file that such a folder can contain. */
    static final Set<String> FILES = Stream.concat(
                    Stream.of(MANIFEST), TableNames.ALL.stream().map(Folder::file))
            .collect(Collectors.toUnmodifiableSet());

    private Folder() {}

    static String file(String table) {
        return table + ".parquet";
    }
}
