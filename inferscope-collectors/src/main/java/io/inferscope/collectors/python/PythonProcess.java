package io.inferscope.collectors.python;

import io.inferscope.collectors.host.NativeSamples;
import io.inferscope.collectors.host.ObservedThread;
import io.inferscope.collectors.host.ObservedThreads;
import io.inferscope.collectors.os.MemoryBatch;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.ProcessMemory;
import io.inferscope.scope.spool.SpoolWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One process that runs CPython: its interpreters and threads, and the reading of a round. In the steady state a round
 * takes two system calls: one reads all stacks, one checks that the code objects on them are unchanged.
 */
final class PythonProcess {
    private static final int NOT_KNOWN = 0; // GIL of docs/spool-format.md, STACK_SAMPLE
    private static final int HOLDS = 1;

    /** Period of a full listing of threads. New and ended threads usually show earlier, in the number of threads. */
    private static final long LIST_PERIOD_NS = 1_000_000_000L;

    private static final int MAX_INTERPRETERS = 256;
    private static final int MAX_THREADS = 4096;
    private static final int LOOKS_AT_NEW_CODE = 3;

    /** How often a stack is read that does not fit together. */
    private static final int READS = 8;

    /** Shared objects for reading processes. */
    record Context(
            OperatingSystem system,
            ProcessMemory memory,
            RemoteReader reader,
            MemoryBatch batch,
            SpoolWriter writer,
            StackTable stacks,
            NativeStacks natives,
            PythonCounts counts) {}

    /**
     * An interpreter of the process; sub-interpreters have their own threads, and from 3.12 on perhaps their own GIL.
     */
    private static final class Interpreter {
        final long address;
        final long gil;
        final List<ThreadStack> threads = new ArrayList<>();
        long firstThread;
        int headRange;
        int gilRange;
        long gilHolder;
        boolean usesGil;

        Interpreter(long address, long gil, RuntimeLayout layout) {
            this.address = address;
            this.gil = gil;
            usesGil = gil != 0 && !layout.freeThreaded();
        }
    }

    private final Context context;
    private final int pid;
    private final PythonRuntime runtime;
    private final RuntimeLayout layout;
    private final CodeTable codes;
    private final KernelThreads kernelThreads;
    private final CalledFunctions callables;
    private final boolean canReadCalls;
    private ThreadStack[] allThreads = {};
    private List<Interpreter> interpreters = new ArrayList<>();
    private int interpretersRange;
    private long listedNs;
    private boolean listAgain = true;
    private int knownThreads;
    private int firstAsked;
    private long readsBefore;

    PythonProcess(Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.runtime = runtime;
        layout = runtime.layout();
        codes = new CodeTable(context, pid, runtime);
        kernelThreads = new KernelThreads(context.reader(), pid);
        callables = new CalledFunctions(context, pid, runtime);
        canReadCalls = Bytecode.of(layout.minor()) != null && runtime.types().areKnown();
    }

    /**
     * Takes a sample of every thread.
     *
     * @param natives asked for a sample of each thread that runs, at the moment at which its stack is read
     * @throws UnreadableRuntime when the process cannot be read (any more)
     */
    void sample(ObservedThreads observed, NativeSamples natives) throws UnreadableRuntime {
        long nowNs = context.system().monotonicNs();
        if (listAgain
                || allThreads.length == 0
                || observed.threadCount() != knownThreads
                || nowNs - listedNs > LIST_PERIOD_NS) {
            list(observed, nowNs);
        }
        if (!anyHasRun(observed)) {
            repeat(nowNs);
            return;
        }
        MemoryBatch batch = context.batch();
        batch.clear();
        request(batch);
        try {
            ask(natives);
            nowNs = context.system().monotonicNs();
            read(batch);
        } finally { // Events that stay enabled would cost the program most of its time.
            natives.collect();
        }
        readHeads(batch);
        if (listAgain) { // A library's thread that calls Python now and then may have left it before the next round.
            list(observed, nowNs);
            if (!anyHasRun(observed)) {
                repeat(nowNs);
                return;
            }
            batch.clear();
            request(batch);
            nowNs = context.system().monotonicNs();
            read(batch);
            readHeads(batch);
        }
        walk(batch, nowNs);
        codes.verify(allThreads, nowNs);
        if (canReadCalls) {
            context.natives().refresh(pid, nowNs, codes.reads() != readsBefore);
            readsBefore = codes.reads();
        }
        for (int i = 0; i < interpreters.size(); i++) {
            Interpreter interpreter = interpreters.get(i);
            int holder = holderTid(interpreter);
            for (int t = 0; t < interpreter.threads.size(); t++) {
                account(interpreter, interpreter.threads.get(t), nowNs, holder, natives);
            }
        }
    }

