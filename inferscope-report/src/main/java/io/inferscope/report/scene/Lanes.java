package io.inferscope.report.scene;

import java.util.ArrayList;
import java.util.List;

/** One track of a scene: lanes below each other, with their labels. */
final class Lanes {
    /** The kind of a track; the page knows kinds by their ordinals. */
    enum Kind {
        STEPS,
        DEVICE,
        CAUSES,
        STREAM,
        REQUESTS,
        THREAD,
        SAMPLES
    }

    private final Kind kind;
    private final String label;
    private final String group;
    private final int shown;
    private final List<Lane> lanes = new ArrayList<>();

    /** Makes a track without lanes; {@code shown} of its lanes are visible at first. */
    Lanes(Kind kind, String label, String group, int shown) {
        this.kind = kind;
        this.label = label;
        this.group = group;
        this.shown = shown;
    }

    /** Returns the lane of a depth, the outermost first. */
    Lane lane(int depth) {
        while (lanes.size() <= depth) {
            lanes.add(new Lane());
        }
        return lanes.get(depth);
    }

    /** Returns the first depth from {@code least} on at which nothing reaches beyond {@code startNs}. */
    int free(int least, long startNs) {
        int depth = least;
        while (depth < lanes.size() && !lanes.get(depth).isFreeAt(startNs)) {
            depth++;
        }
        return depth;
    }

    boolean isEmpty() {
        return lanes.stream().allMatch(Lane::isEmpty);
    }

    long leftOut() {
        return lanes.stream().mapToLong(Lane::leftOut).sum();
    }

    long count() {
        return lanes.stream().mapToLong(Lane::count).sum();
    }

    void writeTo(Varints out, Texts texts) {
        out.add(kind.ordinal())
                .add(texts.of(label))
                .add(texts.of(group))
                .add(shown)
                .add(lanes.size());
        lanes.forEach(lane -> lane.writeTo(out));
    }
}
