package io.inferscope.collectors.run;

import io.inferscope.collectors.os.NativeFolder;
import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.os.RemoteLibraryCall;
import io.inferscope.collectors.python.RemoteScript;
import io.inferscope.collectors.symbols.MappedFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Injects the CUDA agent into a running process, and makes it record while a file is locked: native/agent/attached.c.
 * The lock ends with InferScope, in whatever way it ends. The agent reports through files in the spool folder, which
 * only this user can enter.
 */
final class GpuAttachment implements AutoCloseable {
    private static final String LIBRARY = "libinferscope-agent.so";
    private static final String FUNCTION = "inferscope_agent_attach";
    private static final String INJECTED = "CUDA_INJECTION64_PATH";
    private static final String RECORDING = "recording";

    /** What an agent cannot see or know that comes late. */
    static final String UNSEEN =
            "not recorded are work and launches from before, NVTX ranges, and processes that the process starts; copies of graphs that were"
                    + " instantiated before may be recorded as kernels; hooks of launches cannot be preloaded any more: every call of CUDA is recorded, at a cost"
                    + " that is not measured";

    private static final long SECOND_NS = 1_000_000_000L;
    private static final long BORROW_NS = 5 * SECOND_NS;
    private static final long ANSWER_NS = 20 * SECOND_NS;
    private static final long END_NS = 5 * SECOND_NS;
    private static final long POLL_MS = 5;

    private final OperatingSystem system;
    private final int pid;
    private final Path library;
    private final @Nullable RemoteScript script;
    private final @Nullable LoaderSite site;
    private Path folder = Path.of("");
    private @Nullable FileChannel lease;
    private boolean recording;

    private GpuAttachment(
            OperatingSystem system, int pid, Path library, @Nullable RemoteScript script, @Nullable LoaderSite site) {
        this.system = system;
        this.pid = pid;
        this.library = library;
        this.script = script;
        this.site = site;
    }

    /**
     * Finds a way to inject into a process, without changing anything.
     *
     * @param injected the process' {@code CUDA_INJECTION64_PATH}, empty if not set
     * @throws AttachFailure if there is none, or another profiler is active
     */
    static GpuAttachment to(OperatingSystem system, int pid, Path home, String injected) throws AttachFailure {
        Path library = NativeFolder.of(home).resolve(LIBRARY).toAbsolutePath().normalize();
        try {
            String problem = problem(system, pid, home, library, injected);
            RemoteScript script = problem.isEmpty() ? RemoteScript.into(pid) : null;
            LoaderSite site = problem.isEmpty() && script == null ? site(system, pid) : null;
            if (problem.isEmpty() && script == null && site == null) {
                problem =
                        "the agent cannot be loaded: that needs CPython from 3.14 on or, on x86-64, a program that is linked dynamically and that no debugger traces; start it with inferscope run";
            }
            if (problem.isEmpty()) {
                return new GpuAttachment(system, pid, library, script, site);
            }
            throw refused(pid, problem);
        } catch (IOException gone) {
            throw refused(pid, "it cannot be looked into: " + gone);
        }
    }

    private static AttachFailure refused(int pid, String why) {
        return new AttachFailure(AttachFailure.NOT_ALLOWED, "--gpu: nothing was done to process " + pid + ": " + why);
    }

    private static String problem(OperatingSystem system, int pid, Path home, Path library, String injected)
            throws IOException {
        if (!Files.isRegularFile(library)) {
            return "there is no agent for this processor: " + library;
        }
        String problem = InjectionSafety.problem(library, home);
        problem = problem.isEmpty() ? rights(system, pid) : problem;
        if (!problem.isEmpty() || injected.isEmpty()) {
            return problem.isEmpty() ? loaded(pid, library) : problem;
        }
        return injected.endsWith("/" + LIBRARY)
                ? "it was started by inferscope run, which has its GPU work recorded"
                : "its " + INJECTED + " names another profiler: " + injected;
    }

    /** Returns why the process cannot see the agent's file or cannot write to this user's folder; empty if it can. */
    private static String rights(OperatingSystem system, int pid) {
        StatusFile target = StatusFile.of(system, Integer.toString(pid));
        String own = StatusFile.of(system, "self").effective("Uid");
        if (!Set.copyOf(target.ids("Uid")).equals(Set.of(own))) {
            return "it runs as user " + target.effective("Uid") + ", InferScope as " + own
                    + "; run inferscope as that user";
        }
        for (String of : List.of("ns/mnt", "root")) {
            String theirs = system.readLink("/proc/" + pid + "/" + of);
            if (theirs == null || !theirs.equals(system.readLink("/proc/self/" + of))) {
                return "it sees other files (a container); run inferscope inside that container";
            }
        }
        return "";
    }

    private static String loaded(int pid, Path library) throws IOException {
        String real = library.toRealPath().toString();
        boolean cuda = false;
        for (MappedFile file : MappedFile.of(pid)) {
            cuda |= file.base().startsWith("libcuda.so");
            if (file.base().equals(LIBRARY) && !file.path().equals(real)) {
                return "the agent of another InferScope is in it: " + file.path();
            }
        }
        return cuda ? "" : "it does not use CUDA so far: libcuda is not loaded";
    }

    private static @Nullable LoaderSite site(OperatingSystem system, int pid) throws IOException {
        boolean free =
                StatusFile.of(system, Integer.toString(pid)).text("TracerPid").equals("0");
        boolean saves = StatusFile.text(system, "/proc/cpuinfo").contains(" xsave ");
        return RemoteLibraryCall.isSupported() && free && saves ? LoaderSite.of(pid) : null;
    }

