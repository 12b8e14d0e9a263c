package io.inferscope.report;

import io.inferscope.analyzer.model.Report;
import io.inferscope.report.common.Renderer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Renders to a string. */
public final class Rendered {
    private Rendered() {}

    public static String as(String format, Report report) {
        return by(Renderers.byFormat(format), report);
    }

    public static String by(Renderer renderer, Report report) {
        StringBuilder out = new StringBuilder();
        try {
            renderer.render(report, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString();
    }

    /** Writes every fixture in every format: {@code Rendered DIR}. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        for (String format : Renderers.formats()) {
            Files.writeString(folder.resolve("gpu." + format), as(format, ReportFixture.gpu()));
            Files.writeString(folder.resolve("cpu-only." + format), as(format, ReportFixture.cpuOnly()));
            Files.writeString(folder.resolve("withheld." + format), as(format, ReportFixture.withheld()));
        }
    }
}
