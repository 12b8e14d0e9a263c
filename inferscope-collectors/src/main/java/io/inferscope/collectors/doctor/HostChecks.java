package io.inferscope.collectors.doctor;

import io.inferscope.collectors.os.OperatingSystem;
import java.util.ArrayList;
import java.util.List;

/** Checks of the recorders outside of the program: threads, stacks, kernel events, flight recordings. */
record HostChecks(Machine machine) {
    private static final long CAP_SYS_PTRACE = 1L << 19; // capability.h
    private static final long CAP_SYS_ADMIN = 1L << 21;
    private static final long CAP_PERFMON = 1L << 38;
    private static final int HEX = 16;
    private static final String ALLOW_PTRACE = "start the container with --cap-add=SYS_PTRACE";

    /** Returns whether this is a container, by the marks that Docker, Podman, Kubernetes and systemd-nspawn leave. */
    static boolean isContainer(Machine machine) {
        return machine.exists("/.dockerenv")
                || machine.exists("/run/.containerenv")
                || machine.isSet("KUBERNETES_SERVICE_HOST")
                || machine.isSet("container");
    }

    /** Checks whether threads can be sampled. */
    CollectorCheck threads() {
        if (machine.text("/proc/self/status").isEmpty()) {
            return CollectorCheck.fails("host", "/proc is not there", "mount it: mount -t proc proc /proc");
        }
        List<String> limits = new ArrayList<>();
        List<String> remedies = new ArrayList<>();
        if (machine.text("/proc/self/schedstat").isEmpty()) {
            limits.add("this Linux kernel has no schedstat: how threads spend their time is not known");
            remedies.add("use a Linux kernel with CONFIG_SCHED_INFO");
        }
        if (machine.text("/proc/self/mounts").contains("hidepid=")) {
            limits.add("/proc is mounted with hidepid: other users' processes are not seen");
            remedies.add("run as the program's own user, or as root");
        }
        return limits.isEmpty()
                ? CollectorCheck.works(
                        "host", "threads, memory and control group of the command's processes, from /proc")
                : CollectorCheck.limited("host", String.join("; ", limits), String.join("; ", remedies));
    }

    /**
     * Checks whether another process' memory can be read, which Python stacks and the owners of locks need: ptrace(2),
     * process_vm_readv(2).
     */
    CollectorCheck attach() {
        int refused = machine.trials().readMemory();
        if (refused != 0) {
            return CollectorCheck.fails(
                    "attach",
                    "reading a process' memory is refused (error " + -refused
                            + "): a seccomp profile, or a security module",
                    HostChecks.isContainer(machine) ? ALLOW_PTRACE : "permit process_vm_readv in the profile");
        }
        String scope = machine.text("/proc/sys/kernel/yama/ptrace_scope").strip();
        if (hasOneOf(CAP_SYS_PTRACE) && !scope.equals("3")) {
            return CollectorCheck.works("attach", "this user may observe any process");
        }
        return switch (scope) {
            case "1" ->
                CollectorCheck.limited(
                        "attach",
                        "kernel.yama.ptrace_scope is 1: only programs that inferscope run starts",
                        "for attach: sudo sysctl kernel.yama.ptrace_scope=0, or run attach as root");
            case "2" ->
                CollectorCheck.fails(
                        "attach",
                        "kernel.yama.ptrace_scope is 2: only root may read other processes' memory",
                        "run as root");
            case "3" ->
                CollectorCheck.fails(
                        "attach",
                        "kernel.yama.ptrace_scope is 3: nobody may read other processes' memory until the next boot",
                        "use inferscope run, whose probe reports from inside");
            default -> CollectorCheck.works("attach", "programs of this user may be observed");
        };
    }

    private boolean hasOneOf(long capabilities) {
        return machine.text("/proc/self/status")
                .lines()
                .filter(line -> line.startsWith("CapEff:"))
                .anyMatch(line -> (mask(line.substring("CapEff:".length()).strip()) & capabilities) != 0);
    }

    private static long mask(String hex) {
        try {
            return Long.parseUnsignedLong(hex, HEX);
        } catch (NumberFormatException unknown) {
            return 0;
        }
    }

    /** Checks which events native stacks and {@code --perf} can open. */
    CollectorCheck perf() {
        String level = machine.text("/proc/sys/kernel/perf_event_paranoid").strip();
        if (level.isEmpty()) {
            return CollectorCheck.absent("perf", "this Linux kernel has no perf events");
        }
        int refused = machine.trials().openPerfEvent();
        boolean denied = refused == OperatingSystem.NOT_PERMITTED || refused == OperatingSystem.ACCESS_DENIED;
        String set = "kernel.perf_event_paranoid is " + level;
        if (refused == 0) {
            return level.equals("2") && !hasOneOf(CAP_PERFMON | CAP_SYS_ADMIN)
                    ? CollectorCheck.limited(
                            "perf",
                            set
                                    + ": native stacks without the operating system's part; with --perf, switches and counts in user mode",
                            "for all of it: sudo sysctl kernel.perf_event_paranoid=1")
                    : CollectorCheck.works("perf", "native stacks; every switch and count, with --perf");
        }
        String why = denied
                ? "perf events are refused (" + set + ")"
                : "perf events cannot be opened (error " + -refused + ")";
        return CollectorCheck.fails(
                "perf",
                why,
                isContainer(machine)
                        ? "start the container with --cap-add=PERFMON and a seccomp profile that lets perf_event_open through"
                        : "sudo sysctl kernel.perf_event_paranoid=1");
    }

    /** Checks whether JVMs can be asked to record themselves: the attach mechanism uses files in /tmp. */
    CollectorCheck flightRecordings() {
        return machine.isWritable("/tmp")
                ? CollectorCheck.works("jfr", "JVMs of the command record themselves")
                : CollectorCheck.fails(
                        "jfr", "/tmp cannot be written: a JVM cannot be asked to record itself", "use --jfr start");
    }
}
