package io.inferscope.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.batch.PairResult.Action;
import io.inferscope.timeline.JsonValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A result is reused, until something changes that it depends on: each change alone. */
@Tag("process")
class ReusableResultsTest {
    /** The interpreter is asked and the model traced once for all tests: each begins with the folder as it was then. */
    @TempDir
    static Path traced;

    private static Path folder = Path.of("");
    private static Installation installation;

    private TraceFixture fixture;
    private ModelRef model;

    @BeforeAll
    static void traceOnce() throws Exception {
        folder = traced.resolve("work");
        TraceFixture fixture = begin();
        fixture.run(fixture.model("tiny"), "counting");
        installation = fixture.installation();
        copy(folder, traced.resolve("kept"));
    }

    private static TraceFixture begin() throws IOException {
        Files.createDirectories(folder);
        TraceFixture fixture = new TraceFixture(folder);
        fixture.how = new BatchOptions(1, 1, false, 0, true);
        return fixture;
    }

    @BeforeEach
    void restore() throws Exception {
        fixture = begin();
        ResultFolders.delete(folder);
        copy(traced.resolve("kept"), folder);
        fixture.use(installation);
        model = ModelRef.of(folder.resolve("models/tiny").toString());
    }

    /** Copies all files with their times, by which a model is known. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** What can happen to a result, or to what it was made from. */
    enum Change {
        STATUS_IS_GONE,
        STATUS_IS_DAMAGED,
        STATUS_LISTS_NO_FILES,
        FILE_IS_GONE,
        FILE_IS_SHORTER,
        FILE_IS_LONGER,
        FILE_IS_A_FOLDER,
        MODEL_HAS_ANOTHER_FILE,
        MODEL_LACKS_A_FILE,
        MODEL_FILE_HAS_ANOTHER_SIZE,
        MODEL_FILE_HAS_ANOTHER_TIME,
        A_KILLED_RUN_LEFT_SOMETHING,
        FORCE
    }

    @ParameterizedTest
    @EnumSource
    void everyChangeIsAReasonToRunAgain(Change change) throws Exception {
        assertThat(reused()).isTrue();
        apply(change);
        assertThat(reused()).isFalse();
    }

    private void apply(Change change) throws IOException {
        Path result = fixture.result(model, "counting");
        Path file = result.resolve("out.json");
        Path status = result.resolve(Status.FILE);
        Path config = folder.resolve("models/tiny/config.json");
        switch (change) {
            case STATUS_IS_GONE -> Files.delete(status);
            case STATUS_IS_DAMAGED ->
                Files.writeString(status, Files.readString(status).substring(0, 300));
            case STATUS_LISTS_NO_FILES -> member("files", List.of());
            case FILE_IS_GONE -> Files.delete(file);
            case FILE_IS_SHORTER -> Files.writeString(file, "{}");
            case FILE_IS_LONGER -> Files.writeString(file, Files.readString(file) + " ");
            case FILE_IS_A_FOLDER -> {
                Files.delete(result.resolve("stdout.txt")); // Of 0 bytes: a size says nothing.
                Files.createDirectory(result.resolve("stdout.txt"));
            }
            case MODEL_HAS_ANOTHER_FILE -> Files.writeString(config.resolveSibling("generation_config.json"), "{}");
            case MODEL_LACKS_A_FILE -> Files.delete(config.resolveSibling("tokenizer.json"));
            case MODEL_FILE_HAS_ANOTHER_SIZE -> {
                FileTime time = Files.getLastModifiedTime(config);
                Files.writeString(config, Files.readString(config) + " ");
                Files.setLastModifiedTime(config, time);
            }
            case MODEL_FILE_HAS_ANOTHER_TIME -> Files.setLastModifiedTime(config, FileTime.fromMillis(1));
            case A_KILLED_RUN_LEFT_SOMETHING ->
                Files.createDirectories(fixture.output.resolve("tiny/eval/.counting.unfinished"));
            case FORCE -> fixture.how = new BatchOptions(1, 1, true, 0, true);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tracer",
                "tracer_version",
                "framework",
                "model_id",
                "device",
                "mode",
                "dtype",
                "tensor_parallel_size",
                "versions",
                "model_state",
                "success"
            })
    void everyMemberOfTheStatusCounts(String member) throws Exception {
        assertThat(Status.in(fixture.result(model, "counting")).orElseThrow().members())
                .containsKeys(member);
        member(member, "other");
        assertThat(reused()).isFalse();
    }

