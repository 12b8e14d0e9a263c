package io.inferscope.analyzer.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.List;

/** What one rule says of a timeline whose recording is trusted; its needs are checked as in a real run. */
final class RuleVerdicts {
    private RuleVerdicts() {}

    static Verdict of(Rule rule, Timeline timeline) {
        Verdict verdict = Rules.evaluate(Analysis.of(timeline, Thresholds.defaults()), List.of())
                .get(rule.info());
        if (verdict == null) {
            throw new AssertionError("not in Rules.ALL: " + rule.info().id());
        }
        return verdict;
    }

    /**
     * Returns the rule's own finding, whatever other rules say of the same cause. It must carry evidence and advice, and its templates must be
     * filled.
     */
    static Finding found(Rule rule, Timeline timeline) {
        Verdict verdict = Rules.each(
                        List.of(rule), Analysis.of(timeline, Thresholds.defaults()), List.of(), RuleSettings.DEFAULT)
                .get(rule.info());
        assertThat(verdict).isInstanceOf(Verdict.Found.class);
        Finding finding = ((Verdict.Found) verdict).finding();
        assertThat(finding.rule()).isEqualTo(rule.info().id());
        assertThat(finding.evidence()).isNotEmpty();
        assertThat(finding.advice()).isNotEmpty().doesNotContain("{", "}");
        assertThat(finding.claim()).doesNotContain("{", "}");
        return finding;
    }

    static Finding found(Rule rule, String art) {
        return found(rule, TimelineFixture.draw(art));
    }

    static Finding found(Rule rule, TimelineFixture fixture) {
        return found(rule, fixture.build());
    }

    static Verdict of(Rule rule, TimelineFixture fixture) {
        return of(rule, fixture.build());
    }

    static String clean(Rule rule, TimelineFixture fixture) {
        return clean(rule, fixture.build());
    }

    static String notApplicable(Rule rule, TimelineFixture fixture) {
        return notApplicable(rule, fixture.build());
    }

    /** Returns why the rule finds nothing. */
    static String clean(Rule rule, Timeline timeline) {
        Verdict verdict = of(rule, timeline);
        assertThat(verdict).isInstanceOf(Verdict.Clean.class);
        return ((Verdict.Clean) verdict).because();
    }

    static String clean(Rule rule, String art) {
        return clean(rule, TimelineFixture.draw(art));
    }

    /** Returns why the rule cannot look. */
    static String notApplicable(Rule rule, Timeline timeline) {
        Verdict verdict = of(rule, timeline);
        assertThat(verdict).isInstanceOf(Verdict.NotApplicable.class);
        return ((Verdict.NotApplicable) verdict).because();
    }

    static String notApplicable(Rule rule, String art) {
        return notApplicable(rule, TimelineFixture.draw(art));
    }

    static Evidence count(String label, long value) {
        return new Evidence.Quantity(label, value, "count");
    }

    static Evidence time(String label, long ns) {
        return new Evidence.Quantity(label, ns, "ns");
    }
}
