package io.inferscope.cli.setup;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.RunOutputs;
import io.inferscope.cli.common.Setting;
import io.inferscope.cli.common.Settings;
import io.inferscope.collectors.doctor.CollectorCheck;
import io.inferscope.collectors.doctor.Doctor;
import io.inferscope.collectors.doctor.LinuxSystemCallProbes;
import io.inferscope.collectors.doctor.Machine;
import io.inferscope.collectors.os.NativeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code inferscope doctor}: checks for each collector whether it will work here, why not, and the remedy. */
public final class DoctorCommand extends Command {
    private static final String GPU = "gpu";

    /** Collectors of GPU work. */
    private static final List<String> GPU_RECORDERS = List.of("cuda-agent", "rocm");

    private final PositionalParamSpec words = add(PositionalParamSpec.builder()
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("0..*")
            .paramLabel("COMMAND")
            .description("The program that is to be observed, with its arguments; it is not executed.")
            .build());

    private final OptionSpec need = add(CommandSpecs.list(
                    "--need=WHAT",
                    String.class,
                    "Return 4 unless this works: gpu, or a collector by the name in the output. Repeatable.")
            .splitRegex(",")
            .build());

    private final OptionSpec format =
            option("--format=FORMAT", String.class, "console", "console (the default) or json.");

    private final Settings settings;

    public DoctorCommand(Settings settings) {
        super("doctor", "Report which collectors will work here, why others will not, and what to do.");
        this.settings = settings;
        spec.parser().stopAtPositional(true); // All words from the command on belong to the command.
        spec.usageMessage().customSynopsis("inferscope doctor [OPTIONS] [--] [COMMAND [ARGUMENT...]]");
        help(
                List.of("inferscope doctor", "inferscope doctor --need gpu -- python3 infer.py"),
                "Nothing is executed, installed or changed: files are read, and two system calls are tried. Returns 4 when",
                "something that --need names, or that the command needs, does not work.");
    }

    @Override
    public Integer call() throws IOException {
        if (!List.of("console", "json").contains(format.<String>getValue())) {
            throw misuse("--format " + format.getValue() + ": expected console or json");
        }
        List<String> command = words.getValue() == null ? List.of() : words.getValue();
        Path folder = Path.of("").toAbsolutePath();
        Machine machine = new Machine(Path.of("/"), System.getenv(), new LinuxSystemCallProbes());
        Doctor.Result result = new Doctor(machine, command, folder, place(folder)).examine();
        DoctorOutput output = new DoctorOutput(result, missing(result));
        if (format.<String>getValue().equals("json")) {
            output.json(out());
        } else {
            output.console(out());
        }
        settings.warn(err());
        return output.isEverythingThere() ? 0 : Failures.ENVIRONMENT;
    }

    private Doctor.Place place(Path folder) throws IOException {
        Path home = InstallFolder.find();
        Path agent = NativeFolder.of(home).resolve("libinferscope-agent.so");
        Path hooks = home.resolve("python/inferscope/hooks/hooks.tsv");
        return new Doctor.Place(
                Files.exists(agent) ? agent.toString() : "",
                Files.isDirectory(home.resolve("python/bootstrap")),
                Files.exists(hooks) ? Files.readString(hooks) : "",
                folder.resolve(RunOutputs.FOLDER).toString(),
                Long.parseLong(settings.get(Setting.TRACE_SIZE_MB)) << 20);
    }

    /** Returns the ids of the needed collectors that do not work. */
    private List<String> missing(Doctor.Result result) {
        List<String> wanted = new ArrayList<>(result.needed());
        List<String> asked = need.getValue();
        if (asked != null) {
            wanted.addAll(asked);
        }
        TreeSet<String> missing = new TreeSet<>();
        for (String one : wanted) {
            List<String> any = one.equals(GPU) ? GPU_RECORDERS : List.of(one);
            List<CollectorCheck> checks = result.checks().stream()
                    .filter(check -> any.contains(check.id()))
                    .toList();
            if (checks.isEmpty()) {
                throw misuse("--need " + one + ": expected gpu or one of "
                        + String.join(
                                ", ",
                                result.checks().stream().map(CollectorCheck::id).toList()));
            }
            if (checks.stream().noneMatch(CollectorCheck::isThere)) {
                missing.add(one);
            }
        }
        return List.copyOf(missing);
    }
}
