package io.inferscope.collectors.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferscope.collectors.os.OperatingSystem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every ground for a refusal has its own sentence and remedy. */
class TargetAccessTest {
    private static final int PID = 1234;
    private static final String USER = "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n";
    private static final String OTHER = "Uid:\t1001\t1001\t1001\t1001\nGid:\t1000\t1000\t1000\t1000\n";
    private static final String GROUP = "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t27\t27\t27\n";
    private static final String ROOT = "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n";
    private static final String NO_CAPABILITIES = "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n";
    private static final String ALL_CAPABILITIES = "CapPrm:\t000001ffffffffff\nCapEff:\t000001ffffffffff\n";
    private static final String HEAD = "Name:\tpython3\nState:\tS (sleeping)\nTgid:\t1234\nVmSize:\t 100 kB\n";

    private final FakeProc proc = new FakeProc();

    @Test
    void whatCanBeReadMayBeObserved() {
        proc.files.put("/proc/1234/status", HEAD + USER + NO_CAPABILITIES);
        proc.files.put("/proc/1234/syscall", "running");
        assertThatCode(() -> new TargetAccess(proc, PID).check()).doesNotThrowAnyException();
    }

    @Test
    void kernelsThatDoNotTellAreNotTakenForARefusal() {
        proc.files.put("/proc/1234/status", HEAD + USER + NO_CAPABILITIES);
        assertThatCode(() -> new TargetAccess(proc, PID).check()).doesNotThrowAnyException();
    }

    @Test
    void whatIsNoProcessIsSaid() {
        assertThat(failure(AttachFailure.NO_INPUT)).contains("there is no process 1234; a container's");
        proc.files.put("/proc/self/mounts", "proc /proc proc rw,hidepid=2 0 0\n");
        assertThat(failure(AttachFailure.NO_INPUT))
                .contains("there is no process 1234, or")
                .contains("hidepid");
        proc.files.put("/proc/1234/status", HEAD.replace("Tgid:\t1234", "Tgid:\t1200") + USER);
        assertThat(failure(AttachFailure.NO_INPUT)).contains("is a thread of process 1200: inferscope attach 1200");
        proc.files.put("/proc/1234/status", HEAD.replace("S (sleeping)", "Z (zombie)") + USER);
        assertThat(failure(AttachFailure.NO_INPUT)).contains("has ended already");
        proc.files.put("/proc/1234/status", HEAD.replaceAll("VmSize.*\n", "") + ROOT);
        assertThat(failure(AttachFailure.NO_INPUT)).contains("thread of the kernel");
    }

