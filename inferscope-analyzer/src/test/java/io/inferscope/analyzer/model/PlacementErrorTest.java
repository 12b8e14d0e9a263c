package io.inferscope.analyzer.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Placement.Kind;
import org.junit.jupiter.api.Test;

class PlacementErrorTest {
    private final PlacementError error = new PlacementError();

    /** 3 of 10 in a part of 6: 1.8, from none to all 3. */
    @Test
    void oneRoomIsOffByWhatLogicAllows() {
        add(1, 3, 10, 6);

        assertThat(error.boundNs()).isEqualTo(2);
    }

    /** 9 of 10 in a part of 6: 5.4, from 5 to 6. */
    @Test
    void aFullRoomLeavesLittleChoice() {
        add(1, 900, 1000, 600);

        assertThat(error.boundNs()).isEqualTo(60);
    }

    @Test
    void errorsInsideOneRoomCancel() {
        for (int part = 0; part < 10; part++) {
            add(1, 300, 1000, 100);
        }

        assertThat(error.boundNs()).isZero();
    }

    @Test
    void fewRoomsAddUpByLogic() {
        for (int row = 0; row < 9; row++) {
            add(row, 500, 1000, row % 2 == 0 ? 500 : 400);
        }

        assertThat(error.boundNs()).isEqualTo(5 * 250 + 4 * 200);
    }

    @Test
    void roomsThatAreAllAlikeDoNotTellWhatTheThreadDoesWhere() {
        for (int row = 0; row < 100; row++) {
            add(row, 500, 1000, 500);
        }

        assertThat(error.boundNs()).isEqualTo(100 * 250);
    }

    /** 100 rooms, half of them with a share of 0.4, half of 0.6; chance is 1.96 sqrt(100 x 200 x 200 (or 300)), habit nil. */
    @Test
    void errorsOfManyRoomsAddUpAsVariances() {
        for (int row = 0; row < 100; row++) {
            add(row, 500, 1000, row % 2 == 0 ? 400 : 600);
        }

        assertThat(error.boundNs()).isEqualTo((long) Math.ceil(1.96 * Math.sqrt(100 * 200 * 200)));
    }

    /** The thread is on a CPU in the part and nowhere else: 0.4 x 1000 in a part of 400, where an even spread finds 160. */
    @Test
    void aHabitShowsInRoomsOfDifferentShares() {
        for (int row = 0; row < 100; row++) {
            add(row, row % 2 == 0 ? 400 : 600, 1000, row % 2 == 0 ? 400 : 600);
        }

        assertThat(error.boundNs()).isEqualTo(100 * 240);
    }

    @Test
    void threadsAndKindsHaveRoomsOfTheirOwn() {
        error.add(new Placement(1, Kind.ON_CPU, 5, 500, 1000, 400, null));
        error.add(new Placement(2, Kind.ON_CPU, 6, 500, 1000, 400, null));
        error.add(new Placement(1, Kind.RUNNABLE, 5, 300, 1000, 400, null));
        error.add(new Placement(1, Kind.ON_CPU, 5, 500, 1000, 600, null));
        error.add(new Placement(2, Kind.ON_CPU, 6, 500, 1000, 600, null));

        assertThat(error.boundNs()).isEqualTo(180);
    }

    @Test
    void roomsOfTwoStretchesAreCountedApart() {
        add(1, 500, 1000, 500);
        PlacementError other = new PlacementError();
        other.add(new Placement(1, Kind.ON_CPU, 1, 500, 1000, 500, null));
        error.addAll(other);

        assertThat(error.boundNs()).isEqualTo(500);
    }

    private void add(int row, long totalNs, long roomNs, double partNs) {
        error.add(new Placement(1, Kind.ON_CPU, row, totalNs, roomNs, partNs, null));
    }
}
