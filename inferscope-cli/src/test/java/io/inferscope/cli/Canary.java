package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** A secret that a test puts where programs have theirs, and then looks for in everything that InferScope wrote. */
final class Canary {
    static final String TEXT = "canary-8f31d07be5524a";

    private Canary() {}

    /** Looks into every file below a folder, compressed ones inflated. */
    static void assertInNone(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        assertThat(files).as("spools, trace and report").hasSizeGreaterThan(3);
        for (Path file : files) {
            byte[] content = Files.readAllBytes(file);
            if (content.length > 2 && content[0] == 0x1f && content[1] == (byte) 0x8b) {
                try (GZIPInputStream inflated = new GZIPInputStream(new ByteArrayInputStream(content))) {
                    content = inflated.readAllBytes();
                }
            }
            for (var charset : List.of(StandardCharsets.ISO_8859_1, StandardCharsets.UTF_16LE)) {
                assertThat(new String(content, charset).contains(TEXT))
                        .as(folder.relativize(file).toString())
                        .isFalse();
            }
        }
    }
}
