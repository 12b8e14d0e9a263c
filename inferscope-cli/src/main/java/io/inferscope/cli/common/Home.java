package io.inferscope.cli.common;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the folder that holds what is not Java: {@code python/} and {@code native/}. */
public final class Home {
    private Home() {}

    /** Returns the distribution that the launcher names, else the nearest folder above the classes that has {@code python/bootstrap}. */
    public static Path find() {
        String named = System.getProperty("inferscope.home", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        try {
            Path at = Path.of(Home.class
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
            // The working folder will do: the report says that the probe was not found.
        }
        return Path.of("");
    }
}
