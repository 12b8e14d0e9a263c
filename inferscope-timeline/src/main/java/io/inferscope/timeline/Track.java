package io.inferscope.timeline;

/**
 * One lane of the timeline: process → thread, device → stream, or counter.
 *
 * @param id index in {@link Timeline#tracks()}
 * @param kind the kind of track
 * @param parent track id of the process or device it belongs to, -1 for none
 * @param key the source's own id: process id, thread id, device, stream; text, because sources use text too
 * @param name a readable name, or the key if the source has none
 */
public record Track(int id, TrackKind kind, int parent, String key, String name) {}
