package io.inferscope.analyzer.activity;

/** One way to explain a wait by what others did meanwhile. {@link WaitFollower} lists all of them, in order. */
interface WaitRoute {
    /** Passes a wait in parts, which sum to it, and returns true. Passes nothing and returns false if the route leads nowhere. */
    boolean follow(ThreadPiece waiting, WaitFollower.Walk walk, ThreadActivity.Sink to);
}
