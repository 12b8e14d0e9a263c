package io.inferscope.collectors.jvm;

import io.inferscope.collectors.host.HostSampler.SeenProcess;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Lets every HotSpot JVM among the observed processes record itself. A thread looks at new processes; a JVM that has finished starting
 * is asked once. What did not work is said in a COVERAGE record, never thrown.
 */
public final class FlightRecordings {
    private static final long PERIOD_MS = 100;

    /** When to look, after it was first seen, whether a process that is not called java has become a JVM, in looks. */
    private static final List<Integer> LATE_LOOKS = List.of(0, 10, 50);

    /** A JVM that has not finished starting after so many looks is given up: one minute. */
    private static final int MAX_LOOKS = 600;

    /** How often a JVM is asked that knows no command for it yet: for five seconds. */
    private static final int MAX_ASKED = 50;

    private static final int MAX_NAMED = 5;
    private static final String SOURCE = "jfr";

    private final Supplier<List<SeenProcess>> processes;
    private final RecordingPlan plan;
    private final Map<Integer, Candidate> candidates = new HashMap<>();
    private final List<FlightRecording> started = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread;

    private static final class Candidate {
        String program = "";
        int looks;
        int asked;
        String refusal = "";
        boolean decided;
    }

    /**
     * Starts to watch.
     *
     * @param processes tells which processes run now
     * @param plan how to record
     */
    public FlightRecordings(Supplier<List<SeenProcess>> processes, RecordingPlan plan) {
        this.processes = processes;
        this.plan = plan;
        thread = new Thread(this::run, "inferscope-jvm");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            do {
                look();
            } while (!stopping.await(PERIOD_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error broken) { // The command goes on without.
            failures.add("watching for JVMs failed: " + broken);
        }
    }

    private void look() {
        List<SeenProcess> running = processes.get();
        forgetAllBut(running.stream().map(SeenProcess::pid).collect(Collectors.toSet()));
        for (SeenProcess seen : running) {
            Candidate candidate = candidates.computeIfAbsent(seen.pid(), pid -> new Candidate());
            if (!candidate.program.equals(seen.program())) {
                candidate.program = seen.program();
                candidate.looks = 0;
                candidate.asked = 0;
                candidate.decided = false;
            }
            if (!candidate.decided) {
                decide(seen, candidate);
                candidate.looks++;
            }
        }
    }

    /** A JVM that ended, or outlived the run, while it was still to be asked again is said to have refused. */
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

    private void decide(SeenProcess seen, Candidate candidate) {
        boolean named = seen.program().equals("java");
        boolean last = candidate.looks >= (named ? MAX_LOOKS : LATE_LOOKS.get(LATE_LOOKS.size() - 1));
        if (!named && !LATE_LOOKS.contains(candidate.looks)) {
            return;
        }
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

    /** Returns whether it is decided if the JVM records: one that may have been asked too early is asked again. */
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

    /** Stops watching, ends the recordings of JVMs that still run, and writes what was recorded and what not. */
    public void stop(SpoolWriter writer) {
        stopping.countDown();
        try {
            thread.join();
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
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
            // It goes with the folder.
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
