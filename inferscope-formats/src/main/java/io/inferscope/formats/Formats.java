package io.inferscope.formats;

import io.inferscope.formats.common.Exporter;
import io.inferscope.formats.export.FoldedExporter;
import io.inferscope.formats.export.KinetoFileExporter;
import io.inferscope.formats.export.SpeedscopeExporter;
import io.inferscope.formats.jfr.JfrImporter;
import io.inferscope.formats.jfr.JfrRunImporter;
import io.inferscope.formats.legacy.InferScopePythonImporter;
import io.inferscope.formats.nsys.NsysImporter;
import io.inferscope.formats.onnx.OnnxRuntimeImporter;
import io.inferscope.formats.parquet.ParquetExporter;
import io.inferscope.formats.parquet.ParquetImporter;
import io.inferscope.formats.rocm.RocpdImporter;
import io.inferscope.formats.rocm.RocprofImporter;
import io.inferscope.formats.rocm.RpdImporter;
import io.inferscope.formats.sqlite.SqliteExporter;
import io.inferscope.formats.stacks.FoldedStacksImporter;
import io.inferscope.formats.stacks.SpeedscopeImporter;
import io.inferscope.formats.tensorrt.TrtexecImporter;
import io.inferscope.formats.xla.XlaTraceImporter;
import io.inferscope.formats.xla.XplaneImporter;
import io.inferscope.timeline.kineto.KinetoImporter;
import io.inferscope.timeline.load.Importers;
import io.inferscope.timeline.spool.SpoolImporter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Every format that can be read or written, listed here. An importer's libraries are loaded when it reads, not when it
 * is listed.
 */
public final class Formats {
    /** The first one that recognises an input reads it; Kineto's, which accepts any JSON, is last. */
    private static final Importers IMPORTERS = new Importers(List.of(
            new ParquetImporter(),
            new NsysImporter(),
            new RocprofImporter(),
            new RpdImporter(),
            new RocpdImporter(),
            new OnnxRuntimeImporter(),
            new XlaTraceImporter(),
            new XplaneImporter(),
            new TrtexecImporter(),
            new SpeedscopeImporter(),
            new JfrImporter(),
            new JfrRunImporter(),
            new InferScopePythonImporter(),
            new FoldedStacksImporter(),
            new SpoolImporter(),
            new KinetoImporter()));

    /** The first one with a matching ending is used, so longer endings come first. */
    private static final List<Exporter> EXPORTERS = List.of(
            new SpeedscopeExporter(),
            new FoldedExporter(),
            new ParquetExporter(),
            new SqliteExporter(),
            new KinetoFileExporter());

    private Formats() {}

    /** Returns all importers, including those of the timeline module. */
    public static Importers importers() {
        return IMPORTERS;
    }

    /** Returns every format that can be written. */
    public static List<Exporter> exporters() {
        return EXPORTERS;
    }

    /**
     * Returns the format for the ending of a file name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the known endings
     */
    public static Exporter exporterByFileName(String fileName) {
        String name = fileName.toLowerCase(Locale.ROOT);
        return EXPORTERS.stream()
                .filter(exporter -> exporter.endings().stream().anyMatch(name::endsWith))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("output " + fileName
                        + ": no format has this ending; known are "
                        + EXPORTERS.stream()
                                .map(exporter -> String.join(", ", exporter.endings()))
                                .collect(Collectors.joining(", "))
                        + ", or name one with --to"));
    }

    /**
     * Returns a format by its name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the known formats
     */
    public static Exporter exporterByFormat(String format) {
        return EXPORTERS.stream()
                .filter(exporter -> exporter.format().equals(format))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown format " + format + "; known are "
                        + EXPORTERS.stream().map(Exporter::format).collect(Collectors.joining(", "))));
    }
}
