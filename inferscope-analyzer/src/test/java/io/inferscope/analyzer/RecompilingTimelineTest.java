package io.inferscope.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Report;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.Seeds;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Programs made up from seeds that load, compile, and compile again between their steps: their main thread waits for a worker or for children, far longer
 * before the steady state than in it.
 */
class RecompilingTimelineTest {
    private static final int SEEDS = 10_000;

    @Test
    void noPartOfAReportIsLostAndNoGainExceedsWhatItIsClaimedOf() {
        int seeds = Seeds.of(SEEDS);
        int gains = 0;
        for (long seed = 0; seed < seeds; seed++) {
            Report report = new Analyzer().analyze(recompiling(new Random(seed)), "recompiling");
            assertThat(report.failures()).as("seed " + seed).isEmpty();
            for (Finding finding : report.findings()) {
                if (finding.gain() != null
                        && finding.of().startsWith(report.judged().what().words())) {
                    gains++;
                    assertThat(finding.gain().highNs())
                            .as("seed " + seed + ", " + finding.rule())
                            .isLessThanOrEqualTo(report.ledgers().get(0).durationNs());
                }
            }
        }
        assertThat(gains).isGreaterThan(seeds / 10);
    }

    private static Timeline recompiling(Random random) {
        TimelineFixture fixture = TimelineFixture.blank();
        double us = 0;
        if (random.nextInt(4) > 0) {
            us = waiting(fixture, random, us, 200 + random.nextInt(3_000), "from_pretrained Model", RangeActivity.LOAD);
        }
        int steps = 5 + random.nextInt(25);
        double stepUs = 5 + random.nextInt(50);
        for (int i = 0; i < steps; i++) {
            if (random.nextInt(4) == 0) {
                String name = random.nextBoolean() ? "compile forward" : "Torch-Compiled Region: 0/" + i;
                us = waiting(fixture, random, us, 1 + random.nextInt(1_000), name, RangeActivity.LOAD);
            }
            double endUs = us + stepUs + random.nextInt(3);
            fixture.scope("main", us, endUs, "forward Model").activity(RangeActivity.MODEL);
            fixture.state("main", us, endUs, endUs - us, 0, WaitReason.UNKNOWN);
            us = endUs;
            if (random.nextInt(3) == 0) {
                us = waiting(fixture, random, us, 1 + random.nextInt(20), "next batch", RangeActivity.DATA_LOADING);
            }
        }
        fixture.scope("main", us, us + 10, "shut down");
        // A wait for nobody knows whom may be for the main thread, which leaves hardly any gain to claim.
        WaitReason rests = random.nextInt(4) == 0 ? WaitReason.UNKNOWN : WaitReason.TIMER;
        fixture.state("worker", 0, us, us * random.nextDouble(), 0, rests);
        return fixture.sample("worker", 0, us, "load.py(3): preprocess").build();
    }

    /** Draws a stretch of the main thread that waits from its begin for a while, mostly for another thread. */
    private static double waiting(
            TimelineFixture fixture, Random random, double us, int lengthUs, String name, RangeActivity activity) {
        double endUs = us + lengthUs;
        double waitsUntilUs = us + random.nextDouble() * lengthUs;
        double runnableUs = random.nextInt(3) == 0 ? random.nextDouble() * (waitsUntilUs - us) : 0;
        WaitReason[] reasons = WaitReason.values();
        fixture.scope("main", us, endUs, name).activity(activity);
        fixture.state("main", us, waitsUntilUs, 0, runnableUs, reasons[random.nextInt(reasons.length)]);
        fixture.state("main", waitsUntilUs, endUs, endUs - waitsUntilUs, 0, WaitReason.UNKNOWN);
        if (random.nextInt(4) > 0) {
            HandOver[] means = HandOver.values();
            fixture.handedOver("worker", "main", us, waitsUntilUs, means[random.nextInt(means.length)]);
        }
        return endUs;
    }
}
