package io.inferscope.formats.jfr;

import io.inferscope.formats.common.DecimalTime;
import io.inferscope.formats.common.StackOwner;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ClockDomain;
import io.inferscope.timeline.ImportStats;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo.Coverage;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/** Turns the events of a flight recording, which come in no order, into rows. */
final class JfrEvents {
    /** Reasons of waiting events: JDK, event types of jdk.jfr and metadata.xml. */
    private static final Map<String, WaitReason> WAITS = Map.of(
            "jdk.ThreadPark", WaitReason.FUTEX,
            "jdk.JavaMonitorWait", WaitReason.FUTEX,
            "jdk.JavaMonitorEnter", WaitReason.LOCK,
            "jdk.ThreadSleep", WaitReason.TIMER,
            "jdk.SocketRead", WaitReason.SOCKET,
            "jdk.SocketWrite", WaitReason.SOCKET,
            "jdk.FileRead", WaitReason.FILE_IO,
            "jdk.FileWrite", WaitReason.FILE_IO,
            "jdk.FileForce", WaitReason.FILE_IO);

    /** Fields with the class of the awaited object. */
    private static final List<String> WAITED_FOR = List.of("monitorClass", "parkedClass");

    /**
     * Most rows of pauses. Pauses are repeated on every thread that they stop; beyond this number they are put on one
     * track only.
     */
    private static final long MAX_PAUSE_ROWS = 1_000_000;

    private final TimelineBuilder builder;
    private final long startUnixNs;
    private final JfrStacks stacks;
    private final Map<String, JfrThread> threads = new LinkedHashMap<>();
    private final Map<Long, Long> periodsNs = new HashMap<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final List<Stall> stalls = new ArrayList<>();
    private final List<Sample> counters = new ArrayList<>();
    private String process = StackOwner.UNKNOWN_PROCESS;
    private final @Nullable HostStates states;
    private final String knownProcess;
    private long others;

    private record Pause(long startNs, long endNs, String name) {}

    private record Stall(String thread, Pause pause) {}

    private record Sample(String counter, long atNs, double value) {}

    /**
     * Takes the events of a recording of one JVM, which may be among the processes of a run.
     *
     * @param startUnixNs Unix time of the axis' zero
     * @param pid the JVM's process id, which a JVM in a container does not know; empty to take it from the recording
     * @param states the states measured by the host's recorder
     */
    JfrEvents(TimelineBuilder builder, long startUnixNs, String pid, @Nullable HostStates states) {
        this.builder = builder;
        this.startUnixNs = startUnixNs;
        this.stacks = new JfrStacks(builder);
        this.states = states;
        this.knownProcess = pid;
    }

    ImportStats.Builder stats() {
        return builder.stats();
    }

    void event(RecordedEvent event) {
        String type = event.getEventType().getName();
        WaitReason wait = WAITS.get(type);
        if (wait != null) {
            wait(event, type, wait);
            return;
        }
        switch (type) {
            case "jdk.ExecutionSample", "jdk.NativeMethodSample" -> sample(event);
            case "jdk.ThreadStart", "jdk.ThreadEnd" -> lives(event);
            case "jdk.ZAllocationStall" -> stall(event);
            case "jdk.GCPhasePause" -> pause(event, "GC: " + event.getString("name"));
            case "jdk.ExecuteVMOperation" -> {
                if (event.getBoolean("safepoint")) {
                    pause(event, "safepoint: " + event.getString("operation"));
                }
            }
            case "jdk.CPULoad" -> {
                count("JVM CPU load", event, event.getFloat("jvmUser") + event.getFloat("jvmSystem"));
                count("machine CPU load", event, event.getFloat("machineTotal"));
            }
            case "jdk.GCHeapSummary" -> count("Java heap used, bytes", event, (double) event.getLong("heapUsed"));
            case "jdk.JVMInformation" -> process = Long.toString(event.getLong("pid"));
            case "jdk.ActiveSetting" -> setting(event);
            default -> others++;
        }
    }

    private long axisNs(Instant instant) {
        long unixNs = Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
        return Math.subtractExact(unixNs, startUnixNs);
    }

    private boolean isUsable(RecordedEvent event, long startNs, long endNs) {
        boolean usable = Math.abs(startNs) <= DecimalTime.MAX_NS && endNs <= DecimalTime.MAX_NS;
        String type = event.getEventType().getName();
        if (!usable) {
            builder.stats().count(Reason.BAD_TIMESTAMP, -1, type);
        } else if (endNs < startNs) {
            builder.stats().count(Reason.NEGATIVE_SPAN, -1, type);
        }
        return usable && endNs >= startNs;
    }

    private JfrThread thread(RecordedThread thread) {
        String key = threadKey(thread);
        String javaName = thread.getJavaName();
        String name = javaName == null ? thread.getOSName() : javaName;
        return threads.computeIfAbsent(key, k -> new JfrThread(name == null ? "" : name));
    }

    private static String threadKey(RecordedThread thread) {
        long osId = thread.getOSThreadId();
        return osId > 0 ? Long.toString(osId) : "java " + thread.getJavaThreadId();
    }

