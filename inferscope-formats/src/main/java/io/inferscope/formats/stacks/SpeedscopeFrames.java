package io.inferscope.formats.stacks;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The first reading of a speedscope document: the names of the frames, the units of the profiles, the exporter. */
final class SpeedscopeFrames implements TolerantJson.Walk {
    private final List<String> names = new ArrayList<>();
    private final List<String> units = new ArrayList<>();
    private String exporter = "";

    /** Returns the frames' names, by index. */
    List<String> names() {
        return names;
    }

    /** Returns the program that wrote the document, empty if not stated. */
    String exporter() {
        return exporter;
    }

    /**
     * Returns the power of ten of the unit of a profile in ns: 9 for seconds. A count has the assumed length of a
     * sample.
     */
    int power(int profile) {
        return switch (unit(profile)) {
            case "seconds" -> 9;
            case "milliseconds" -> 6;
            case "microseconds" -> 3;
            case "nanoseconds" -> 0;
            default -> 7; // 10^7 ns: StackSamples.ASSUMED_PERIOD_NS
        };
    }

    /** Returns whether a profile counts samples instead of measuring time. */
    boolean countsSamples(int profile) {
        return !unit(profile).endsWith("seconds") && !measuresBytes(profile);
    }

    boolean countsSamples() {
        return IntStream.range(0, units.size()).anyMatch(this::countsSamples);
    }

    /** Returns whether every profile measures bytes. */
    boolean measuresBytes() {
        return !units.isEmpty() && IntStream.range(0, units.size()).allMatch(this::measuresBytes);
    }

    /** Returns whether a profile measures memory in place of time. */
    boolean measuresBytes(int profile) {
        return unit(profile).equals("bytes");
    }

    private String unit(int profile) {
        return profile < units.size() ? units.get(profile) : "none";
    }

    @Override
    public void restart() {
        names.clear();
        units.clear();
    }

    @Override
    public void document(JsonParser parser) throws IOException {
        TolerantJson.members(parser, (name, value) -> {
            if (name.equals("profiles") && value == JsonToken.START_ARRAY) {
                profiles(parser);
            } else if (name.equals("shared") && value == JsonToken.START_OBJECT) {
                shared(parser);
            } else if (name.equals("exporter")) {
                exporter = TolerantJson.text(parser);
            } else {
                parser.skipChildren();
            }
        });
    }

    private void profiles(JsonParser parser) throws IOException {
        for (JsonToken at = parser.nextToken(); at != JsonToken.END_ARRAY && at != null; at = parser.nextToken()) {
            units.add("none");
            if (at == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    boolean unit = parser.currentName().equals("unit");
                    parser.nextToken();
                    String text = TolerantJson.text(parser);
                    if (unit) {
                        units.set(units.size() - 1, text);
                    }
                }
            } else {
                parser.skipChildren();
            }
        }
    }

    private void shared(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean frames = parser.currentName().equals("frames");
            if (parser.nextToken() == JsonToken.START_ARRAY && frames) {
                for (JsonToken at = parser.nextToken();
                        at != JsonToken.END_ARRAY && at != null;
                        at = parser.nextToken()) {
                    names.add(at == JsonToken.START_OBJECT ? frame(parser) : TolerantJson.text(parser));
                }
            } else {
                parser.skipChildren();
            }
        }
    }

    private static String frame(JsonParser parser) throws IOException {
        String name = "";
        String file = "";
        int line = 0;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "name" -> name = TolerantJson.text(parser);
                case "file" -> file = TolerantJson.text(parser);
                case "line" -> line = TolerantJson.integer(parser, 0);
                default -> parser.skipChildren();
            }
        }
        return Frame.text(name, file, line);
    }
}
