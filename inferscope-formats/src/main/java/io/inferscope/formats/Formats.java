package io.inferscope.formats;

import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.Importers;
import java.util.List;

/** Every format that can be read, listed here. What an importer needs is loaded when it reads, not when it is listed. */
public final class Formats {
    private static final List<Importer> ALL = List.of(
            new NsysImporter(),
            new RocprofImporter(),
            new RocpdImporter(),
            new OnnxRuntimeImporter(),
            new XlaTraceImporter(),
            new XplaneImporter(),
            new TrtexecImporter(),
            new SpeedscopeImporter(),
            new FoldedStacksImporter());

    private Formats() {}

    /** Returns all importers, those of the timeline module included. */
    public static Importers importers() {
        return Importers.with(ALL);
    }
}
