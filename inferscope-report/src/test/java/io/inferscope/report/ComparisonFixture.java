package io.inferscope.report;

import io.inferscope.analyzer.diff.Comparison;
import io.inferscope.analyzer.diff.Comparison.Change;
import io.inferscope.analyzer.diff.Comparison.Claimed;
import io.inferscope.analyzer.diff.Comparison.FindingChange;
import io.inferscope.analyzer.diff.Comparison.Group;
import io.inferscope.analyzer.diff.Comparison.Outcome;
import io.inferscope.analyzer.diff.Comparison.Party;
import io.inferscope.analyzer.diff.Comparison.Shift;
import io.inferscope.analyzer.diff.WorkUnit;
import io.inferscope.analyzer.model.BoundVerdict.Bound;
import java.util.List;

/** A comparison by hand. */
final class ComparisonFixture {
    private ComparisonFixture() {}

    /** A model whose steps became faster on another device. */
    static Comparison faster() {
        Shift shift = new Shift(40, 42, 0.82, 0.8, 0.851);
        return new Comparison(
                new Party("before.json.gz", "kineto", "NVIDIA A100", Bound.CPU, "CPU-bound.", 900_000_000, 40),
                new Party("after.json.gz", "kineto", "NVIDIA H100", Bound.GPU, "GPU-bound.", 800_000_000, 42),
                Outcome.FASTER,
                List.of(
                        "Faster: a step takes 16.5 ms instead of 20.1 ms, 18.0% less (99% interval -20.0% to -14.9%).",
                        "Operator dispatch fell by 2.10 ms (-40.0%)."),
                List.of("Different device: NVIDIA A100 before, NVIDIA H100 after."),
                WorkUnit.STEP,
                new Change("step", "", "", 1, 1, 20_100_000, 16_500_000, shift),
                Comparison.RunPaces.NONE,
                List.of(
                        new Group(
                                "parts",
                                "The window and its parts",
                                false,
                                List.of(new Change("window", "", "window", 1, 1, 900e6, 800e6, null))),
                        new Group(
                                "ledger",
                                "Where the time of the step went",
                                true,
                                List.of(
                                        new Change(
                                                "operator dispatch",
                                                "",
                                                "framework.dispatch",
                                                1,
                                                1,
                                                5.2e6,
                                                3.1e6,
                                                null),
                                        new Change("exposed H2D copy", "", "copy.h2d", 0, 1, 0, 0.4e6, null),
                                        new Change("GPU compute", "", "gpu.compute", 1, 1, 9e6, 9e6, null))),
                        new Group(
                                "kernels",
                                "Kernels",
                                true,
                                List.of(
                                        new Change("gemm_64", "gemm_128", "", 12, 12.5, 4e6, 3e6, shift),
                                        new Change("softmax", "", "", 4, 0, 1e6, 0, null)))),
                List.of(
                        new FindingChange("launch-bound", "warning", "", 5.2e6, 0, new Claimed(0.26, 0.35)),
                        new FindingChange("gpu-idle", "info", "info", 1e6, 1e6, null)));
    }
}
