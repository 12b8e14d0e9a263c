package io.inferscope.timeline;

import java.util.ArrayList;
import java.util.List;

/** Edges in the order they were added. */
final class LinkStore {
    private record Edge(LinkKind kind, int from, int to, int confidencePercent) {}

    private final List<Edge> edges = new ArrayList<>();

    void clear() {
        edges.clear();
    }

    void add(LinkKind kind, int from, int to, int confidencePercent) {
        edges.add(new Edge(kind, from, to, confidencePercent));
    }

    Links frozen(int[] newRow) {
        List<Edge> sorted = new ArrayList<>(edges.size());
        for (Edge edge : edges) {
            sorted.add(new Edge(edge.kind, newRow[edge.from], newRow[edge.to], edge.confidencePercent));
        }
        sorted.sort((a, b) -> {
            int byTarget = Integer.compare(a.to, b.to);
            int byKind = byTarget != 0 ? byTarget : a.kind.compareTo(b.kind);
            return byKind != 0 ? byKind : Integer.compare(a.from, b.from);
        });
        byte[] kinds = new byte[sorted.size()];
        int[] from = new int[sorted.size()];
        int[] to = new int[sorted.size()];
        byte[] confidence = new byte[sorted.size()];
        for (int i = 0; i < sorted.size(); i++) {
            Edge edge = sorted.get(i);
            kinds[i] = (byte) edge.kind.ordinal();
            from[i] = edge.from;
            to[i] = edge.to;
            confidence[i] = (byte) edge.confidencePercent;
        }
        return new Links(kinds, from, to, confidence);
    }
}
