package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.Analyzer;
import io.inferscope.analyzer.model.Ledger;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which samples of a model show what calling its operators costs. */
class OperatorCallsTest {
    private static final String SERVE = "serve.py(9): serve";
    private static final String CALL = "torch/nn/modules/module.py(1789): Module._call_impl";
    private static final String SEQUENTIAL = "torch/nn/modules/container.py(253): Sequential.forward";
    private static final String LINEAR = "torch/nn/modules/linear.py(134): Linear.forward";

    private static final String INTERPRETER = "_PyObject_Malloc [libpython3.11.so.1.0]";
    private static final String DISPATCHER = "at::_ops::addmm::call [libtorch_cpu.so]";
    private static final String TENSORS = "c10::TensorImpl::set_sizes_and_strides [libc10.so]";
    private static final String PRODUCT = "mkl_blas_def_sgemm_kernel_0_zen [libtorch_cpu.so]";
    private static final String LOOP = "c10::function_ref::callback_fn [libtorch_cpu.so]";
    private static final String READ = "called torch._C._nn.linear [libtorch_python.so]";

    private final List<String[]> stacks = new ArrayList<>();

    private OperatorCallsTest seen(int times, String... stack) {
        stacks.addAll(Collections.nCopies(times, stack));
        return this;
    }

    /** Draws the samples every 10 ms, with native samples that were taken some time after the Python stacks. */
    private TimelineFixture samples(long apartUs) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < stacks.size(); i++) {
            fixture.sample("main", 10_000 * i, 10_000 * i + 10_000, stacks.get(i));
            fixture.builder().attribute(fixture.lastRow(), Attribute.LOOKED_NS, 100_000);
            if (apartUs >= 0) {
                fixture.builder().attribute(fixture.lastRow(), Attribute.FRAMES_READ_NS, 100_000 + 1000 * apartUs);
            }
        }
        return fixture;
    }

    private static Ledger ledger(TimelineFixture fixture) {
        return new Analyzer().analyze(fixture.build(), "test").ledgers().get(0);
    }

    private static double share(TimelineFixture fixture, LedgerClass of) {
        return share(ledger(fixture), of);
    }

    private static double share(Ledger ledger, LedgerClass of) {
        return ledger.share(ledger.ns(of));
    }

    private TimelineFixture modelOf(int interpreter, int dispatcher, int tensors, int product, int loop, long apartUs) {
        return seen(interpreter, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, INTERPRETER)
                .seen(dispatcher, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, DISPATCHER)
                .seen(tensors, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, TENSORS, "malloc [libc.so.6]")
                .seen(product, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, PRODUCT)
                .seen(loop, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, LOOP)
                .samples(apartUs);
    }

    @Test
    void codeThatLeadsToSmallOperatorsIsDispatching() {
        Ledger tiny = ledger(modelOf(45, 20, 10, 20, 5, 50));

        assertThat(share(tiny, LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(0.75, within(1e-9));
        assertThat(share(tiny, LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(0.25, within(1e-9));
    }

    @Test
    void aLargeModelKeepsTheFewSamplesOutsideItsOperators() {
        TimelineFixture large = modelOf(2, 2, 2, 90, 4, 50);

        assertThat(share(large, LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(1);
    }

    @Test
    void nativeSamplesFarFromTheirPythonStackDoNotShowSmallOperators() {
        TimelineFixture beside = modelOf(20, 0, 0, 80, 0, 800);

        assertThat(share(beside, LedgerClass.CPU_MODEL_COMPUTE)).isEqualTo(1);
    }

    /** Every line of the program is judged by itself. */
    @Test
    void aLargeModelBesideASmallOneStaysCompute() {
        TimelineFixture both = seen(30, "serve.py(7): encode", CALL, LINEAR, PRODUCT)
                .seen(1, "serve.py(7): encode", CALL, LINEAR, INTERPRETER)
                .seen(20, SERVE, CALL, LINEAR, INTERPRETER)
                .seen(9, SERVE, CALL, LINEAR, PRODUCT)
                .samples(50);

        assertThat(share(both, LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(20 / 60.0, within(1e-9));
    }

    @Test
    void aLoopOfPythonInTheProgramsForwardIsItsOwnPython() {
        String forward = "model.py(11): Net.forward";
        Ledger loop = ledger(seen(60, SERVE, CALL, "model.py(8): Net.forward", CALL, LINEAR, PRODUCT)
                .seen(38, SERVE, CALL, forward, INTERPRETER)
                .seen(2, SERVE, CALL, forward, PRODUCT) // The native sample is from the next line.
                .samples(50));

        assertThat(share(loop, LedgerClass.CPU_PYTHON)).isEqualTo(0.38, within(1e-9));
        assertThat(share(loop, LedgerClass.FRAMEWORK_DISPATCH)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        // in lines that call modules, at the line of an operator, in an operator that Python was seen to call
        "60, 20, 20, 0.8", // modules of 6 us
        " 2,  3, 95, 0.0", // a transformer
        "90, 10,  0, 0.0", // a version of Python that does not show what it calls
    })
    void withoutNativeSamplesLinesThatCallModulesShowThem(int modules, int line, int read, double dispatching) {
        TimelineFixture fixture = seen(modules, SERVE, CALL, SEQUENTIAL)
                .seen(line, SERVE, CALL, SEQUENTIAL, CALL, LINEAR)
                .seen(read, SERVE, CALL, SEQUENTIAL, CALL, LINEAR, READ)
                .seen(read == 0 ? 1 : 0, "serve.py(3): wait", "lock [python]")
                .samples(-1);

        assertThat(share(fixture, LedgerClass.FRAMEWORK_DISPATCH)).isEqualTo(dispatching, within(1e-9));
    }

    @Test
    void aCallThatCannotBeReadIsNoPythonBetweenOperators() {
        TimelineFixture fixture = seen(30, SERVE, CALL, "model.py(8): Net.forward") // functools.partial
                .seen(70, SERVE, CALL, "model.py(9): Net.forward", CALL, LINEAR, READ)
                .samples(-1);

        assertThat(share(fixture, LedgerClass.FRAMEWORK_DISPATCH)).isZero();
    }

    /** Calls of 0.1 ms, of which one in a hundred has a sample. */
    @Test
    void callsWithoutASampleGetTheNearestOneOfTheirName() {
        TimelineFixture fixture = modelOf(45, 20, 10, 20, 5, 20);
        for (int us = 50; us < 1_000_000; us += 200) {
            fixture.scope("main", us, us + 150, "forward Sequential").activity(RangeActivity.MODEL);
        }

        Ledger ledger = ledger(fixture);
        assertThat(share(ledger, LedgerClass.FRAMEWORK_DISPATCH)).isBetween(0.70, 0.80);
        assertThat(share(ledger, LedgerClass.CPU_MODEL_COMPUTE)).isBetween(0.20, 0.30);
    }
}
