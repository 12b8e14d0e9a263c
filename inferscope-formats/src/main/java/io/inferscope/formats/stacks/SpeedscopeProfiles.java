package io.inferscope.formats.stacks;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.StackOwner;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** The second reading of a speedscope document: each profile becomes a thread with its samples or its calls. */
final class SpeedscopeProfiles implements TolerantJson.Walk {
    private final TimelineBuilder builder;
    private final SpeedscopeFrames frames;
    private final Set<StackOwner> owners = new HashSet<>();
    private int profiles;
    private long withoutFrames;
    private long withoutFramesNs;

    SpeedscopeProfiles(TimelineBuilder builder, SpeedscopeFrames frames) {
        this.builder = builder;
        this.frames = frames;
    }

    @Override
    public void restart() {
        builder.clear();
        owners.clear();
        profiles = 0;
        withoutFrames = 0;
        withoutFramesNs = 0;
    }

    @Override
    public void document(JsonParser parser) throws IOException {
        parser.nextToken();
        TolerantJson.members(parser, (name, value) -> {
            if (name.equals("profiles")) {
                TolerantJson.elements(parser, profile -> profile(parser, profile));
            } else {
                parser.skipChildren();
            }
        });
    }

    /** Returns how much was read, and how much of it has no known frames. */
    Coverage coverage() {
        String program = frames.exporter().isEmpty() ? "" : " by " + frames.exporter();
        return new Coverage(
                "stacks" + program,
                builder.stats().build().eventsRead() - withoutFrames,
                withoutFrames,
                withoutFrames == 0
                        ? ""
                        : "samples without frames, " + withoutFramesNs / 1_000_000
                                + " ms in all: no code ran that the sampler shows, as when an interpreter starts or ends");
    }

    /** Reads a profile. The part before damage is used. */
    private void profile(JsonParser parser, JsonToken first) throws IOException {
        int index = profiles++;
        if (first != JsonToken.START_OBJECT) {
            builder.stats().count(Reason.NOT_AN_EVENT, parser.currentLocation().getByteOffset(), "profile");
        }
        String[] name = {""};
        SpeedscopeSamples samples = new SpeedscopeSamples(builder, frames, index);
        SpeedscopeCalls calls = new SpeedscopeCalls(builder, frames, index);
        try {
            TolerantJson.members(parser, (key, value) -> {
                switch (key) {
                    case "name" -> name[0] = TolerantJson.text(parser);
                    case "startValue" -> samples.startsAt(TolerantJson.text(parser));
                    case "samples" -> TolerantJson.elements(parser, at -> samples.stack(parser));
                    case "weights" -> TolerantJson.elements(parser, at -> samples.weight(parser));
                    case "events" -> TolerantJson.elements(parser, at -> calls.event(parser));
                    default -> parser.skipChildren();
                }
            });
        } finally {
            if (first == JsonToken.START_OBJECT && frames.measuresBytes(index)) {
                builder.stats().count(Reason.NOT_USED, 1, -1, "profile in bytes");
            } else if (!samples.isEmpty() || !calls.isEmpty()) {
                int track = owner(name[0], index).track(builder);
                samples.finish(track);
                withoutFrames += samples.withoutFrames();
                withoutFramesNs += samples.withoutFramesNs();
                calls.finish(track);
            }
        }
    }

    /** Returns a profile's thread. Profiles with equal names are different threads, because their times may overlap. */
    private StackOwner owner(String name, int index) {
        StackOwner owner = StackOwner.ofProfile(name, index);
        if (!owners.add(owner)) {
            owner = new StackOwner(owner.process(), owner.thread() + " #" + index, owner.name());
            owners.add(owner);
        }
        return owner;
    }
}
