package io.inferscope.analyzer.activity;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;

/** A wait for one socket is a wait for the process at its other end: for what its threads do around the wait. */
record SocketWaits(Timeline timeline, Threads threads) implements WaitRoute {
    @Override
    public boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to) {
        int state = waiting.stateRow();
        boolean isSocket = state >= 0
                && WaitReason.of(timeline, state) == WaitReason.SOCKET
                && timeline.attribute(state, Attribute.OTHER_THREAD) != Attribute.ABSENT;
        if (!isSocket) {
            return false;
        }
        int own = threads.process(waiting.thread());
        long pid = timeline.attribute(state, Attribute.OTHER_THREAD);
        int peer = timeline.knownTrack(
                TrackKind.PROCESS, timeline.tracks().get(own).parent(), Long.toString(pid));
        return peer >= 0 && peer != own && walk.toWork(waiting, threads.of(peer), to);
    }
}
