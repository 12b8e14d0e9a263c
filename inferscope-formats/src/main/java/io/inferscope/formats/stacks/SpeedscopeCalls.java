package io.inferscope.formats.stacks;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The calls of one evented profile: each frame opened and closed is a measured call. A close ends the innermost open
 * call of its frame and every call inside it.
 */
final class SpeedscopeCalls {
    private final TimelineBuilder builder;
    private final SpeedscopeFrames frames;
    private final int profile;
    private final SpeedscopeStacks names;
    private final List<Call> calls = new ArrayList<>();
    private final List<Call> open = new ArrayList<>();
    private final Map<Integer, Integer> openByFrame = new HashMap<>();
    private long lastNs = Long.MIN_VALUE;

    private static final class Call {
        private final int frame;
        private final long startNs;
        private long endNs;

        Call(int frame, long startNs) {
            this.frame = frame;
            this.startNs = startNs;
            this.endNs = startNs;
        }
    }

    SpeedscopeCalls(TimelineBuilder builder, SpeedscopeFrames frames, int profile) {
        this.builder = builder;
        this.frames = frames;
        this.profile = profile;
        this.names = new SpeedscopeStacks(builder, frames);
    }

    /** Reads {@code {"type": "O" or "C", "frame": 3, "at": 1.5}}. */
    void event(JsonParser parser) throws IOException {
        long offset = parser.currentLocation().getByteOffset();
        builder.stats().event();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            builder.stats().count(Reason.NOT_AN_EVENT, offset, "");
            parser.skipChildren();
            return;
        }
        String type = "";
        int frame = -1;
        long atNs = DecimalTime.INVALID;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "type" -> type = TolerantJson.text(parser);
                case "frame" -> frame = TolerantJson.integer(parser, -1);
                case "at" -> atNs = DecimalTime.ns(TolerantJson.text(parser), frames.power(profile));
                default -> parser.skipChildren();
            }
        }
        if (atNs == DecimalTime.INVALID) {
            builder.stats().count(Reason.BAD_TIMESTAMP, offset, type);
        } else {
            apply(type, frame, Math.max(lastNs, atNs), offset);
        }
    }

    private void apply(String type, int frame, long atNs, long offset) {
        lastNs = atNs;
        if (type.equals("O")) {
            Call call = new Call(frame, atNs);
            calls.add(call);
            open.add(call);
            openByFrame.merge(frame, 1, Integer::sum);
        } else if (!type.equals("C")) {
            builder.stats().count(Reason.UNKNOWN_PHASE, offset, type);
        } else if (openByFrame.getOrDefault(frame, 0) == 0) {
            builder.stats().count(Reason.UNMATCHED_END, offset, "frame " + frame);
        } else {
            Call call;
            do {
                call = close(atNs);
                boolean own = call.frame == frame;
                builder.stats().count(Reason.UNCLOSED_BEGIN, own ? 0 : 1, offset, "frame " + call.frame);
            } while (call.frame != frame);
        }
    }

    private Call close(long atNs) {
        Call call = open.remove(open.size() - 1);
        call.endNs = atNs;
        openByFrame.merge(call.frame, -1, Integer::sum);
        return call;
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    void finish(int track) {
        builder.stats().count(Reason.UNCLOSED_BEGIN, open.size(), -1, "call still open at the end");
        while (!open.isEmpty()) {
            close(lastNs);
        }
        for (Call call : calls) {
            if (names.isKnown(call.frame)) {
                int name = names.name(call.frame, false);
                builder.row(RowKind.PYTHON_FUNCTION, track, call.startNs, call.endNs, name);
            }
        }
    }
}
