package io.inferscope.collectors.host;

import io.inferscope.collectors.os.OperatingSystem;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.collectors.procfs.ProcessSpawnDetector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The processes that descend from the observed command. Children are read from {@code /proc/PID/task/TID/children}. A
 * scan of all processes replaces this if the kernel lacks these files or if so many threads exist that the scan is
 * cheaper, and runs once a second for children whose parent ended before they were found.
 */
final class ProcessTree {
    private static final long FULL_SCAN_NS = 1_000_000_000L;

    /**
     * Opening one {@code children} file costs as much as listing about this many processes (measured: 8 us against 0.5
     * us each).
     */
    private static final int PROCESSES_PER_CHILDREN_FILE = 16;

    private static final int OWN_PID = (int) ProcessHandle.current().pid();

    private record Child(int pid, int parentPid) {}

    /** Receives changes in the tree. */
    interface Listener {
        /** A process was found. */
        void started(SampledProcess process);

        /** A process runs another program now. */
        void changed(SampledProcess process);

        void ended(SampledProcess process, long endNs);

        /** The CPU time of an ended process' children is complete. */
        void childrenCounted(SampledProcess process);

        /** A thread was found; {@code startNs} is when it began, as far as known. */
        void threadFound(SampledProcess process, int tid, String name, long startNs);
    }

    private final OperatingSystem system;
    private final ProcFiles files;
    private final Listener listener;
    private final String mark;
    private final RootProcess root;
    private final Map<Integer, SampledProcess> processes = new LinkedHashMap<>();
    private final Set<Integer> strangers = new HashSet<>();

    /** Processes that ended in this scan: their children may be found to have ended after them. */
    private final Map<Integer, SampledProcess> ended = new LinkedHashMap<>();

    /**
     * Processes with an empty environment. It is empty for a moment while a process replaces its program, so it is read
     * a second time.
     */
    private final Set<Integer> withoutEnvironment = new HashSet<>();

    /** Children that are not added yet, the next one on top: each process may have started the next, to any depth. */
    private final ArrayDeque<Child> waiting = new ArrayDeque<>();

    private final ProcessSpawnDetector births;
    private final byte[] nameBuffer = new byte[64];
    private long lastFullScanNs;
    private int found;
    private boolean childrenFiles = true;
    private int systemProcesses;

    /** Starts with one process and its existing descendants. */
    ProcessTree(OperatingSystem system, Listener listener, RootProcess root) {
        this.system = system;
        this.files = new ProcFiles(system);
        births = new ProcessSpawnDetector(system);
        this.listener = listener;
        this.mark = root.mark();
        this.root = root;
        lastFullScanNs = root.startNs();
        strangers.addAll(files.ids("/proc"));
        systemProcesses = strangers.size();
        strangers.remove(root.pid());
        add(root.pid(), root.parentPid(), root.startNs());
        addWaiting();
        if (root.running()) {
            addDescendants(root.pid());
        }
    }

    /** Finds descendants without the help of {@code children} files, which a kernel may lack. */
    private void addDescendants(int rootPid) {
        Map<Integer, List<Integer>> children = new LinkedHashMap<>();
        for (int pid : strangers) {
            int parent = files.stat(Integer.toString(pid)).parentPid();
            children.computeIfAbsent(parent, p -> new ArrayList<>()).add(pid);
        }
        ArrayDeque<Integer> parents = new ArrayDeque<>(List.of(rootPid));
        while (!parents.isEmpty()) {
            int parent = parents.remove();
            for (int child : children.getOrDefault(parent, List.of())) {
                if (child != OWN_PID) {
                    addChild(child, parent);
                    addWaiting();
                    parents.add(child);
                }
            }
        }
        strangers.removeAll(processes.keySet());
    }

    /** Adds a child, except InferScope itself, which may be a child of an observed shell. */
    private void addChild(int pid, int parentPid) {
        if (pid != OWN_PID && !processes.containsKey(pid)) {
            add(pid, parentPid, 0);
        }
    }

    Collection<SampledProcess> processes() {
        return processes.values();
    }

    /** Returns the ids of the processes. */
    Set<Integer> pids() {
        return processes.keySet();
    }

    /** Looks for new processes and threads, for new programs in known ones, and for ends. */
    void scan() {
        scanSome();
        ended.values().forEach(listener::childrenCounted);
        ended.clear();
    }

    private void scanSome() {
        long nowNs = system.monotonicNs();
        boolean due = nowNs - lastFullScanNs >= FULL_SCAN_NS;
        boolean silent = births.none();
        if (silent && !due) {
            scanChanged(nowNs);
            return;
        }
        found = 0;
        scanAll(nowNs, due);
        if (silent && found > 0) {
            births.distrust();
        }
    }

    /** Checks known processes for ends and new programs, when no new process exists. */
    private void scanChanged(long nowNs) {
        List<SampledProcess> changed = List.of();
        for (SampledProcess process : processes.values()) {
            process.scannedNs = nowNs;
            if (process.lostThread || isRenamed(process)) {
                changed = changed.isEmpty() ? new ArrayList<>() : changed;
                changed.add(process);
            }
        }
        for (SampledProcess process : changed) {
            scan(process, nowNs, false);
        }
    }

    private void scanAll(long nowNs, boolean due) {
        int threads = 0;
        for (SampledProcess process : processes.values()) {
            threads += process.threadCount();
        }
        boolean full = !childrenFiles || due || threads * PROCESSES_PER_CHILDREN_FILE > systemProcesses;
        for (SampledProcess process : List.copyOf(processes.values())) {
            scan(process, nowNs, !full);
            addWaiting();
        }
        if (full) {
            lastFullScanNs = nowNs;
            findAmongAll();
        }
    }

