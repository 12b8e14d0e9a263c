package io.inferscope.formats.tensorrt;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/** Takes an array of flat objects apart. */
record TrtexecRecords(TimelineBuilder builder, Consumer<Members> sink) implements TolerantJson.Walk {
    /**
     * The scalar members of one object.
     *
     * @param texts values by name
     * @param offsetBytes where the object begins, -1 when not known
     */
    record Members(Map<String, String> texts, long offsetBytes) {
        boolean has(String name) {
            return texts.containsKey(name);
        }

        String text(String name) {
            return texts.getOrDefault(name, "");
        }

        /** Returns a member in ms as ns, {@link DecimalTime#INVALID} if it is missing or not a number. */
        long ns(String name) {
            return DecimalTime.ns(text(name), 6);
        }
    }

    @Override
    public void restart() {
        builder.clear();
    }

    @Override
    public void document(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_ARRAY) {
            builder.stats().count(Reason.NOT_AN_EVENT, 0, "");
            return;
        }
        TolerantJson.elements(parser, value -> {
            builder.stats().event();
            long offsetBytes = parser.currentTokenLocation().getByteOffset();
            if (value == JsonToken.START_OBJECT) {
                sink.accept(new Members(TolerantJson.scalars(parser), offsetBytes));
            } else {
                builder.stats().count(Reason.NOT_AN_EVENT, offsetBytes, "");
                parser.skipChildren();
            }
        });
    }
}
