package io.inferscope.analyzer.knowledge;

import io.inferscope.timeline.Frame;
import org.jspecify.annotations.Nullable;

/** The roles of one frame, each of which is looked up when it is first asked for. Not thread-safe. */
public final class FrameRoles {
    private final Frame frame;
    private @Nullable String code;
    private @Nullable String withoutClass;

    /** A bit per role, of which there are fewer than 64. */
    private long known;

    private long had;

    public FrameRoles(Frame frame) {
        this.frame = frame;
    }

    public Frame frame() {
        return frame;
    }

    /** Returns native code without its line, other code without folders. */
    public String code() {
        String text = code;
        if (text == null) {
            text = FramePatterns.code(frame);
            code = text;
        }
        return text;
    }

    /** Returns the text that tables compare with their patterns. */
    public String withoutClass() {
        String text = withoutClass;
        if (text == null) {
            text = FramePatterns.withoutClass(frame, code());
            withoutClass = text;
        }
        return text;
    }

    public boolean has(FrameRole role) {
        long bit = 1L << role.ordinal();
        if ((known & bit) == 0) {
            known |= bit;
            had |= role.isIn(frame, withoutClass()) ? bit : 0;
        }
        return (had & bit) != 0;
    }
}
