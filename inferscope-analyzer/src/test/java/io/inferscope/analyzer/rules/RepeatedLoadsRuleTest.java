package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Evidence;
import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class RepeatedLoadsRuleTest {
    private final Rule rule = new RepeatedLoadsRule();

    @Test
    void countsLoadsOfOneThingAndNamesTheirLine() {
        Finding finding = found(rule, loading("m.pt 1", "m.pt 1", "m.pt 1", "m.pt 1"));

        assertThat(finding.claim())
                .isEqualTo(
                        "The same thing is loaded 4 times at app.py:4 handle (torch.load: m.pt 1); all loads but the "
                                + "first take 30.0 us, 37.5% of the window.");
        assertThat(finding.costNs()).isEqualTo(us(30));
        assertThat(finding.evidence()).containsExactly(new Evidence.Place("loads it", "app.py:4 handle", us(30), 3));
        assertThat(finding.advice()).startsWith("Load it once");
        assertThat(finding.noGainBecause()).endsWith("how much faster the rest runs without it");
    }

    @Test
    void isCleanIfEachLoadIsOfAnotherThing() {
        assertThat(clean(rule, loading("a 1", "b 2", "c 3", "c 4"))).isEqualTo("nothing is loaded 3 times");
    }

    /** Three calls of 10 us, of which 50, 80 and 90 % were tokenized before. */
    @Test
    void theBeginningOfAGrowingTextCountsAsFarAsItWasTokenizedBefore() {
        Finding finding = found(rule, recorded("tokenize", RangeActivity.TOKENIZATION, "", "50", "80", "90"));

        assertThat(finding.claim())
                .isEqualTo(
                        "The same beginning of a growing text is tokenized 3 times at app.py:4 handle; this takes 22.0 us, "
                                + "27.5% of the window.");
        assertThat(finding.evidence())
                .containsExactly(new Evidence.Place("tokenizes it", "app.py:4 handle", us(22), 3));
        assertThat(finding.causes()).containsExactly(LedgerClass.CPU_TOKENIZATION);
        assertThat(finding.advice()).startsWith("Keep the tokens");
    }

    @Test
    void aFileThatTheProgramReadsAgainIsToldWithItsReader() {
        String same = "config.json 1";
        Finding finding = found(rule, recorded("json.load", RangeActivity.UNSPECIFIED, same, same, same, same));

        assertThat(finding.claim()).contains("is loaded 4 times at app.py:4 handle (json.load: config.json 1)");
        assertThat(finding.advice()).startsWith("Load it once");
    }

    @Test
    void isNotApplicableWhereItIsNotRecordedWhatIsLoaded() {
        assertThat(notApplicable(rule, loading("", "", "", ""))).isEqualTo("what is loaded is not recorded");
    }

    /** Rounds of a loop: 10 us of loading and 10 us of other work. */
    private static Timeline loading(String... details) {
        return recorded("torch.load", RangeActivity.LOAD, details);
    }

    private static Timeline recorded(String name, RangeActivity activity, String... details) {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 20.0 * details.length, "main");
        for (int i = 0; i < details.length; i++) {
            fixture.scope("main", 20.0 * i, 20.0 * i + 10, name)
                    .attribute(Attribute.ACTIVITY, activity.ordinal())
                    .where("app.py:4 handle");
            if (!details[i].isEmpty() && activity == RangeActivity.TOKENIZATION) {
                fixture.attribute(Attribute.KNOWN_PERCENT, Long.parseLong(details[i]));
            } else if (!details[i].isEmpty()) {
                fixture.text(Attribute.LOADED, details[i]);
            }
        }
        return fixture.build();
    }
}
