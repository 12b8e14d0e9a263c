package io.inferscope.analyzer.tables;

import io.inferscope.timeline.Timeline;
import java.util.Arrays;

/**
 * How often each name id was seen: a hash table with open addressing, because a map would box an id and a count per
 * row.
 */
final class IdCounts {
    private static final int FREE = -1;

    private int[] ids = new int[8];
    private int[] counts = new int[8];
    private int size;

    IdCounts() {
        Arrays.fill(ids, FREE);
    }

    /** Counts a name id, 0 or larger. */
    void add(int id) {
        if (2 * size >= ids.length) {
            grow();
        }
        int slot = slot(id);
        if (ids[slot] == FREE) {
            ids[slot] = id;
            size++;
        }
        counts[slot]++;
    }

    private int slot(int id) {
        int slot = (id * 0x9E3779B9) >>> 1 & (ids.length - 1);
        while (ids[slot] != FREE && ids[slot] != id) {
            slot = (slot + 1) & (ids.length - 1);
        }
        return slot;
    }

    private void grow() {
        int[] oldIds = ids;
        int[] oldCounts = counts;
        ids = new int[2 * oldIds.length];
        counts = new int[2 * oldIds.length];
        Arrays.fill(ids, FREE);
        for (int i = 0; i < oldIds.length; i++) {
            if (oldIds[i] != FREE) {
                int slot = slot(oldIds[i]);
                ids[slot] = oldIds[i];
                counts[slot] = oldCounts[i];
            }
        }
    }

    /** Returns the most frequent text; of several, the first in sort order; empty without any. */
    String mostFrequent(Timeline timeline) {
        String best = "";
        int most = 0;
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != FREE && counts[i] >= most) {
                String text = timeline.text(ids[i]);
                if (counts[i] > most || text.compareTo(best) < 0) {
                    best = text;
                    most = counts[i];
                }
            }
        }
        return best;
    }
}
