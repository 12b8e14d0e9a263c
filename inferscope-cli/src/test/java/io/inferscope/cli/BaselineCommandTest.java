package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.cli.common.Failures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Tag("process")
class BaselineCommandTest {
    @TempDir
    Path folder;

    @Test
    void aRecordingIsComparedWithTheOneThatWasKept() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        recording("old.json", 30, 60);
        recording("before.json", 40, 60);
        recording("after.json", 0, 60);
        assertThat(inferscope.run("baseline", "set", "main", "old.json").exitCode())
                .isZero();
        Result set = inferscope.run("baseline", "set", "main", "before.json");
        Files.delete(folder.resolve("before.json"));
        Result listed = inferscope.run("baseline", "list");
        Result compared = inferscope.run("diff", "--against", "main", "after.json");
        Result again = inferscope.run("diff", "--against", "main", "after.json");

        assertThat(set.out()).isEqualTo("main: .inferscope/baselines/main@before.json\n");
        assertThat(listed.out()).isEqualTo(set.out());
        assertThat(compared.exitCode()).as(compared.stderr()).isZero();
        assertThat(compared.out().replaceAll("\\s+", " "))
                .containsPattern("is gone.*: claimed \\S+% to \\S+%, got 40.0%");
        assertThat(again.out()).isEqualTo(compared.out());
        recording("short.json", 2, 0, 60);
        assertThat(inferscope.run("diff", "--against", "main", "short.json").out())
                .contains("The noise is unknown");
        assertThat(Files.readAllLines(folder.resolve(".inferscope/claims.tsv")))
                .hasSizeGreaterThanOrEqualTo(3)
                .first()
                .isEqualTo("baseline\trecording\trule\tclaimed_low\tclaimed_high\tgot\tbeyond_noise");
        assertThat(Files.readString(folder.resolve(".inferscope/claims.tsv")))
                .containsPattern("\nmain\tafter.json\t\\S+\t0\\.\\d+\t0\\.\\d+\t0\\.4000\ttrue\n")
                .containsPattern("\nmain\tshort.json\t\\S+\t0\\.\\d+\t0\\.\\d+\t\\S+\tunknown\n");
    }

    @Test
    void namesThatAreNoneAndFoldersOfOthersAreRefused() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        recording("a.json", 0, 60);
        Result unset = inferscope.run("diff", "--against", "main", "a.json");
        assertThat(unset.exitCode()).isEqualTo(Failures.USAGE);
        assertThat(unset.stderr()).contains("inferscope baseline set main RECORDING");
        assertThat(inferscope.run("diff", "a.json").exitCode()).isEqualTo(Failures.USAGE);
        assertThat(inferscope
                        .run("diff", "--against", "main", "a.json", "a.json")
                        .exitCode())
                .isEqualTo(Failures.USAGE);
        assertThat(inferscope.run("baseline", "set", "../up", "a.json").exitCode())
                .isEqualTo(Failures.USAGE);
        assertThat(inferscope.run("baseline", "set", "main", "none.json").exitCode())
                .isNotZero();

        Files.createDirectory(folder.resolve(".inferscope"));
        Files.setPosixFilePermissions(folder.resolve(".inferscope"), PosixFilePermissions.fromString("rwxrwxrwx"));
        Result open = inferscope.run("baseline", "set", "main", "a.json");
        assertThat(open.exitCode()).isNotZero();
        assertThat(open.stderr()).contains("other users can write to it").hasLineCount(1);
    }

    /** As a repository may contain them: they belong to the user, so no owner gives them away. */
    @Test
    void nothingIsWrittenThroughWhatWasPlantedInTheProject() throws Exception {
        InferScopeProcess inferscope = new InferScopeProcess(folder);
        recording("before.json", 40, 60);
        recording("=$(touch x)\u001b[31m.json", 0, 60);
        Path victim = Files.writeString(folder.resolve("victim"), "kept");
        Path project = folder.resolve(".inferscope");
        assertThat(inferscope.run("baseline", "set", "main", "before.json").exitCode())
                .isZero();
        Path claims = project.resolve("claims.tsv");
        String[] diff = {"diff", "--against", "main", "=$(touch x)\u001b[31m.json"};

        Files.createSymbolicLink(claims, victim);
        refuses(inferscope.run(diff), "claims.tsv: it is a link or no file; remove it");
        Files.delete(claims);
        assertThat(new ProcessBuilder("mkfifo", claims.toString()).start().waitFor())
                .isZero();
        refuses(inferscope.run(diff), "claims.tsv: it is a link or no file; remove it");
        Files.delete(claims);
        try (RandomAccessFile huge = new RandomAccessFile(claims.toFile(), "rw")) {
            huge.setLength(1L << 40);
        }
        refuses(inferscope.run(diff), "claims.tsv: it is larger than 16 MiB; move it away");
        Files.write(claims, new byte[] {(byte) 0xff, 27});
        assertThat(inferscope.run(diff).exitCode()).isZero();
        assertThat(Files.readString(claims, StandardCharsets.ISO_8859_1))
                .containsPattern("^\u00ff\u001b\nmain\t'=\\$\\(touch x\\)\\\\u\\{1b}\\[31m.json\t")
                .endsWith("\n");

        Files.createSymbolicLink(project.resolve("baselines/other@before.json"), victim);
        refuses(inferscope.run("baseline", "set", "other", "before.json"), "it is a link or no file; remove it");
        Files.createDirectories(project.resolve("baselines/main@folder/in it"));
        Files.writeString(project.resolve("baselines/evil@\u001b[31m\n.json"), "");
        assertThat(inferscope.run("baseline", "set", "main", "before.json").exitCode())
                .isZero();
        assertThat(inferscope.run("baseline", "list").out())
                .isEqualTo("evil: .inferscope/baselines/evil@\\u{1b}[31m .json\n"
                        + "main: .inferscope/baselines/main@before.json\n");

        Files.move(project, folder.resolve("elsewhere"));
        Files.createSymbolicLink(project, Path.of("elsewhere"));
        refuses(inferscope.run("baseline", "set", "new", "before.json"), ".inferscope: it is a link or no folder");
        assertThat(folder.resolve("elsewhere/baselines/new@before.json")).doesNotExist();
        assertThat(victim).hasContent("kept");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    private static void refuses(Result result, String reason) {
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(Failures.ENVIRONMENT);
        assertThat(result.stderr()).contains(reason).hasLineCount(1);
    }

    /** Writes steps of a tokenizer and then of a model. */
    private void recording(String name, int tokenizerUs, int modelUs) throws IOException {
        recording(name, 50, tokenizerUs, modelUs);
    }

    private void recording(String name, int steps, int tokenizerUs, int modelUs) throws IOException {
        StringBuilder events = new StringBuilder();
        int stepUs = tokenizerUs + modelUs;
        for (int i = 0; i < steps; i++) {
            event(events, "ProfilerStep#" + i, stepUs * i, stepUs);
            if (tokenizerUs > 0) {
                event(events, "tokenization", stepUs * i, tokenizerUs);
            }
            event(events, "llm_inference", stepUs * i + tokenizerUs, modelUs);
        }
        Files.writeString(folder.resolve(name), "{\"traceEvents\":[" + events.substring(1) + "]}");
    }

    private static void event(StringBuilder events, String name, int us, int lengthUs) {
        events.append(",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" + name + "\",\"pid\":1,\"tid\":1,\"ts\":"
                + us + ",\"dur\":" + lengthUs + "}");
    }
}
