package io.inferscope.formats.stacks;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.StackOwner;
import io.inferscope.formats.common.StackSamples;
import io.inferscope.formats.common.TolerantJson;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import java.io.IOException;
import java.util.Arrays;
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

    /** The samples of one sampled profile. They are kept as numbers, because their weights come later in the document. */
    private static final class SpeedscopeSamples {
        private static final int NO_FRAMES = -1;

        /** A frame of the stack has no name, as the file is cut. */
        private static final int LOST = -2;

        private final TimelineBuilder builder;
        private final SpeedscopeFrames frames;
        private final int profile;
        private final SpeedscopeStacks stacks;
        private int[] ids = new int[64];
        private int[] innermost = new int[64];
        private int count;
        private long[] weightsNs = new long[64];
        private int weights;
        private long startNs;
        private long withoutFrames;
        private long withoutFramesNs;

        SpeedscopeSamples(TimelineBuilder builder, SpeedscopeFrames frames, int profile) {
            this.builder = builder;
            this.frames = frames;
            this.profile = profile;
            this.stacks = new SpeedscopeStacks(builder, frames);
        }

        void startsAt(String text) {
            long ns = DecimalTime.ns(text, frames.power(profile));
            if (ns == DecimalTime.INVALID) {
                builder.stats().count(Reason.BAD_TIMESTAMP, -1, "startValue");
            } else {
                startNs = ns;
            }
        }

        /** Reads one stack, the outermost frame first. */
        void stack(JsonParser parser) throws IOException {
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, count * 2);
                innermost = Arrays.copyOf(innermost, count * 2);
            }
            builder.stats().event();
            int stack = NO_FRAMES;
            int last = 0;
            boolean known = true;
            if (parser.currentToken() == JsonToken.START_ARRAY) {
                for (JsonToken at = parser.nextToken();
                        at != JsonToken.END_ARRAY && at != null;
                        at = parser.nextToken()) {
                    int frame = TolerantJson.integer(parser, -1);
                    known = known && stacks.isKnown(frame);
                    int name = known ? stacks.name(frame, stack < 0) : -1;
                    if (name >= 0) {
                        stack = builder.stack(stack, name);
                        last = name;
                    }
                }
            } else {
                builder.stats()
                        .count(Reason.NOT_AN_EVENT, parser.currentLocation().getByteOffset(), "sample");
                parser.skipChildren();
            }
            ids[count] = known ? stack : LOST;
            innermost[count++] = last;
        }

        void weight(JsonParser parser) throws IOException {
            if (weights == weightsNs.length) {
                weightsNs = Arrays.copyOf(weightsNs, weights * 2);
            }
            weightsNs[weights++] = DecimalTime.ns(TolerantJson.text(parser), frames.power(profile));
        }

        boolean isEmpty() {
            return count == 0;
        }

        long withoutFrames() {
            return withoutFrames;
        }

        long withoutFramesNs() {
            return withoutFramesNs;
        }

        /** Places the samples one after the other from the profile's start. */
        void finish(int track) {
            long atNs = startNs;
            for (int i = 0; i < Math.min(count, weights); i++) {
                long ns = weightsNs[i];
                if (ns == DecimalTime.INVALID || atNs > DecimalTime.MAX_NS - Math.max(0, ns)) {
                    builder.stats().count(Reason.BAD_TIMESTAMP, -1, "weight of sample " + i);
                } else if (ns < 0) {
                    builder.stats().count(Reason.NEGATIVE_SPAN, -1, "weight of sample " + i);
                } else {
                    long samples = frames.countsSamples(profile)
                            ? Math.max(1, Math.round((double) ns / StackSamples.ASSUMED_PERIOD_NS))
                            : 1;
                    withoutFrames += ids[i] == NO_FRAMES ? 1 : 0;
                    withoutFramesNs += ids[i] == NO_FRAMES ? ns : 0;
                    StackSamples.add(builder, track, atNs, atNs + ns, ids[i], innermost[i], samples);
                    atNs += ns;
                }
            }
            builder.stats().count(Reason.MISSING_DURATION, Math.max(0, count - weights), -1, "sample without a weight");
        }
    }
}
