package io.inferscope.formats.export;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;

/** Names of tracks in exports, in the form of {@code py-spy}, which the importers read. */
final class TrackNames {
    private TrackNames() {}

    private static Track root(Timeline timeline, Track track) {
        return track.parent() < 0 ? track : timeline.tracks().get(track.parent());
    }

    private static boolean isNumber(String key) {
        return !key.isEmpty() && key.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** Returns the owner of a track: {@code process 4:"infer.py"} or {@code device 0}. */
    static String owner(Timeline timeline, Track track) {
        Track root = root(timeline, track);
        if (root.kind() == TrackKind.DEVICE) {
            return "device " + root.key();
        }
        return "process " + root.key() + (isNumber(root.key()) ? ":\"" + root.name() + '"' : "");
    }

    /** Returns the track itself: {@code thread (7): main} or {@code stream 0/7}. */
    static String lane(Track track) {
        if (track.kind() == TrackKind.STREAM) {
            return "stream " + track.key();
        }
        return isNumber(track.key()) ? "thread (" + track.key() + "): " + track.name() : track.name();
    }

    /** Returns both in one: {@code Process 4 Thread 7 "main"} or {@code device 0 stream 7}. */
    static String full(Timeline timeline, Track track) {
        Track root = root(timeline, track);
        if (track.kind() == TrackKind.STREAM) {
            return "device " + root.key() + " stream " + track.key();
        }
        if (!isNumber(track.key())) {
            return track.name();
        }
        String name = track.name().equals(track.key()) ? "" : " \"" + track.name() + '"';
        return (isNumber(root.key()) ? "Process " + root.key() + ' ' : "") + "Thread " + track.key() + name;
    }
}
