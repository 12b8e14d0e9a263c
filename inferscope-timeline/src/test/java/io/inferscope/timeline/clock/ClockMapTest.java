package io.inferscope.timeline.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockMapTest {
    private static final long S = 1_000_000_000L;
    private static final long UNIX = 1_760_000_000L * S;

    @Test
    void stampsBetweenAnchorsAreInterpolated() {
        ClockMap map = ClockMap.fit(List.of(anchor(UNIX, 10 * S), anchor(UNIX + S + 100_000, 11 * S)));
        assertThat(map.toAxisNs(UNIX)).isEqualTo(10 * S);
        assertThat(map.toAxisNs(UNIX + S + 100_000)).isEqualTo(11 * S);
        assertThat(map.toAxisNs(UNIX + (S + 100_000) / 2)).isEqualTo(10 * S + S / 2);
    }

    @Test
    void stampsOutsideKeepTheNearestOffset() {
        ClockMap map = ClockMap.fit(List.of(anchor(UNIX, 10 * S), anchor(UNIX + S + 100_000, 11 * S)));
        assertThat(map.toAxisNs(UNIX - 5 * S)).isEqualTo(5 * S);
        assertThat(map.toAxisNs(UNIX + 3 * S + 100_000)).isEqualTo(13 * S);
    }

    @Test
    void oneBadReadingIsRejected() {
        List<ClockAnchor> anchors = steady(10);
        anchors.set(4, anchor(UNIX + 4 * S + 30_000_000, 4 * S));
        ClockMap map = ClockMap.fit(anchors);
        assertThat(map.rejected()).isEqualTo(1);
        assertThat(map.anchors()).isEqualTo(9);
        assertThat(map.toAxisNs(UNIX + 4 * S)).isEqualTo(4 * S);
    }

    @Test
    void steppedClockKeepsTheLongerSide() {
        List<ClockAnchor> anchors = new ArrayList<>(steady(10));
        for (int i = 7; i < 10; i++) {
            anchors.set(i, anchor(UNIX + i * S - 3600 * S, i * S));
        }
        ClockMap map = ClockMap.fit(anchors);
        assertThat(map.rejected()).isEqualTo(3);
        assertThat(map.originNs()).isEqualTo(UNIX);
    }

    @Test
    void slewedClockIsFollowed() {
        List<ClockAnchor> anchors = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            anchors.add(anchor(UNIX + i * S + i * 400_000L, i * S)); // 400 ppm
        }
        ClockMap map = ClockMap.fit(anchors);
        assertThat(map.rejected()).isZero();
        assertThat(map.toAxisNs(UNIX + 19 * S + 19 * 400_000L)).isEqualTo(19 * S);
    }

    @Test
    void errorBoundIsBracketPlusWorstPrediction() {
        List<ClockAnchor> anchors = List.of(
                new ClockAnchor(UNIX, 0, 100),
                new ClockAnchor(UNIX + S + 50, S, 300),
                new ClockAnchor(UNIX + 2 * S, 2 * S, 100));
        assertThat(ClockMap.fit(anchors).errorBoundNs()).isEqualTo(350);
    }

    @Test
    void withOneAnchorTheDriftIsUnknown() {
        ClockMap map = ClockMap.fit(List.of(anchor(UNIX, 10 * S)));
        assertThat(map.errorBoundNs()).isEqualTo(-1);
        assertThat(map.toAxisNs(UNIX + 5)).isEqualTo(10 * S + 5);
    }

    @Test
    void noAnchorIsAnError() {
        assertThatThrownBy(() -> ClockMap.fit(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void mappingNeverGoesBackwardsAndStaysWithinItsBound(long seed) {
        Random random = new Random(seed);
        List<ClockAnchor> anchors = new ArrayList<>();
        double offset = UNIX;
        List<long[]> truth = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            offset += random.nextGaussian() * 20_000;
            long axis = i * S / 10 * 2;
            long uncertainty = 50L + random.nextInt(500);
            long error = random.nextLong(2 * uncertainty + 1) - uncertainty;
            anchors.add(new ClockAnchor(Math.round(offset) + axis + error, axis, uncertainty));
            truth.add(new long[] {Math.round(offset) + axis, axis});
        }
        Collections.shuffle(anchors, random);
        ClockMap map = ClockMap.fit(anchors);
        long last = Long.MIN_VALUE;
        for (long source = UNIX - S; source < UNIX + 70 * S; source += 7_654_321) {
            long axis = map.toAxisNs(source);
            assertThat(axis).isGreaterThanOrEqualTo(last);
            last = axis;
        }
        assertThat(map.rejected()).isLessThan(30);
        for (long[] moment : truth) {
            assertThat(Math.abs(map.toAxisNs(moment[0]) - moment[1])).isLessThanOrEqualTo(map.errorBoundNs());
        }
    }

    private static List<ClockAnchor> steady(int count) {
        List<ClockAnchor> anchors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            anchors.add(anchor(UNIX + i * S, i * S));
        }
        return anchors;
    }

    private static ClockAnchor anchor(long sourceNs, long axisNs) {
        return new ClockAnchor(sourceNs, axisNs, 200);
    }
}
