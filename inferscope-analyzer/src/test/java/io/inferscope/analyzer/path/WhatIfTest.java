package io.inferscope.analyzer.path;

import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.RandomTimeline;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.path.WhatIf.Saving;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.WaitReason;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What replays without a cause save. */
class WhatIfTest {
    /** Longer than any drawing. */
    private static final Stretch WHOLE = new Stretch(Long.MIN_VALUE, Long.MAX_VALUE);

    private static final Intervals ALWAYS = Intervals.of(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2);

    @Test
    void whatOneThreadDoesIsSavedInFull() {
        WhatIf whatIf = whatIf(TimelineFixture.draw("""
                us           0    10   20   30   40
                thread main  [tokenize ][generate  ]
                """));

        assertThat(whatIf.without(Set.of(LedgerClass.CPU_TOKENIZATION), WHOLE))
                .isEqualTo(new Saving(us(22), us(22), us(22)));
    }

    /** The main thread waits 10 us for a worker of 34: without the worker's work its own 24 us remain in the way. */
    @Test
    void savingsEndWhereOtherWorkTakesAsLong() {
        WhatIf whatIf = whatIf(TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate  ]....[generate]
                thread worker  [decode_image   ]
                """)
                .handedOver("worker", "main", 24, 34)
                .build());

        assertThat(whatIf.without(Set.of(LedgerClass.CPU_PREPROCESSING), WHOLE).allNs())
                .isEqualTo(us(10));
        assertThat(whatIf.withoutWaitingForOthers(WHOLE).allNs()).isEqualTo(us(10));
    }

    @Test
    void whatHasSlackSavesNothing() {
        WhatIf whatIf = whatIf(TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [generate   ][generate   ]
                thread worker  [decode]
                """)
                .handedOver("worker", "main", 26, 26)
                .build());

        assertThat(whatIf.without(Set.of(LedgerClass.CPU_PREPROCESSING), WHOLE).allNs())
                .isZero();
    }

    /** Without what the holder computes nothing keeps the GIL, and without the GIL nobody waits for what the holder computes. */
    @Test
    void withoutTheWorkThatHoldsTheGilNobodyWaitsForIt() {
        WhatIf whatIf = whatIf(TimelineFixture.blank()
                .scope("main", 0, 50, "generate")
                .scope("77", 0, 40, "preprocess")
                .state("main", 10, 40, 10, 0, WaitReason.GIL)
                .heldBy(77)
                .build());

        assertThat(whatIf.without(Set.of(LedgerClass.WAIT_GIL), WHOLE).allNs()).isEqualTo(us(20));
        assertThat(whatIf.without(Set.of(LedgerClass.CPU_PREPROCESSING), WHOLE).allNs())
                .isEqualTo(us(20));
    }

    @Test
    void functionsThatExistForTheCauseGoWithIt() {
        WhatIf whatIf = whatIf(TimelineFixture.blank()
                .scope("main", 0, 100, "step")
                .state("main", 0, 40, 10, 0, WaitReason.FILE_IO)
                .state("main", 40, 100, 60, 0, WaitReason.UNKNOWN)
                .sample("main", 0, 40, "feed.py(3): read")
                .sample("main", 40, 100, "feed.py(9): work")
                .build());

        assertThat(whatIf.without(Set.of(LedgerClass.WAIT_IO), WHOLE)).isEqualTo(new Saving(us(30), us(30), us(40)));
    }

    @Test
    void launchesCapturedInAGraphLeaveTheKernelsAndTheirGaps() {
        WhatIf whatIf = whatIf(TimelineFixture.draw("""
                us           0    10   20   30   40
                thread main  LLOOOLLOOOLLOOOLLYYYYYYYY
                stream 7     ..KK...KK...KK...KKKKKKKK
                links in order
                """));
        Set<LedgerClass> launching = EnumSet.of(
                LedgerClass.FRAMEWORK_DISPATCH, LedgerClass.FRAMEWORK_LAUNCH, LedgerClass.FRAMEWORK_LAUNCH_LATENCY);

        assertThat(whatIf.captured(launching, WHOLE, ALWAYS).allNs())
                .as("28 us of kernels are left of 50")
                .isEqualTo(us(22));
        assertThat(whatIf.captured(launching, WHOLE, ALWAYS).namedNs()).isBetween(us(0), us(21));
    }

    @Test
    void aCopyHidesUnderAsMuchComputeAsThereIsAndNoKernelStartsBeforeItsLaunch() {
        WhatIf whatIf = whatIf(TimelineFixture.draw("""
                us           0    10   20   30   40
                thread main  LL...LL..................
                stream 7     ..HHHHHHHHHHHHHHHHKKKKKKK
                links in order
                """));

        assertThat(whatIf.hidden(Set.of(LedgerClass.COPY_H2D), WHOLE)).isEqualTo(new Saving(us(14), us(22), us(22)));
    }

    /** A thread that is started exists from then on: it is no reason why the program could not have been sooner. */
    @Test
    void aStartedThreadBeginsWhenItIsStarted() {
        WhatIf whatIf = whatIf(TimelineFixture.drawing("""
                us             0    10   20   30   40
                thread main    [tokenize  ]......[generate]
                thread worker  ............[work]
                """)
                .handedOver("main", "worker", 24, 24, HandOver.START)
                .handedOver("worker", "main", 26, 36, HandOver.EVENT)
                .build());

        assertThat(whatIf.without(Set.of(LedgerClass.CPU_TOKENIZATION), WHOLE).allNs())
                .isEqualTo(us(24));
    }

    /** The cause ends 8 us after the other thread's time of which nothing is known: 40 us of it lie within. */
    @Test
    void anUnknownWaitMayBeForTheBeginOfACauseThatEndsLater() {
        WhatIf whatIf = whatIf(TimelineFixture.draw("""
                us             0    10   20   30   40   50   60
                thread main    [tokenize               ]LL....
                thread other   ....................LL.........
                thread third   ....................LL.........
                stream 7       .........................KK....
                stream 8       ......................KKKKKKKKK
                stream 9       ......................KKKKKKKKK
                links in order
                """));

        WhatIf.Unknown unknown = whatIf.unknown(Set.of(LedgerClass.CPU_TOKENIZATION), WHOLE);

        assertThat(unknown.ns()).isPositive();
        assertThat(unknown.others()).isEqualTo(1);
    }

    @Test
    void aReplayNeverSavesMoreThanIsTakenOut() {
        RandomTimeline.forEachSeed(200, random -> {
            Analysis analysis = Analysis.of(random.build(), Thresholds.defaults());
            for (LedgerClass ledgerClass : LedgerClass.values()) {
                Saving saving = WhatIf.of(analysis).without(EnumSet.of(ledgerClass), WHOLE);
                assertThat(saving.namedNs()).isBetween(0L, saving.allNs());
                assertThat(saving.moreNs())
                        .isBetween(saving.allNs(), analysis.window().durationNs());
            }
        });
    }

    private static WhatIf whatIf(Timeline timeline) {
        return WhatIf.of(Analysis.of(timeline, Thresholds.defaults()));
    }
}
