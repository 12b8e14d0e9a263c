package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.fixture.SmallHeap;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inputs made to exhaust memory or time, read by a JVM with a heap of 256 MiB. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class BombTest {
    private static final String FIRST =
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"first\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}";
    private static final int HEAP_MIB = 256;

    @TempDir
    private Path folder;

    /** Returns what a JVM with a small heap says of {@code before}, {@code filling} repeated to {@code mebibytes}, and {@code after}. */
    private String said(boolean gzip, String before, String filling, int mebibytes, String after)
            throws IOException, InterruptedException {
        Path file = folder.resolve("trace.json");
        byte[] block = filling.repeat((1 << 20) / filling.length()).getBytes(StandardCharsets.UTF_8);
        try (OutputStream raw = Files.newOutputStream(file);
                OutputStream out = gzip ? new GZIPOutputStream(raw, 1 << 16) : raw) {
            out.write(before.getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < mebibytes; i++) {
                out.write(block);
            }
            out.write(after.getBytes(StandardCharsets.UTF_8));
        }
        return SmallHeap.load(file, HEAP_MIB);
    }

    @Test
    void whiteSpaceWithoutEndIsRefused() throws IOException, InterruptedException {
        assertThat(said(true, "[" + FIRST + ",", " ", 300, "]"))
                .contains("refused after 256 MiB", "inflate to more than 400 times as much", "name the plain file");
    }

    @Test
    void whiteSpaceBeforeTheDocumentDoesNotHangRecognition() throws IOException, InterruptedException {
        assertThat(said(true, "", " ", 300, "[]")).contains("not a trace of a known format");
    }

    @Tag("slow")
    @Test
    void emptyEventsWithoutEndAreRefused() throws IOException, InterruptedException {
        assertThat(said(true, "[" + FIRST, ",{}", 300, "]")).contains("refused after 256 MiB");
    }

    @Test
    void aTextLongerThanItsBoundIsRefused() throws IOException, InterruptedException {
        assertThat(said(false, "[" + FIRST + ",{\"name\":\"", "x", 66, "\"}]"))
                .contains("trace.json: refused at byte ", "a text longer than 64 MiB");
    }

    @Test
    void aNameOfAMemberLongerThanItsBoundIsRefused() throws IOException, InterruptedException {
        assertThat(said(false, "[" + FIRST + ",{\"", "x", 66, "\":1}]"))
                .contains("trace.json: refused at byte ", "a number or a member's name longer than 1 MiB");
    }

    @Test
    void anUnreadTextOfAnyLengthIsPassedOver() throws IOException, InterruptedException {
        assertThat(said(false, "[" + FIRST + ",{\"args\":{\"unread\":\"", "x", 66, "\"}}," + FIRST + "]"))
                .isEqualTo("2 rows, 1 UNKNOWN_PHASE");
    }

    @Test
    void anArgumentOfNestedListsLongerThanItsBoundIsRefused() throws IOException, InterruptedException {
        assertThat(said(false, "[" + FIRST + ",{\"args\":{\"Input Dims\":[", "[1],", 66, "1]}}]"))
                .contains("trace.json: refused at byte ", "an array or object of more than 16 MiB");
    }
}
