package io.inferscope.cli.fleet;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.Settings;
import java.util.List;

/** {@code inferscope fleet}: many recordings, analysed once and asked together. */
public final class FleetCommand extends Command {
    public FleetCommand(Settings settings) {
        super("fleet", "Analyse many recordings, and report which services' GPUs idle most, why, and since when.");
        spec.usageMessage().synopsisSubcommandLabel("(build | watch | report | query)");
        spec.addSubcommand("build", new FleetBuildCommand(settings, false).spec());
        spec.addSubcommand("watch", new FleetBuildCommand(settings, true).spec());
        spec.addSubcommand("report", new FleetReportCommand().spec());
        spec.addSubcommand("query", new FleetQueryCommand().spec());
        help(List.of(
                "inferscope fleet build traces/ -o fleet/ --label service=@1",
                "inferscope fleet report fleet/ -o report.html",
                "inferscope fleet query fleet/ 'select service, count(*) from trace group by service'"));
    }

    @Override
    public Integer call() {
        throw misuse("Missing command: build, watch, report or query");
    }
}
