package io.inferscope.collectors.run;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a running process may be observed, and if not, why. Stacks and reasons of waits need the permission
 * PTRACE_MODE_ATTACH of ptrace(2). {@code /proc/PID/syscall} needs the same permission, so reading it is the test. Each
 * cause of a refusal has its own sentence and remedy: ptrace(2), "Ptrace access mode checking".
 */
record TargetAccess(OperatingSystem system, int pid) {
    private static final long CAP_SYS_PTRACE = 1L << 19; // capability.h

    /**
     * Checks.
     *
     * @throws AttachFailure with the reason and the remedy
     */
    void check() throws AttachFailure {
        if (pid == ProcessHandle.current().pid()) {
            throw missing("is InferScope itself");
        }
        StatusFile target = StatusFile.of(system, Integer.toString(pid));
        if (target.isEmpty()) {
            String hidden = StatusFile.text(system, "/proc/self/mounts").contains("hidepid=")
                    ? ", or /proc hides it: it is mounted with hidepid, which root sees through"
                    : "; a container's processes have other numbers inside than outside";
            throw new AttachFailure(AttachFailure.NO_INPUT, "there is no process " + pid + hidden);
        }
        String group = target.text("Tgid");
        if (!group.isEmpty() && !group.equals(Integer.toString(pid))) {
            throw missing("is a thread of process " + group + ": inferscope attach " + group);
        }
        if (target.text("State").startsWith("Z") || target.text("State").startsWith("X")) {
            throw missing("has ended already and only waits for its parent to notice");
        }
        if (!target.has("VmSize")) {
            throw missing("is a thread of the kernel");
        }
        checkPermission(target);
    }

    private AttachFailure missing(String what) {
        return new AttachFailure(AttachFailure.NO_INPUT, "process " + pid + " " + what);
    }

    private void checkPermission(StatusFile target) throws AttachFailure {
        int descriptor = system.open("/proc/" + pid + "/syscall");
        int result = descriptor;
        if (descriptor >= 0) {
            result = system.read(descriptor, new byte[256]);
            system.close(descriptor);
        }
        if (result == OperatingSystem.NOT_PERMITTED || result == OperatingSystem.ACCESS_DENIED) {
            StatusFile own = StatusFile.of(system, "self");
            throw new AttachFailure(
                    AttachFailure.NOT_ALLOWED,
                    "process " + pid + " (" + target.text("Name") + ") may not be observed: "
                            + reason(target, own, descriptor >= 0));
        }
    }

    private String reason(StatusFile target, StatusFile own, boolean opened) {
        String user = own.effective("Uid");
        boolean privileged = (own.mask("CapEff") & CAP_SYS_PTRACE) != 0;
        if (user.equals("0") && !privileged) {
            return "root lacks CAP_SYS_PTRACE here, as in most containers; start the container with --cap-add=SYS_PTRACE,"
                    + " or attach from the host";
        }
        if (!privileged && !Set.copyOf(target.ids("Uid")).equals(Set.of(user))) {
            return "it runs as user " + target.effective("Uid") + ", InferScope as " + user + "; " + asRoot();
        }
        if (!privileged && !Set.copyOf(target.ids("Gid")).equals(Set.of(own.effective("Gid")))) {
            return "it runs in group " + target.effective("Gid") + ", InferScope in " + own.effective("Gid") + "; "
                    + asRoot();
        }
        // A capability counts in its own user namespace and in those inside of it, whose links it may read.
        if (privileged && inUserNamespace() && userNamespace(Integer.toString(pid)) == null) {
            return "it is in another user namespace than InferScope, outside of its container, or the file of its program"
                    + " may not be read; attach from the host as root";
        }
        if (!opened) {
            return "it is not dumpable: it was set-user-id, has capabilities, or asked for that (prctl PR_SET_DUMPABLE); "
                    + asRoot();
        }
        return privileged ? security() : scope(target, own);
    }

    private String scope(StatusFile target, StatusFile own) {
        switch (StatusFile.text(system, "/proc/sys/kernel/yama/ptrace_scope").strip()) {
            case "1" -> {
                return "kernel.yama.ptrace_scope is 1: only an ancestor may; " + asRoot()
                        + ", or set it to 0 (sysctl), or start the program with inferscope run";
            }
            case "2" -> {
                return "kernel.yama.ptrace_scope is 2: only root may; " + asRoot();
            }
            case "3" -> {
                return "kernel.yama.ptrace_scope is 3: nobody may until the next boot; start the program with inferscope run,"
                        + " whose probe reports from inside";
            }
            default -> {}
        }
        if ((target.mask("CapPrm") & ~own.mask("CapPrm")) != 0) {
            return "it has capabilities that InferScope lacks; " + asRoot();
        }
        return isInOtherNamespace() ? otherNamespace() : security();
    }

    /**
     * Returns whether InferScope runs in a user namespace other than the first, which maps all ids: user_namespaces(7).
     */
    private boolean inUserNamespace() {
        String map = StatusFile.text(system, "/proc/self/uid_map").strip();
        return !map.isEmpty() && !map.endsWith(" 4294967295");
    }

    /** Returns whether the process is in another user namespace, or in one that must not be read. */
    private boolean isInOtherNamespace() {
        String namespace = userNamespace(Integer.toString(pid));
        return namespace == null || !namespace.equals(userNamespace("self"));
    }

    private @Nullable String userNamespace(String process) {
        return system.readLink("/proc/" + process + "/ns/user");
    }

    private static String otherNamespace() {
        return "it is in another user namespace than InferScope (one of the two is in a rootless container);"
                + " attach inside that container, or from the host as root";
    }

    private static String security() {
        return "a security module (SELinux, AppArmor) or a container's seccomp profile refuses it; attach from the host,"
                + " or start the program with inferscope run";
    }

    private String asRoot() {
        return "run as that user or as root: sudo inferscope attach " + pid;
    }
}
