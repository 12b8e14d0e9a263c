package io.inferscope.analyzer.analysis;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** By what the judged thread got that for which it waited for other threads. */
public final class WaitMeans {
    private WaitMeans() {}

    /** Returns the means with most of the time waited, as far as the giver is known; empty where there is no hand-over to the thread. */
    public static Optional<HandOver> of(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Links links = timeline.links();
        Map<HandOver, Long> waitedNs = new EnumMap<>(HandOver.class);
        for (int link = 0; link < links.count(); link++) {
            int taker = links.toRow(link);
            boolean between = links.kind(link) == LinkKind.HAND_OVER || links.kind(link) == LinkKind.LOCK;
            if (between
                    && timeline.kind(taker) == RowKind.HAND_OVER
                    && timeline.track(taker) == analysis.subjectThread()
                    && timeline.track(links.fromRow(link)) != timeline.track(taker)) {
                waitedNs.merge(
                        HandOver.of(timeline.attribute(taker, Attribute.HAND_OVER)),
                        timeline.durationNs(taker),
                        Long::sum);
            }
        }
        return waitedNs.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey);
    }
}
