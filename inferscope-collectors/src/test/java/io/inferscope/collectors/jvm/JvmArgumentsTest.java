package io.inferscope.collectors.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where a JVM may be told not to let anybody attach. */
@Tag("process")
class JvmArgumentsTest {
    private static final String SAID = "it runs with -XX:+DisableAttachMechanism";
    private static final String UNKNOWN = "whether it runs with -XX:+DisableAttachMechanism is not known: ";
    private static final Map<String, String> FILES = Map.of(
            "plain", "-Xmx1g\n-cp \"my classes\"",
            "quoted", "-Xmx1g -XX:+\"DisableAttach\"Mechanism",
            "folded", "-XX:+Disable\\\n   AttachMechanism",
            "flags", "+UseSerialGC\n+DisableAttachMechanism\n",
            "nested", "-XX:Flags=flags");

    private static String of(String commandLine, String... environment) {
        return JvmArguments.forbidding(
                List.of(commandLine.split(" ", -1)),
                List.of(environment),
                name -> Optional.ofNullable(FILES.get(name)));
    }

    @Test
    void theFlagIsFoundWhereverAJvmTakesFlagsFrom() {
        assertThat(of("java -XX:+DisableAttachMechanism Svc")).isEqualTo(SAID);
        assertThat(of("launcher run -XX:+DisableAttachMechanism")).isEqualTo(SAID);
        assertThat(of("java @quoted Svc")).isEqualTo(SAID);
        assertThat(of("java -cp a @folded Svc")).isEqualTo(SAID);
        assertThat(of("java -XX:Flags=flags Svc")).isEqualTo(SAID);
        assertThat(of("java -XX:VMOptionsFile=quoted -jar a.jar")).isEqualTo(SAID);
        assertThat(of("java @nested Svc")).isEqualTo(SAID);
        assertThat(of("java Svc", "JDK_JAVA_OPTIONS=-Xmx1g @quoted")).isEqualTo(SAID);
        assertThat(of("java Svc", "JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism"))
                .isEqualTo(SAID);
        assertThat(of("java Svc", "_JAVA_OPTIONS=-XX:Flags=flags")).isEqualTo(SAID);
    }

    @Test
    void aFileThatCannotBeReadMayHoldIt() {
        assertThat(of("java @gone Svc")).isEqualTo(UNKNOWN + "an @argfile cannot be read");
        assertThat(of("java -XX:Flags=gone Svc")).isEqualTo(UNKNOWN + "the file of -XX:Flags cannot be read");
        assertThat(of("java Svc", "JDK_JAVA_OPTIONS=@gone")).isEqualTo(UNKNOWN + "an @argfile cannot be read");
        assertThat(of("java @gone @quoted Svc")).isEqualTo(SAID);
    }

    @Test
    void whatIsTheProgramsOwnSaysNothing() {
        assertThat(of("java @plain -cp @gone Svc @gone -XX:Flags=gone")).isEmpty();
        assertThat(of("java -jar a.jar @gone")).isEmpty();
        assertThat(of("java Svc", "NOTES=-XX:+DisableAttachMechanism", "PATH=/bin"))
                .isEmpty();
        assertThat(of("")).isEmpty();
    }

    /** A real process, whose folder and command line the kernel tells. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void filesAreThoseOfTheProcess(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("jvm.flags"), "+DisableAttachMechanism\n");
        assertThat(forbidden(folder, "-XX:Flags=jvm.flags")).isEqualTo(SAID);
        assertThat(forbidden(folder, "@" + folder.resolve("jvm.flags"))).isEqualTo(SAID);
        assertThat(forbidden(folder, "@elsewhere")).startsWith(UNKNOWN);
        assertThat(forbidden(folder, "-Xmx1g")).isEmpty();
    }

    private static String forbidden(Path folder, String word) throws IOException, InterruptedException {
        Process program = new ProcessBuilder("sh", "-c", "echo; read line", word)
                .directory(folder.toFile())
                .start();
        try {
            assertThat(program.getInputStream().read()).isEqualTo('\n'); // From here on it is the shell.
            ProcessView view = new ProcessView((int) program.pid());
            List<String> words = view.words("cmdline");
            assertThat(words).contains("echo; read line", word);
            return JvmArguments.forbidding(
                    words.subList(words.indexOf(word) - 1, words.size()), List.of(), view::namedFile);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }
}
