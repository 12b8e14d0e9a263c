package io.inferscope.analyzer.trust;

import io.inferscope.analyzer.analysis.Threshold;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.merge.TimelineMerge;
import java.util.Arrays;

/**
 * Launches that share a correlation id. A recorder numbers launches, so no two have one number. Where they do, events
 * of several recordings, such as of two ranks, are in one file, and operations are taken for work of the wrong launch.
 * A launch of the runtime and the call of the driver inside it share a number but not a name; graph launches, which may
 * share one by a defect of libcupti, are linked as replays.
 */
final class SharedIds {
    static final Threshold SHARED =
            new Threshold("trust.shared-ids.share", 0.10, "launches whose correlation id is also another launch's");

    private SharedIds() {}

    /** Returns what shows that a file holds several recordings, empty if nothing does. */
    static String of(RecordingFacts recorded) {
        Timeline timeline = recorded.timeline();
        boolean merged =
                timeline.properties().containsKey(TimelineMerge.SOURCE + "0.name"); // Each file has ids of its own.
        if (merged || !hasUnclearLinks(timeline.links())) {
            return "";
        }
        long[] keys = Arrays.stream(recorded.analysis().apiCalls())
                .filter(recorded.analysis()::isLaunch)
                .filter(row -> timeline.correlation(row) != 0)
                .mapToLong(row -> timeline.correlation(row) << Integer.SIZE | timeline.nameId(row))
                .sorted()
                .toArray();
        long shared = 0;
        for (int i = 0; i < keys.length; i++) {
            boolean again = i > 0 && keys[i] == keys[i - 1];
            shared += again || (i + 1 < keys.length && keys[i] == keys[i + 1]) ? 1 : 0;
        }
        return shared <= recorded.threshold(SHARED) * keys.length
                ? ""
                : Check.part(shared, keys.length, "launches", "have the correlation id of another one")
                        + ": the file holds several recordings, such as of two ranks, and it is not known whose work an"
                        + " operation is";
    }

    private static boolean hasUnclearLinks(Links links) {
        for (int i = 0; i < links.count(); i++) {
            if (links.kind(i) == LinkKind.LAUNCH && links.confidencePercent(i) < 100) {
                return true;
            }
        }
        return false;
    }
}
