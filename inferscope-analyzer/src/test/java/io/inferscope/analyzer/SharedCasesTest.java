package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.analyzer.model.BoundVerdict.Bound;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.formats.Formats;
import io.inferscope.timeline.fixture.SharedTraces;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings that were only half read: cut, damaged, with one bad record, in an odd encoding. What is right is worked out by hand. */
@Tag("traces")
class SharedCasesTest {
    private static final long US = 1000;

    static Stream<Case> cases() {
        return Stream.of(
                undamaged("malformed-inf-unquoted").loses(0),
                undamaged("malformed-quote-in-name").loses(1),
                undamaged("utf16-with-bom").loses(0),
                undamaged("annotation-without-end").loses(1).without("outside-span"),
                undamaged("negative-length-operators").saying("15"),
                undamaged("every-event-twice").saying("twice"),
                new Case("kineto-cut-part-of-kernels")
                        .verdict(Bound.GPU)
                        .span(20_050 * US, 19_655 * US)
                        .without("outside-span", "python-dominates", "gpu-idle"),
                new Case("kineto-cut-calls-and-kernels")
                        .verdict(Bound.GPU)
                        .without("outside-span", "python-dominates", "gpu-idle"),
                new Case("kernel-ends-seconds-late")
                        .verdict(Bound.CPU)
                        .span(-1, 28_740 * US)
                        .loses(1),
                new Case("kernels-without-times").withheldFor("20 of 210", "no times"),
                new Case("xpu-launches-without-kernels").withheldFor("600 of 620 launch and copy calls"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatIsSaidIsRight(Case one) throws Exception {
        Path file = SharedTraces.folder().resolve("cases").resolve(one.name + ".json.gz");
        one.check(new Analyzer().analyze(Formats.importers().load(file), one.name));
    }

    @Test
    void aPointerOfGitLfsIsNamed() {
        Path file = SharedTraces.folder().resolve("cases").resolve("git-lfs-pointer.json.gz");

        assertThatThrownBy(() -> Formats.importers().load(file))
                .isInstanceOf(ImportException.class)
                .hasMessageContaining("Git LFS")
                .hasMessageContaining("git lfs pull");
    }

    /** The document of which several cases are damaged copies. */
    private static Case undamaged(String name) {
        return new Case(name)
                .verdict(Bound.CPU)
                .span(42_403 * US, 24_014 * US)
                .places("serve.py:55 sample_and_detokenize");
    }

    /** One recording, and what must be said of it. */
    static final class Case {
        private final String name;
        private Bound verdict = Bound.WITHHELD;
        private long spanNs = -1;
        private long busyNs = -1;
        private long lost = -1;
        private final List<String> reasons = new ArrayList<>();
        private final List<String> places = new ArrayList<>();
        private final List<String> damage = new ArrayList<>();
        private final List<String> absent = new ArrayList<>();

        Case(String name) {
            this.name = name;
        }

        Case verdict(Bound bound) {
            verdict = bound;
            return this;
        }

        /** Expects the device's span and busy time to a thousandth; a negative one is not looked at. */
        Case span(long ns, long busy) {
            spanNs = ns;
            busyNs = busy;
            return this;
        }

        Case loses(long events) {
            lost = events;
            return this;
        }

        Case withheldFor(String... texts) {
            reasons.addAll(List.of(texts));
            return this;
        }

        Case places(String... texts) {
            places.addAll(List.of(texts));
            return this;
        }

        /** Expects a word about what the import repaired or dropped. */
        Case saying(String... texts) {
            damage.addAll(List.of(texts));
            return this;
        }

        Case without(String... rules) {
            absent.addAll(List.of(rules));
            return this;
        }

        void check(Report report) {
            assertThat(report.verdict().bound())
                    .as(() -> report.verdict().claim())
                    .isEqualTo(verdict);
            if (verdict == Bound.WITHHELD) {
                assertThat(reasons).allMatch(report.verdict().because().get(0)::contains);
            }
            report.rows(Report.DEVICES).stream().limit(1).forEach(device -> {
                near(device.spanNs(), spanNs);
                near(device.busyNs(), busyNs);
            });
            if (lost >= 0) {
                assertThat(report.importStats().count(io.inferscope.timeline.ImportStats.Effect.DROPPED))
                        .as(() -> report.importStats().damage())
                        .isEqualTo(lost);
            }
            assertThat(damage).allMatch(report.importStats().damage()::contains);
            assertThat(report.findings())
                    .extracting(Finding::rule)
                    .doesNotContainAnyElementsOf(absent.isEmpty() ? List.of("") : absent);
            assertThat(places).allMatch(report.findings().toString()::contains);
        }

        private static void near(long ns, long expectedNs) {
            if (expectedNs >= 0) {
                assertThat(ns).isBetween(expectedNs - expectedNs / 1000, expectedNs + expectedNs / 1000);
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
