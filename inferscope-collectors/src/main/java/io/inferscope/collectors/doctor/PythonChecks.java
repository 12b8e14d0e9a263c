package io.inferscope.collectors.doctor;

import io.inferscope.collectors.python.PythonSampler;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks of the recorders inside the command's interpreter, and of the reader of its stacks. */
record PythonChecks(Program program, @Nullable PythonInstallation python, TorchBuild torch) {
    /** Minor version of the oldest Python that the probe supports: python/pyproject.toml, requires-python. */
    private static final int OLDEST_PROBE = 8;

    private static final String PROBE = "python-probe";
    private static final String STACKS = "python-stacks";
    private static final String OPERATORS = "operators";

    /** A distribution with an engine, and the engine's usual name: engines.tsv. */
    private record Engine(String distribution, String name) {}

    /** Checks whether the probe will be loaded; {@code present}: whether it is installed. */
    CollectorCheck probe(boolean present) {
        if (python == null) {
            return noPython(PROBE);
        }
        if (!present) {
            return CollectorCheck.fails(PROBE, "this installation holds no probe", "install InferScope whole");
        }
        String ignored = program.flags().replaceAll("[^IES]", "");
        if (!ignored.isEmpty()) {
            return CollectorCheck.fails(
                    PROBE,
                    "the interpreter is started with -" + ignored + ", which keeps the probe out",
                    "leave the option out; stacks are read from outside in any case");
        }
        if (python.minor() < 0) {
            return unknownVersion(PROBE, python);
        }
        return python.minor() < OLDEST_PROBE
                ? CollectorCheck.fails(PROBE, named() + " is too old", "use Python 3." + OLDEST_PROBE + " or newer")
                : CollectorCheck.works(PROBE, named());
    }

    /** Checks whether stacks can be read from outside, given the result of {@link HostChecks#attach}. */
    CollectorCheck stacks(CollectorCheck attach) {
        if (python == null) {
            return noPython(STACKS);
        }
        if (!attach.isThere()) {
            return CollectorCheck.fails(STACKS, attach.found(), attach.remedy());
        }
        if (python.minor() < 0) {
            return unknownVersion(STACKS, python);
        }
        boolean known = python.minor() >= PythonSampler.OLDEST_MINOR && python.minor() <= PythonSampler.NEWEST_MINOR;
        return known
                ? CollectorCheck.works(STACKS, named())
                : CollectorCheck.fails(
                        STACKS,
                        named() + " is a version whose stacks cannot be read",
                        "use one of 3." + PythonSampler.OLDEST_MINOR + " to 3." + PythonSampler.NEWEST_MINOR);
    }

    private static CollectorCheck unknownVersion(String id, PythonInstallation python) {
        return CollectorCheck.limited(
                id, "the version of " + python.executable() + " is not in its files; InferScope tries to read it", "");
    }

    private String named() {
        return python == null ? "" : "Python " + python.version() + " (" + python.executable() + ")";
    }

    private CollectorCheck noPython(String id) {
        return CollectorCheck.absent(
                id,
                program.isAsked()
                        ? "the command is not a Python program, judging by its first file"
                        : "no python3 on PATH; name the command: inferscope doctor -- COMMAND");
    }

    /** Checks whether windows of PyTorch's profiler can be recorded. */
    CollectorCheck operators() {
        if (python == null) {
            return noPython(OPERATORS);
        }
        return torch.isThere()
                ? CollectorCheck.works(OPERATORS, torch.describe() + ", with --ops")
                : CollectorCheck.absent(OPERATORS, "torch is not installed for " + python.executable());
    }

    /** Lists the engines of the command's interpreter. */
    CollectorCheck engines() {
        if (python == null) {
            return noPython("engines");
        }
        List<String> found = new ArrayList<>();
        if (torch.isThere()) {
            found.add(torch.describe());
        }
        for (Engine engine :
                KnowledgeTable.read(PythonChecks.class, "engines.tsv", cells -> new Engine(cells[0], cells[1]))) {
            String version = python.version(engine.distribution());
            if (!version.isEmpty()) {
                found.add(engine.name() + " " + version);
            }
        }
        return found.isEmpty()
                ? CollectorCheck.absent("engines", "none known by name is installed for " + python.executable())
                : CollectorCheck.works("engines", String.join(", ", found));
    }
}
