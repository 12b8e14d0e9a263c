package io.inferscope.cli.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferscope.cli.common.Failures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@EnabledOnOs(OS.LINUX)
class SetupCommandTest {
    private static final String SKILL = ".claude/skills/inferscope/SKILL.md";

    @TempDir
    Path home;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void whatItShowsIsWrittenOnRequestAndTakenOutAgain() throws Exception {
        write(
                ".claude.json",
                "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"a\"}\n  }\n}\n");
        write(".codex/config.toml", "model = \"m\"\n\n[mcp_servers.other]\ncommand = \"a\"\n");
        write(".cursor/mcp.json", "{\"a\": 1}\n");
        Files.createDirectories(home.resolve(".claude/skills"));
        Files.createDirectories(home.resolve(".config/opencode"));
        Map<String, String> before = files();

        assertThat(run()).isZero();
        assertThat(out.toString()).contains("would change " + home.resolve(".claude.json"), "nothing was written");
        assertThat(files()).isEqualTo(before);

        assertThat(run("--yes", "--root", home.toString())).isZero();
        Map<?, ?> claude =
                new ObjectMapper().readValue(home.resolve(".claude.json").toFile(), Map.class);
        assertThat(claude.get("numStartups")).isEqualTo(3);
        assertThat(((Map<?, ?>) claude.get("mcpServers")).keySet())
                .extracting(Object::toString)
                .containsExactlyInAnyOrder("other", "inferscope");
        assertThat(files().get(".codex/config.toml"))
                .startsWith(before.get(".codex/config.toml"))
                .contains("[mcp_servers.inferscope]", "\"--root\", \"" + home.toRealPath() + '"');
        assertThat(files().get(".config/opencode/opencode.json")).contains("\"type\":\"local\"");
        assertThat(files().get(SKILL))
                .startsWith("---\nname: inferscope\n")
                .as("the manual is in no package")
                .doesNotContain("docs/");

        Map<String, String> written = files();
        assertThat(run("--yes", "--root", home.toString())).isZero();
        assertThat(files()).isEqualTo(written);

        out.getBuffer().setLength(0);
        assertThat(run("--remove")).isZero();
        assertThat(out.toString())
                .contains("would change " + home.resolve(".claude.json"))
                .doesNotContain(" mcp");
        assertThat(run("--yes", "--remove")).isZero();
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void anAgentThatIsNotThereIsLeftAloneUnlessNamed() throws Exception {
        assertThat(run("--yes")).isZero();
        assertThat(out.toString()).contains("no coding agent was found");
        assertThat(run("--yes", "--agent", "gemini")).isZero();
        assertThat(files().keySet()).containsExactly(".gemini/settings.json");
        assertThat(run("--agent", "none")).isEqualTo(Failures.USAGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"mcpServers\": [1]}", "{\"mcpServers\": {", "[1]"})
    void aConfigurationThatIsNotUnderstoodStaysAndTheOthersAreWritten(String text) throws Exception {
        write(".cursor/mcp.json", text);
        Files.createDirectories(home.resolve(".gemini"));
        assertThat(run("--yes")).isEqualTo(Failures.ENVIRONMENT);
        assertThat(err.toString())
                .contains("Cursor: ", home.resolve(".cursor/mcp.json").toString(), "by hand");
        assertThat(files().get(".cursor/mcp.json")).isEqualTo(text);
        assertThat(files()).containsKey(".gemini/settings.json");
    }

    @Test
    void aConfigurationThatLeadsToADeviceIsRefused() throws Exception {
        Files.createDirectories(home.resolve(".gemini"));
        Files.createSymbolicLink(home.resolve(".gemini/settings.json"), Path.of("/dev/zero"));
        assertThat(run("--yes")).isEqualTo(Failures.ENVIRONMENT);
        assertThat(err.toString()).contains("no configuration");
    }

    @Test
    void commentsAndCommasOfPeopleStay() throws Exception {
        AgentEntry entry = new AgentEntry("servers", false, List.of("/a b/inferscope", "mcp"));
        String text = "{\n  // mine\n  \"servers\": {\n    \"x\": {}, /* last */\n  },\n}\n";
        String added = entry.addedTo(text);
        assertThat(added).contains("// mine", "/* last */", "\"command\":\"/a b/inferscope\"");
        assertThat(entry.addedTo(added)).isEqualTo(added);
        assertThat(entry.removedFrom(added)).isEqualTo(text);
    }

    @Test
    void anEntryBetweenOthersOfTomlIsTakenOutAlone() throws Exception {
        AgentEntry entry = new AgentEntry("mcp_servers", true, List.of("inferscope", "mcp"));
        String text =
                "[mcp_servers.inferscope]\ncommand = \"old\"\nargs = []\n\n# next\n[mcp_servers.b]\ncommand = \"b\"\n";
        assertThat(entry.removedFrom(text)).isEqualTo("\n# next\n[mcp_servers.b]\ncommand = \"b\"\n");
        assertThat(entry.addedTo(text))
                .endsWith("\n[mcp_servers.inferscope]\ncommand = \"inferscope\"\nargs = [\"mcp\"]\n");
        assertThatThrownBy(() -> entry.addedTo("mcp_servers = { a = {} }\n")).hasMessageContaining("make them tables");
    }

    private int run(String... words) {
        return new CommandLine(new SetupCommand(Map.of("HOME", home.toString())).spec())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .registerConverter(Path.class, Path::of)
                .execute(words);
    }

    private void write(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(home)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                files.put(home.relativize(file).toString(), Files.readString(file));
            }
        }
        return files;
    }
}
