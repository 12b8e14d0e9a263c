package io.inferscope.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferscope.timeline.fixture.TracedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an interpreter is asked, and what is said where it cannot answer. */
class InstallationTest {
    @TempDir
    Path folder;

    @Tag("process")
    @Test
    void theInterpreterTellsVersionsAndTracers() throws Exception {
        Installation installation = Installation.of(TraceFixture.home(), TracedModel.interpreter(folder), null);
        assertThat(installation.versions()).containsEntry("torch", "2.13.0").containsEntry("transformers", "5.17.0");
        assertThat(installation.tracers().keySet()).startsWith("torch_profiler", "torch_dispatch");
        assertThat(installation.problem("huggingface")).isEmpty();
    }

    @Tag("process")
    @Test
    void aMissingPythonPartIsNotTakenForAMissingInterpreter() throws Exception {
        Path python = TracedModel.interpreter(folder);
        assertThatThrownBy(() -> Installation.of(folder.resolve("nowhere"), python, null))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("nowhere/python/inferscope/trace is missing")
                .hasMessageContaining("install InferScope again");
    }

    @Tag("process")
    @Test
    void tracersThatTalkWhileTheyAreImportedDisturbNothing() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        Path python = TracedModel.interpreter(folder);
        String talk = "import os, sys\nprint('x' * 200000)\nos.write(1, b'garbage')\nsys.stderr.write('y' * 200000)\n";
        String tracer = "from inferscope.trace import Tracer\nclass T(Tracer): name = 'talkative'\n";
        Files.writeString(own.resolve("talkative.py"), talk + tracer);
        assertThat(Installation.of(TraceFixture.home(), python, own).tracers()).containsKey("talkative");

        Files.writeString(
                own.resolve("wrong.py"), "import atexit\natexit.register(print, 'last words')\nraise SystemExit");
        assertThatThrownBy(() -> Installation.of(TraceFixture.home(), python, own))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("wrong.py cannot be imported: SystemExit")
                .hasMessageNotContaining("last words");
    }

    @ParameterizedTest
    @CsvSource({
        "2.1.2, true",
        "2.2, false",
        "2.2.0a0+git1, false",
        "2, true",
        "3, false",
        "10.0, false",
        "1.99, true",
        "'', true"
    })
    void versionsAreComparedByTheirNumbers(String version, boolean below) {
        assertThat(Installation.isBelow(version, new int[] {2, 2})).isEqualTo(below);
    }
}
