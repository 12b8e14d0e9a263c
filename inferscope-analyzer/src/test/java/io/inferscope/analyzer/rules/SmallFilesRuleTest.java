package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class SmallFilesRuleTest {
    private static final String LINE = "data.py(12): batch";
    private static final String LOAD = "/v/lib/python3.11/site-packages/numpy/lib/_npyio_impl.py(454): load";
    private static final String OPEN = "__x64_sys_openat [kernel]";
    private static final String CLOSE = "__x64_sys_close [kernel]";
    private static final String STAT = "__do_sys_newfstatat [kernel]";
    private static final String READ = "ksys_read [kernel]";

    private final Rule rule = new SmallFilesRule();
    private final TimelineFixture fixture = TimelineFixture.blank().property("process.1.runtime", "CPython 3.11.7");
    private int samples;

    private SmallFilesRuleTest seen(int times, String... stack) {
        for (int i = 0; i < times; i++) {
            fixture.sample("main", 10 * samples, 10 * samples + 10, stack);
            samples++;
        }
        return this;
    }

    private Timeline timeline() {
        return fixture.state("main", 0, 10 * samples, 10 * samples, 0, WaitReason.UNKNOWN)
                .build();
    }

    @Test
    void aFunctionThatOpensASmallFileAtEachCallIsAFinding() {
        Finding finding = found(
                rule,
                seen(6, LINE, LOAD, "open64 [libc.so.6]", OPEN, "do_filp_open [kernel]")
                        .seen(3, LINE, LOAD, CLOSE)
                        .seen(4, LINE, LOAD, READ)
                        .seen(17, LINE, LOAD, "/usr/lib/python3.11/ast.py(50): parse")
                        .seen(2, "data.py(20): score", STAT)
                        .seen(18, "data.py(20): score")
                        .timeline());

        assertThat(finding.costNs()).isEqualTo(us(10) * 32);
        assertThat(finding.claim())
                .isEqualTo(
                        "Opening, reading and closing files one by one takes at least 320 us, 64.0% of the window. The files are small: 73.3% of the operating system's time for them goes to opening, looking up and closing them, the rest to their data.");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place(
                        "one file a call",
                        "numpy/lib/_npyio_impl.py: load, called at data.py:12 batch",
                        us(10) * 30,
                        1));
        assertThat(finding.advice()).contains("one array");
    }

    /** The line that opens a file cannot be told from its neighbours, so only the kernel's time counts. */
    @Test
    void filesThatTheProgramOpensItselfCostTheKernelsTime() {
        Finding finding = found(
                rule, seen(12, LINE, OPEN).seen(4, LINE, READ).seen(84, LINE).timeline());

        assertThat(finding.costNs()).isEqualTo(us(10) * 16);
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("the operating system, near", "data.py:12 batch", us(10) * 16, 1));
    }

    @Test
    void filesWhoseDataTakesTheTimeAreNotSmall() {
        assertThat(clean(rule, seen(5, LINE, OPEN).seen(45, LINE, READ).timeline()))
                .isEqualTo("90.0% of the operating system's time for files is for their data");
    }

    @Test
    void seeksInOneOpenFileAreNoFiles() {
        assertThat(clean(
                        rule,
                        seen(40, LINE, "ksys_lseek [kernel]")
                                .seen(10, LINE, READ)
                                .timeline()))
                .isEqualTo("20.0% of the operating system's time for files is for their data");
    }

    @Test
    void aFewOpenedFilesAreNoFinding() {
        assertThat(clean(rule, seen(12, LINE, OPEN).seen(500, LINE).timeline()))
                .isEqualTo("opening, reading and closing files takes at least 2.3% of the window");
    }

    @Test
    void importsAndRecordingsWithoutNativeSamplesTellNothing() {
        String imports = "<frozen importlib._bootstrap>(1176): _find_and_load";

        assertThat(notApplicable(
                        rule, seen(50, LINE, imports, OPEN).seen(50, LINE).timeline()))
                .isEqualTo("few native samples are in the operating system's calls for files");
    }
}