    private void read(MemoryBatch batch) throws UnreadableRuntime {
        int error = context.memory().read(pid, batch);
        if (error != 0) {
            throw new UnreadableRuntime(
                    error == OperatingSystem.NO_SUCH_PROCESS
                            ? "the process has ended"
                            : AccessRefused.why(pid, -error));
        }
    }

    private boolean anyHasRun(ObservedThreads observed) {
        boolean any = false;
        for (int i = 0; i < allThreads.length; i++) {
            ThreadStack thread = allThreads[i];
            ObservedThread known = thread.observed;
            if (known == null) {
                known = observed.thread(thread.tid);
                thread.observed = known;
            }
            listAgain |= known != null && known.hasEnded();
            thread.wasRead = hasRun(thread) || thread.looksLeft > 0;
            any |= thread.wasRead;
        }
        return any;
    }

    private static boolean hasRun(ThreadStack thread) {
        ObservedThread known = thread.observed;
        return known == null || known.hasRun() || thread.stackId == ThreadStack.UNREAD;
    }

    private void repeat(long nowNs) {
        for (int i = 0; i < allThreads.length; i++) {
            allThreads[i].account.again(nowNs);
        }
        context.counts().samples += allThreads.length;
    }

    private void request(MemoryBatch batch) {
        interpretersRange = batch.add(runtime.address() + layout.interpretersHead(), 8);
        for (int i = 0; i < interpreters.size(); i++) {
            Interpreter interpreter = interpreters.get(i);
            interpreter.headRange =
                    batch.add(interpreter.address + layout.interpreter().threadsHead(), 8);
            interpreter.gilRange = batch.add(interpreter.gil, layout.gilBytes());
        }
        for (int i = 0; i < allThreads.length; i++) {
            if (allThreads[i].wasRead) {
                allThreads[i].request(batch);
            }
        }
    }

    /** Asks for native samples of the threads that run. Each round begins with another one: not all may get one. */
    private void ask(NativeSamples natives) {
        firstAsked = (firstAsked + 1) % allThreads.length;
        for (int i = 0; i < allThreads.length; i++) {
            ThreadStack thread = allThreads[(firstAsked + i) % allThreads.length];
            ObservedThread known = thread.observed;
            if (thread.wasRead && known != null && !known.isBlocked()) {
                natives.ask(thread.tid);
            }
        }
    }

    private void readHeads(MemoryBatch batch) {
        listAgain |= !batch.isRead(interpretersRange)
                || batch.getLong(batch.offset(interpretersRange)) != interpreters.get(0).address;
        for (int i = 0; i < interpreters.size(); i++) {
            Interpreter interpreter = interpreters.get(i);
            listAgain |= !batch.isRead(interpreter.headRange)
                    || batch.getLong(batch.offset(interpreter.headRange)) != interpreter.firstThread;
            boolean read = batch.isRead(interpreter.gilRange);
            int gil = read ? batch.offset(interpreter.gilRange) : 0;
            interpreter.gilHolder = read ? layout.holder(batch, gil) : 0;
            interpreter.usesGil = read ? layout.usesGil(batch, gil) : interpreter.usesGil;
        }
    }

    private void walk(MemoryBatch batch, long nowNs) {
        for (int i = 0; i < allThreads.length; i++) {
            ThreadStack thread = allThreads[i];
            if (thread.wasRead) {
                walk(batch, thread, nowNs);
            }
        }
    }

    private void walk(MemoryBatch batch, ThreadStack thread, long nowNs) {
        if (!thread.walk(batch, context.memory(), pid)) {
            thread.torn = true;
            listAgain = true;
        }
        CodeObject code = canReadCalls && !thread.torn && thread.depth > 0 ? codes.known(thread.codes[0]) : null;
        int use = code == null ? Bytecode.NO_USE : code.use(thread.instructions[0], nowNs);
        if (code == null || use == Bytecode.NO_USE) {
            thread.call.none();
        } else if (use < Bytecode.NO_USE) {
            thread.call.over(code.before(thread.instructions[0], Bytecode.unitsBehindCall(use)));
        } else {
            int place = code.localsCount() + Bytecode.place(use);
            thread.call.read(thread, place, Bytecode.how(use), batch, context.memory(), pid);
        }
        boolean isNew = canReadCalls && code == null && thread.depth > 0;
        thread.looksLeft = isNew ? LOOKS_AT_NEW_CODE : Math.max(0, thread.looksLeft - 1);
        thread.callOf = code;
    }