    @Test
    void theMembersThatCountAreThoseOfTheIdentity() throws Exception {
        Pair pair = fixture.pairs(model, "counting").get(0);
        assertThat(Status.identity(pair, fixture.options(), fixture.installation())
                        .keySet())
                .containsExactlyInAnyOrder(
                        "tracer",
                        "tracer_version",
                        "framework",
                        "model_id",
                        "device",
                        "mode",
                        "dtype",
                        "tensor_parallel_size",
                        "versions");
    }

    @Test
    void whatDoesNotMatterIsNoReason() throws Exception {
        Path result = fixture.result(model, "counting");
        Files.writeString(result.resolve("notes.txt"), "mine");
        Files.setLastModifiedTime(result.resolve("out.json"), FileTime.fromMillis(1));
        member("timestamp", "1999-12-31T23:59:59Z");
        fixture.install("vllm", "0.11.0"); // Another framework's.
        fixture.install("huggingface_hub", "0.1.0");

        assertThat(reused()).isTrue();
    }

    @Test
    void anotherVersionOfAPackageRunsAgainAndWhatFailedDoesAnyway() throws Exception {
        assertThat(fixture.run(model, "counting").get("counting").action()).isEqualTo(Action.BYPASSED);
        assertThat(fixture.runs()).isEqualTo(1);
        fixture.install("torch", "2.14.0");
        assertThat(fixture.run(model, "counting").get("counting").action()).isEqualTo(Action.RAN);
        assertThat(fixture.runs()).isEqualTo(2);

        fixture.run(model, "raising");
        fixture.run(model, "raising");
        assertThat(Status.in(fixture.result(model, "raising")).orElseThrow().attempts())
                .isEqualTo(2);
    }

    @Test
    void whatAKilledBatchLeftIsCleanedAndItsResultKept() throws Exception {
        Path left = fixture.output.resolve("tiny/eval/.counting.old");
        Files.writeString(Files.createDirectories(left).resolve("out.json"), "{}");

        assertThat(fixture.run(model, "counting").get("counting").action()).isEqualTo(Action.BYPASSED);

        assertThat(left).doesNotExist();
        assertThat(fixture.runs()).isEqualTo(1);
    }

    @Test
    void resultsOfAnotherModelOfTheSameNameAreNotReplaced() throws Exception {
        ModelRef other = new ModelRef("/elsewhere/tiny", model.local(), model.folder());

        PairResult result = fixture.run(other, "counting").get("counting");

        assertThat(result.exitClass()).isEqualTo(ExitClass.CANNOT_WRITE);
        assertThat(result.reason()).contains(model.id());
        assertThat(Status.in(fixture.result(model, "counting")).orElseThrow().text("model_id"))
                .isEqualTo(model.id());
    }

    @Test
    void ofAThousandFinishedPairsOnlyThoseThatChangedRun() throws Exception {
        Status status = Status.in(fixture.result(model, "counting")).orElseThrow();
        Pair pair = fixture.pairs(model, "counting").get(0);
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            pairs.add(new Pair(new ModelRef(model.id(), model.local(), "copy-" + i), "eval", pair.tracer()));
            Path copy = Files.createDirectories(pairs.get(i).folder(fixture.output));
            for (Map<String, ?> file : JsonValues.objects(status.members(), "files")) {
                String name = JsonValues.text(file, "path");
                Files.copy(fixture.result(model, "counting").resolve(name), copy.resolve(name));
            }
            status.write(copy);
        }
        Files.writeString(pairs.get(500).folder(fixture.output).resolve("out.json"), "{");
        fixture.started.clear();

        try (Batch batch = fixture.batch()) {
            List<PairResult> results = batch.run(pairs);
            assertThat(results).hasSize(1000).allMatch(PairResult::isFine);
            assertThat(results).filteredOn(one -> one.action() == Action.RAN).hasSize(1);
            assertThat(results.get(500).action()).isEqualTo(Action.RAN);
        }
        assertThat(fixture.started).hasSize(1);
    }

    private boolean reused() throws TraceException {
        Pair pair = fixture.pairs(model, "counting").get(0);
        return new ReusableResults(fixture.options(), fixture.installation(), fixture.how.force())
                .atStart(pair)
                .isPresent();
    }

    private void member(String name, @Nullable Object value) throws IOException {
        Path result = fixture.result(model, "counting");
        Map<String, @Nullable Object> members =
                new LinkedHashMap<>(Status.in(result).orElseThrow().members());
        members.put(name, value);
        new Status(members).write(result);
    }
}
