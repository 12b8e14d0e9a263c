package io.inferscope.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest; {@code development} when run from loose classes. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"inferscope " + text()};
    }

    static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
