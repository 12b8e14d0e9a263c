package io.inferscope.collectors.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.collectors.doctor.CollectorCheck.Status;
import io.inferscope.timeline.spool.StubCuda;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines as files. Formats: proc(5), the NVIDIA driver's README, site.py; no machine is guessed from its name. */
class DoctorTest {
    @TempDir
    Path root;

    private MachineFixture fixture;

    @BeforeEach
    void machine() {
        fixture = new MachineFixture(root).recorded("linux");
    }

    private String statuses(String... command) {
        return fixture.examine(command).checks().stream()
                .map(check -> check.status().word() + " " + check.id())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    @Test
    void aMachineWithoutGpuRecordsTheHost() {
        assertThat(statuses()).isEqualTo("""
                works host
                limited attach
                works python-stacks
                works python-probe
                absent operators
                absent engines
                absent hooks
                absent cuda-agent
                absent launch-hooks
                absent nvml
                absent rocm
                limited perf
                works jfr
                works disk
                works nodes
                """);
        assertThat(fixture.check("python-probe").found()).isEqualTo("Python 3.11 (/usr/bin/python3)");
        assertThat(fixture.check("attach").remedy()).contains("kernel.yama.ptrace_scope=0");
    }

    @Test
    void aGpuNodeRecordsItsCommandWhole() {
        fixture.recorded("h100").recorded("venv");

        Doctor.Result result = fixture.examine("venv/bin/vllm", "serve", "model");

        assertThat(result.problem()).isEmpty();
        assertThat(result.needed()).containsExactly("host", "disk", "python-probe", "cuda-agent");
        assertThat(result.checks()).allMatch(check -> check.status() != Status.FAILS);
        assertThat(fixture.check("cuda-agent", "venv/bin/vllm").found())
                .isEqualTo(
                        "2 x NVIDIA H100 80GB HBM3, driver 570.86.15; "
                                + "/home/a/venv/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12 (CUDA 12); "
                                + "hardware counters are for the administrator (RmProfilingAdminOnly 1), which tracing does not need");
        assertThat(fixture.check("engines", "venv/bin/vllm").found())
                .isEqualTo("torch 2.7.1+cu126 (for CUDA 12.6), vLLM 0.10.1, transformers 4.55.0");
        assertThat(fixture.check("nvml").status()).isEqualTo(Status.WORKS);
    }

    @Test
    void hooksWhoseTargetsArePresentAreCountedAndWhatNoneRecordsIsNamed() {
        fixture.recorded("h100").recorded("venv");
        String engine = "== /home/a/venv/lib/python3.11/site-packages/vllm/v1/engine/";
        fixture.with(engine + "core.py\nclass EngineCore:\n    def step(self):\n" + engine
                + "input.py\nclass Input:\n    def process(self):\n" + engine + "detokenizer.py\nclass Other:\n");

        CollectorCheck check = fixture.check("hooks", "venv/bin/vllm");

        assertThat(check.status()).isEqualTo(Status.LIMITED);
        assertThat(check.found())
                .isEqualTo("vllm 0.10.1: 2 targets, 1 ran with this version, none for vllm.detokenize");
    }

    @Test
    void aContainerWithoutTheDeviceIsToldHowToGetIt() {
        fixture.recorded("h100").with("== /.dockerenv\n");
        fixture.without("/dev/nvidia0").without("/dev/nvidia1").without("/usr/lib/x86_64-linux-gnu/libcuda.so.1");

        CollectorCheck check = fixture.check("cuda-agent");

        assertThat(check.status()).isEqualTo(Status.FAILS);
        assertThat(check.found())
                .isEqualTo("the NVIDIA driver 570.86.15 is loaded, but there is no /dev/nvidia0 in this container");
        assertThat(check.remedy()).contains("--gpus all");
        assertThat(fixture.check("nvml").status()).isEqualTo(Status.FAILS);
    }

    @Test
    void aDriverOlderThanTheCommandsCudaFails() {
        fixture.recorded("h100").recorded("venv").with("""
                == /proc/driver/nvidia/version
                NVRM version: NVIDIA UNIX x86_64 OperatingSystem Module  470.256.02  Thu May  2 14:37:44 UTC 2024
                """);

        CollectorCheck check = fixture.check("cuda-agent", "/home/a/venv/bin/python", "serve.py");

        assertThat(check.status()).isEqualTo(Status.FAILS);
        assertThat(check.found()).endsWith("(CUDA 12) needs driver 525 or newer");
        assertThat(check.remedy()).isEqualTo("update the driver, or use CUDA 11 in the command's environment");
    }

    @Test
    void aGpuOnTheBusWithoutDriverFails() {
        fixture.with(
                "== /sys/bus/pci/devices/0000:01:00.0/vendor\n0x10de\n== /sys/bus/pci/devices/0000:01:00.0/class\n0x030000\n");

        assertThat(fixture.check("cuda-agent").found()).contains("its driver is not loaded");
        assertThat(fixture.check("cuda-agent").status()).isEqualTo(Status.FAILS);
    }

    @Test
    void anAudioDeviceOfNvidiasIsNoGpu() {
        fixture.with(
                "== /sys/bus/pci/devices/0000:01:00.1/vendor\n0x10de\n== /sys/bus/pci/devices/0000:01:00.1/class\n0x040300\n");

        assertThat(fixture.check("cuda-agent").status()).isEqualTo(Status.ABSENT);
    }

    @Test
    void migLimitsWhatIsRecorded() {
        fixture.recorded("h100").recorded("venv").with("""
                        == /proc/driver/nvidia/capabilities/gpu0/mig/gi3/access
                        == /proc/driver/nvidia/capabilities/gpu0/mig/gi4/access
                        == /proc/driver/nvidia/capabilities/gpu0/mig/config
                        """);

        CollectorCheck check = fixture.check("cuda-agent", "venv/bin/vllm");

        assertThat(check.status()).isEqualTo(Status.LIMITED);
        assertThat(check.found()).contains("2 MIG instances");
        assertThat(fixture.check("nvml").found()).contains("no utilisation while MIG is on");
    }

    @ParameterizedTest
    @CsvSource({"GRID T4-8C,LIMITED", "NVIDIA A16-2Q,LIMITED", "NVIDIA A100-SXM4-80GB,WORKS", "Tesla T4,WORKS"})
    void aVirtualGpuIsKnownByItsProfile(String model, Status expected) {
        fixture.recorded("h100").recorded("venv");
        fixture.with("== /proc/driver/nvidia/gpus/0000:19:00.0/information\nModel: \t\t " + model + "\n");

        assertThat(fixture.check("cuda-agent", "venv/bin/vllm").status()).isEqualTo(expected);
    }

    @Test
    void withoutLibcuptiTheAgentSaysWhatToInstall() {
        fixture.recorded("h100");

        assertThat(fixture.check("cuda-agent").remedy()).contains("pip install nvidia-cuda-cupti");
    }

    @Test
    void theToolkitsLibcuptiSaysItsVersionByTheFileItLeadsTo() {
        fixture.recorded("h100").with("""
                == /usr/local/cuda -> cuda-12.8
                == /usr/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12 -> libcupti.so.2025.1.0
                == /usr/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.2025.1.0
                """);

        assertThat(fixture.check("cuda-agent").found())
                .contains("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12 (CUDA 12, CUPTI 2025.1.0)");
    }

    @Test
    void anotherProfilerInTheAgentsPlaceIsNamed() {
        fixture.recorded("h100").recorded("venv").with("$ CUDA_INJECTION64_PATH=/opt/other/libprofiler.so\n");

        assertThat(fixture.check("cuda-agent", "venv/bin/vllm").found()).contains("/opt/other/libprofiler.so");
        assertThat(fixture.check("cuda-agent", "venv/bin/vllm").status()).isEqualTo(Status.FAILS);
    }

    @Test
    void ofTwoLibrariesTheOneThatTheDriverKnowsIsTaken() {
        fixture.recorded("h100")
                .recorded("venv")
                .with("== /home/a/venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13\n");

        assertThat(fixture.check("cuda-agent", "venv/bin/vllm").found()).contains("libcupti.so.12 (CUDA 12)");
    }

    @Test
    void aKnownDefectOfTheLibraryIsNamedWithItsRemedy() {
        String site = "/home/a/venv/lib/python3.11/site-packages";
        fixture.recorded("h100")
                .recorded("venv")
                .with(
                        "== /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 OperatingSystem Module  590.10.01  Fri Jan  2 10:00:00 UTC 2026\n")
                .with("== " + site + "/nvidia/cu13/lib/libcupti.so.13\n")
                .with("== " + site + "/nvidia_cuda_cupti-13.2.75.dist-info/METADATA\n");
        CollectorCheck check = fixture.check("cuda-agent", "venv/bin/vllm");

        assertThat(check.status()).isEqualTo(Status.LIMITED);
        assertThat(check.found())
                .contains("libcupti.so.13 (CUDA 13); known defect of this libcupti: every call of CUPTI gets slower");
        assertThat(check.remedy()).contains("update libcupti to CUDA 13.3");
    }

    @Test
    @Tag("native")
    void hooksOfLaunchesAreNamedByTheFunctionsThatTheDriverHas() throws Exception {
        StubCuda.prepare();
        fixture.recorded("h100").with("== /lib64/ld-linux-x86-64.so.2\n");
        assertThat(fixture.check("launch-hooks").found())
                .isEqualTo("this installation has no hooks for this processor");
        fixture.copied(StubCuda.HOOKS, "/opt/inferscope/libinferscope-launches.so");
        assertThat(fixture.check("launch-hooks").found()).contains("is not known");

        fixture.copied(
                Path.of(StubCuda.simulated(), "libcuda.so.1"),
                NvidiaDriver.of(fixture.machine()).library());
        CollectorCheck hooks = fixture.check("launch-hooks");
        assertThat(hooks.status()).isEqualTo(Status.LIMITED); // The stand-in has a part of them.
        assertThat(hooks.found())
                .startsWith("cuGraphLaunch, cuLaunchKernel, 9 that copy, 1 that fill, 3 that wait of ")
                .contains("this driver has no cuLaunchCooperativeKernel, cuLaunchKernelEx, ");
        assertThat(fixture.with("$ LD_PRELOAD=/opt/own.so\n")
                        .check("launch-hooks")
                        .found())
                .contains("LD_PRELOAD names /opt/own.so");
    }

    @Test
    void hooksNeedGlibcAndAProgramThatIsLinkedDynamically() throws Exception {
        fixture.recorded("h100");
        assertThat(fixture.check("launch-hooks").found()).isEqualTo("this machine's C library is not glibc");
        assertThat(fixture.check("launch-hooks").remedy()).contains("--gpu-detail full");
        fixture.with(
                "== /lib64/ld-linux-x86-64.so.2\n== /opt/inferscope/libinferscope-launches.so\n== /usr/bin/still *\n");
        ByteBuffer elf = ByteBuffer.allocate(64)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, 0x464c_457f)
                .put(4, (byte) 2)
                .put(5, (byte) 1);
        fixture.copied(Files.write(Files.createTempFile(root, "static", ""), elf.array()), "/usr/bin/still");
        assertThat(fixture.check("launch-hooks", "/usr/bin/still").found()).contains("is linked statically");
    }

