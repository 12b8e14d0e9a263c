package io.inferscope.report.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.merge.TimelineMerge.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingTablesTest {
    @Test
    void recordingsOfWhichTheSameIsToBeSaidShareASentence() {
        String evidence = "both state their Unix time";

        assertThat(RecordingTables.sentences(List.of(
                        source("rank0.json", 0, "its clock is the axis"),
                        source("rank1.json", -1, evidence),
                        source("rank2.json", -1, evidence),
                        source("rank3.json", 1_500, evidence))))
                .containsExactly(
                        "rank0.json: moved by 0 ns, may be off by 0 ns (its clock is the axis)",
                        "rank1.json and 1 more: moved by 0 ns, may be off by an unknown time (" + evidence + ")",
                        "rank3.json: moved by 0 ns, may be off by 1.50 us (" + evidence + ")");
    }

    private static Source source(String name, long errorNs, String evidence) {
        return new Source(name, "kineto", "", 0, errorNs, evidence);
    }
}