    private void sample(RecordedEvent event) {
        RecordedThread thread = event.getThread("sampledThread");
        if (thread == null || event.getStackTrace() == null) {
            builder.stats().count(Reason.NOT_AN_EVENT, -1, "sample without thread or stack");
            return;
        }
        long atNs = axisNs(event.getStartTime());
        int stack = stacks.of(event.getStackTrace());
        if (stack >= 0 && isUsable(event, atNs, atNs)) {
            thread(thread)
                    .sample(
                            atNs,
                            stack,
                            stacks.innermostName(),
                            event.getEventType().getId());
        }
    }

    private void lives(RecordedEvent event) {
        long atNs = axisNs(event.getStartTime());
        if (event.getThread("thread") != null && isUsable(event, atNs, atNs)) {
            thread(event.getThread("thread")).seen(atNs, atNs);
        }
    }

    private void wait(RecordedEvent event, String type, WaitReason reason) {
        long startNs = axisNs(event.getStartTime());
        long endNs = axisNs(event.getEndTime());
        if (event.getThread() == null) {
            builder.stats().count(Reason.NOT_AN_EVENT, -1, type + " without thread");
        } else if (isUsable(event, startNs, endNs)) {
            thread(event.getThread())
                    .wait(new JfrWait(startNs, endNs, reason, what(event, type), place(event), owner(event)));
        }
    }

    /**
     * Returns the name of a wait: with the class of the awaited object in a run, the event's name only in other
     * recordings.
     */
    private String what(RecordedEvent event, String type) {
        String name = type.substring("jdk.".length());
        for (String field : WAITED_FOR) {
            if (states != null && event.hasField(field) && event.getClass(field) != null) {
                return name + " " + event.getClass(field).getName();
            }
        }
        return name;
    }

    private int place(RecordedEvent event) {
        return event.getStackTrace() == null ? -1 : stacks.of(event.getStackTrace());
    }

    private static long owner(RecordedEvent event) {
        RecordedThread owner = event.hasField("previousOwner") ? event.getThread("previousOwner") : null;
        return owner == null ? 0 : Math.max(0, owner.getOSThreadId());
    }

    private void stall(RecordedEvent event) {
        long startNs = axisNs(event.getStartTime());
        long endNs = axisNs(event.getEndTime());
        if (event.getThread() != null && isUsable(event, startNs, endNs)) {
            thread(event.getThread()).seen(startNs, endNs);
            stalls.add(new Stall(threadKey(event.getThread()), new Pause(startNs, endNs, "GC: allocation stall")));
        }
    }

    private void pause(RecordedEvent event, String name) {
        long startNs = axisNs(event.getStartTime());
        long endNs = axisNs(event.getEndTime());
        if (isUsable(event, startNs, endNs)) {
            pauses.add(new Pause(startNs, endNs, name));
        }
    }

    private void count(String counter, RecordedEvent event, double value) {
        long atNs = axisNs(event.getStartTime());
        if (isUsable(event, atNs, atNs)) {
            counters.add(new Sample(counter, atNs, value));
        }
    }

    /** {@code 20 ms}; other values, such as {@code everyChunk}, are not periods. */
    private void setting(RecordedEvent event) {
        if ("period".equals(event.getString("name"))) {
            String[] words = String.valueOf(event.getString("value")).split(" ", -1);
            int power = words.length != 2
                    ? -1
                    : switch (words[1]) {
                        case "s" -> 9;
                        case "ms" -> 6;
                        case "us" -> 3;
                        case "ns" -> 0;
                        default -> -1;
                    };
            long ns = power < 0 ? DecimalTime.INVALID : DecimalTime.ns(words[0], power);
            if (ns > 0) {
                periodsNs.put(event.getLong("id"), ns);
            }
        }
    }

    /** Adds the rows at the end, when all threads, pauses and periods are known. */
    void finish() {
        int processTrack = builder.track(TrackKind.PROCESS, -1, knownProcess.isEmpty() ? process : knownProcess);
        threads.values().removeIf(JfrThread::isEmpty);
        boolean everywhere = (long) pauses.size() * threads.size() <= MAX_PAUSE_ROWS;
        threads.forEach((key, thread) -> {
            int track = builder.track(TrackKind.THREAD, processTrack, key);
            if (!thread.name().isEmpty()) {
                builder.trackName(track, thread.name());
            }
            thread.addTo(builder, track, periodsNs, states);
            stalls.stream().filter(stall -> stall.thread.equals(key)).forEach(stall -> pauseRow(track, stall.pause));
            if (everywhere) {
                pauses.stream().filter(p -> thread.isAliveAt(p.startNs)).forEach(p -> pauseRow(track, p));
            }
        });
        if (!everywhere || threads.isEmpty()) {
            int track = builder.track(TrackKind.THREAD, processTrack, "pauses");
            pauses.forEach(p -> pauseRow(track, p));
        }
        for (Sample sample : counters) {
            int track = builder.track(TrackKind.COUNTER, processTrack, sample.counter);
            int row = builder.row(RowKind.COUNTER, track, sample.atNs, sample.atNs, builder.name(sample.counter));
            builder.attribute(row, Attribute.COUNTER_VALUE, Double.doubleToRawLongBits(sample.value));
        }
        builder.originUnixNs(startUnixNs);
        builder.clockDomain(new ClockDomain("jfr", 0, -1));
        builder.coverage(new Coverage("flight recording events of other types", others, 0, ""));
    }

    private void pauseRow(int track, Pause pause) {
        builder.row(RowKind.GC, track, pause.startNs, pause.endNs, builder.name(pause.name));
    }
}
