package io.inferscope.analyzer.architecture;

import com.fasterxml.jackson.core.JsonParser;
import com.sun.jna.Pointer;
import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.architecture.cycle.PointsBack;
import io.inferscope.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Lies in the analyzer's package and does what {@code ArchitectureTest} forbids there. */
public final class BreaksEveryRule {
    private BreaksEveryRule() {}

    /** Writes a file that is seen half-written. */
    public static void write(Path file) throws IOException {
        Files.writeString(file, "text");
    }

    /** Lets a Jackson type out of the analyzer. */
    public static String describe(JsonParser parser) {
        int order = Comparator.comparing(String::length).compare("", "");
        return order + parser.toString() + new Analyzer() + " " + Pointer.NULL + " " + Main.class + PointsBack.back();
    }
}
