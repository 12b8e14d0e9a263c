package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.cli.InferScopeProcess.Result;
import io.inferscope.cli.common.Failures;
import java.io.IOException;
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
        assertThat(Files.readAllLines(folder.resolve(".inferscope/claims.tsv")))
                .hasSizeGreaterThanOrEqualTo(3)
                .first()
                .isEqualTo("baseline\trecording\trule\tclaimed_low\tclaimed_high\tgot\tbeyond_noise");
        assertThat(Files.readString(folder.resolve(".inferscope/claims.tsv")))
                .containsPattern("\nmain\tafter.json\t\\S+\t0\\.\\d+\t0\\.\\d+\t0\\.4000\ttrue\n");
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

    /** Writes steps of a tokenizer and then of a model. */
    private void recording(String name, int tokenizerUs, int modelUs) throws IOException {
        StringBuilder events = new StringBuilder();
        int stepUs = tokenizerUs + modelUs;
        for (int i = 0; i < 50; i++) {
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
