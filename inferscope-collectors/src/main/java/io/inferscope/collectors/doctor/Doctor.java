package io.inferscope.collectors.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Examines a machine: one {@link CollectorCheck} per collector, in a fixed order. */
public final class Doctor {
    private static final long MB = 1 << 20;

    private final Machine machine;
    private final Program program;
    private final Place place;

    /**
     * InferScope's files, and the place of its output.
     *
     * @param agent the CUDA agent's library, empty if not installed
     * @param probe whether the Python probe is installed
     * @param hooks the list of the probe's hooks, empty if not installed
     * @param output the folder that recorders will write to
     * @param spoolBytes the cap of each recorder's file
     */
    public record Place(String agent, boolean probe, String hooks, String output, long spoolBytes) {}

    /**
     * The result of an examination.
     *
     * @param checks one per collector
     * @param needed the ids of those that the command needs
     * @param problem why the command cannot be executed, empty when it can or there is none
     */
    public record Result(List<CollectorCheck> checks, List<String> needed, String problem) {}

    /**
     * Prepares an examination.
     *
     * @param command the command to observe, empty for the machine only
     * @param folder the working folder
     */
    public Doctor(Machine machine, List<String> command, Path folder, Place place) {
        this.machine = machine;
        this.place = place;
        program = Program.of(machine, command, folder);
    }

    /** Runs all checks. */
    public Result examine() {
        PythonInstallation python = program.isPython() ? PythonInstallation.of(machine, program.interpreter()) : null;
        TorchBuild torch = python == null ? TorchBuild.NONE : TorchBuild.of(machine, python);
        NvidiaDriver driver = NvidiaDriver.of(machine);
        HostChecks host = new HostChecks(machine);
        PythonChecks pythons = new PythonChecks(program, python, torch);
        NvidiaChecks nvidia = new NvidiaChecks(machine, driver);
        CollectorCheck attach = host.attach();
        List<CollectorCheck> checks = new ArrayList<>(List.of(
                host.threads(),
                attach,
                pythons.stacks(attach),
                pythons.probe(place.probe()),
                pythons.operators(),
                pythons.engines(),
                new HookChecks(machine, python, place.hooks()).applicable(),
                nvidia.agent(place.agent(), python == null ? List.of() : python.sites()),
                new LaunchHooks(machine, driver).applicable(place.agent(), program),
                nvidia.nvml(),
                new AmdChecks(machine).rocm(torch),
                host.perf(),
                host.flightRecordings(),
                disk(),
                nodes()));
        return new Result(List.copyOf(checks), needed(python != null, torch, checks), program.problem());
    }

    /** Returns the collectors that record the command's kind of work; a GPU that it does not use is not needed. */
    private List<String> needed(boolean python, TorchBuild torch, List<CollectorCheck> checks) {
        List<String> needed = new ArrayList<>();
        if (!program.isAsked() || !program.problem().isEmpty()) {
            return needed;
        }
        needed.add("host");
        needed.add("disk");
        if (python) {
            needed.add("python-probe");
        }
        for (CollectorCheck check : checks) {
            boolean here = check.status() != CollectorCheck.Status.ABSENT;
            boolean cuda = check.id().equals("cuda-agent") && !torch.cuda().isEmpty();
            boolean hip = check.id().equals("rocm") && !torch.hip().isEmpty();
            if (here && (cuda || hip)) {
                needed.add(check.id());
            }
        }
        return needed;
    }

    private CollectorCheck disk() {
        String folder = existing(place.output());
        long bytes = machine.usableBytes(folder);
        if (!machine.isWritable(folder)) {
            return CollectorCheck.fails("disk", folder + " cannot be written", "name another place with --trace");
        }
        if (bytes < 0) {
            return CollectorCheck.limited("disk", "the free space in " + folder + " is unknown", "");
        }
        String room = String.format(Locale.ROOT, "%d MB free in %s", bytes / MB, folder);
        long wanted = 2 * place.spoolBytes();
        return bytes >= wanted
                ? CollectorCheck.works("disk", room)
                : CollectorCheck.limited(
                        "disk",
                        room + ", and each process' recorder may write " + place.spoolBytes() / MB + " MB",
                        "make room, name another place with --trace, or lower --trace-size-mb");
    }

    private String existing(String folder) {
        String at = folder;
        while (at.length() > 1 && !machine.isFolder(at)) {
            at = at.substring(0, Math.max(1, at.lastIndexOf('/')));
        }
        return at;
    }

    private CollectorCheck nodes() {
        ClusterEnvironment cluster = ClusterEnvironment.of(machine::variable, program.words());
        return cluster.isCluster()
                ? CollectorCheck.limited("nodes", cluster.describe(), ClusterEnvironment.REMEDY)
                : CollectorCheck.works("nodes", "one node, each of its GPUs for itself");
    }
}
