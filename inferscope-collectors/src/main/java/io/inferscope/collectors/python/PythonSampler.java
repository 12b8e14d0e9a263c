package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.host.ObservedThreads;
import io.inferscope.collectors.host.StackCollector;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.ProcessMemory;
import io.inferscope.scope.spool.SpoolRecord;
import io.inferscope.scope.spool.SpoolWriter;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Samples the Python stacks of every observed process by reading its memory while it runs. An interpreter may appear at
 * any time (exec, a library loaded late), so a process without one is checked again, at growing intervals.
 */
public final class PythonSampler implements StackCollector {
    /** Minor version of the oldest CPython 3 whose stacks are read. */
    public static final int OLDEST_MINOR = RuntimeLayouts.OLDEST;

    /** Minor version of the newest one. */
    public static final int NEWEST_MINOR = RuntimeLayouts.NEWEST;

    private static final String SOURCE = "python-stacks";
    private static final long FIRST_RETRY_NS = 10_000_000L;
    private static final long LAST_RETRY_NS = 2_000_000_000L;
    private static final int EPERM = 1;
    private static final int MAX_REASONS = 8;

    private final PythonProcess.Context context;
    private final NativeThreads nativeThreads;
    private final RuntimeLocator locator;
    private final SpoolWriter writer;
    private final PythonCounts counts = new PythonCounts();
    private final Map<Integer, Candidate> candidates = new HashMap<>();
    private final List<String> refused = new ArrayList<>();
    private long refusedCount;
    private int lastPid;
    private @Nullable Candidate last;

    /** A process that runs Python, or may come to. */
    private static final class Candidate {
        @Nullable
        PythonProcess python;

        long nextTryNs;
        long waitNs = FIRST_RETRY_NS;
        boolean everRead;
        boolean readSinceFound;
        String why = "";
    }

    /**
     * Makes a sampler; the caller closes the writer.
     *
     * @param system for the clock
     * @param memory reads other processes
     * @param writer where frames, stacks and samples go
     */
    public PythonSampler(OperatingSystem system, ProcessMemory memory, SpoolWriter writer) {
        this.writer = writer;
        RemoteReader reader = new RemoteReader(memory);
        StackTable stacks = new StackTable(writer);
        NativeStacks natives = new NativeStacks(stacks);
        nativeThreads = new NativeThreads(writer, natives);
        context = new PythonProcess.Context(system, memory, reader, new MemoryBatch(), writer, stacks, natives, counts);
        locator = new RuntimeLocator(reader);
    }

    @Override
    public void sample(int pid, ObservedThreads threads, NativeSamples natives) {
        Candidate candidate = candidate(pid);
        PythonProcess python = candidate.python;
        if (python == null) {
            python = look(pid, candidate);
        }
        if (python == null) {
            if (threads.hasWorked()) {
                nativeThreads.sample(pid, natives);
            }
            return;
        }
        try {
            python.sample(threads, natives);
            candidate.everRead = true;
            candidate.readSinceFound = true;
        } catch (UnreadableRuntime gone) {
            drop(candidate, gone.why());
        } catch (RuntimeException broken) { // The memory had unexpected content: the other processes are still read.
            drop(candidate, "its memory could not be understood: " + broken);
        }
    }

    private Candidate candidate(int pid) {
        Candidate known = last;
        if (known == null || lastPid != pid) {
            known = candidates.computeIfAbsent(pid, unseen -> new Candidate());
            last = known;
            lastPid = pid;
        }
        return known;
    }

    private @Nullable PythonProcess look(int pid, Candidate candidate) {
        long nowNs = context.system().monotonicNs();
        if (nowNs < candidate.nextTryNs) {
            return null;
        }
        candidate.nextTryNs = nowNs + candidate.waitNs;
        candidate.waitNs = Math.min(LAST_RETRY_NS, candidate.waitNs * 2);
        try {
            PythonRuntime runtime = locator.locate(pid);
            if (runtime == null) {
                return null;
            }
            PythonProcess python = new PythonProcess(context, pid, runtime);
            candidate.python = python;
            nativeThreads.end(pid);
            candidate.readSinceFound = false;
            candidate.why = "";
            counts.processes++;
            writer.write(new SpoolRecord.Note("runtime", "CPython " + runtime.version(), pid));
            return python;
        } catch (UnreadableRuntime unreadable) {
            candidate.why = unreadable.why();
        } catch (AccessDeniedException denied) {
            candidate.why = AccessRefused.why(pid, EPERM);
        } catch (IOException | RuntimeException gone) {
            candidate.why = hasEnded(pid) ? "" : "its files could not be read: " + gone;
        }
        return null;
    }

