package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.procfs.CounterBaseline;
import io.inferscope.collectors.procfs.ProcessSpawnDetector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessSpawnDetectorTest {
    private static final long TICK_NS = 50_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String MARK = "MARK=1";

    private final FakeSystem system = new FakeSystem();
    private final List<Integer> threads = new ArrayList<>();
    private final List<Integer> started = new ArrayList<>();
    private final List<Integer> ended = new ArrayList<>();
    private final List<Long> unseenNs = new ArrayList<>();

    @Test
    void silenceIsBelievedFromTheSecondTimeOn() {
        count(80, 1234);
        ProcessSpawnDetector births = new ProcessSpawnDetector(system);
        assertThat(births.none()).isFalse();
        assertThat(births.none()).as("the first time it says the same").isFalse();
        assertThat(births.none()).isTrue();
        count(81, 1235);
        assertThat(births.none()).isFalse();
        assertThat(births.none()).isFalse();
        assertThat(births.none()).isTrue();
        count(80, 1235);
        assertThat(births.none()).as("somebody ended").isFalse();
    }

    @Test
    void nothingIsKnownWithoutTheFileOrWhereItIsGarbage() {
        assertThat(neverSilent(new ProcessSpawnDetector(system))).isTrue();
        system.file("/proc/loadavg", "nothing to see\n");
        assertThat(neverSilent(new ProcessSpawnDetector(system))).isTrue();
    }

    private static boolean neverSilent(ProcessSpawnDetector births) {
        boolean silent = false;
        for (int i = 0; i < 4; i++) {
            silent |= births.none();
        }
        return !silent;
    }

    @Test
    void newThreadsAreLookedForWhenSomebodyWasBornOrASecondIsOver() {
        count(80, 1234);
        ProcessTree tree = tree();
        add(11);
        count(81, 1235);
        tick(tree, TICK_NS);
        assertThat(threads).containsExactly(10, 11);
        settle(tree);
        add(12);
        tick(tree, TICK_NS);
        assertThat(threads).as("nobody was born, it is said").containsExactly(10, 11);
        tick(tree, SECOND_NS);
        assertThat(threads).containsExactly(10, 11, 12);
        add(13);
        tick(tree, TICK_NS);
        assertThat(threads).as("who said so is not believed again").containsExactly(10, 11, 12, 13);
    }

    @Test
    void anotherProgramIsNoticedThoughNobodyWasBorn() {
        count(80, 1234);
        List<String> programs = new ArrayList<>();
        ProcessTree tree = tree(programs);
        settle(tree);
        system.file("/proc/10/comm", "python\n")
                .file("/proc/10/exe", "/usr/bin/python3")
                .file("/proc/10/stat", stat("python", 1));
        tick(tree, TICK_NS);
        assertThat(programs).containsExactly("python3");
        tick(tree, TICK_NS);
        assertThat(programs).hasSize(1);
    }

    @Test
    void aLaterProcessWithTheSameIdIsAnotherOne() {
        List<String> programs = new ArrayList<>();
        ProcessTree tree = tree(programs);
        system.file("/proc/20/exe", "/bin/sleep").file("/proc/20/comm", "sleep\n");
        system.file("/proc/20/stat", stat("sleep", 1).replace(" S 1 ", " S 10 "));
        tick(tree, SECOND_NS);
        assertThat(started).containsExactly(10, 20);
        system.file("/proc/20/exe", "/usr/sbin/sshd").file("/proc/20/comm", "sshd\n");
        system.file("/proc/20/stat", stat("sshd", 1).replace(" 5\n", " 6\n"));
        tick(tree, SECOND_NS);
        assertThat(ended).containsExactly(20);
        assertThat(programs).as("no program of ours").isEmpty();
        assertThat(tree.processes()).extracting(process -> process.pid).containsExactly(10);
    }

    @Test
    void whoWasBecomingAnotherProgramWhenLookedAtIsAskedAgain() {
        ProcessTree tree = tree();
        orphan(20, "");
        orphan(21, "HOME=/\0");
        orphan(22, "HOME=/\0" + MARK + "\0");
        tick(tree, SECOND_NS);
        assertThat(started).containsExactly(10, 22);
        orphan(20, MARK + "\0");
        orphan(21, MARK + "\0");
        tick(tree, SECOND_NS);
        assertThat(started)
                .as("whose environment was somebody else's is not asked again")
                .containsExactly(10, 22, 20);
    }

    @Test
    void whoNeverHasAnEnvironmentIsAskedTwice() {
        ProcessTree tree = tree();
        orphan(20, "");
        tick(tree, SECOND_NS);
        tick(tree, SECOND_NS);
        orphan(20, MARK + "\0");
        tick(tree, SECOND_NS);
        assertThat(started).containsExactly(10);
    }

    @Test
    void childrenThatNoScanSawAreKnownByTheirParentsCount() {
        ProcessTree tree = tree();
        settle(tree);
        count(80, 1235);
        system.file("/proc/10/stat", waitedFor("sh", 20, 10));
        tick(tree, TICK_NS);
        assertThat(tree.processes())
                .extracting(SampledProcess::unseenChildrenNs)
                .containsExactly(300_000_000L);
    }

    /** A shell's child: it waited for others itself, and ends in the same moment as the shell. */
    @Test
    void childrenThatWereSampledAreNotUnseen() {
        ProcessTree tree = tree();
        system.file("/proc/20/exe", "/bin/make").file("/proc/20/comm", "make\n");
        system.file("/proc/20/stat", waitedFor("make", 5, 0).replace(" S 1 ", " S 10 "));
        tick(tree, SECOND_NS);
        assertThat(started).containsExactly(10, 20);
        system.file("/proc/10/stat", waitedFor("sh", 9, 0).replace(" S 1 ", " Z 1 "));
        system.file("/proc/20/stat", null);
        tick(tree, SECOND_NS);
        assertThat(ended).containsExactly(10, 20);
        assertThat(unseenNs)
                .as("the shell's 90 ms hold the 50 ms of make's children")
                .containsExactly(40_000_000L, 50_000_000L);
    }

    /** A worker whose own threads were too brief to be sampled is no child that was not seen. */
    @Test
    void briefThreadsOfAKnownChildAreNotUnseenChildren() {
        ProcessTree tree = tree();
        system.file("/proc/20/exe", "/bin/worker").file("/proc/20/comm", "worker\n");
        system.file("/proc/20/stat", stat("worker", 1).replace(" S 1 ", " S 10 "));
        tick(tree, SECOND_NS);
        system.file("/proc/20/stat", stat("worker", 1).replaceFirst("S 1( 0){9} 0 0", "S 10$1$1$1$1$1$1$1$1$1 20 5"));
        tick(tree, SECOND_NS);
        system.file("/proc/20/stat", null);
        system.file("/proc/10/stat", waitedFor("sh", 22, 5));
        tick(tree, SECOND_NS);
        assertThat(ended).containsExactly(20);
        assertThat(tree.processes())
                .extracting(SampledProcess::unseenChildrenNs)
                .containsExactly(20_000_000L);
    }

    /** The stat of a process whose children, ended and waited for, took so many ticks of 10 ms. */
    private static String waitedFor(String name, int userTicks, int systemTicks) {
        return stat(name, 1).replaceFirst("(\\) S 1( 0){11}) 0 0", "$1 " + userTicks + " " + systemTicks);
    }

    /** A process whose parent has ended. */
    private void orphan(int pid, String environment) {
        system.file("/proc/" + pid + "/stat", stat("sleep", 0)).file("/proc/" + pid + "/environ", environment);
    }

    private void settle(ProcessTree tree) {
        for (int i = 0; i < 3; i++) {
            tick(tree, TICK_NS);
        }
    }

    private void tick(ProcessTree tree, long ns) {
        system.nowNs += ns;
        tree.scan();
    }

    private void count(int running, int lastId) {
        system.file("/proc/loadavg", "0.20 0.18 0.12 1/" + running + " " + lastId + "\n");
    }

    private void add(int tid) {
        system.file("/proc/10/stat", stat("sh", tid - 9));
        system.file("/proc/10/task/" + tid + "/stat", stat("sh", 1));
    }

    private static String stat(String name, int threadCount) {
        // Fields as in proc(5): the parent is the 4th, the number of threads the 20th, the start the 22nd.
        return "10 (" + name + ") S 1" + " 0".repeat(15) + " " + threadCount + " 0 5\n";
    }

    private ProcessTree tree() {
        return tree(new ArrayList<>());
    }

    private ProcessTree tree(List<String> programs) {
        system.file("/proc/10/comm", "sh\n").file("/proc/10/exe", "/bin/sh");
        add(10);
        return new ProcessTree(
                system,
                new ProcessTree.Listener() {
                    @Override
                    public void started(SampledProcess process) {
                        started.add(process.pid);
                    }

                    @Override
                    public void changed(SampledProcess process) {
                        programs.add(process.program);
                    }

                    @Override
                    public void ended(SampledProcess process, long endNs) {
                        ended.add(process.pid);
                    }

                    @Override
                    public void childrenCounted(SampledProcess process) {
                        unseenNs.add(process.unseenChildrenNs());
                    }

                    @Override
                    public void threadFound(SampledProcess process, int tid, String name, long startNs) {
                        threads.add(tid);
                        process.add(thread(tid, startNs));
                    }
                },
                RootProcess.started(10, system.nowNs, MARK));
    }

    /** After attaching, what a thread did before is not new. */
    @Test
    void countsOfAThreadBeginWhereItsObservationDoes() {
        String task = "/proc/10/task/10/";
        system.file(task + "schedstat", "5000000000 20 30")
                .file(task + "stat", "10 (python) R 1 10 10 0 -1 0 111 0 22 0 300 200 0 0 20 0 1 0 5 6 7");
        SampledThread sampled = thread(10, system.nowNs);

        sampled.startAfter(CounterBaseline.of(system, 10, 10));

        assertThat(sampled.systemNs()).isEqualTo(2_000_000_000L);
        assertThat(sampled.pageFaults()).isEqualTo(111);
        assertThat(sampled.cpuNsOfCounts()).isEqualTo(5_000_000_000L);
    }

    private SampledThread thread(int tid, long startNs) {
        SampledThread.Context context = new SampledThread.Context(
                system,
                new WaitFinder(system, new TargetMemory(system), NoStacks.NONE, List::of),
                new NumaWatch(system, discarded -> {}),
                new PerfWatch(system, discarded -> {}, false),
                new HostCounts());
        return new SampledThread(
                context, 10, tid, new StateAccount(new StateAccount.Lag(0), startNs, 0, 0, discarded -> {}));
    }
}
