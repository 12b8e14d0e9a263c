package io.inferscope.cli.common;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest; {@code development} when run from loose classes. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"inferscope " + text()};
    }

    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
