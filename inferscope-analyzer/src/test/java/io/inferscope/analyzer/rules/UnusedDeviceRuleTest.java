package io.inferscope.analyzer.rules;

import static io.inferscope.analyzer.rules.RuleVerdicts.clean;
import static io.inferscope.analyzer.rules.RuleVerdicts.found;
import static io.inferscope.analyzer.rules.RuleVerdicts.notApplicable;
import static io.inferscope.timeline.fixture.TimelineFixture.us;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.model.Finding;
import io.inferscope.analyzer.model.Finding.Severity;
import io.inferscope.timeline.fixture.TimelineFixture;
import org.junit.jupiter.api.Test;

class UnusedDeviceRuleTest {
    private final Rule rule = new UnusedDeviceRule();

    /** A model that computes for 30 of 40 us on the CPU of a machine with two GPUs. */
    private static TimelineFixture onTheCpu() {
        return TimelineFixture.drawing("""
                        us           0         10        20        30        40
                        thread main  "app.py(12): pick  "<aten::addmm, aten::mm       >
                        """).property("run.host.gpus", "2 x NVIDIA H100 80GB HBM3");
    }

    @Test
    void aModelOnTheCpuBesideAGpuIsAFinding() {
        Finding finding = found(rule, onTheCpu());

        assertThat(finding.claim())
                .startsWith("The model runs on the CPU for ")
                .endsWith(
                        " of the window, and the machine's GPU (2 x NVIDIA H100 80GB HBM3) is not used: no process of the program has opened it.");
        assertThat(finding.costNs()).isGreaterThan(us(20));
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.gain()).isNull();
    }

    @Test
    void aBuildForCpusOnlyIsNamed() {
        Finding finding = found(
                rule,
                onTheCpu().property("process.1.torch.build", "2.13.0+cpu").property("process.1.torch.target", "CPU"));

        assertThat(finding.claim()).endsWith(": PyTorch 2.13.0+cpu is a build for CPUs only.");
        assertThat(finding.advice()).contains("pytorch.org", "model.to(\"cuda\")");
    }

    @Test
    void aBuildForGpusIsToldToMoveTheModel() {
        assertThat(found(rule, onTheCpu().property("process.1.torch.build", "2.13.0 for CUDA 13.0"))
                        .advice())
                .startsWith("Move the model and its inputs to the GPU");
    }

    @Test
    void aProblemOfTheMachineComesFirst() {
        Finding finding = found(
                rule,
                onTheCpu()
                        .property("process.1.torch.build", "2.13.0+cpu")
                        .property("process.1.torch.target", "CPU")
                        .property("run.host.gpus.problem", "CUDA_VISIBLE_DEVICES is '': the program sees no GPU")
                        .property("run.host.gpus.remedy", "unset CUDA_VISIBLE_DEVICES, or name a GPU in it"));

        assertThat(finding.claim()).endsWith(": CUDA_VISIBLE_DEVICES is '': the program sees no GPU.");
        assertThat(finding.advice()).isEqualTo("Unset CUDA_VISIBLE_DEVICES, or name a GPU in it.");
    }

    @Test
    void aSessionOfOnnxRuntimeOnTheCpuIsToldItsProviders() {
        String here = "process.1.onnxruntime.providers";
        assertThat(found(
                                rule,
                                onTheCpu()
                                        .property(here, "CPUExecutionProvider")
                                        .property(here + ".offered", "CPUExecutionProvider"))
                        .advice())
                .startsWith("Install onnxruntime-gpu in place of onnxruntime.");
        assertThat(found(
                                rule,
                                onTheCpu()
                                        .property(here, "CPUExecutionProvider")
                                        .property(here + ".offered", "CUDAExecutionProvider, CPUExecutionProvider"))
                        .claim())
                .endsWith("although this build offers CUDAExecutionProvider, CPUExecutionProvider.");
    }

    @Test
    void aProgramThatUsesTheGpuIsClean() {
        assertThat(clean(rule, onTheCpu().property("process.1.device", "/dev/nvidia0")))
                .isEqualTo("the program uses the GPU");
        assertThat(clean(rule, onTheCpu().kernel("gpu 0/stream 7", 2, 9, "gemm")))
                .isEqualTo("the program uses the GPU");
    }

    @Test
    void aProgramThatComputesNoModelIsClean() {
        assertThat(clean(
                        rule,
                        TimelineFixture.blank().scope("main", 0, 100, "copy").property("run.host.gpus", "NVIDIA A10")))
                .isEqualTo("the GPU is not used, and models compute on the CPU for 0.0% of the window");
    }

    @Test
    void withoutAGpuItDoesNotApply() {
        assertThat(notApplicable(rule, TimelineFixture.blank().scope("main", 0, 100, "copy")))
                .isEqualTo("no GPU of the machine is recorded");
    }

    /** PyTorch's profiler names the GPUs of the machine; operators that take no longer than a launch may run on one. */
    @Test
    void aGpuThatThePyTorchProfilerNamesIsUnusedWhereOperatorsCompute() {
        TimelineFixture computing = TimelineFixture.blank()
                .operator("main", 0, 900, "aten::addmm")
                .property("device.0.name", "NVIDIA H100");
        TimelineFixture launching =
                TimelineFixture.blank().operator("main", 0, 30, "aten::addmm").property("device.0.name", "NVIDIA H100");

        assertThat(found(rule, computing).claim())
                .endsWith(
                        "the machine's GPU (NVIDIA H100) is not used: the recording holds no work of it and no call of its runtime.");
        assertThat(notApplicable(rule, launching)).isEqualTo("whether the GPU (NVIDIA H100) is used is not recorded");
    }
}
