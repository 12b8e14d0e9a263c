package io.inferscope.collectors.python;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Explains why a process' memory may not be read, and the remedy. The rules are those of ptrace(2), "Ptrace access mode
 * checking".
 */
final class AccessRefused {
    private static final int EPERM = 1;
    private static final int CAP_SYS_PTRACE = 19; // linux/capability.h

    private AccessRefused() {}

    /** Returns the reason in words, given the error number of a refused read of process {@code pid}. */
    static String why(int pid, int errno) {
        if (errno != EPERM) {
            return "reading its memory fails with error " + errno;
        }
        String ours = status("self");
        String theirs = status(Integer.toString(pid));
        if (!link("self").equals(link(Integer.toString(pid)))) {
            return "it is in another user namespace; run InferScope inside that container, or as its owner";
        }
        boolean capable = (Long.parseUnsignedLong(word(ours, "CapEff:", 0, "0"), 16) >> CAP_SYS_PTRACE & 1) != 0;
        if (!word(ours, "Uid:", 1, "").equals(word(theirs, "Uid:", 0, ""))) {
            return capable
                    ? "it belongs to user " + word(theirs, "Uid:", 0, "?") + " and a security policy forbids reading it"
                    : "it belongs to user " + word(theirs, "Uid:", 0, "?")
                            + "; run InferScope as that user, or with CAP_SYS_PTRACE";
        }
        if (!word(ours, "Gid:", 1, "").equals(word(theirs, "Gid:", 0, ""))) {
            return "it runs under group " + word(theirs, "Gid:", 0, "?")
                    + "; run InferScope under that group, or with CAP_SYS_PTRACE";
        }
        if (!capable && isNotDumpable(pid, word(theirs, "Uid:", 0, ""))) {
            return "it has made itself unreadable (prctl PR_SET_DUMPABLE, or a set-uid program); CAP_SYS_PTRACE would be needed";
        }
        return policy(capable ? "0" : yama());
    }

    /**
     * Returns the policy that refuses access to a process of the same user. Yama's scopes:
     * Documentation/admin-guide/LSM/Yama.rst of the kernel.
     */
    static String policy(String yama) {
        String setting = "kernel.yama.ptrace_scope is " + yama;
        return switch (yama) {
            case "1" -> setting + "; start the program by `inferscope run`, or grant CAP_SYS_PTRACE";
            case "2" -> setting + "; grant CAP_SYS_PTRACE";
            case "3" -> setting + ", which forbids it to everybody until the next boot";
            default -> "a sandbox or security policy forbids process_vm_readv; in a container: `--cap-add=SYS_PTRACE`";
        };
    }

    private static String yama() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/yama/ptrace_scope"))
                    .trim();
        } catch (IOException | RuntimeException noYama) {
            return "0";
        }
    }

    /** Returns whether a process is not dumpable: its files in /proc then belong to root (proc(5)). */
    private static boolean isNotDumpable(int pid, String uid) {
        try {
            Object owner = Files.getAttribute(Path.of("/proc/" + pid + "/stat"), "unix:uid");
            return !owner.toString().equals(uid);
        } catch (IOException | RuntimeException gone) {
            return false;
        }
    }

    private static String link(String pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/user")).toString();
        } catch (IOException | RuntimeException hidden) {
            return "";
        }
    }

    private static String status(String pid) {
        try {
            return new String(Files.readAllBytes(Path.of("/proc/" + pid + "/status")), StandardCharsets.ISO_8859_1);
        } catch (IOException | RuntimeException gone) {
            return "";
        }
    }

    private static String word(String status, String key, int index, String otherwise) {
        int at = status.indexOf("\n" + key);
        if (at < 0) {
            return otherwise;
        }
        int end = status.indexOf('\n', at + 1);
        String[] words = status.substring(at + 1 + key.length(), end < 0 ? status.length() : end)
                .trim()
                .split("\\s+", -1);
        return index < words.length ? words[index] : otherwise;
    }
}