    @Test
    void aHiddenGpuIsNoUse() {
        fixture.recorded("h100").recorded("venv").with("$ CUDA_VISIBLE_DEVICES=\n");

        assertThat(fixture.check("cuda-agent").found())
                .isEqualTo("CUDA_VISIBLE_DEVICES is '': the program sees no GPU");
    }

    @Test
    void amdIsRecordedInWindows() {
        fixture.recorded("venv").with("""
                == /dev/kfd
                == /opt/rocm/.info/version
                6.4.1-83
                == /home/a/venv/lib/python3.11/site-packages/torch/version.py
                __version__ = '2.7.1+rocm6.3'
                cuda: Optional[str] = None
                hip: Optional[str] = '6.3.42134'
                """);

        Doctor.Result result = fixture.examine("venv/bin/vllm");
        CollectorCheck check = fixture.check("rocm", "venv/bin/vllm");

        assertThat(result.needed()).contains("rocm").doesNotContain("cuda-agent");
        assertThat(check.status()).isEqualTo(Status.LIMITED);
        assertThat(check.found()).startsWith("ROCm 6.4.1-83, torch 2.7.1+rocm6.3 (for HIP 6.3.42134)");
    }

    @ParameterizedTest
    @CsvSource({"0,WORKS", "1,LIMITED", "2,FAILS", "3,FAILS"})
    void ptraceScopeDecidesWhoMayBeObserved(String scope, Status expected) {
        fixture.with("== /proc/sys/kernel/yama/ptrace_scope\n" + scope + "\n");

        assertThat(fixture.check("attach").status()).isEqualTo(expected);
        assertThat(fixture.check("python-stacks").isThere()).isEqualTo(expected != Status.FAILS);
    }

