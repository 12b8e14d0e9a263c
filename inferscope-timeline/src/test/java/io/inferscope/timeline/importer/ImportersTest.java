package io.inferscope.timeline.importer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportersTest {
    @TempDir
    private Path folder;

    private static String complaint(Path file) {
        ImportException complaint = catchThrowableOfType(ImportException.class, () -> CoreFormats.load(file));
        assertThat(complaint).isNotNull();
        assertThat(complaint.getMessage()).doesNotContain("\n").startsWith(file + ": ");
        return complaint.getMessage().substring(file.toString().length() + 2);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThat(complaint(folder.resolve("absent.json"))).isEqualTo("no such file; check the path");
    }

    @Test
    void anEmptyFileIsNamed() {
        assertThat(complaint(TraceFile.of(folder, "empty.json", ""))).isEqualTo("is empty; record the trace again");
    }

    @Test
    void aDirectoryIsNamed() {
        assertThat(complaint(folder))
                .isEqualTo("is a directory without a known recording in it; name a trace file in it");
    }

    @Test
    void textIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "notes.txt", "Dear diary,\n")))
                .startsWith("not a trace of a known format; known formats: ")
                .contains("Kineto / Chrome Trace Event JSON");
    }

    @Test
    void whitespaceIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "blank.json", " \n\t\r\n ")))
                .startsWith("not a trace of a known format");
    }

    @Test
    void binaryGarbageIsNotATrace() {
        byte[] garbage = new byte[100_000];
        new Random(1).nextBytes(garbage);
        garbage[0] = 1;

        assertThat(complaint(TraceFile.of(folder, "garbage.bin", garbage))).startsWith("not a trace of a known format");
    }

    @Test
    void zippedGarbageIsNotATrace() {
        byte[] garbage = new byte[10_000];
        new Random(2).nextBytes(garbage);
        garbage[0] = 1;

        assertThat(complaint(TraceFile.of(folder, "garbage.gz", TraceFile.gzip(garbage))))
                .startsWith("not a trace of a known format");
    }

    @Test
    void aGzipHeaderAloneIsNotATrace() {
        assertThat(complaint(TraceFile.of(folder, "cut.gz", new byte[] {0x1f, (byte) 0x8b, 8})))
                .startsWith("not a trace of a known format");
        assertThat(complaint(TraceFile.of(folder, "one.gz", new byte[] {0x1f})))
                .startsWith("not a trace of a known format");
    }
}