    private void account(Interpreter interpreter, ThreadStack thread, long nowNs, int holder, NativeSamples natives) {
        context.counts().samples++;
        boolean hasRun = hasRun(thread);
        if (thread.wasRead && !resolve(thread) && !readAgain(thread, nowNs)) {
            context.counts().lost++;
            return;
        }
        long innermost = thread.innermostCode();
        if (thread.wasRead) {
            CodeObject code = codes.known(innermost);
            thread.columns = code == null ? 0 : code.columns(thread.innermostInstruction());
        }
        ObservedThread known = thread.observed;
        int gil = StackAccount.NEITHER;
        if (interpreter.gilHolder == thread.address) {
            gil = HOLDS;
        } else if (known != null && known.waitsForGil()) {
            gil = StackAccount.WAITS;
        } else if (known != null && known.isBlocked()) {
            gil = StackAccount.BLOCKED;
        } else if (!interpreter.usesGil) {
            gil = NOT_KNOWN;
        }
        boolean inside = isInside(thread);
        CalledFunctions.Called called =
                gil == StackAccount.WAITS ? CalledFunctions.Called.UNKNOWN : called(thread, nowNs);
        if (thread.wasRead) {
            String library = called.library();
            thread.calledStackId = called.isLock()
                    ? context.natives().takingLock(thread.stackId)
                    : library == null
                            ? thread.stackId
                            : context.natives().called(pid, thread.stackId, library, called.name());
        }
        int stack = inside ? 0 : thread.calledStackId;
        thread.account.add(nowNs, stack, thread.columns, gil, gil == StackAccount.WAITS ? holder : 0, hasRun);
        if (!inside) {
            beneath(thread, natives);
        }
        if (!inside && thread.wasRead && known != null && !natives.isKernelRecorded(thread.tid)) {
            SystemTimeEstimator.Cause cause =
                    thread.kernelTime.sample(known, nowNs, called, innermost, !canReadCalls || called.isC());
            if (cause != null) {
                context.counts().inKernel++;
                thread.account.inKernel(context.natives().inKernel(stack, cause.frame));
            }
        }
    }

    /**
     * Returns what the innermost frame of a thread calls. Not to be called for a thread that waits for the GIL: its
     * call may have returned, and the result is stored where the called object was.
     */
    private CalledFunctions.Called called(ThreadStack thread, long nowNs) {
        CodeObject code = thread.wasRead ? thread.callOf : null;
        if (code == null || code != codes.known(code.address)) {
            return CalledFunctions.Called.UNKNOWN;
        }
        return callables.called(thread.call, code, nowNs);
    }

    /** Appends the native sample of a thread that is nearest to its last sample to the stack of that. */
    private void beneath(ThreadStack thread, NativeSamples natives) {
        int nearest = -1;
        for (int i = 0; i < natives.count(); i++) {
            if (natives.tid(i) == thread.tid
                    && (nearest < 0 || thread.account.isNearer(natives.timeNs(i), natives.timeNs(nearest)))) {
                nearest = i;
            }
        }
        if (nearest >= 0 && thread.account.isBeneath(natives.timeNs(nearest))) {
            int mixed = context.natives().later(thread.account.stack(), natives, nearest);
            thread.account.beneath(mixed, natives.timeNs(nearest));
        }
    }