    /** Drops a process that has ended, runs another program, or may not be read. It is checked again later. */
    private void drop(Candidate candidate, String why) {
        PythonProcess python = candidate.python;
        if (python != null) {
            python.finish();
        }
        candidate.python = null;
        candidate.why = why;
        // Most likely the process replaced itself by another interpreter of the same name.
        if (candidate.readSinceFound) {
            candidate.readSinceFound = false;
            candidate.waitNs = FIRST_RETRY_NS;
        }
        candidate.nextTryNs = context.system().monotonicNs() + candidate.waitNs;
    }

    @Override
    public void programChanged(int pid) {
        nativeThreads.end(pid);
        context.natives().ended(pid);
        Candidate candidate = candidates.get(pid);
        if (candidate != null) {
            drop(candidate, "");
            candidate.waitNs = FIRST_RETRY_NS;
            candidate.nextTryNs = 0;
        }
    }

    @Override
    public void ended(int pid) {
        Candidate candidate = candidates.remove(pid);
        last = null;
        nativeThreads.end(pid);
        context.natives().ended(pid);
        if (candidate != null) {
            settle(pid, candidate);
        }
    }

    private void settle(int pid, Candidate candidate) {
        PythonProcess python = candidate.python;
        if (python != null) {
            python.finish();
        } else if (!candidate.why.isEmpty() && !candidate.everRead) {
            refusedCount++;
            if (refused.size() < MAX_REASONS) {
                refused.add("process " + pid + ": " + candidate.why);
            }
        }
    }

    /** A Python that may not be read, or not yet, is none whose stacks native samples should replace. */
    @Override
    public boolean isUnread(int pid) {
        Candidate candidate = candidates.get(pid);
        return candidate != null
                && candidate.python == null
                && candidate.why.isEmpty()
                && !context.natives().isJvm(pid, context.system().monotonicNs());
    }

    @Override
    public boolean isGil(int pid, long futexAddress) {
        PythonProcess python = python(pid);
        return python != null && python.isGil(futexAddress);
    }

    @Override
    public int gilHolder(int pid) {
        PythonProcess python = python(pid);
        return python == null ? 0 : python.gilHolder();
    }

    private @Nullable PythonProcess python(int pid) {
        Candidate candidate = lastPid == pid && last != null ? last : candidates.get(pid);
        return candidate == null ? null : candidate.python;
    }

    /** Returns whether a process has ended or is ending: it has no memory, and so no executable, any more. */
    private static boolean hasEnded(int pid) {
        try {
            Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe"));
            return false;
        } catch (NoSuchFileException ended) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    @Override
    public void finish() {
        candidates.forEach(this::settle);
        context.natives().finish();
        nativeThreads.finish();
        candidates.clear();
        last = null;
        List<String> notes = new ArrayList<>();
        if (counts.tornReads > 0) {
            notes.add(counts.tornReads + (counts.tornReads == 1 ? " read was" : " reads were")
                    + " inconsistent and repeated, " + counts.lost + " without success");
        }
        if (context.stacks().cut() > 0) {
            notes.add(context.stacks().cut() + " stacks were cut short, there are too many different ones");
        }
        if (counts.inKernel > 0) {
            notes.add(
                    "time in the kernel is from its own clock, in ticks of 10 ms; causes are estimated from page faults and from the function that Python calls (perf events would tell exactly)");
        }
        if (refusedCount > 0) {
            notes.add("the stacks of " + refusedCount + (refusedCount == 1 ? " process are" : " processes are")
                    + " missing: " + String.join("; ", refused));
        }
        boolean none = counts.processes == 0;
        int status = !none ? 0 : refusedCount > 0 ? 2 : 1;
        String why = none && notes.isEmpty() ? "no process ran Python" : String.join("; ", notes);
        writer.write(new SpoolRecord.Coverage(
                SOURCE, why, counts.samples - counts.lost, counts.lost + refusedCount, 0, status));
    }
}
