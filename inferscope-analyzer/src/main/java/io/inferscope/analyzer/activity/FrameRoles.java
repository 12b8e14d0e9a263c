package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Frame;
import java.util.EnumSet;
import java.util.Set;

/** The roles of one frame, each of which is looked up when it is first asked for. Not thread-safe. */
final class FrameRoles {
    private final Frame frame;
    private final String code;
    private final String withoutClass;
    private final Set<FrameRole> known = EnumSet.noneOf(FrameRole.class);
    private final Set<FrameRole> had = EnumSet.noneOf(FrameRole.class);

    FrameRoles(Frame frame) {
        this.frame = frame;
        this.code = FramePatterns.code(frame);
        this.withoutClass = FramePatterns.withoutClass(frame, code);
    }

    Frame frame() {
        return frame;
    }

    /** Returns native code without its line, other code without folders. */
    String code() {
        return code;
    }

    /** Returns the text that tables compare with their patterns. */
    String withoutClass() {
        return withoutClass;
    }

    boolean has(FrameRole role) {
        if (known.add(role) && role.isIn(frame, withoutClass)) {
            had.add(role);
        }
        return had.contains(role);
    }
}