    /**
     * Returns whether the thread runs code in a newer interpreter: it has a thread state in each interpreter, but only
     * the newest one's stack moves.
     */
    private boolean isInside(ThreadStack outer) {
        for (int i = 0; interpreters.size() > 1 && i < allThreads.length && allThreads[i] != outer; i++) {
            ThreadStack inner = allThreads[i];
            if (inner.tid == outer.tid && inner.stackId > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads a stack again until it is valid and whole; returns false if it never is valid. A thread that calls a
     * function every few dozen nanoseconds mostly moves during a read: without its samples, its neighbours in time
     * would get their share.
     */
    private boolean readAgain(ThreadStack thread, long nowNs) {
        MemoryBatch batch = context.batch();
        for (int i = 1; i < READS && !listAgain; i++) {
            context.counts().tornReads++;
            batch.clear();
            thread.request(batch);
            if (context.memory().read(pid, batch) != 0) {
                return false;
            }
            walk(batch, thread, nowNs);
            codes.verify(new ThreadStack[] {thread}, nowNs);
            if (resolve(thread)) {
                return true;
            }
        }
        thread.believe();
        return resolve(thread);
    }

    /** Finds the id of the stack that was read; returns false if the stack is invalid. */
    private boolean resolve(ThreadStack thread) {
        if (thread.torn || !thread.isWhole()) {
            return false;
        }
        if (thread.isUnchanged()) {
            return true;
        }
        for (int frames = thread.unchangedCallers(); frames < thread.depth; frames++) {
            int i = thread.depth - 1 - frames;
            CodeObject code = codes.get(thread.codes[i]);
            int frame = code == null ? 0 : code.frame(thread.instructions[i], context.stacks());
            if (code == null || frame == 0) {
                thread.forget();
                return false;
            }
            int callers = thread.stackOf(frames);
            thread.setStackOf(frames + 1, code.hasSource ? context.stacks().stack(callers, frame) : callers);
        }
        thread.keep();
        return true;
    }

    private int holderTid(Interpreter interpreter) {
        for (int i = 0; interpreter.gilHolder != 0 && i < interpreter.threads.size(); i++) {
            if (interpreter.threads.get(i).address == interpreter.gilHolder) {
                return interpreter.threads.get(i).tid;
            }
        }
        return 0;
    }

    /** Returns whether an address lies among the mutexes and conditions of one of the GILs. */
    boolean isGil(long address) {
        for (int i = 0; i < interpreters.size(); i++) {
            Interpreter interpreter = interpreters.get(i);
            if (interpreter.usesGil && layout.isLockOfGil(interpreter.gil, address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the thread that held the main interpreter's GIL when the stacks were last read; 0 for none or unknown.
     */
    int gilHolder() {
        return interpreters.isEmpty()
                ? 0
                // New interpreters are first in the list, the main one last.
                : holderTid(interpreters.get(interpreters.size() - 1));
    }

    /** Stores pending samples. */
    void finish() {
        long nowNs = context.system().monotonicNs();
        for (ThreadStack thread : allThreads) {
            thread.account.end(nowNs);
        }
        allThreads = new ThreadStack[0];
        interpreters.clear();
    }

    /** Lists interpreters and threads again; known ones keep their state. */
    private void list(ObservedThreads observed, long nowNs) throws UnreadableRuntime {
        List<Interpreter> found = new ArrayList<>();
        List<ThreadStack> before = new ArrayList<>(List.of(allThreads));
        List<ThreadStack> all = new ArrayList<>();
        RemoteReader reader = context.reader();
        long address = reader.getLong(pid, runtime.address() + layout.interpretersHead());
        while (address != 0 && found.size() < MAX_INTERPRETERS) {
            Interpreter interpreter = new Interpreter(address, gil(address), layout);
            found.add(interpreter);
            listThreads(interpreter, before);
            all.addAll(interpreter.threads);
            address = reader.getLong(pid, address + layout.interpreter().next());
        }
        for (ThreadStack gone : before) {
            gone.account.end(nowNs);
        }
        interpreters = found;
        allThreads = all.toArray(ThreadStack[]::new);
        listedNs = nowNs;
        listAgain = false;
        knownThreads = observed.threadCount();
    }

    private long gil(long interpreter) throws UnreadableRuntime {
        if (layout.interpreter().gil() < 0) {
            return runtime.address() + layout.runtimeGil();
        }
        return context.reader().getLong(pid, interpreter + layout.interpreter().gil());
    }

    private void listThreads(Interpreter interpreter, List<ThreadStack> before) throws UnreadableRuntime {
        RuntimeLayout.ThreadState fields = layout.thread();
        long address = context.reader()
                .getLong(pid, interpreter.address + layout.interpreter().threadsHead());
        interpreter.firstThread = address;
        for (int i = 0; address != 0 && i < MAX_THREADS; i++) {
            MemoryBatch state = context.reader().read(pid, address, fields.bytes());
            long next = state.getLong(fields.next());
            long id = state.getLong(fields.id());
            ThreadStack thread = take(before, address, id);
            if (thread == null) {
                int tid = fields.nativeId() >= 0 ? kernelThreads.ofNativeId(id) : kernelThreads.ofPthread(id);
                StackAccount account = new StackAccount(context.writer(), pid, tid);
                thread = tid == 0 ? null : new ThreadStack(layout, address, tid, id, account);
            }
            if (thread != null) {
                interpreter.threads.add(thread);
            }
            address = next;
        }
    }

    private static @Nullable ThreadStack take(List<ThreadStack> before, long address, long id) {
        for (int i = 0; i < before.size(); i++) {
            ThreadStack thread = before.get(i);
            ObservedThread known = thread.observed;
            boolean ended = known != null && known.hasEnded();
            if (!ended && thread.address == address && thread.nativeId == id) {
                return before.remove(i);
            }
        }
        return null;
    }
}