    /** Returns a sentence for the user on how the process will be changed. */
    String plan() {
        String how = script != null
                ? "its CPython " + script.version() + " is asked to execute a script (sys.remote_exec) that loads "
                : "one of its threads is stopped for some milliseconds while it waits (ptrace), and then loads ";
        return "--gpu changes process " + pid + ": " + how + library
                + "; this agent has CUPTI record until the end of the recording, and stays loaded, idle, after it; "
                + UNSEEN;
    }

    /**
     * Makes the agent record into a folder.
     *
     * @throws AttachFailure if that fails; the process continues as before
     */
    void begin(Path into, long maxBytes) throws AttachFailure {
        folder = into.toAbsolutePath().normalize();
        try {
            FileChannel file =
                    FileChannel.open(file("gpu.lease"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            lease = file;
            file.lock();
            RemoteScript way = script;
            String problem = way != null ? byScript(way, maxBytes) : byThread(maxBytes);
            String answer = problem.isEmpty() ? await("gpu.answer", ANSWER_NS).orElse("") : problem;
            if (answer.isEmpty() && way != null) {
                way.withdraw();
            }
            recording = answer.equals(RECORDING);
            if (!recording) {
                close();
                String why = answer.isEmpty()
                        ? "the agent did not answer within " + ANSWER_NS / SECOND_NS + " s; InferScope waits no longer"
                        : answer;
                throw new AttachFailure(
                        AttachFailure.NOT_ALLOWED, "--gpu: GPU work of process " + pid + " is not recorded: " + why);
            }
        } catch (IOException e) {
            close();
            throw new AttachFailure(AttachFailure.NOT_ALLOWED, "--gpu: cannot write to " + folder + ": " + e);
        }
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** Injects by a Python script. The script leaves no name behind in the namespace that executes it. */
    private String byScript(RemoteScript way, long maxBytes) throws IOException {
        Path path = file("gpu.py");
        if (!way.takes(path)) {
            return "the path of the recording is too long";
        }
        String text = """
                exec('''
                try:
                    import ctypes
                    ctypes.CDLL(library).%s(folder.encode(), ctypes.c_uint64(%d))
                except Exception as problem:
                    with open(answer, 'x') as file:
                        print('its Python cannot load the agent:', problem, file=file)
                ''', {'library': %s, 'folder': %s, 'answer': %s})
                """.formatted(
                        FUNCTION,
                        maxBytes,
                        literal(library.toString()),
                        literal(folder.toString()),
                        literal(file("gpu.answer").toString()));
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(path, text);
        return way.ask(path);
    }

    /** Returns a text as Python writes it, in ASCII. */
    static String literal(String text) {
        StringBuilder literal = new StringBuilder("'");
        text.codePoints().forEach(letter -> {
            boolean plain = letter >= ' ' && letter < 0x7f && letter != '\'' && letter != '\\';
            literal.append(plain ? Character.toString(letter) : String.format(Locale.ROOT, "\\U%08x", letter));
        });
        return literal.append('\'').toString();
    }

    private String byThread(long maxBytes) {
        LoaderSite where = Objects.requireNonNull(site, "else a script");
        var loading = new RemoteLibraryCall.Loading(
                where.dlopen(), where.dlsym(), where.code(), library, FUNCTION, folder, maxBytes);
        String problem =
                "none of its threads waits where it may be borrowed (poll, epoll, select, accept, wait, sleep)";
        Set<Integer> unfit = new HashSet<>();
        long endNs = System.nanoTime() + BORROW_NS;
        while (System.nanoTime() < endNs && isAlive()) {
            for (int tid : RemoteLibraryCall.waiting(pid)) {
                if (unfit.contains(tid)) {
                    continue;
                }
                String refusal = RemoteLibraryCall.call(tid, loading);
                if (refusal.isEmpty()) {
                    return "";
                }
                problem = "no thread of it can be borrowed: " + refusal;
                if (refusal.equals(RemoteLibraryCall.TAKEN)) {
                    return problem;
                }
                if (refusal.equals(RemoteLibraryCall.SMALL_STACK) || refusal.equals(RemoteLibraryCall.FILTERED)) {
                    unfit.add(tid);
                }
            }
            pause();
        }
        return problem;
    }

    /** Waits for a file of the agent and returns its line. */
    private Optional<String> await(String name, long longestNs) {
        long endNs = System.nanoTime() + longestNs;
        do {
            String text = StatusFile.text(system, file(name).toString());
            if (text.endsWith("\n")) {
                return Optional.of(text.strip());
            }
            pause();
        } while (System.nanoTime() < endNs && isAlive());
        return Optional.empty();
    }

    private boolean isAlive() {
        String state = StatusFile.of(system, Integer.toString(pid)).text("State");
        return !state.isEmpty() && !state.startsWith("Z") && !state.startsWith("X");
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the recording: the agent writes its last records and stops. */
    @Override
    public void close() {
        FileChannel held = lease;
        lease = null;
        if (held == null) {
            return;
        }
        try {
            held.close();
            if (recording) {
                await("gpu.ended", END_NS);
            }
            for (String name : List.of("gpu.lease", "gpu.answer", "gpu.ended", "gpu.py")) {
                Files.deleteIfExists(file(name));
            }
        } catch (IOException left) {
            // The folder is deleted as a whole.
        }
    }
}
