package io.inferscope.cli.fleet;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.ReportOptions;
import io.inferscope.cli.common.TraceInputs;
import io.inferscope.fleet.FleetReport;
import io.inferscope.fleet.SummarySets;
import io.inferscope.report.console.ConsoleOptions;
import io.inferscope.report.plots.Plot;
import io.inferscope.report.shapes.TablesPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

/** {@code fleet report}: what the rows of many recordings say together. */
final class FleetReportCommand extends Command {
    private final PositionalParamSpec folder =
            parameter(0, "DIR", Path.class, "The folder that `fleet build` or --summary wrote.");
    private final ReportOptions reports = new ReportOptions(spec);

    FleetReportCommand() {
        super("report", "Report which services, classes, places and rules cost most device time.");
        help(List.of("inferscope fleet report fleet/ -o report.html"));
    }

    /** Returns a folder that has rows. */
    static Path withRows(PositionalParamSpec parameter) throws IOException {
        Path folder = parameter.getValue();
        if (new SummarySets(folder).sets().isEmpty()) {
            throw new ParameterException(
                    parameter.command().commandLine(),
                    folder + " holds no rows; inferscope fleet build TRACES -o " + folder);
        }
        return folder;
    }

    @Override
    public Integer call() throws IOException {
        reports.check(List.of(), null);
        Path dir = withRows(folder);
        FleetReport report = FleetReport.of(dir);
        TablesPage page = report.page(TraceInputs.title(dir.toAbsolutePath().normalize()));
        reports.write(new ReportOptions.Content() {
            @Override
            public void render(String format, ConsoleOptions console, Appendable out) throws IOException {
                if (format.equals("json")) {
                    report.json(out);
                } else {
                    page.render(format, console, out);
                }
            }

            @Override
            public List<Plot> plots() {
                return page.plots();
            }
        });
        return 0;
    }
}
