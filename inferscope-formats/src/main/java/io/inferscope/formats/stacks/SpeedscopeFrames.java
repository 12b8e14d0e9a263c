package io.inferscope.formats.stacks;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        parser.nextToken();
        TolerantJson.members(parser, (name, value) -> {
            if (name.equals("profiles")) {
                profiles(parser);
            } else if (name.equals("shared")) {
                shared(parser);
            } else if (name.equals("exporter")) {
                exporter = TolerantJson.text(parser);
            } else {
                parser.skipChildren();
            }
        });
    }

    private void profiles(JsonParser parser) throws IOException {
        TolerantJson.elements(parser, profile -> {
            units.add("none");
            TolerantJson.members(parser, (name, value) -> {
                String text = TolerantJson.text(parser);
                if (name.equals("unit")) {
                    units.set(units.size() - 1, text);
                }
            });
        });
    }

    private void shared(JsonParser parser) throws IOException {
        TolerantJson.members(parser, (name, value) -> {
            if (name.equals("frames")) {
                TolerantJson.elements(
                        parser,
                        frame ->
                                names.add(frame == JsonToken.START_OBJECT ? frame(parser) : TolerantJson.text(parser)));
            } else {
                parser.skipChildren();
            }
        });
    }

    private static String frame(JsonParser parser) throws IOException {
        Map<String, String> frame = TolerantJson.scalars(parser);
        return Frame.text(
                frame.getOrDefault("name", ""),
                frame.getOrDefault("file", ""),
                TolerantJson.integer(frame.getOrDefault("line", ""), 0));
    }
}
