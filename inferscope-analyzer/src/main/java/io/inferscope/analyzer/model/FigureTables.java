package io.inferscope.analyzer.model;

import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import java.util.List;

/** The tables that metrics read: those of a report, or of an analysis whose report is not made yet. */
public interface FigureTables {
    /** Returns one line per device. */
    List<DeviceFigures> devices();

    /** Returns one line per device on its launches. */
    List<LaunchFigures> launches();

    /** Returns one line per kernel name, longest first, cut to the largest. */
    List<KernelFigures> kernels();

    /** Returns one line per device, direction and kinds of memory, longest first. */
    List<CopyFigures> copies();

    /** Returns one line per host thread, by CPU time if recorded, otherwise by recorded activity; largest first. */
    List<ThreadFigures> threads();

    /** Returns what a run recorded besides activity: processes, counters and the like. */
    HostTables host();

    /** Returns phases, steps and requests. */
    StepTables steps();
}
