package io.inferscope.analyzer.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Report.TrustCheck;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What one check of the gate says of a recording, and what its failure must look like. */
final class TrustChecks {
    private static final Path MANUAL = Path.of("..", "docs", "trust-gate.md");
    private static final Pattern COMMAND = Pattern.compile("`(inferscope|nsys|rocprofv3|py-spy) [^`]+`");
    private static final Pattern OURS = Pattern.compile("`inferscope [^`]+`");

    static final String SOUND = """
            us           0         10        20        30        40
            thread main  [ProfilerStep#1                         ]
            thread main  .LL.......LL........YYYYYYYYYY
            stream 7     ...KKKKKKK..KKKKKKKKKKKKKKKKKK
            links in order
            """;

    private TrustChecks() {}

    static void assertWithholds(TrustCheck check, String detail) {
        assertFailed(check, detail);
        assertThat(check.withholds()).isTrue();
    }

    static void assertNoted(TrustCheck check, String detail) {
        assertFailed(check, detail);
        assertThat(check.withholds()).isFalse();
    }

    static void assertFailed(TrustCheck check, String detail) {
        assertThat(check.detail()).startsWith(detail);
        assertThat(check.passed()).isFalse();
        assertThat(check.remedy()).containsPattern(COMMAND);
        assertThat(OURS.matcher(check.remedy()).results().map(found -> found.group()))
                .allSatisfy(command -> assertThat(MANUAL).content().contains(command));
    }

    static TrustCheck check(String id, String art) {
        return check(id, TimelineFixture.drawing(art));
    }

    static TrustCheck check(String id, TimelineFixture fixture) {
        return check(id, fixture.build());
    }

    static TrustCheck check(String id, Timeline timeline) {
        return TrustGate.check(Analysis.of(timeline, Thresholds.defaults())).stream()
                .filter(check -> check.check().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
