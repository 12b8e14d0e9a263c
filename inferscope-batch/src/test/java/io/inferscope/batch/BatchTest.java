package io.inferscope.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.batch.PairResult.Action;
import io.inferscope.batch.summary.BatchSummary;
import io.inferscope.timeline.JsonValues;
import io.inferscope.timeline.fixture.TracedModel;
import io.inferscope.timeline.fixture.Until;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches of planted tracers: what goes wrong in one leaves all others alone, and says so. */
@Tag("process")
class BatchTest {
    @TempDir
    Path folder;

    private TraceFixture fixture;
    private ModelRef model;

    @BeforeEach
    void makeModel() throws IOException {
        fixture = new TraceFixture(folder);
        model = fixture.model("tiny");
    }

    @Test
    void everyWayToGoWrongIsTold() throws Exception {
        Map<String, PairResult> results =
                fixture.run(model, "killed", "segfault", "impossible", "raising", "leaving", "damaged", "good");

        assertThat(results.get("killed").exitClass()).isEqualTo(ExitClass.CRASH);
        assertThat(results.get("killed").reason()).contains("SIGKILL");
        assertThat(results.get("segfault").exitClass()).isEqualTo(ExitClass.CRASH);
        assertThat(results.get("segfault").reason()).contains("SIGSEGV");
        assertThat(Files.readString(fixture.result(model, "segfault").resolve("stderr.txt")))
                .contains("Segmentation fault", "planted.py");
        assertThat(results.get("impossible").exitClass()).isEqualTo(ExitClass.UNSUPPORTED);
        assertThat(results.get("impossible").reason()).isEqualTo("not today");
        assertThat(results.get("raising").exitClass()).isEqualTo(ExitClass.MODEL_ERROR);
        assertThat(results.get("raising").reason()).isEqualTo("TypeError: shapes do not match");
        assertThat(results.get("leaving").exitClass()).isEqualTo(ExitClass.INCOMPLETE);
        assertThat(results.get("damaged").exitClass()).isEqualTo(ExitClass.INCOMPLETE);
        assertThat(results.get("damaged").reason()).contains("out.json");
        assertThat(results.get("good").isFine()).isTrue();
        results.forEach((tracer, result) -> {
            Status status = Status.in(fixture.result(model, tracer)).orElseThrow();
            assertThat(status.success()).as(tracer).isEqualTo(tracer.equals("good"));
            assertThat(status.text("exit_class")).isEqualTo(result.exitClass().label());
            assertThat(status.number("durations_s", "total")).isPositive();
        });
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    void aTracerThatWantsTooMuchMemoryIsOutOfMemory() throws Exception {
        fixture.memoryLimitBytes = 400L << 20;

        Map<String, PairResult> results = fixture.run(model, "memory", "family-memory", "good");

        assertThat(results.get("memory").exitClass()).isEqualTo(ExitClass.OUT_OF_MEMORY);
        assertThat(results.get("family-memory").exitClass()).isEqualTo(ExitClass.OUT_OF_MEMORY);
        assertThat(results.get("good").isFine()).isTrue();
    }

    @Test
    void aTimeoutEndsTheWholeFamily() throws Exception {
        String said = "";
        // On a busy machine it may not have begun to hang yet.
        for (long s = 3; s < 50 && !said.contains("planted.py"); s *= 2) {
            fixture.timeoutNs = s * 1_000_000_000L;
            assertThat(fixture.run(model, "hang").get("hang").exitClass()).isEqualTo(ExitClass.TIMEOUT);
            said = Files.readString(fixture.result(model, "hang").resolve("stderr.txt"));
        }

        assertThat(said).contains("planted.py");
        assertFamilyEnds();
    }

    /** Killed ones take a moment. */
    private void assertFamilyEnds() throws Exception {
        Until.holds(() ->
                TracerProcesses.of(fixture.result(model, "hang").toString()).isEmpty());
    }

    @Test
    void anIncompleteModelFailsBeforeAnythingIsLoaded() throws Exception {
        Path weights = folder.resolve("models/tiny/model.safetensors");
        Files.write(weights, java.util.Arrays.copyOf(TracedModel.safetensors(), 70));

        PairResult truncated = fixture.run(model, "good").get("good");
        Files.delete(weights);
        Files.writeString(
                folder.resolve("models/tiny/model.safetensors.index.json"),
                "{\"weight_map\": {\"w\": \"model-00001-of-00001.safetensors\"}}");
        PairResult missing = fixture.run(model, "good").get("good");

        assertThat(truncated.exitClass()).isEqualTo(ExitClass.MODEL_ERROR);
        assertThat(truncated.reason()).contains("model.safetensors", "truncated");
        assertThat(missing.exitClass()).isEqualTo(ExitClass.MODEL_ERROR);
        assertThat(missing.reason()).contains("model-00001-of-00001.safetensors", "missing");
    }

    @Test
    void versionsBelowTheFloorAreUnsupported() throws Exception {
        fixture.install("torch", "2.1.2");

        PairResult result = fixture.run(model, "good").get("good");

        assertThat(result.exitClass()).isEqualTo(ExitClass.UNSUPPORTED);
        assertThat(result.reason()).contains("torch 2.1.2", "2.2");
    }

    @Test
    void oneSuccessIsEnoughForAGroup() throws Exception {
        Map<String, PairResult> results = fixture.run(model, "first", "second", "third");

        assertThat(results.get("first").exitClass()).isEqualTo(ExitClass.MODEL_ERROR);
        assertThat(results.get("second").exitClass()).isEqualTo(ExitClass.OK);
        assertThat(results.get("third").action()).isEqualTo(Action.SKIPPED);
        assertThat(fixture.run(model, "second", "third").get("third").action()).isEqualTo(Action.SKIPPED);
    }

    @Test
    void twoBatchesOnOneFolderShareTheWork() throws Exception {
        List<ModelRef> models = List.of(model, fixture.model("other"), fixture.model("third"));
        List<Pair> pairs = new ArrayList<>();
        for (ModelRef one : models) {
            pairs.addAll(fixture.pairs(one, "counting", "good"));
        }
        List<CompletableFuture<List<PairResult>>> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(CompletableFuture.supplyAsync(() -> {
                try (Batch batch = fixture.batch()) {
                    List<PairResult> results = batch.run(pairs);
                    BatchSummary.write(fixture.output, results);
                    return results;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }

        for (CompletableFuture<List<PairResult>> one : running) {
            assertThat(one.get()).hasSize(6).allMatch(PairResult::isFine);
        }
        assertThat(fixture.runs()).isEqualTo(3);
        assertThat(fixture.started).hasSize(6);
        assertThat(JsonValues.objects(JsonValues.read(fixture.output.resolve("summary.json")), "pairs"))
                .hasSize(6);
        assertThat(fixture.leftovers()).isEmpty();
    }

    @Test
    void aStoppedBatchLeavesNothingAndGoesOnLater() throws Exception {
        List<Pair> pairs = fixture.pairs(model, "hang", "good");
        fixture.how = new BatchOptions(1, 1, false, 0, true);
        List<PairResult> results;
        try (Batch batch = fixture.batch()) {
            CompletableFuture<List<PairResult>> running = CompletableFuture.supplyAsync(() -> {
                try {
                    return batch.run(pairs);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (TracerProcesses.of(fixture.result(model, "hang").toString()).isEmpty()) {
                Thread.sleep(10);
            }
            batch.stop();
            results = running.get();
        }

        assertThat(results).extracting(PairResult::action).containsOnly(Action.INTERRUPTED);
        assertThat(fixture.leftovers()).isEmpty();
        assertThat(fixture.result(model, "hang")).doesNotExist();
        assertFamilyEnds();
        assertThat(fixture.run(model, "good").get("good").isFine()).isTrue();
    }

    @Test
    void oneTracerSeesNothingOfAnother() throws Exception {
        fixture.environment = Map.of("common", Map.of("LAYER", "common"), "tracer.looking", Map.of("LAYER", "own"));
        fixture.how = new BatchOptions(1, 1, true, 0, true);
        fixture.run(model, "looking");
        String alone = Files.readString(fixture.result(model, "looking").resolve("seen.json"));

        fixture.run(model, "polluting", "looking");

        assertThat(Files.readString(fixture.result(model, "looking").resolve("seen.json")))
                .isEqualTo(alone)
                .isEqualTo("[null, [], [], null, \"1\", \"own\"]");
    }

    @Test
    void whatCannotBeWrittenIsToldAndNothingOfOthersIsDeleted() throws Exception {
        Files.createDirectories(fixture.output);
        Files.writeString(fixture.output.resolve("tiny"), "in the way");
        assertThat(fixture.run(model, "good").get("good").exitClass()).isEqualTo(ExitClass.CANNOT_WRITE);

        ModelRef other = fixture.model("other");
        Path own = Files.createDirectories(fixture.result(other, "good")).resolve("thesis.txt");
        Files.writeString(own, "mine");
        PairResult result = fixture.run(other, "good").get("good");
        assertThat(result.exitClass()).isEqualTo(ExitClass.CANNOT_WRITE);
        assertThat(result.reason()).contains("files that are not results of a tracer");
        assertThat(own).hasContent("mine");
    }

    /** A stack that overflows is no exception: it must not take the thread, for which the batch waits, with it. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void whateverAReportEndsInTheOtherPairsGoOn() throws Exception {
        fixture.reporter = (traces, place, title) -> {
            throw new StackOverflowError();
        };

        Map<String, PairResult> results = fixture.run(model, "profiled", "good");

        assertThat(results.get("profiled").exitClass()).isEqualTo(ExitClass.INCOMPLETE);
        assertThat(results.get("profiled").reason()).contains("StackOverflowError");
        assertThat(results.get("good").isFine()).isTrue();
    }

    @Test
    void withoutRoomTheStatusIsKeptAndTheResultsAreNot() throws Exception {
        fixture.reporter = (traces, place, title) -> {
            throw new FileSystemException(place.resolve("report.md").toString(), null, "No space left on device");
        };

        Map<String, PairResult> results = fixture.run(model, "filling", "profiled", "good");

        assertThat(results.get("filling").reason()).isEqualTo("OSError: [Errno 28] No space left on device");
        assertThat(results.get("profiled").reason()).endsWith("report.md: No space left on device");
        for (String tracer : List.of("filling", "profiled")) {
            Path place = fixture.result(model, tracer);
            assertThat(Status.in(place).orElseThrow().text("exit_class")).isEqualTo("cannot-write");
            assertThat(place.toFile().list()).containsOnly(Status.FILE, "stdout.txt", "stderr.txt");
        }
        assertThat(results.get("good").isFine()).isTrue();
        assertThat(fixture.leftovers()).isEmpty();
    }
}
