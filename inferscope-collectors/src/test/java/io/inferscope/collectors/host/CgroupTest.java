package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.procfs.Cgroup;
import io.inferscope.collectors.procfs.ProcFiles;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Limits and counters, from files laid out as the kernel's documentation has them. */
class CgroupTest {
    private static final long GIB = 1 << 30;

    private final FakeSystem system = new FakeSystem();

    @Test
    void version2ContainerWithLimitsOnTheFolderAbove() {
        unified("0::/kube/pod7/c1\n");
        Cgroup group = Cgroup.of(new ProcFiles(system), 42);
        assertThat(group.memoryLimitBytes()).isEqualTo(8 * GIB);
        assertThat(group.cpuLimit()).isEqualTo(2.5);
        assertThat(group.counts())
                .isEqualTo(new Cgroup.Counts(3 * GIB, 400, 100, 7_000_000_000L, 1, 11_000_000L, 22_000_000L));
    }

    @Test
    void version2WithinAnOwnNamespaceIsTheTopOfTheMount() {
        system.file("/proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
                .file("/proc/42/cgroup", "0::/../../elsewhere\n")
                .file("/sys/fs/cgroup/memory.max", "1073741824\n")
                .file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
        Cgroup group = Cgroup.of(new ProcFiles(system), 42);
        assertThat(group.memoryLimitBytes()).isEqualTo(GIB);
        assertThat(group.cpuLimit()).isEqualTo(0.5);
    }

    @Test
    void version1HasAHierarchyPerController() {
        system.file("/proc/self/mounts", """
                        cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0
                        cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
                        cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
                        """)
                .file("/proc/42/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a\n0::/a\n")
                .file("/sys/fs/cgroup/memory/a/cgroup.procs", "42\n")
                .file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n")
                .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n")
                .file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000\n")
                .file("/sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/a/cgroup.procs", "42\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/a/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 123\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
                .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
        Cgroup group = Cgroup.of(new ProcFiles(system), 42);
        assertThat(group.memoryLimitBytes()).isEqualTo(2 * GIB);
        assertThat(group.cpuLimit()).isEqualTo(1.5);
        assertThat(group.counts()).isEqualTo(new Cgroup.Counts(1000, 10, 4, 123, 3, 0, 0));
    }

    @Test
    void machineWithoutGroupsHasNoLimits() {
        Cgroup group = Cgroup.of(new ProcFiles(system), 42);
        assertThat(group.memoryLimitBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(group.cpuLimit()).isInfinite();
        assertThat(group.counts()).isEqualTo(new Cgroup.Counts(0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void recordedTotalsCountFromTheStartAndAreStoredWhenTheyChange() {
        unified("0::/kube/pod7/c1\n");
        system.file(
                "/proc/42/status",
                "Name:\tpython3\nVmRSS:\t    2048 kB\nVmSwap:\t       0 kB\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n");
        List<SpoolRecord> records = new ArrayList<>();
        MemoryWatch watch = new MemoryWatch(system, records::add);
        watch.begin(42);
        SampledProcess process = new SampledProcess(42, 1, 0);
        watch.read(List.of(process));
        system.file("/sys/fs/cgroup/kube/pod7/cpu.stat", "nr_periods 450\nnr_throttled 120\nthrottled_usec 7500000\n")
                .file(
                        "/proc/42/status",
                        "Name:\tpython3\nVmRSS:\t    4096 kB\nVmSwap:\t      16 kB\nCpus_allowed_list:\t0-3,6\n");
        watch.read(List.of(process));
        watch.finish();
        assertThat(notes(records))
                .isEqualTo(Map.of(
                        "host.cpus", "5",
                        "host.cgroup.memory_limit_bytes", "8589934592",
                        "host.cgroup.cpu_limit_cores", "2.50",
                        "host.cgroup.throttled", "20 of 50 periods, 0.500 s"));
        assertThat(values(records, "host.rss_bytes")).containsExactly(2048.0 * 1024, 4096.0 * 1024);
        assertThat(values(records, "host.swap_bytes")).containsExactly(16.0 * 1024);
        assertThat(values(records, "host.cgroup_throttled_ns")).containsExactly(500_000_000.0);
        assertThat(values(records, "host.cgroup_oom_kills")).isEmpty();
    }

    private void unified(String group) {
        system.file("/proc/self/mounts", "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n")
                .file("/proc/42/cgroup", group)
                .file("/sys/fs/cgroup/kube/pod7/c1/cgroup.procs", "42\n")
                .file("/sys/fs/cgroup/kube/pod7/c1/memory.max", "max\n")
                .file("/sys/fs/cgroup/kube/pod7/c1/memory.current", Long.toString(3 * GIB))
                .file("/sys/fs/cgroup/kube/pod7/c1/memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n")
                .file("/sys/fs/cgroup/kube/pod7/c1/cpu.max", "max 100000\n")
                .file(
                        "/sys/fs/cgroup/kube/pod7/c1/cpu.pressure",
                        "some avg10=0.00 avg60=0.00 avg300=0.00 total=11000\n")
                .file(
                        "/sys/fs/cgroup/kube/pod7/c1/memory.pressure",
                        "some avg10=0.00 avg60=0.00 avg300=0.00 total=22000\n")
                .file("/sys/fs/cgroup/kube/pod7/memory.max", Long.toString(8 * GIB))
                .file("/sys/fs/cgroup/kube/pod7/cpu.max", "250000 100000\n")
                .file(
                        "/sys/fs/cgroup/kube/pod7/cpu.stat",
                        "usage_usec 9\nnr_periods 400\nnr_throttled 100\nthrottled_usec 7000000\n");
    }

    private static Map<String, String> notes(List<SpoolRecord> records) {
        return records.stream()
                .filter(SpoolRecord.Note.class::isInstance)
                .map(SpoolRecord.Note.class::cast)
                .collect(Collectors.toMap(SpoolRecord.Note::key, SpoolRecord.Note::value));
    }

    private static List<Double> values(List<SpoolRecord> records, String name) {
        return records.stream()
                .filter(SpoolRecord.Counter.class::isInstance)
                .map(SpoolRecord.Counter.class::cast)
                .filter(counter -> counter.name().equals(name))
                .map(SpoolRecord.Counter::value)
                .toList();
    }
}
