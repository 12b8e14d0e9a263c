package io.inferscope.cli.setup;

import io.inferscope.cli.common.Command;
import io.inferscope.cli.common.CommandSpecs;
import io.inferscope.cli.common.Failures;
import io.inferscope.cli.common.InstallFolder;
import io.inferscope.cli.common.Log;
import io.inferscope.timeline.files.FileProblem;
import io.inferscope.timeline.files.KnowledgeTable;
import io.inferscope.timeline.files.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/** {@code inferscope setup}: enters the server of {@code inferscope mcp}, and the skill, into coding agents' folders. */
public final class SetupCommand extends Command {
    /** Larger files are no configuration that people write. */
    private static final long MOST_BYTES = 32 << 20;

    private static final String NONE = "-";
    private static final String SKILL = "inferscope/SKILL.md";
    private static final List<Agent> AGENTS = KnowledgeTable.read(
            SetupCommand.class, "agents.tsv", row -> new Agent(row[0], row[1], row[2], row[3], row[4], row[5]));

    private final OptionSpec agents = add(CommandSpecs.list(
                    "--agent=NAME",
                    String.class,
                    "Only this agent, found or not: "
                            + AGENTS.stream().map(Agent::id).collect(Collectors.joining(", ")) + ". Repeatable.")
            .build());
    private final OptionSpec root =
            option("--root=FOLDER", Path.class, "Let the agent read recordings below FOLDER only.");
    private final OptionSpec allowRun =
            flag("--allow-run", "Let the agent record programs that it names; see inferscope mcp --help.");
    private final OptionSpec yes = flag("--yes", "Write what is shown. Without it nothing is written.");
    private final OptionSpec remove = flag("--remove", "Take out what setup wrote.");
    private final Map<String, String> environment;

    /** @param environment of the user: HOME and XDG_CONFIG_HOME say where agents keep their files */
    public SetupCommand(Map<String, String> environment) {
        super("setup", "Tell coding agents about InferScope: its server of the Model Context Protocol and its skill.");
        this.environment = environment;
        help(
                List.of(
                        "inferscope setup",
                        "inferscope setup --root ~/traces --yes",
                        "inferscope setup --remove --yes"),
                "It looks for agents in the home folder and shows each change first. docs/mcp.md lists the agents.");
    }

    /** An agent, as a row of agents.tsv. */
    private record Agent(String id, String name, String folder, String configuration, String member, String skills) {}

    /** A file and its text after the change; null if the file goes. */
    private record Change(Path file, @Nullable String after) {}

    @Override
    public Integer call() throws IOException {
        List<String> wanted = agents.getValue() == null ? List.of() : agents.getValue();
        wanted.stream()
                .filter(id -> AGENTS.stream().noneMatch(agent -> agent.id().equals(id)))
                .findFirst()
                .ifPresent(id -> {
                    throw misuse("--agent " + id + ": there is no such agent");
                });
        List<Agent> found = AGENTS.stream()
                .filter(agent -> wanted.isEmpty() ? Files.isDirectory(at(agent.folder())) : wanted.contains(agent.id()))
                .toList();
        if (found.isEmpty()) {
            Log.line(out(), "no coding agent was found in " + home() + "; --agent NAME names one");
        }
        int failed = 0;
        int changes = 0;
        for (Agent agent : found) {
            try {
                changes += apply(agent);
            } catch (IOException e) {
                Log.tell(err(), agent.name() + ": " + FileProblem.describe(e));
                failed++;
            }
        }
        if (changes > 0 && !isSet(yes)) {
            Log.line(out(), "nothing was written; --yes writes it");
        }
        out().flush();
        return failed > 0 ? Failures.ENVIRONMENT : 0;
    }

    private int apply(Agent agent) throws IOException {
        List<Change> changes = changes(agent);
        if (changes.isEmpty()) {
            Log.line(out(), agent.name() + ": nothing to change");
        }
        for (Change change : changes) {
            Log.line(out(), agent.name() + ": " + what(change) + ' ' + change.file());
            if (isSet(yes)) {
                write(change);
            } else if (!isSet(remove) && !change.file().endsWith(SKILL)) {
                Log.line(out(), "    " + String.join(" ", words()));
            }
        }
        return changes.size();
    }

    private String what(Change change) {
        boolean written = isSet(yes);
        return change.after() == null
                ? written ? "deleted" : "would delete"
                : Files.exists(change.file())
                        ? written ? "changed" : "would change"
                        : written ? "wrote" : "would write";
    }

    private static void write(Change change) throws IOException {
        String after = change.after();
        if (after == null) {
            Files.deleteIfExists(change.file());
            Path folder = change.file().getParent();
            if (change.file().endsWith(SKILL) && folder != null && isEmpty(folder)) {
                Files.delete(folder);
            }
        } else {
            WholeFile.write(change.file(), out -> out.write(after.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private List<Change> changes(Agent agent) throws IOException {
        List<Change> changes = new ArrayList<>();
        Path file = at(agent.configuration());
        AgentEntry entry = new AgentEntry(agent.member(), agent.configuration().endsWith(".toml"), words());
        String before = text(file);
        boolean removes = isSet(remove);
        String after = problem(file, () -> removes ? entry.removedFrom(before) : entry.addedTo(before));
        if (!after.equals(before)) {
            changes.add(new Change(file, AgentEntry.isEmpty(after) ? null : after));
        }
        if (!agent.skills().equals(NONE)) {
            Path skill = at(agent.skills()).resolve(SKILL);
            String known = text(skill);
            String wanted = removes ? "" : Files.readString(skill());
            if (!known.equals(wanted)) {
                changes.add(new Change(skill, removes ? null : wanted));
            }
        }
        return changes;
    }

    /** What changes a text. */
    private interface Edit {
        String text() throws IOException;
    }

    /** Names the file in a problem with its text. */
    private static String problem(Path file, Edit edit) throws IOException {
        try {
            return edit.text();
        } catch (IOException e) {
            throw new FileSystemException(
                    file.toString(), null, FileProblem.oneLine(e) + "; add the entry by hand, as docs/mcp.md shows");
        }
    }

    private static String text(Path file) throws IOException {
        try {
            Path place = WholeFile.place(file);
            if (Files.exists(place) && (!Files.isRegularFile(place) || Files.size(place) > MOST_BYTES)) {
                throw new FileSystemException(
                        file.toString(), null, "it is no configuration: not a file, or too large");
            }
            return Files.readString(place);
        } catch (NoSuchFileException missing) {
            return "";
        }
    }

    /** The program and arguments with which an agent starts the server. */
    private List<String> words() throws IOException {
        List<String> words = new ArrayList<>(List.of(InstallFolder.launcher(), "mcp"));
        Path folder = realFolder(root);
        if (folder != null) {
            words.addAll(List.of("--root", folder.toString()));
        }
        if (isSet(allowRun)) {
            words.add("--allow-run");
        }
        return words;
    }

    private static Path skill() {
        Path home = InstallFolder.find();
        Path packed = home.resolve("lib/SKILL.md");
        return Files.exists(packed) ? packed : home.resolve("integrations/agent-plugin/skills/inferscope/SKILL.md");
    }

    private Path home() {
        return Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")));
    }

    /** Returns a place below the home folder. */
    private Path at(String relative) {
        Path configured = Path.of(environment.getOrDefault("XDG_CONFIG_HOME", ""));
        Path path = Path.of(relative);
        return path.startsWith(".config") && configured.isAbsolute()
                ? configured.resolve(path.subpath(1, path.getNameCount()))
                : home().resolve(path);
    }
}