    private void scan(SampledProcess process, long nowNs, boolean children) {
        process.lostThread = false;
        ProcFiles.Stat stat = files.stat(Integer.toString(process.pid));
        boolean gone = stat.state() == 'X' || stat.startTicks() != process.startTicks; // Or another process has its id.
        if (!gone) {
            findProgram(process, stat.name());
            process.childrenNs = stat.childrenNs();
            process.countedNs = stat.cpuNs();
        }
        if (gone || (stat.state() == 'Z' && stat.threads() <= 1)) {
            processes.remove(process.pid);
            close(process);
            listener.ended(process, nowNs);
            ended.put(process.pid, process);
            SampledProcess parent = processes.getOrDefault(process.parentPid, ended.get(process.parentPid));
            if (parent != null) {
                parent.sampledChildrenNs += process.ownNs() + process.childrenNs;
            }
            return;
        }
        if (stat.threads() != process.threadCount()) {
            for (int tid : files.ids("/proc/" + process.pid + "/task")) {
                if (process.thread(tid) == null) {
                    findThread(process, tid);
                }
            }
        }
        process.scannedNs = nowNs;
        if (children) {
            findChildren(process);
        }
    }

    /** Returns whether the process' short name has changed or cannot be read. */
    private boolean isRenamed(SampledProcess process) {
        int length = process.nameFile < 0 ? -1 : system.read(process.nameFile, nameBuffer);
        if (length > 0 && Arrays.equals(nameBuffer, 0, length, process.name, 0, process.name.length)) {
            return false;
        }
        process.name = Arrays.copyOf(nameBuffer, Math.max(0, length));
        return true;
    }

    private void close(SampledProcess process) {
        if (process.nameFile >= 0) {
            system.close(process.nameFile);
        }
        process.nameFile = -1;
    }

    /** Closes the open files. */
    void close() {
        births.close();
        processes.values().forEach(this::close);
    }

    /**
     * Finds the program of a process. A changed short name shows an exec; a zombie has no executable but keeps its
     * short name.
     */
    private void findProgram(SampledProcess process, String shortName) {
        if (shortName.equals(process.shortName)) {
            return;
        }
        process.shortName = shortName;
        String program = SampledProcess.program(system, process.pid, shortName);
        if (!program.equals(process.program)) {
            process.program = program;
            listener.changed(process);
        }
    }

    private void findThread(SampledProcess process, int tid) {
        ProcFiles.Stat stat = files.stat(process.pid + "/task/" + tid);
        if (stat.state() != 'X'
                && stat.state() != 'Z') { // If the main thread ended before the others, its program is known already.
            found++;
            long startNs = Math.max(stat.startNs(), process.scannedNs);
            listener.threadFound(process, tid, stat.name(), startNs);
        }
    }

    private void findChildren(SampledProcess process) {
        List<Integer> children = new ArrayList<>();
        for (int tid : process.threadIds()) {
            int before = children.size();
            if (!files.children(process.pid, tid, children) && tid == process.pid && before == children.size()) {
                childrenFiles = files.stat(Integer.toString(process.pid)).state() == 'X';
                return;
            }
        }
        for (int i = children.size() - 1; i >= 0; i--) {
            waiting.push(new Child(children.get(i), process.pid));
        }
    }

    private void addWaiting() {
        while (!waiting.isEmpty()) {
            Child next = waiting.pop();
            addChild(next.pid, next.parentPid);
        }
    }

    private void findAmongAll() {
        List<Integer> all = files.ids("/proc");
        systemProcesses = all.size();
        Set<Integer> alive = new HashSet<>(all);
        strangers.retainAll(alive);
        withoutEnvironment.retainAll(alive);
        for (int pid : all) {
            if (processes.containsKey(pid) || strangers.contains(pid)) {
                continue;
            }
            int parent = files.stat(Integer.toString(pid)).parentPid();
            String environment = mark.isEmpty() || processes.containsKey(parent) ? "" : files.environment(pid);
            if (processes.containsKey(parent) || ProcFiles.holds(environment, mark)) {
                add(pid, parent, 0);
                addWaiting();
            } else if (mark.isEmpty() || !environment.isEmpty() || !withoutEnvironment.add(pid)) {
                strangers.add(pid);
            }
        }
    }

    private void add(int pid, int parentPid, long knownStartNs) {
        ProcFiles.Stat stat = files.stat(Integer.toString(pid));
        if (stat.state() == 'X') {
            return;
        }
        SampledProcess parent = processes.get(parentPid);
        long startNs = knownStartNs > 0 ? knownStartNs : Math.max(stat.startNs(), parent == null ? 0 : parent.startNs);
        SampledProcess process = new SampledProcess(pid, parentPid, startNs);
        process.parentCommandLineHash = parent == null ? 0 : parent.commandLineHash;
        process.startTicks = stat.startTicks();
        process.childrenNs = stat.childrenNs();
        process.childrenBeforeNs = root.startsAfter(process.startNs) ? stat.childrenNs() : 0;
        process.shortName = stat.name();
        process.program = SampledProcess.program(system, pid, stat.name());
        process.nameFile = system.open("/proc/" + pid + "/comm");
        isRenamed(process);
        found++;
        processes.put(pid, process);
        listener.started(process);
        scan(process, system.monotonicNs(), childrenFiles);
    }
}
