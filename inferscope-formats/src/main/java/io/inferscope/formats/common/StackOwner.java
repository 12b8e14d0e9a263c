package io.inferscope.formats.common;

import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TrackKind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The process and thread of a stack, parsed from names that profilers write.
 *
 * @param process process id, or {@link #UNKNOWN_PROCESS}
 * @param thread thread id, or a name where the file has no id
 * @param name the thread's own name, empty when not known
 */
public record StackOwner(String process, String thread, String name) {
    public static final String UNKNOWN_PROCESS = "program";

    /** All threads of a program together, for files without threads. */
    public static final StackOwner ALL_THREADS = new StackOwner(UNKNOWN_PROCESS, "all", "all threads");

    /** {@code Process 4 Thread 7 "MainThread"}: py-spy's names of speedscope profiles. */
    private static final Pattern PROFILE = Pattern.compile("(?:Process (\\d+) )?Thread (\\S+)(?: \"(.*)\")?");
    /**
     * {@code process 4:"python infer.py"}: py-spy's outermost frame of a process, {@code process 4} ours; the command
     * may hold secrets.
     */
    private static final Pattern PROCESS_FRAME = Pattern.compile("process (\\w+)(?::\".*)?");
    /** {@code thread (7): MainThread}: py-spy's outermost frame of a thread. */
    private static final Pattern THREAD_FRAME = Pattern.compile("thread \\((\\w+)\\)(?:: (.*))?");
    /** {@code [main tid=7]}: async-profiler's outermost frame with option {@code threads}. */
    private static final Pattern ASYNC_FRAME = Pattern.compile("\\[(.*) tid=(\\d+)\\]");
    /** {@code java-4/7}: form of stackcollapse-perf.pl --tid. */
    private static final Pattern PERF_FRAME = Pattern.compile("(.+)-(\\d+)/(\\d+)");

    /** Returns the owner from a profile's name; an unknown form is the thread's name. */
    public static StackOwner ofProfile(String name, int index) {
        Matcher said = PROFILE.matcher(name);
        if (said.matches()) {
            return new StackOwner(or(said.group(1), UNKNOWN_PROCESS), said.group(2), or(said.group(3), ""));
        }
        return new StackOwner(UNKNOWN_PROCESS, name.isEmpty() ? "profile " + index : name, "");
    }

    /** Returns the owner if an outermost frame names a process or thread, null if it is code. */
    public @Nullable StackOwner refinedBy(String frame) {
        Matcher said = PROCESS_FRAME.matcher(frame);
        if (said.matches()) {
            return new StackOwner(said.group(1), thread, name);
        }
        said = THREAD_FRAME.matcher(frame);
        if (said.matches()) {
            return new StackOwner(process, said.group(1), or(said.group(2), ""));
        }
        said = ASYNC_FRAME.matcher(frame);
        if (said.matches()) {
            return new StackOwner(process, said.group(2), said.group(1));
        }
        said = PERF_FRAME.matcher(frame);
        return said.matches() ? new StackOwner(said.group(2), said.group(3), said.group(1)) : null;
    }

    private static String or(@Nullable String text, String otherwise) {
        return text == null ? otherwise : text;
    }

    /** Returns the track of the thread, made and named when new. */
    public int track(TimelineBuilder builder) {
        int parent = builder.track(TrackKind.PROCESS, -1, process);
        int track = builder.track(TrackKind.THREAD, parent, thread);
        if (!name.isEmpty()) {
            builder.trackName(track, name);
        }
        return track;
    }
}
