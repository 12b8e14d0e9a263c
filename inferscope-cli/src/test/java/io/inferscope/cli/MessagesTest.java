package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.common.Settings;
import io.inferscope.timeline.fixture.TraceFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands print for a terminal: names of files and settings are foreign text. */
class MessagesTest {
    /** Turns a terminal's text red and the rest of the line around. */
    private static final String HOSTILE = "\u001b[31mred\u202e";

    @TempDir
    Path folder;

    private static void assertNothingIsObeyed(String command, TestProgram.Answer answer) {
        assertThat(answer.out() + answer.err()).as(command).isNotEmpty().doesNotContain("\u001b", "\u202e");
    }

    @Test
    void aNameOnTheCommandLineIsEscapedByEveryCommand() {
        for (String name : new TreeSet<>(Main.commandLine().getSubcommands().keySet())) {
            assertNothingIsObeyed(name, TestProgram.run(name, HOSTILE));
            assertNothingIsObeyed(name, TestProgram.run(name, "--stacktrace", HOSTILE));
        }
    }

    @Test
    @Tag("process")
    void theNameOfAnInputAndOfAnOutputIsEscaped() throws Exception {
        Path inside = Files.createDirectory(folder.resolve(HOSTILE));
        Path plain = TraceFile.ofHalfIdleDevice(inside);
        String trace = Files.move(plain, inside.resolve(HOSTILE + ".json")).toString();
        String page = inside.resolve(HOSTILE + ".html").toString();
        String spools = Files.createDirectory(inside.resolve("spool_x")).toString();
        Files.copy(Path.of("../python/tests/golden/spool-v1.spool"), Path.of(spools, HOSTILE + ".spool"));
        String log =
                Files.createDirectory(inside.resolve(HOSTILE + ".jsonl.log")).toString();
        Map<String, List<String>> commands = new LinkedHashMap<>();
        commands.put("analyze a folder", List.of("analyze", inside.toString()));
        commands.put("analyze", List.of("analyze", trace, "-o", page));
        commands.put("open", List.of("open", page, "--no-browser"));
        commands.put("convert", List.of("convert", trace, "-o", inside + "/" + HOSTILE + "2.json"));
        commands.put("minimize", List.of("minimize", trace, "-o", inside + "/" + HOSTILE + "3.json"));
        commands.put("isolate", List.of("isolate", trace, "-o", inside + "/" + HOSTILE + ".py"));
        commands.put("diff", List.of("diff", trace, trace + ".missing"));
        commands.put("query", List.of("query", trace, "SELECT '" + HOSTILE + "'"));
        commands.put("recover", List.of("recover", spools, "-o", page, "--trace", inside + "/" + HOSTILE + "4.json"));
        commands.put("shapes recover", List.of("shapes", "recover", log));
        commands.put("shapes analyze", List.of("shapes", "analyze", trace));
        commands.put("perfetto", List.of("open", "--perfetto", spools));
        commands.forEach((name, words) -> assertNothingIsObeyed(name, TestProgram.run(words.toArray(new String[0]))));
    }

    @Test
    void aSettingOfMegabytesIsAShortWarning() throws Exception {
        Files.writeString(folder.resolve(".inferscope.yaml"), "log_level: \"\\x1b" + "x".repeat(100_000) + "\"\n");
        Settings settings = new Settings(Map.of(), folder);
        settings.rules();
        StringWriter err = new StringWriter();

        settings.warn(new PrintWriter(err, true));

        assertThat(err.toString())
                .contains("log_level must be error, warn, info or debug")
                .hasSizeLessThan(3_000);
        assertThat(err.toString()).doesNotContain("\u001b");
    }

    /** The methods that escape what they print are those of Log. */
    @Test
    void noOtherClassPrintsOnStandardError() throws Exception {
        Pattern prints = Pattern.compile("(?i)err(\\(\\))?\\s*\\.\\s*print|printStackTrace\\(");
        List<String> found = new ArrayList<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source :
                    sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                if (!source.endsWith("Log.java") && prints.matcher(text(source)).find()) {
                    found.add(source.toString());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    private static String text(Path source) throws IOException {
        return Files.readString(source);
    }
}
