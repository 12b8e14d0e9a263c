package io.inferscope.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimelineBuilderTest {
    private static List<String> names(Timeline timeline) {
        List<String> names = new ArrayList<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            names.add(timeline.name(row));
        }
        return names;
    }

    private static String parentName(Timeline timeline, String name) {
        int row = names(timeline).indexOf(name);
        return timeline.parent(row) < 0 ? "" : timeline.name(timeline.parent(row));
    }

    @Test
    void coverageThatSaysNothingIsLeftOut() {
        TimelineFixture fixture = TimelineFixture.blank().scope("main", 0, 1, "x");
        fixture.builder().coverage(new Coverage("probe", 0, 0, ""));
        fixture.builder().coverage(new Coverage("hook:lib.gone", 0, 0, "target not found"));
        fixture.builder().coverage(new Coverage("hook:lib.run", 3, 0, ""));
        fixture.builder().coverage(new Coverage("host", 0, 1, ""));
        assertThat(fixture.build().info().coverage())
                .extracting(Coverage::source)
                .containsExactly("hook:lib.gone", "hook:lib.run", "host");
    }

    @Test
    void rowsAreOrderedByStartAndTheLongerFirst() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 5, 6, "late")
                .scope("main", 0, 2, "short")
                .scope("main", 0, 9, "long")
                .build();

        assertThat(names(timeline)).containsExactly("long", "short", "late");
    }

    @Test
    void rowsThatStartAndEndTogetherNestByKindThenSequenceThenName() {
        TimelineFixture fixture =
                TimelineFixture.blank().call("main", 0, 9, "call").operator("main", 0, 9, "second");
        fixture.builder().attribute(fixture.lastRow(), Attribute.SEQUENCE, 2);
        fixture.operator("main", 0, 9, "first");
        fixture.builder().attribute(fixture.lastRow(), Attribute.SEQUENCE, 1);
        fixture.python("main", 0, 9, "g").python("main", 0, 9, "f").scope("main", 0, 9, "scope");

        assertThat(names(fixture.build())).containsExactly("scope", "f", "g", "first", "second", "call");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void parentsAreThoseThatASearchOfAllEarlierRowsFinds(long seed) {
        Random random = new Random(seed);
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 300; i++) {
            int start = random.nextInt(200);
            int end = start + random.nextInt(random.nextInt(10) == 0 ? 1 : 60);
            if (random.nextInt(8) == 0) {
                fixture.host(RowKind.THREAD_STATE, "main", start, end, "state " + i);
            } else {
                fixture.scope("main", start, end, "row " + i);
            }
        }
        Timeline timeline = fixture.build();
        for (int row = 0; row < timeline.rowCount(); row++) {
            assertThat(timeline.parent(row)).isEqualTo(innermostByStart(timeline, row));
        }
    }

    private static int innermostByStart(Timeline timeline, int row) {
        for (int at = row - 1; at >= 0; at--) {
            if (timeline.track(at) == timeline.track(row)
                    && timeline.kind(at) != RowKind.THREAD_STATE
                    && timeline.durationNs(at) > 0
                    && timeline.endNs(at) > timeline.startNs(row)
                    && timeline.endNs(at) >= timeline.endNs(row)) {
                return at;
            }
        }
        return -1;
    }

    @Test
    void theParentIsTheInnermostRowThatEnclosesAllOfIt() {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10        20        30
                thread main  [outer                        ]
                thread main  .[inner      ]..[next     ]...
                thread main  ..[leaf]......................
                thread main  .........[straddling ]........
                """);

        assertThat(parentName(timeline, "outer")).isEmpty();
        assertThat(parentName(timeline, "inner")).isEqualTo("outer");
        assertThat(parentName(timeline, "leaf")).isEqualTo("inner");
        assertThat(parentName(timeline, "straddling")).isEqualTo("outer");
        assertThat(parentName(timeline, "next")).isEqualTo("outer");
    }

    @Test
    void aRowThatStartsWhereAnotherEndsIsNotInside() {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10
                thread main  [first]AAAAAA
                """);

        assertThat(timeline.parent(1)).isEqualTo(-1);
    }

    @Test
    void aMarkAtTheEndOfARangeIsNotInside() {
        Timeline timeline = TimelineFixture.blank()
                .scope("main", 0, 5, "range")
                .scope("main", 5, 5, "mark")
                .build();

        assertThat(parentName(timeline, "mark")).isEmpty();
    }

    @Test
    void threadStatesAndZeroLengthRowsEncloseNothing() {
        Timeline timeline = TimelineFixture.blank()
                .state("main", 0, 10, 10, 0, WaitReason.UNKNOWN)
                .scope("main", 3, 3, "mark")
                .scope("main", 3, 4, "inside")
                .build();

        assertThat(parentName(timeline, "inside")).isEmpty();
        assertThat(parentName(timeline, "mark")).isEqualTo("inside");
    }

    @Test
    void tracksComeByKindThenByNumberThenByText() {
        Timeline timeline = TimelineFixture.blank()
                .device("10")
                .kernel("7", 0, 1, "k")
                .device("9")
                .kernel("20", 0, 1, "k")
                .kernel("3", 0, 1, "k")
                .kernel("default", 0, 1, "k")
                .scope("main", 0, 1, "s")
                .scope("2", 0, 1, "s")
                .build();

        assertThat(timeline.tracks())
                .extracting(t -> t.kind() + " " + t.key())
                .containsExactly(
                        "PROCESS 1",
                        "THREAD 2",
                        "THREAD main",
                        "DEVICE 9",
                        "STREAM 3",
                        "STREAM 20",
                        "STREAM default",
                        "DEVICE 10",
                        "STREAM 7");
        assertThat(timeline.tracks())
                .allSatisfy(t -> assertThat(timeline.endRow(t.id()) - timeline.firstRow(t.id()))
                        .isEqualTo(t.kind() == TrackKind.PROCESS || t.kind() == TrackKind.DEVICE ? 0 : 1));
    }

    @Test
    void aLaunchIsFoundFromItsOperation() {
        Timeline timeline = TimelineFixture.draw("""
                us           0         10        20
                thread main  LL.LL....GG
                stream 7     ....KK.kk.....CCDD
                links 0-0 1-1 2-2 2-3
                """);

        List<String> launches = new ArrayList<>();
        for (int row = 0; row < timeline.rowCount(); row++) {
            int launch = timeline.links().launchOf(row);
            if (timeline.kind(row).isDeviceOperation()) {
                launches.add(timeline.startNs(row) / 1000 + " by " + timeline.startNs(launch) / 1000);
            } else {
                assertThat(launch).isEqualTo(-1);
            }
        }
        assertThat(launches).containsExactly("4 by 0", "7 by 3", "14 by 9", "16 by 9");
        assertThat(timeline.links().kind(3)).isEqualTo(LinkKind.GRAPH_REPLAY);
    }

    @Test
    void aLaunchIsFoundAmongOtherLinksToTheSameOperation() {
        TimelineFixture fixture = TimelineFixture.drawing("""
                us           0         10        20
                thread main  LL
                stream 7     ..K.k.K.k.K
                """);
        int operation = fixture.lastRow();
        for (int earlier = operation - 1; earlier > 0; earlier--) {
            fixture.builder().link(LinkKind.EVENT_WAIT, earlier, operation, 100);
        }
        Timeline timeline = fixture.linked(0, operation).build();

        assertThat(timeline.links().count()).isEqualTo(5);
        assertThat(timeline.links().launchOf(operation)).isZero();
        assertThat(timeline.links().launchOf(operation - 1)).isEqualTo(-1);
    }

    @Test
    void attributesAreAbsentWhereNotSet() {
        Timeline timeline = TimelineFixture.blank()
                .h2d("7", 0, 1, "Memcpy HtoD (Pageable -> Device)")
                .bytes(4096)
                .kernel("7", 2, 3, "k")
                .build();

        assertThat(timeline.attribute(0, Attribute.SIZE_BYTES)).isEqualTo(4096);
        assertThat(timeline.attributeText(0, Attribute.MEMORY_KINDS)).isEqualTo("Pageable -> Device");
        assertThat(timeline.attribute(1, Attribute.SIZE_BYTES)).isEqualTo(Attribute.ABSENT);
        assertThat(timeline.attributeText(1, Attribute.MEMORY_KINDS)).isEmpty();
        assertThat(timeline.has(Attribute.INPUT_DIMS)).isFalse();
    }

    @Test
    void aRowThatEndsBeforeItStartsIsRefused() {
        TimelineBuilder builder = new TimelineBuilder();

        assertThatThrownBy(() -> builder.row(RowKind.KERNEL, 0, 5, 4, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[5, 4)");
    }

    @Test
    void clearingForgetsEverything() {
        TimelineFixture fixture =
                TimelineFixture.drawing("""
                us           0         10
                thread main  LL
                stream 7     ....HH
                links in order
                bytes H = 1
                """).property("rank", "0").damaged(ImportStats.Reason.FLOW, 3);
        fixture.builder().clear();
        fixture.scope("main", 0, 1, "only");

        Timeline timeline = fixture.build();
        assertThat(names(timeline)).containsExactly("only");
        assertThat(timeline.correlation(0)).isZero();
        assertThat(timeline.links().count()).isZero();
        assertThat(timeline.properties()).isEmpty();
        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(timeline.has(Attribute.MEMORY_KINDS)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15})
    void theOrderOfTheInputDoesNotMatter(long seed) {
        Random random = new Random(seed);
        List<long[]> rows = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            long startNs = random.nextInt(300);
            rows.add(new long[] {random.nextInt(12), random.nextInt(3), startNs, startNs + random.nextInt(60), i % 17});
        }
        String inOrder = TimelineDump.of(built(rows));
        for (int i = 0; i < 5; i++) {
            Collections.shuffle(rows, random);
            assertThat(TimelineDump.of(built(rows))).isEqualTo(inOrder);
        }
    }

    private static Timeline built(List<long[]> rows) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (long[] row : rows) {
            RowKind kind = RowKind.values()[RowKind.ANNOTATION.ordinal() + (int) row[0]];
            if (kind.isHostActivity()) {
                fixture.hostNs(kind, "t" + row[1], row[2], row[3], "name" + row[4]);
            } else {
                fixture.operationNs(RowKind.KERNEL, "s" + row[1], row[2], row[3], "name" + row[4]);
            }
        }
        return fixture.build();
    }
}
