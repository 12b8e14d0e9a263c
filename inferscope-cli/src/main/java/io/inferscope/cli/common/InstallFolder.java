package io.inferscope.cli.common;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds the installation's folder with {@code python/} and {@code native/}. */
public final class InstallFolder {
    private InstallFolder() {}

    /**
     * Returns the distribution named by the launcher, otherwise the nearest folder above the classes with {@code
     * python/bootstrap}.
     */
    public static Path find() {
        String named = System.getProperty("inferscope.home", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        try {
            Path at = Path.of(InstallFolder.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path folder = at; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve("python/bootstrap"))) {
                    return folder;
                }
            }
        } catch (URISyntaxException | RuntimeException unknown) {
            // Use the working folder: the report states that the probe was not found.
        }
        return Path.of("");
    }

    /** Returns the launcher of this installation; the command's name, to be found on the PATH, where there is none. */
    public static String launcher() {
        Path home = find().toAbsolutePath();
        for (String place : List.of("bin/inferscope", "../../bin/inferscope", "scripts/inferscope")) {
            Path launcher =
                    home.resolve(place).normalize(); // In a Python environment, the installation is below share/.
            if (Files.isExecutable(launcher)) {
                return launcher.toString();
            }
        }
        return "inferscope";
    }
}
