package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Units;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.Timeline;
import java.util.HashMap;
import java.util.Map;

/**
 * Data that the kernel held back until a delayed acknowledgement.
 *
 * <pre>
 *   sender     send(head) send(body)
 *   receiver   [recv][recv ........................ 40 ms ]   waits although the data was sent
 * </pre>
 *
 * <p>While a segment is unacknowledged, Nagle's algorithm (RFC 896) sends no further small one, and the receiver delays
 * the acknowledgement, on Linux for at least 40 ms ({@code TCP_DELACK_MIN}, HZ/25). Only sockets whose both ends are in
 * the recording show it.
 */
final class DelayedAcks {
    /** Around 40 ms: the calls that are recorded are some us apart, and a busy machine wakes the receiver late. */
    private static final long LEAST_NS = 38_000_000;

    private static final long MOST_NS = 48_000_000;

    /** Fewer may be chance. */
    private static final int LEAST_COUNT = 10;

    private final Map<String, Long> senders = new HashMap<>();
    private final Intervals heldBack;
    private int count;

    private DelayedAcks(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        Links links = timeline.links();
        Stretch judged = analysis.judged().stretch();
        Intervals.Builder all = new Intervals.Builder(0);
        for (int link = 0; link < links.count(); link++) {
            int gives = links.fromRow(link);
            int takes = links.toRow(link);
            if (links.kind(link) == LinkKind.HAND_OVER
                    && timeline.attribute(takes, Attribute.HAND_OVER) == HandOver.SOCKET.ordinal()) {
                long fromNs = Math.max(timeline.startNs(gives), timeline.startNs(takes));
                long toNs = timeline.endNs(takes);
                boolean lasts = toNs - fromNs >= LEAST_NS && toNs - fromNs <= MOST_NS;
                if (lasts && fromNs >= judged.startNs() && toNs <= judged.endNs()) {
                    all.add(fromNs, toNs);
                    senders.merge(analysis.where(gives), toNs - fromNs, Long::sum);
                    count++;
                }
            }
        }
        heldBack = all.build();
    }

    /** Adds to a finding about waits for sockets that most of them are such, if they are. */
    static void explain(FindingBuilder finding, Analysis analysis, long waitedNs) {
        DelayedAcks acks = new DelayedAcks(analysis);
        long ns = acks.heldBack.totalNs();
        if (acks.count < LEAST_COUNT || 2 * ns < waitedNs) {
            return;
        }
        String sender = acks.senders.entrySet().stream()
                .max(Order.comparingByValue())
                .orElseThrow()
                .getKey();
        finding.measure(
                        "held back",
                        " " + Units.count(acks.count) + " times data arrived about 40 ms after it was sent, "
                                + Units.duration(ns) + " in all.")
                .place("sent 40 ms before it arrived", sender, ns, acks.count)
                .advice("Set `TCP_NODELAY` on the socket that sends, or send each message in one piece, its head with "
                        + "its body: TCP holds a small piece back until the one before it is acknowledged, and Linux "
                        + "delays that by 40 ms.");
    }
}
