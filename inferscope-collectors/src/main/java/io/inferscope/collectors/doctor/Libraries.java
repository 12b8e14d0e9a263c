package io.inferscope.collectors.doctor;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds shared libraries in the dynamic linker's folders, and in those that container runtimes use for the driver. */
public final class Libraries {
    /** Folders of ld.so(8) on common distributions; then those of the NVIDIA container runtime, WSL and NixOS. */
    private static final List<String> FOLDERS = List.of(
            "/lib/x86_64-linux-gnu",
            "/usr/lib/x86_64-linux-gnu",
            "/lib/aarch64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/lib64",
            "/usr/lib64",
            "/lib",
            "/usr/lib",
            "/usr/local/lib",
            "/usr/local/nvidia/lib64",
            "/usr/local/nvidia/lib",
            "/usr/lib/wsl/lib",
            "/run/opengl-driver/lib");

    private Libraries() {}

    /** Returns the folders to search, those of LD_LIBRARY_PATH and of the linker's configuration first. */
    static List<String> folders(Machine machine) {
        Set<String> folders = new LinkedHashSet<>(PythonInstallation.paths(machine.variable("LD_LIBRARY_PATH")));
        for (String name : machine.list("/etc/ld.so.conf.d")) {
            machine.text("/etc/ld.so.conf.d/" + name)
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("/"))
                    .forEach(folders::add);
        }
        folders.addAll(FOLDERS);
        return new ArrayList<>(folders);
    }

    /** Returns the first file of exactly that name, empty when there is none. */
    public static String find(Machine machine, String name) {
        return folders(machine).stream()
                .map(folder -> folder + "/" + name)
                .filter(machine::exists)
                .findFirst()
                .orElse("");
    }
}