    @Test
    void anotherUsersProcessNeedsThatUserOrRoot() {
        refused(OTHER + NO_CAPABILITIES, USER + NO_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED))
                .contains(
                        "process 1234 (python3)",
                        "runs as user 1001, InferScope as 1000",
                        "sudo inferscope attach 1234");
    }

    @Test
    void anotherGroupIsNamed() {
        refused(GROUP + NO_CAPABILITIES, USER + NO_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("runs in group 27, InferScope in 1000");
    }

    @Test
    void rootWithoutTheCapabilityIsToldOfTheContainer() {
        refused(ROOT + NO_CAPABILITIES, ROOT + NO_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("lacks CAP_SYS_PTRACE", "--cap-add=SYS_PTRACE");
    }

    @Test
    void processThatIsNotDumpableIsNamedSo() {
        refused(USER + NO_CAPABILITIES, USER + NO_CAPABILITIES, false);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("not dumpable", "PR_SET_DUMPABLE");
    }

    @Test
    void ptraceScopeIsNamedWithItsValue() {
        refused(USER + NO_CAPABILITIES, USER + NO_CAPABILITIES, true);
        for (String scope : List.of("1", "2", "3")) {
            proc.files.put("/proc/sys/kernel/yama/ptrace_scope", scope + "\n");
            assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("kernel.yama.ptrace_scope is " + scope);
        }
    }

    @Test
    void capabilitiesNamespacesAndSecurityModulesAreTheLastResorts() {
        refused(USER + ALL_CAPABILITIES, USER + NO_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("capabilities that InferScope lacks");
        refused(USER + NO_CAPABILITIES, USER + NO_CAPABILITIES, true);
        proc.links.put("/proc/self/ns/user", "user:[1]");
        proc.links.put("/proc/1234/ns/user", "user:[2]");
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("another user namespace");
        proc.links.put("/proc/1234/ns/user", "user:[1]");
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("security module");
    }

    /** Root of a container may do everything to processes inside of it, and nothing to the others. */
    @Test
    void rootOfAUserNamespaceIsToldThatTheProcessIsOutside() {
        proc.files.put("/proc/self/uid_map", "         0      65534          1\n");
        proc.links.put("/proc/self/ns/user", "user:[1]");
        for (boolean opens : new boolean[] {true, false}) {
            refused(OTHER + NO_CAPABILITIES, ROOT + ALL_CAPABILITIES, opens);
            assertThat(failure(AttachFailure.NOT_ALLOWED))
                    .contains("another user namespace", "or the file of its program", "from the host as root");
        }
        proc.files.put("/proc/self/uid_map", "         0          0 4294967295\n");
        refused(OTHER + NO_CAPABILITIES, ROOT + ALL_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("security module");
    }

    /** Its capabilities count there as in the container itself, so the refusal has another cause. */
    @Test
    void aNamespaceInsideOfTheContainersIsNoGround() {
        proc.files.put("/proc/self/uid_map", "         0      65534          1\n");
        proc.links.put("/proc/self/ns/user", "user:[1]");
        proc.links.put("/proc/1234/ns/user", "user:[2]");
        refused(OTHER + NO_CAPABILITIES, ROOT + ALL_CAPABILITIES, false);
        assertThat(failure(AttachFailure.NOT_ALLOWED)).contains("not dumpable").doesNotContain("namespace");
        refused(OTHER + NO_CAPABILITIES, ROOT + ALL_CAPABILITIES, true);
        assertThat(failure(AttachFailure.NOT_ALLOWED))
                .contains("security module")
                .doesNotContain("namespace");
    }

    private void refused(String target, String own, boolean opens) {
        proc.files.put("/proc/1234/status", HEAD + target);
        proc.files.put("/proc/self/status", own);
        proc.files.put("/proc/1234/syscall", opens ? "EPERM" : "EACCES");
    }

    private String failure(int exitCode) {
        AttachFailure failure = catchThrowableOfType(AttachFailure.class, () -> new TargetAccess(proc, PID).check());
        assertThat(failure.exitCode()).isEqualTo(exitCode);
        return String.valueOf(failure.getMessage());
    }

    /** Files by their path; "EACCES" cannot be opened, "EPERM" not be read. */
    private static final class FakeProc implements OperatingSystem {
        final Map<String, String> files = new HashMap<>();
        final Map<String, String> links = new HashMap<>();
        private final List<String> open = new ArrayList<>();

        @Override
        public int open(String path) {
            String text = files.get(path);
            if (text == null) {
                return NO_SUCH_PROCESS;
            }
            open.add(text);
            return text.equals("EACCES") ? ACCESS_DENIED : open.size() - 1;
        }

        @Override
        public int read(int descriptor, byte[] buffer) {
            String text = open.get(descriptor);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, buffer, 0, bytes.length);
            return text.equals("EPERM") ? NOT_PERMITTED : bytes.length;
        }

        @Override
        public int read(int descriptor, long offset, byte[] buffer, int length) {
            return NOT_PERMITTED;
        }

        @Override
        public void close(int descriptor) {}

        @Override
        public @Nullable String readLink(String path) {
            return links.get(path);
        }

        @Override
        public String @Nullable [] list(String directory) {
            return null;
        }

        @Override
        public void sleep(long ns) {}

        @Override
        public void wake() {}

        @Override
        public long monotonicNs() {
            return 0;
        }

        @Override
        public long tickNs() {
            return 0;
        }

        @Override
        public long bootAheadNs() {
            return 0;
        }

        @Override
        public long threadCpuNs() {
            return 0;
        }

        @Override
        public long processCpuNs() {
            return 0;
        }
    }
}
