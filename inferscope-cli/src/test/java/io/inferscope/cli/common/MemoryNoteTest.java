package io.inferscope.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The note before reading recordings that may not fit into the heap. */
class MemoryNoteTest {
    private static final long GB = 1_000_000_000;

    @Test
    void aRecordingTooLargeForTheHeapIsAnnouncedWithTheRemedy() {
        assertThat(TraceInputs.memoryNote(10 * GB, GB, ""))
                .hasValue(
                        "10.0 GB of trace need about 3.5 GB of memory, and the heap is limited to 1.0 GB. If that is not"
                                + " enough, raise the limit: INFERSCOPE_JAVA_OPTS=-Xmx4g");
    }

    @Test
    void aRecordingThatFitsIsReadWithoutAWord() {
        assertThat(TraceInputs.memoryNote(2 * GB, GB, "")).isEmpty();
        assertThat(TraceInputs.memoryNote(0, GB, "")).isEmpty();
    }

    @Test
    void aHeapInAFileIsAnnouncedWithItsFolder() {
        assertThat(TraceInputs.memoryNote(10 * GB, 5 * GB, "/var/tmp"))
                .hasValue(
                        "10.0 GB of trace need about 3.5 GB of memory. What memory has no room for is kept in a temporary"
                                + " file in /var/tmp, which takes longer.");
    }
}
