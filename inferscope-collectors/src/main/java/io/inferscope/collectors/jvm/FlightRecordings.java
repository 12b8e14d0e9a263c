package io.inferscope.collectors.jvm;

import io.inferscope.collectors.host.HostSampler.SeenProcess;
import io.inferscope.collectors.host.ObservedProcesses;
import io.inferscope.collectors.os.ThreadEnd;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes every HotSpot JVM among the observed processes record itself. A thread checks new processes; a JVM is asked
 * once, after it has started. Failures are reported in a COVERAGE record, never thrown.
 */
public final class FlightRecordings {
    private static final long PERIOD_NS = 100_000_000L;

    /** Times after a process was found at which a process not called java is checked for being a JVM. */
    private static final long[] LATE_LOOKS_NS = {0, 1_000_000_000L, 5_000_000_000L};

    /** Longest wait for a JVM to finish starting. */
    private static final long GIVEN_UP_NS = 60_000_000_000L;

    /** Longest sleep. A change among the processes wakes the watching thread earlier. */
    private static final long NOTHING_DUE_NS = 3600_000_000_000L;

    /** Number of attempts, over five seconds, if a JVM does not know the command yet. */
    private static final int MAX_ASKED = 50;

    private static final int MAX_NAMED = 5;
    private static final String SOURCE = "jfr";

    private final ObservedProcesses processes;
    private final RecordingPlan plan;
    private final Map<Integer, Candidate> candidates = new HashMap<>();
    private final List<FlightRecording> started = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Thread thread;
    private volatile boolean stopping;

    private static final class Candidate {
        String program = "";
        long sinceNs;
        int lateLooks;
        int asked;
        String refusal = "";
        boolean decided;

        boolean isNamed() {
            return program.equals("java");
        }

        /** When to look next, on the clock of {@link System#nanoTime}. */
        long dueNs(long nowNs) {
            if (isNamed()) {
                return nowNs + PERIOD_NS;
            }
            return lateLooks < LATE_LOOKS_NS.length ? sinceNs + LATE_LOOKS_NS[lateLooks] : nowNs + NOTHING_DUE_NS;
        }
    }

    /**
     * Starts to watch.
     *
     * @param processes those that are observed
     * @param plan how to record
     */
    public FlightRecordings(ObservedProcesses processes, RecordingPlan plan) {
        this.processes = processes;
        this.plan = plan;
        thread = new Thread(this::run, "inferscope-jvm");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!stopping) {
                processes.awaitChange(look());
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error broken) { // The command continues without it.
            failures.add("watching for JVMs failed: " + broken);
        }
    }

    /** Checks the processes; returns the time until the next check is due, in ns. */
    private long look() {
        List<SeenProcess> running = processes.running();
        forgetAllBut(running.stream().map(SeenProcess::pid).collect(Collectors.toSet()));
        long nowNs = System.nanoTime();
        long leftNs = NOTHING_DUE_NS;
        for (SeenProcess seen : running) {
            Candidate candidate = candidates.computeIfAbsent(seen.pid(), pid -> new Candidate());
            if (!candidate.program.equals(seen.program())) {
                candidate.program = seen.program();
                candidate.sinceNs = nowNs;
                candidate.lateLooks = 0;
                candidate.asked = 0;
                candidate.decided = false;
            }
            if (!candidate.decided) {
                decide(seen, candidate, nowNs);
            }
            if (!candidate.decided) {
                leftNs = Math.min(leftNs, Math.max(1, candidate.dueNs(nowNs) - nowNs));
            }
        }
        return leftNs;
    }

    /** Drops ended processes. A JVM that ended before it could be asked again counts as having refused. */
    private void forgetAllBut(Set<Integer> running) {
        candidates.entrySet().removeIf(entry -> {
            Candidate candidate = entry.getValue();
            boolean forgotten = !running.contains(entry.getKey());
            if (forgotten && !candidate.decided && candidate.asked > 0) {
                failures.add(candidate.refusal);
            }
            return forgotten;
        });
    }

    private void decide(SeenProcess seen, Candidate candidate, long nowNs) {
        boolean named = candidate.isNamed();
        if (!named && candidate.dueNs(nowNs) - nowNs > 0) {
            return;
        }
        candidate.lateLooks++;
        boolean last = named ? nowNs - candidate.sinceNs >= GIVEN_UP_NS : candidate.lateLooks == LATE_LOOKS_NS.length;
        ProcessView process = new ProcessView(seen.pid());
        switch (HotSpot.of(process)) {
            case NONE -> candidate.decided = last || !process.isAlive();
            case STARTING -> {
                candidate.decided = last || !process.isAlive();
                if (last) {
                    failures.add(named(seen) + " did not finish starting, or runs with -Xrs");
                }
            }
            case READY -> {
                candidate.asked++;
                candidate.decided = start(seen, process, candidate);
            }
        }
    }

    /** Returns whether the result is final: a JVM that may have been asked too early is asked again. */
    private boolean start(SeenProcess seen, ProcessView process, Candidate candidate) {
        String why = HotSpot.forbidden(process);
        try {
            if (!why.isEmpty()) {
                throw new AttachRefused(why);
            }
            plan.writeSettings();
            if (!process.sees(plan.settings())) {
                throw new AttachRefused("the spool folder is not visible in its container");
            }
            started.add(FlightRecording.start(process, plan));
        } catch (AttachRefused | IOException e) {
            candidate.refusal = named(seen) + ": " + e.getMessage();
            if (candidate.asked < MAX_ASKED && e instanceof AttachRefused refused && refused.mayBeTooEarly()) {
                return false;
            }
            if (process.isAlive()) {
                failures.add(candidate.refusal);
            }
        }
        return true;
    }

    private static String named(SeenProcess seen) {
        return "pid " + seen.pid() + " (" + seen.program() + ")";
    }

    /** Stops watching, ends the recordings of JVMs that still run, and writes coverage. */
    public void stop(SpoolWriter writer) {
        stopping = true;
        processes.wake();
        ThreadEnd.awaitEnd(thread, 0);
        forgetAllBut(Set.of());
        int complete = 0;
        for (FlightRecording recording : started) {
            String why = recording.stop();
            if (recording.isComplete()) {
                complete++;
            } else if (recording.isPartial()) {
                complete++;
                notes.add("pid " + recording.pid() + " was killed: its recording is kept up to its last second");
            } else {
                String reason = why.isEmpty() ? "it ended without writing its recording" : why;
                failures.add("pid " + recording.pid() + ": " + reason);
            }
        }
        try {
            Files.deleteIfExists(plan.settings());
        } catch (IOException left) {
            // It is deleted with the folder.
        }
        if (complete > 0 || !failures.isEmpty()) {
            int status = failures.isEmpty() ? 0 : 2;
            writer.write(new SpoolRecord.Coverage(SOURCE, why(), complete, failures.size(), 0, status));
        }
    }

    private String why() {
        List<String> all = new ArrayList<>(notes);
        failures.forEach(failure -> all.add("no flight recording of " + failure));
        String rest = all.size() > MAX_NAMED ? "; and " + (all.size() - MAX_NAMED) + " more" : "";
        return String.join("; ", all.subList(0, Math.min(MAX_NAMED, all.size()))) + rest;
    }
}
