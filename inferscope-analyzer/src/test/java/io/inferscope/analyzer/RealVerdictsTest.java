package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.ShapeTables;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an engineer is told of real traces whose story is known: the verdict, what comes first, and the place in the code. */
@Tag("traces")
class RealVerdictsTest {
    @Test
    void aVideoModelIsGpuBoundInItsSpanAndLosesMostToItsInputs() throws Exception {
        Report report = analyze("h100-timesformer");

        assertThat(report.verdict().bound()).isEqualTo(Bound.GPU);
        assertThat(report.verdict().claim()).contains("most of its span").contains("41.8% of the timeline");
        Finding first = report.findings().get(0);
        assertThat(first.rule()).isEqualTo("outside-span");
        assertThat(first.claim())
                .contains("57.0% of the window, passes before the first operation")
                .contains("preprocessing");
        assertThat(places(first))
                .anyMatch(place -> place.contains("image_transforms.py:390 normalize"))
                .anyMatch(place -> place.contains("read_video_pyav"));
        assertThat(report.findings())
                .extracting(Finding::rule)
                .containsSubsequence("outside-span", "roofline-gap", "pageable-copies");
        assertThat(finding(report, "pageable-copies"))
                .satisfies(copies -> assertThat(copies.severity()).isEqualTo(Severity.INFO))
                .satisfies(copies -> assertThat(copies.share()).isBetween(0.0215, 0.0225));
    }

    @Test
    void aSmallModelIsHeldUpByDispatchAndLaunchingAndTheModuleIsNamed() throws Exception {
        Report report = analyze("h100-bert-small");

        assertThat(report.verdict().bound()).isEqualTo(Bound.CPU);
        assertThat(finding(report, "gpu-idle").share()).isBetween(0.915, 0.925);
        Finding launching = finding(report, "launch-bound");
        assertThat(launching.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(launching.causes()).contains(LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_LAUNCH);
        assertThat(places(launching))
                .anyMatch(place -> place.startsWith("transformers/models/bert/modeling_bert.py:364 forward"));
    }

    /** Its replays follow each other without a gap: whatever is read into the time between kernels of a graph would be wrong. */
    @Test
    void aReplayedDecodeShowsNoIdleTime() throws Exception {
        Report report = analyze("vllm-decode-graph");

        assertThat(report.verdict().bound()).isEqualTo(Bound.GPU);
        assertThat(report.findings()).extracting(Finding::severity).containsOnly(Severity.HEALTHY);
        assertThat(report.diagnosis())
                .noneMatch(line -> line.contains("is idle"))
                .anyMatch(line -> line.startsWith("No work of the GPU is recorded for 44%"));
        assertThat(report.rows(ShapeTables.GRAPHS)).isNotEmpty();
    }

    /** The exposed communication is longer than the idle time; compute can hide a quarter of it. Idle time is a sum of what others tell. */
    @Test
    void whatClaimsToSaveComesBeforeWhatSumsUp() throws Exception {
        List<Finding> findings = analyze("a100-trace-diff-control").findings();

        assertThat(findings).extracting(Finding::rule).startsWith("communication-exposed", "gpu-idle");
        assertThat(findings.get(0).gain()).isNotNull();
        assertThat(findings.get(0).gain().highNs()).isLessThan(findings.get(1).costNs());
        assertThat(analyze("b200-eager").findings()).extracting(Finding::rule).startsWith("launch-bound", "gpu-idle");
        assertThat(findings).extracting(Finding::rule).doesNotContain("communication-overlap");
    }

    /** Its control processor merges, moves and executes for 443 ms of 460 ms, by a script over the categories. */
    @Test
    void anMtiaIsADevice() throws Exception {
        Report report = analyze("mtia-inference");

        assertThat(report.verdict().bound()).isEqualTo(Bound.GPU);
        assertThat(report.rows(Report.DEVICES))
                .extracting(device -> device.id())
                .containsExactly("17");
        // Nothing of another vendor is advised.
        assertThat(report.trust()).extracting(check -> check.remedy()).noneMatch(remedy -> remedy.contains("nsys"));
        assertThat(report.findings())
                .extracting(Finding::advice)
                .noneMatch(advice -> advice.contains("CUDA") || advice.contains("cuDNN"));
    }

    @Test
    void smallOverlapsOnOneStreamRaiseNoAlarm() throws Exception {
        Report report = analyze("b200-eager");

        assertThat(report.verdict().bound()).isEqualTo(Bound.CPU);
        assertThat(report.trust()).allMatch(check -> check.passed());
    }

    private static Finding finding(Report report, String rule) {
        return report.findings().stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> places(Finding finding) {
        return finding.evidence().stream()
                .filter(Evidence.Place.class::isInstance)
                .map(evidence -> ((Evidence.Place) evidence).where())
                .toList();
    }

    private static Report analyze(String trace) throws Exception {
        return RealTraces.report(trace);
    }
}
