package io.inferscope.collectors.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.procfs.Topology;
import io.inferscope.scope.spool.SpoolRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Machines of several nodes, written down in the kernel's formats. */
class NumaTest {
    private final FakeSystem system = new FakeSystem();

    @Test
    void epycWithFourNodesPerSocket() {
        for (int node = 0; node < 8; node++) {
            node(node, node * 8 + "-" + (node * 8 + 7) + "," + (64 + node * 8) + "-" + (71 + node * 8), 64L << 20);
        }
        gpu("0000:21:00.0", "0x030200", "1");
        gpu("0000:e1:00.0", "0x030200", "7");
        gpu("0000:c1:00.0", "0x020000", "6"); // A network card.
        Topology topology = Topology.read(system);
        assertThat(topology.nodes()).hasSize(8);
        assertThat(topology.indexOfCpu(70)).isZero();
        assertThat(topology.indexOfCpu(63)).isEqualTo(7);
        assertThat(topology.indexOfCpu(128)).isEqualTo(-1);
        assertThat(topology.describe())
                .startsWith("node 0: 16 CPUs, 64 GiB; node 1: 16 CPUs, 64 GiB; ")
                .endsWith("node 7: 16 CPUs, 64 GiB; GPU 0000:21:00.0 at node 1; GPU 0000:e1:00.0 at node 7");
    }

    @Test
    void graceHasMemoryWithoutCpusOnTheGpu() {
        node(0, "0-71", 480L << 20);
        node(1, "72-143", 480L << 20);
        node(2, "", 96L << 20);
        node(10, "", 96L << 20);
        gpu("0009:01:00.0", "0x030200", "-1");
        Topology topology = Topology.read(system);
        assertThat(topology.nodes()).extracting(Topology.Node::id).containsExactly(0, 1, 2, 10);
        assertThat(topology.indexOfCpu(143)).isEqualTo(1);
        assertThat(topology.describe())
                .isEqualTo("node 0: 72 CPUs, 480 GiB; node 1: 72 CPUs, 480 GiB; node 2: no CPUs, 96 GiB; "
                        + "node 10: no CPUs, 96 GiB; GPU 0009:01:00.0 at an unknown node");
        assertThat(topology.nodesOfGpus()).containsExactly(-1);
    }

    @Test
    void whereAProcessRanAndWhereItsMemoryIsAreNotedWhenItEnds() {
        node(0, "0-3", 1 << 20);
        node(1, "4-7", 1 << 20);
        system.file("/proc/42/numa_maps", """
                55a000000000 default file=/usr/bin/python3.11 mapped=300 N0=300 kernelpagesize_kB=4
                7f0000000000 default anon=2 dirty=2 N0=1 N1=1 kernelpagesize_kB=2048
                7f1000000000 default anon=700 N0=700 kernelpagesize_kB=4
                7ffc00000000 default stack anon=0
                """);
        List<SpoolRecord> records = new ArrayList<>();
        NumaWatch watch = new NumaWatch(system, records::add);
        watch.begin();
        SampledProcess process = new SampledProcess(42, 1, system.nowNs);
        watch.ran(42, 5, 900);
        watch.ran(42, 0, 100);
        watch.read(List.of(process)); // Too early for the dear file.
        system.nowNs += 4_000_000_000L;
        watch.read(List.of(process));
        system.file("/proc/42/numa_maps", null);
        watch.read(List.of(process));
        watch.finish(42);
        // Node 0: 1,000 pages of 4 KB and one of 2 MB, 5.9 MB; node 1: one of 2 MB.
        assertThat(records)
                .containsExactly(
                        new SpoolRecord.Note("host.numa", "node 0: 4 CPUs, 1 GiB; node 1: 4 CPUs, 1 GiB", 0),
                        new SpoolRecord.Note(
                                "host.numa", "ran node 0 10 %, node 1 90 %; memory node 0 75 %, node 1 25 %", 42),
                        new SpoolRecord.Note("host.numa.node", "1", 42));
    }

    @Test
    void oneNodeIsNotWorthANote() {
        node(0, "0-7", 1 << 20);
        List<SpoolRecord> records = new ArrayList<>();
        NumaWatch watch = new NumaWatch(system, records::add);
        watch.begin();
        watch.ran(42, 5, 900);
        watch.finish(42);
        assertThat(records).isEmpty();
    }

    private void node(int id, String cpus, long memoryKb) {
        String folder = "/sys/devices/system/node/node" + id;
        system.file(folder + "/cpulist", cpus + "\n")
                .file(
                        folder + "/meminfo",
                        "\nNode " + id + " MemTotal:       " + memoryKb + " kB\nNode 0 MemFree: 1 kB\n");
    }

    private void gpu(String address, String kind, String node) {
        system.file("/sys/bus/pci/devices/" + address + "/class", kind + "\n")
                .file("/sys/bus/pci/devices/" + address + "/numa_node", node + "\n");
    }
}
