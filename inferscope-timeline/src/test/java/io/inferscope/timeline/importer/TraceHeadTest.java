package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceHeadTest {
    @TempDir
    private Path folder;

    private TraceHead head(String content) throws IOException {
        return TraceHead.of(new TraceSource(TraceFile.of(folder, "head", content)));
    }

    @Test
    void membersOfTheOuterObjectAreNamed() throws IOException {
        assertThat(head("\ufeff \n{\"a\" : {\"inner\": 1}, \"b\\\"c\": [\"text\", {\"deep\":2}], \"d\":\"a: b\"")
                        .memberNames())
                .containsExactly("a", "b\\\"c", "d");
    }

    @Test
    void membersOfTheFirstElementOfAnArrayAreNamed() throws IOException {
        assertThat(head("[{\"ph\": \"X\", \"args\": {\"x\": 1}}, {\"later\": 1}]")
                        .memberNames())
                .containsExactly("ph", "args");
    }

    @Test
    void aHeadThatEndsInsideATextHasTheMembersBefore() throws IOException {
        assertThat(head("{\"a\": 1, \"b").memberNames()).containsExactly("a");
        assertThat(head("{\"a\": 1, \"b\\").memberNames()).containsExactly("a");
    }

    @Test
    void textIsNotJson() throws IOException {
        TraceHead head = head("main;step 5\n");
        assertThat(head.isJson()).isFalse();
        assertThat(head.memberNames()).isEmpty();
        assertThat(head.startsWith("main".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isTrue();
        assertThat(head.startsWith("step".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .isFalse();
    }

    @Test
    void aDirectoryHasNoBytes() throws IOException {
        TraceHead head = TraceHead.of(new TraceSource(folder));
        assertThat(head.isDirectory()).isTrue();
        assertThat(head.isJson()).isFalse();
    }
}