    @Test
    void whoMayCountAllIsNotToldToAskForIt() {
        assertThat(fixture.check("perf").status()).isEqualTo(Status.LIMITED);

        fixture.with("== /proc/self/status\nCapEff:\t0000004000000000\n"); // CAP_PERFMON

        assertThat(fixture.check("perf").status()).isEqualTo(Status.WORKS);
    }

    @Test
    void aRefusedCallIsNotGuessedFromFiles() {
        fixture.with("== /.dockerenv\n");
        fixture.memoryError = -1;
        fixture.perfError = -1;

        assertThat(fixture.check("attach").remedy()).contains("--cap-add=SYS_PTRACE");
        assertThat(fixture.check("python-stacks").status()).isEqualTo(Status.FAILS);
        assertThat(fixture.check("perf").remedy()).contains("--cap-add=PERFMON");
    }

    @ParameterizedTest
    @CsvSource({"3.7,FAILS,FAILS", "3.8,WORKS,FAILS", "3.9,WORKS,WORKS", "3.15,WORKS,WORKS", "3.16,WORKS,FAILS"})
    void versionsOfPythonDecide(String version, Status probe, Status stacks) {
        fixture.with("== /opt/py/bin/python" + version + " *\nELF\n");

        assertThat(fixture.check("python-probe", "/opt/py/bin/python" + version, "a.py")
                        .status())
                .isEqualTo(probe);
        assertThat(fixture.check("python-stacks", "/opt/py/bin/python" + version, "a.py")
                        .status())
                .isEqualTo(stacks);
    }

