package io.inferscope.collectors.os;

import java.nio.file.Path;
import java.util.Locale;

/** Where an installation keeps its native libraries: unpacked, as /tmp may be mounted noexec. */
public final class NativeFolder {
    private NativeFolder() {}

    /** Returns the folder for this processor, of the installation in {@code home}; it need not exist. */
    public static Path of(Path home) {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String architecture = switch (name) {
            case "amd64", "x86_64" -> "x86-64";
            case "arm64" -> "aarch64";
            default -> name;
        };
        return home.resolve("native").resolve("linux-" + architecture);
    }
}
