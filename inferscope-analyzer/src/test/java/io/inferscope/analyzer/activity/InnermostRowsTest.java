package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The innermost row at every instant, against a stack that is walked through anew, for stretches in any order. */
class InnermostRowsTest {
    private static final int LENGTH_US = 200;

    /** By number of a piece that no interval cut: its start, its end and its row. */
    private final Map<Integer, List<Long>> wholePieces = new HashMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void piecesSayForEveryInstantWhichRowIsInnermost(long seed) {
        Random random = new Random(seed);
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 80; i++) {
            int start = random.nextInt(LENGTH_US - 20);
            int end = start + (random.nextInt(8) == 0 ? 0 : random.nextInt(20));
            RowKind kind = random.nextInt(6) == 0 ? RowKind.THREAD_STATE : RowKind.OPERATOR;
            fixture.host(kind, "main", start, end, "row " + i);
        }
        Timeline timeline = fixture.build();
        Track thread = timeline.tracks().stream()
                .filter(t -> t.kind() == TrackKind.THREAD)
                .findFirst()
                .orElseThrow();
        int[] innermost = innermost(timeline, thread.id());
        InnermostRows segments = new InnermostRows(timeline, thread.id(), RowKind::isHostActivity, 80);
        for (int i = 0; i < 200; i++) {
            int from = i < 100 ? 2 * i : random.nextInt(LENGTH_US);
            int to = from + random.nextInt(30);
            assertThat(read(segments, from, to)).isEqualTo(Arrays.copyOfRange(innermost, from, to));
        }
        for (int i = 0; i < 200; i++) {
            int at = random.nextInt(LENGTH_US);
            int start = at;
            int end = at + 1;
            while (start > 0 && innermost[start - 1] == innermost[at]) {
                start--;
            }
            while (end < innermost.length && innermost[end] == innermost[at]) {
                end++;
            }
            if (start > 0 && end < innermost.length) {
                assertThat(segments.wholeNs(at * 1000L)).isEqualTo((end - start) * 1000L);
            }
        }
        assertThat(wholePieces).hasSizeGreaterThan(40);
        long covered = Arrays.stream(innermost).filter(row -> row >= 0).count();
        assertThat(segments.coveredNs()).isEqualTo(covered * 1000);
    }

    /** By microsecond: the innermost row, -1 for none. */
    private static int[] innermost(Timeline timeline, int track) {
        int[] innermost = new int[LENGTH_US + 100];
        for (int us = 0; us < innermost.length; us++) {
            innermost[us] = -1;
            for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
                boolean open = timeline.startNs(row) <= us * 1000L && timeline.endNs(row) > us * 1000L;
                innermost[us] = open && timeline.kind(row).isHostActivity() ? row : innermost[us];
            }
        }
        return innermost;
    }

    private int[] read(InnermostRows segments, int fromUs, int toUs) {
        int[] rows = new int[toUs - fromUs];
        segments.begin(fromUs * 1000L, toUs * 1000L);
        while (segments.next()) {
            int from = (int) (segments.pieceStartNs() / 1000) - fromUs;
            int to = (int) (segments.pieceEndNs() / 1000) - fromUs;
            assertThat(to).isGreaterThan(from);
            Arrays.fill(rows, from, to, segments.pieceRow());
            if (segments.wholePiece() >= 0) {
                assertThat(segments.wholePiece()).isLessThan(segments.mostPieces());
                List<Long> piece = List.of(segments.pieceStartNs(), segments.pieceEndNs(), (long) segments.pieceRow());
                assertThat(wholePieces.computeIfAbsent(segments.wholePiece(), number -> piece))
                        .isEqualTo(piece);
            }
        }
        return rows;
    }
}
