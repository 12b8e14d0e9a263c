package io.inferscope.cli.common;

import java.io.IOException;
import java.nio.file.Files;
import picocli.CommandLine.IVersionProvider;

/**
 * The version in the jar's manifest ({@code development} when run from loose classes), the commit it was built from,
 * the runtime.
 */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"inferscope " + text() + " (" + commit() + "Java " + Runtime.version() + ")"};
    }

    /** Returns the commit recorded by the build; empty if it was not in a git checkout. */
    private static String commit() {
        try {
            String commit =
                    Files.readString(InstallFolder.find().resolve(".commit")).strip();
            return commit.isEmpty() ? "" : "commit " + commit + ", ";
        } catch (IOException unknown) {
            return "";
        }
    }

    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