    @ParameterizedTest
    @CsvSource({"-I,I", "-IS,IS", "-u -E,E"})
    void optionsThatKeepTheProbeOutAreNamed(String options, String named) {
        CollectorCheck check = fixture.check("python-probe", ("python3 " + options + " a.py").split(" "));

        assertThat(check.status()).isEqualTo(Status.FAILS);
        assertThat(check.found()).contains("started with -" + named + ",");
    }

    @Test
    void launchersAndScriptsLeadToTheInterpreter() {
        fixture.recorded("venv").with("""
                == /home/a/long *
                #!/bin/sh
                '''exec' "/home/a/venv/bin/python" "$0" "$@"
                ' '''
                == /home/a/infer.py
                print()
                """);
        String venv = "Python 3.11 (/home/a/venv/bin/python)";

        assertThat(fixture.check("python-probe", "env", "A=1", "venv/bin/python", "x.py")
                        .found())
                .isEqualTo(venv);
        assertThat(fixture.check("python-probe", "./long").found()).isEqualTo(venv);
        assertThat(fixture.check("python-probe", "infer.py").found()).isEqualTo("Python 3.11 (/usr/bin/python3)");
        assertThat(fixture.check("python-probe", "ls").status()).isEqualTo(Status.ABSENT);
    }

    @Test
    void aCommandThatIsNotThereIsAProblem() {
        assertThat(fixture.examine("nowhere").problem()).contains("nowhere is not found");
    }

    @ParameterizedTest
    @CsvSource({
        "SLURM_JOB_NUM_NODES=4,4",
        "SLURM_JOB_NUM_NODES=1,1",
        "GROUP_WORLD_SIZE=2,2",
        "WORLD_SIZE=8,1",
    })
    void otherNodesOfAJobAreNamed(String variable, int nodes) {
        fixture.with("$ " + variable + "\n$ LOCAL_WORLD_SIZE=8\n");

        CollectorCheck check = fixture.check("nodes");

        assertThat(check.status()).isEqualTo(nodes == 1 ? Status.WORKS : Status.LIMITED);
        if (nodes > 1) {
            assertThat(check.found()).contains("has " + nodes + " nodes").contains("InferScope explains one");
        }
    }

    @Test
    void aWorldLargerThanThisNodesPartIsACluster() {
        fixture.with("$ WORLD_SIZE=16\n$ LOCAL_WORLD_SIZE=8\n");

        assertThat(fixture.check("nodes").found()).contains("has 2 nodes (WORLD_SIZE=16, LOCAL_WORLD_SIZE=8)");
    }
}
