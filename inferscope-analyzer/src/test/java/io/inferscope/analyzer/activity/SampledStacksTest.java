package io.inferscope.analyzer.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.calls.SampledGil;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.tables.SampledCode;
import io.inferscope.analyzer.tables.Tables;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.fixture.TimelineFixture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stacks as samplers write them, the class of each, and the line that a programmer would look at. */
class SampledStacksTest {
    private static final String GEMM = "sgemm_kernel [libmkl_core.so]";

    /** A line of code that Inductor generated. */
    private static final String COMPILED =
            "/tmp/torchinductor_root/ov/cov463qhi2m2kw6ldmzzijfv5t3cjjklfci3qly3nsw6upcskct3.py(2533): call";

    /**
     * A loop over the elements of a tensor: with so few samples, the interpreter's share is missed by chance. What leads to
     * the operators is not.
     */
    @ParameterizedTest
    @CsvSource({"36, CPU_PYTHON", "10, CPU_MODEL_COMPUTE"})
    void linesWhoseOperatorsCostLessThanTheirCallsArePython(int leading, LedgerClass expected) {
        String item = "at::native::item [libtorch_cpu.so]";
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 60; i++) {
            String frame = i < 2
                    ? "_PyEval_EvalFrameDefault [libpython3.11.so.1.0]"
                    : i < 2 + leading ? "c10::impl::OperatorEntry::lookup [libtorch_cpu.so]" : item;
            fixture.sample("main", i, i + 1, "a.py(12): choose", frame);
        }
        Timeline timeline = fixture.build();

        assertThat(classOf(timeline, new SampledStacks(timeline, false), item)).isEqualTo(expected);
    }

    /** Two samples of the model may be of the line before or after. */
    @Test
    void aPackageIsAFrameworkIfItsSamplesShowTheModel() {
        String python = "/v/lib/python3.11/site-packages/%s/run.py(3): step";
        TimelineFixture fixture = TimelineFixture.blank();
        for (int us = 0; us < 200; us += 10) {
            boolean odd = us == 50 || us == 100;
            fixture.sample("main", us, us + 5, "a.py(7): step", python.formatted("engine"));
            if (us < 100) {
                fixture.sample("main", us + 5, us + 10, "a.py(9): rows", python.formatted("frames"));
            }
            if (us % 50 == 0) {
                fixture.sample("main", 200 + us, 205 + us, "a.py(7): step", python.formatted("engine"), GEMM);
            }
            if (odd) {
                fixture.sample("main", 205 + us, 210 + us, "a.py(9): rows", python.formatted("frames"), GEMM);
            }
        }
        Timeline timeline = fixture.build();
        SampledStacks stacks = new SampledStacks(timeline, false);

        assertThat(classOf(timeline, stacks, python.formatted("engine"))).isEqualTo(LedgerClass.FRAMEWORK_PYTHON);
        assertThat(classOf(timeline, stacks, python.formatted("frames"))).isEqualTo(LedgerClass.LIBRARY_PYTHON);
    }

    private static LedgerClass classOf(Timeline timeline, SampledStacks stacks, String frame) {
        return IntStream.range(0, timeline.stacks().count())
                .filter(stack -> timeline.stacks().text(stack).equals(frame))
                .mapToObj(stacks::classify)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Python at work
                "a.py(1): <module> > a.py(7): step                                           | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > re.py(9): sub                                                | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > /usr/lib/python3.11/heapq.py(9): push                        | CPU_PYTHON           | a.py:7 step",
                "/x/load/a.py(7): step                                                        | CPU_PYTHON           | /x/load/a.py:7 step",
                "a.py(7): step > torch/utils/hooks.py(3): setup                               | FRAMEWORK_PYTHON     | a.py:7 step",
                "a.py(7): step > /v/lib/python3.11/site-packages/peft/m.py(3): wrap           | FRAMEWORK_PYTHON     | a.py:7 step",
                "a.py(7): step > /v/lib/python3.11/site-packages/torch/nn/modules/linear.py(134): forward | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > /v/lib/python3.11/site-packages/django/db/models/query.py(3): get | LIBRARY_PYTHON | a.py:7 step",
                "a.py(7): step > torch/nn/modules/module.py(1553): _call_impl                 | FRAMEWORK_PYTHON     | a.py:7 step",
                "a.py(7): step > /tmp/torchinductor_root/ov/cov463qhi2m2kw6ldmzzijfv5t3cjjklfci3qly3nsw6upcskct3.py(2533): call | FRAMEWORK_PYTHON | a.py:7 step",
                "a.py(7): step > /models/ab/checkpoint_of_our_large_language_model_version_2_final.py(9): f | CPU_PYTHON | /models/ab/checkpoint_of_our_large_language_model_version_2_final.py:9 f",
                "a.py(7): step > torch/nn/modules/linear.py(134): forward > sgemm_kernel [libmkl.so] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): prompt > a.py(9): tokenize > re.py(9): sub                          | CPU_PYTHON           | a.py:9 tokenize",
                "a.py(7): prompt > /x/lib/python3.11/site-packages/tiktoken/core.py(9): encode > re.py(9): sub | CPU_TOKENIZATION     | a.py:7 prompt",
                "a.py(7): answer > json/encoder.py(9): encode                                 | CPU_SERIALIZATION    | a.py:7 answer",
                "a.py(1): <module> > <frozen importlib._bootstrap>(1176): _find_and_load > torch/__init__.py(4): <module> | FRAMEWORK_COMPILE_LOAD | a.py:1 <module>",
                "a.py(7): step > /usr/lib/python3.11/inspect.py(1263): getblock > /usr/lib/python3.11/tokenize.py(429): _tokenize | CPU_PYTHON | a.py:7 step",
                "a.py(7): step > memcpy [libc.so.6]                                           | CPU_NATIVE           | a.py:7 step",
                // asking again and again whether it may go on is waiting, though it takes CPU time
                "a.py(7): step > vllm/distributed/utils.py(46): sched_yield                   | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > os_sched_yield [libpython3.11.so.1.0] > __sched_yield [libc.so.6] > do_sched_yield [kernel] | WAIT_UNKNOWN | a.py:7 step",
                // the line that starts an event loop says nothing of a task without the program's own code
                "a.py(9): <module> > /usr/lib/python3.11/asyncio/events.py(84): Handle._run > /v/lib/python3.11/site-packages/fastapi/routing.py(3): solve | LIBRARY_PYTHON | fastapi/routing.py:3 solve",
                "a.py(9): <module> > /usr/lib/python3.11/asyncio/events.py(84): Handle._run > a.py(3): answer > /v/lib/python3.11/site-packages/fastapi/routing.py(3): solve | LIBRARY_PYTHON | a.py:3 answer",
                "a.py(9): <module> > /usr/lib/python3.11/asyncio/events.py(84): Handle._run > /usr/lib/python3.11/asyncio/streams.py(3): feed | CPU_PYTHON | a.py:9 <module>",
                "a.py(9): <module> > /usr/lib/python3.11/asyncio/runners.py(118): Runner.run > /v/lib/python3.11/site-packages/fastapi/routing.py(3): solve | LIBRARY_PYTHON | fastapi/routing.py:3 solve",
                // nor does the line that made a fork of its work
                "a.py(9): <module> > /usr/lib/python3.11/multiprocessing/process.py(314): BaseProcess._bootstrap > /usr/lib/python3.11/multiprocessing/connection.py(395): Connection._send | CPU_SERIALIZATION | /usr/lib/python3.11/multiprocessing/connection.py:395 Connection._send",
                "a.py(9): <module> > /usr/lib/python3.11/multiprocessing/process.py(314): BaseProcess._bootstrap > torch/utils/data/_utils/collate.py(3): collate | CPU_PREPROCESSING | torch/utils/data/_utils/collate.py:3 collate",
                "a.py(9): <module> > /usr/lib/python3.11/multiprocessing/process.py(314): BaseProcess._bootstrap > a.py(3): work | CPU_PYTHON | a.py:3 work",
                // lists become tensors
                "a.py(7): step > called torch.tensor [libtorch_python.so]                     | CPU_PREPROCESSING    | a.py:7 step",
                "a.py(7): step > called torch.tensor [libtorch_python.so] > list_item [libpython3.11.so.1.0] | CPU_PREPROCESSING | a.py:7 step",
                "a.py(7): step > torch::utils::recursive_store [libtorch_python.so]           | CPU_PREPROCESSING    | a.py:7 step",
                "a.py(7): step > torch::utils::recursive_to_list [libtorch_python.so] > _PyObject_Malloc [libpython3.11.so.1.0] | CPU_PYTHON | a.py:7 step",
                "a.py(7): step > called torch.tensordot [libtorch_python.so]                  | CPU_MODEL_COMPUTE    | a.py:7 step",
                // Python that waits
                "a.py(7): step > threading.py(320): wait                                      | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > queue.py(171): get > threading.py(320): wait                 | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > concurrent/futures/_base.py(451): result > threading.py(320): wait | WAIT_UNKNOWN   | a.py:7 step",
                "a.py(7): main > /usr/lib/python3.12/asyncio/base_events.py(608): run_forever > /usr/lib/python3.12/selectors.py(468): select | WAIT_SOCKET | a.py:7 main",
                "a.py(7): step > socket.py(706): readinto                                     | WAIT_SOCKET          | a.py:7 step",
                "a.py(7): step > subprocess.py(1264): wait                                    | WAIT_CHILD_PROCESS   | a.py:7 step",
                "torch/_inductor/pool.py(12): shutdown > /usr/lib/python3.12/subprocess.py(2047): Popen._wait | WAIT_CHILD_PROCESS | torch/_inductor/pool.py:12 shutdown",
                "a.py(7): step > clock_nanosleep [libc.so.6]                                  | WAIT_TIMER           | a.py:7 step",
                "a.py(7): step > threading.py(320): wait > 0x7f [libc.so.6]                   | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > take_gil [python3.11] > pthread_cond_timedwait [libc.so.6]   | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > take_gil [python3.11]                                        | WAIT_GIL             | a.py:7 step",
                "a.py(7): step > _PyEval_EvalFrameDefault [python3.15t]                       | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > torch/cuda/streams.py(105): synchronize                      | FRAMEWORK_SYNC_RETURN | a.py:7 step",
                "a.py(7): step > /usr/lib64/python3.12/threading.py(355): wait                | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > /opt/lib/python3.13t/threading.py(355): wait                 | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > lock [python]                                                | WAIT_LOCK            | a.py:7 step",
                "a.py(7): step > threading.py(320): wait > lock [python]                      | WAIT_UNKNOWN         | a.py:7 step",
                "a.py(7): step > logging/__init__.py(901): acquire > lock [python]            | WAIT_LOCK            | a.py:7 step",
                // a wrapper of the probe is transparent, what it calls to record is not
                "a.py(7): step > inferscope/hooks/socket_hooks.py(45): wrap_send.<locals>.send  | WAIT_SOCKET          | a.py:7 step",
                "a.py(7): step > torch/nn/functional.py(4): linear > inferscope/_hook.py(226): wrap.<locals>.wrapper | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > inferscope/_hook.py(226): wrap.<locals>.wrapper               | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > inferscope/_hook.py(138): _Unbound.__call__ > inferscope/_hook.py(226): wrapper | CPU_PYTHON | a.py:7 step",
                "a.py(7): step > inferscope/_hook.py(219): wrap.<locals>.wrapper > inferscope/_hook.py(173): wrap.<locals>.begin | PROFILER | a.py:7 step",
                "a.py(7): step > inferscope/_scope.py(30): Scope.__enter__                     | PROFILER             | a.py:7 step",
                "queue.py(180): get > inferscope/hooks/threading_hooks.py(128): wrap_get.<locals>._get | WAIT_UNKNOWN | queue.py:180 get",
                // what runs beneath Python decides, as far as names tell
                "a.py(7): step > _PyEval_EvalFrameDefault [libpython3.11.so.1.0]               | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > json/__init__.py(183): dumps > visit_decref [libpython3.11.so.1.0] | WAIT_GC         | a.py:7 step",
                "a.py(7): step > called [_pickle.so] > PyDict_Next [libpython3.11.so.1.0]      | CPU_SERIALIZATION    | a.py:7 step",
                "a.py(7): step > called [_pickle.so] > _PyEval_EvalFrameDefault [libpython3.11.so.1.0] | CPU_PYTHON   | a.py:7 step",
                "a.py(7): step > called [_pickle.so] > memcpy [libc.so.6]                      | CPU_SERIALIZATION    | a.py:7 step",
                "a.py(7): step > PyDict_Next [libpython3.11.so.1.0]                            | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > PyList_New [python3.11] > malloc [libc.so.6]                  | CPU_PYTHON           | a.py:7 step",
                "a.py(7): step > called [_pickle.so] > PyList_New [python3.11] > malloc [libc.so.6] | CPU_SERIALIZATION | a.py:7 step",
                "a.py(7): step > at::native::add [libtorch_cpu.so]                             | CPU_MODEL_COMPUTE    | a.py:7 step",
                "a.py(7): step > kernel [inductor-cxyz.so]                                     | CPU_MODEL_COMPUTE    | a.py:7 step",
                "a.py(7): step > sqlite3VdbeExec [libsqlite3.so.0.8.6]                         | CPU_NATIVE           | a.py:7 step",
                "a.py(7): step > spin [work.so]                                                | CPU_NATIVE           | a.py:7 step",
                "a.py(7): step > dot [work.so] > memcpy [libc.so.6]                            | CPU_NATIVE           | a.py:7 step",
                "a.py(7): step > at::native::copy [libtorch_cpu.so] > memcpy [libc.so.6]       | CPU_MODEL_COMPUTE    | a.py:7 step",
                "torch/nn/functional.py(4): linear > GOMP_barrier [libgomp-a34b3233.so.1]      | CPU_MODEL_COMPUTE    | torch/nn/functional.py:4 linear",
                "a.py(7): step > c10::is_enabled [libc10.so] > __tls_get_addr [ld-linux-x86-64.so.2] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > at::native::add [libtorch_cpu.so] > __tls_get_addr [ld-linux-x86-64.so.2] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > _dl_relocate_object [ld-linux-x86-64.so.2]                    | FRAMEWORK_COMPILE_LOAD | a.py:7 step",
                // a library for models holds the compiler too, and a compiler's own Python is no framework's
                "a.py(7): step > called [libjax_common.so] > llvm::StringMapImpl::LookupBucketFor [libjax_common.so] | FRAMEWORK_COMPILE_LOAD | a.py:7 step",
                "a.py(7): step > mlir::Pass::run [libjax_common.so] > malloc [libc.so.6]      | FRAMEWORK_COMPILE_LOAD | a.py:7 step",
                "a.py(7): step > called [libjax_common.so] > xla::cpu::Run [libjax_common.so]  | CPU_MODEL_COMPUTE    | a.py:7 step",
                "a.py(7): step > /x/site-packages/llvmlite/binding/ffi.py(9): __call__ > LLVMPY_RunPassManager [libllvmlite.so] | FRAMEWORK_COMPILE_LOAD | a.py:7 step",
                "a.py(7): step > /x/site-packages/numba/core/dispatcher.py(9): _compile_for_args > /x/site-packages/numba/core/ir.py(9): lower | FRAMEWORK_COMPILE_LOAD | a.py:7 step",
                "a.py(7): step > tk_encode [tokenizers.abi3.so]                                | CPU_TOKENIZATION     | a.py:7 step",
                "a.py(7): step > __memset_avx2 [libc.so.6] > exc_page_fault [kernel] > clear_page_erms [kernel] | SYSTEM_PAGE_FAULT | a.py:7 step",
                "a.py(7): step > torch/nn/modules/module.py(1553): _call_impl > torch/nn/modules/linear.py(134): forward > exc_page_fault [kernel] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > dgemm_kernel_SKYLAKEX [libscipy_openblas64_.so] > exc_page_fault [kernel] | SYSTEM_PAGE_FAULT | a.py:7 step",
                "a.py(7): step > /x/site-packages/sklearn/ensemble/_forest.py(929): ForestClassifier.predict_proba > /x/site-packages/sklearn/tree/_classes.py(553): DecisionTreeClassifier.apply > called [_tree.cpython-311-x86_64-linux-gnu.so] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > /x/site-packages/sklearn/preprocessing/_data.py(1044): StandardScaler.transform > called [_tree.cpython-311-x86_64-linux-gnu.so] | CPU_PREPROCESSING | a.py:7 step",
                "a.py(7): step > ksys_write [kernel] > rep_movs_alternative [kernel]           | SYSTEM_FILE          | a.py:7 step",
                "a.py(7): step > anon_pipe_write [kernel] > copy_page_from_iter [kernel]       | SYSTEM_NETWORK       | a.py:7 step",
                "a.py(7): step > __x64_sys_munmap [kernel] > unmap_page_range [kernel]         | SYSTEM_MEMORY        | a.py:7 step",
                "a.py(7): step > __do_sys_clone3 [kernel] > copy_pte_range [kernel]            | SYSTEM_PROCESS       | a.py:7 step",
                "a.py(7): step > /x/site-packages/torch/utils/data/dataloader.py(492): DataLoader.__iter__ > multiprocessing/popen_fork.py(66): Popen._launch > __do_sys_clone [kernel] > copy_pte_range [kernel] | SYSTEM_PROCESS | a.py:7 step",
                "a.py(7): step > [unknown] [kernel]                                            | SYSTEM_OTHER         | a.py:7 step",
                "a.py(7): start > importlib/_bootstrap.py(7): importlib._bootstrap > fread [libc.so.6] > ksys_read [kernel] | FRAMEWORK_COMPILE_LOAD | a.py:7 start",
                "a.py(7): step > inferscope/_handover.py(70): give > memcpy [libc.so.6]        | PROFILER             | a.py:7 step",
                "a.py(7): step > inferscope/hooks/socket_hooks.py(45): send > sock_write_iter [kernel] | WAIT_SOCKET    | a.py:7 step",
                // a thread's outermost frames are no wait, and own code named alike neither
                "threading.py(1002): _bootstrap > threading.py(982): run > a.py(7): step      | CPU_PYTHON           | a.py:7 step",
                "a.py(7): wait                                                                | CPU_PYTHON           | a.py:7 wait",
                "my/queue.py(7): get                                                          | CPU_PYTHON           | my/queue.py:7 get",
                // the JVM
                "Thread.java(829): java.lang.Thread.run > Serve.java(7): com.acme.Serve.step  | CPU_CODE             | Serve.java:7 com.acme.Serve.step",
                "Serve.java(7): com.acme.Serve.step > HashMap.java(9): java.util.HashMap.get  | CPU_CODE             | Serve.java:7 com.acme.Serve.step",
                "com.acme.Serve.step > java.lang.Thread.sleep                                 | WAIT_TIMER           | java.lang.Thread.sleep",
                "Serve.java(7): com.acme.Serve.step > Unsafe.java(1): jdk.internal.misc.Unsafe.park | WAIT_UNKNOWN   | Serve.java:7 com.acme.Serve.step",
                "Serve.java(7): com.acme.Serve.step > EPoll.java(1): sun.nio.ch.EPoll.wait    | WAIT_SOCKET          | Serve.java:7 com.acme.Serve.step",
                "Serve.java(7): com.acme.Serve.step > OrtSession.java(1): ai.onnxruntime.OrtSession.run | CPU_MODEL_COMPUTE | OrtSession.java:1 ai.onnxruntime.OrtSession.run",
                "Serve.java(7): com.acme.Tokenizer.encode                                     | CPU_CODE             | Serve.java:7 com.acme.Tokenizer.encode",
                "Serve.java(7): com.acme.Bot.say > T.java(9): ai.djl.huggingface.tokenizers.T.encode | CPU_TOKENIZATION     | T.java:9 ai.djl.huggingface.tokenizers.T.encode",
                "Serve.java(7): com.acme.Serve.step > EventWriter.java(109): jdk.jfr.internal.EventWriter.putLong | PROFILER | Serve.java:7 com.acme.Serve.step",
                "PeriodicTask.java(9): jdk.jfr.internal.periodic.PeriodicTask.run             | PROFILER             | PeriodicTask.java:9 jdk.jfr.internal.periodic.PeriodicTask.run",
                // code that a library generated
                "a.py(7): step > called torch._C._nn.linear [libtorch_python.so] > [generated code] [jit] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > torch/nn/modules/module.py(9): _call_impl > torch/nn/modules/linear.py(9): forward > [generated code] [jit] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > torch/nn/modules/module.py(9): _call_impl > torch/nn/modules/linear.py(9): forward > GOMP_parallel [libgomp.so.1] > gomp_barrier_wait_end [libgomp.so.1] | CPU_MODEL_COMPUTE | a.py:7 step",
                "a.py(7): step > [generated code] [jit] | CPU_NATIVE | a.py:7 step",
                // native programs
                "/src/serve.cpp(12): main [serve] > /src/serve.cpp(8): score [serve] | CPU_CODE | /src/serve.cpp:8 score [serve]",
                "/src/serve.cpp(8): score [serve] > /usr/include/c++/12/atomic(9): std::atomic::load [serve] | CPU_CODE | /src/serve.cpp:8 score [serve]",
                "/src/main.rs(8): score [serve] > /rustc/4a4ef/library/core/src/num/mod.rs(9): add [serve] | CPU_CODE | /src/main.rs:8 score [serve]",
                "/src/serve.cpp(8): score [serve] > memcpy [libc.so.6] | CPU_CODE | /src/serve.cpp:8 score [serve]",
                "/src/serve.cpp(8): score [serve] > /build/malloc.c(9): malloc [libc.so.6] | CPU_CODE | /src/serve.cpp:8 score [serve]",
                "/src/serve.cpp(8): score [serve] > /src/aten/Add.cpp(9): add [libtorch_cpu.so] | CPU_MODEL_COMPUTE | /src/aten/Add.cpp:9 add [libtorch_cpu.so]",
                "/src/serve.cpp(8): score [serve] > exc_page_fault [kernel] > clear_page_erms [kernel] | SYSTEM_PAGE_FAULT | /src/serve.cpp:8 score [serve]",
                // without lines, the file in which the stack begins is the program
                "main [serve] > score [serve] > [98000] [libc.so.6] | CPU_CODE | score [serve]",
                "[86000] [libc.so.6] > score [serve] > deflate [libz.so.1] > exc_page_fault [kernel] > clear_page_erms [kernel] | SYSTEM_PAGE_FAULT | score [serve]",
                "main [serve] > ggml_compute [libggml-cpu.so] > exc_page_fault [kernel] | SYSTEM_PAGE_FAULT | main [serve]",
                // an engine's generated code is the program, and the engine is not
                "/deps/uv/thread.c(793): uv_run [node] > [generated code] [jit] > [generated code] [jit] | CPU_CODE | [generated code] [jit]",
                "main [node] > [generated code] [jit] > Builtins_FindOrderedHashMapEntry [node] | CPU_NATIVE | [generated code] [jit]",
                "main [node] > /srv/a.js(3): score > Builtins_InterpreterEntryTrampoline [node] > Builtins_AddHandler [node] | CPU_CODE | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > v8::internal::JsonParser::ParseJson [node] > memcpy [libc.so.6] | CPU_NATIVE | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > Builtins_RegExpReplace [node] > RegExp:(a+)+b [jit] | CPU_CODE | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > node:buffer(80): toString > node::Buffer::StringSlice [node] | CPU_NATIVE | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > /srv/node_modules/ejs/lib/ejs.js(9): render | CPU_CODE | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > v8::internal::Heap::CollectGarbage [node] > v8::internal::Heap::Sweep [node] | WAIT_GC | /srv/a.js:3 score",
                "main [node] > /srv/a.js(3): score > node::fs::Read [node] > ksys_read [kernel] | SYSTEM_FILE | /srv/a.js:3 score",
                "main [serve] > dnnl_execute [libdnnl.so.3] > [generated code] [jit] > exc_page_fault [kernel] | SYSTEM_PAGE_FAULT | main [serve]",
                // Go's own packages
                "/srv/main.go(8): main.score [serve] > /opt/go/src/math/sin.go(236): math.sin [serve] | CPU_CODE | /srv/main.go:8 main.score [serve]",
                "/srv/main.go(8): main.score [serve] > /opt/go/src/encoding/json/encode.go(9): encoding/json.(*encodeState).string [serve] | CPU_CODE | /srv/main.go:8 main.score [serve]",
                "/srv/src/main/main.go(8): main.score [serve] | CPU_CODE | /srv/src/main/main.go:8 main.score [serve]",
                "main > work > memcpy                                                         | CPU_CODE             | memcpy",
                "main > serve > epoll_wait                                                    | WAIT_SOCKET          | epoll_wait",
            })
    void aStackBelongsToAClassAndALine(String stack, LedgerClass expected, String where) {
        Timeline timeline = TimelineFixture.blank()
                .sample("main", 0, 10, Pattern.compile(" > ").split(stack))
                .build();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
        assertThat(analysis.where(0)).isEqualTo(where);
    }

    @ParameterizedTest
    @CsvSource({
        // samples at one line: in a call of the operators' library, in the interpreter
        "91,  9, CPU_PYTHON", // as when a loop reads a tensor's elements
        "97,  3, CPU_MODEL_COMPUTE", // operators that compute for long
        " 8,  2, CPU_MODEL_COMPUTE", // a fifth, but too few samples to tell
    })
    void callsOfALineThatTheInterpreterTakesPartInAreBrief(int inCall, int interpreted, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < inCall + interpreted; i++) {
            String library = i % 2 == 0 ? "called [libtorch_python.so]" : "at::native::select_symint [libtorch_cpu.so]";
            String[] stack = i < inCall ? new String[] {"a.py(7): choose", library} : new String[] {"a.py(7): choose"};
            fixture.sample("main", 10 * i, 10 * i + 10, stack);
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
        assertThat(analysis.classify(1)).as("in an operator's own function").isEqualTo(expected);
        assertThat(analysis.classifier().isBriefCall(0)).isEqualTo(expected == LedgerClass.CPU_PYTHON);
        assertThat(analysis.classifier().isBriefCall(inCall)).isFalse();
    }

    /** As with JAX: a call hands the work to the library's threads and sleeps until they are done. */
    @ParameterizedTest
    @CsvSource({"300, CPU_MODEL_COMPUTE", "3, CPU_PYTHON"})
    void aCallInWhichTheThreadSleepsIsNotBrief(int asleep, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 40 + asleep; i++) {
            String[] stack = i % 2 == 0 || i >= 40
                    ? new String[] {"a.py(7): embed", "called [libjax_common.so]"}
                    : new String[] {"a.py(7): embed"};
            fixture.sample("main", 10 * i, 10 * i + 10, stack);
            fixture.builder()
                    .attribute(fixture.lastRow(), Attribute.GIL, i < 40 ? SampledGil.HOLDS : SampledGil.BLOCKED);
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
    }

    /** NumPy multiplies matrices with its BLAS, or sorts by itself; some samples show no more than that NumPy is called. */
    @ParameterizedTest
    @CsvSource({"6, 2, CPU_MODEL_COMPUTE", "2, 0, CPU_MODEL_COMPUTE", "2, 1, CPU_NATIVE", "2, 6, CPU_NATIVE"})
    void aCallOfALibraryDoesWhatWasSeenBeneathItsLine(int products, int sorts, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i <= products + sorts; i++) {
            String beneath = i == 0
                    ? "called [_multiarray_umath.so]"
                    : i <= products
                            ? "sgemm_kernel [libscipy_openblas64_-32a4b2a6.so]"
                            : "np::sort [_multiarray_umath.so]";
            fixture.sample("main", 10 * i, 10 * i + 10, "a.py(7): predict", beneath)
                    .sample("main", 1000 + 10 * i, 1010 + 10 * i, "a.py(9): read", "called [_multiarray_umath.so]");
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
        assertThat(analysis.classify(fixture.lastRow())).as("another line").isEqualTo(LedgerClass.CPU_NATIVE);
    }

    /** The interpreter formats numbers; its stack still has a return address of an earlier call of PyTorch. */
    @ParameterizedTest
    @CsvSource({
        // samples at one line: in the interpreter with that caller, in the library itself
        "30, 0, CPU_PYTHON",
        "30, 1, CPU_PYTHON", // of the line before
        "30, 2, CPU_MODEL_COMPUTE",
        " 7, 0, CPU_MODEL_COMPUTE", // too few to tell
    })
    void aLibraryThatIsNeverSeenWhereItShouldCallTheInterpreterIsNoCaller(int seen, int own, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < seen + own; i++) {
            String[] formats = {"a.py(7): log", "called [libtorch_cpu.so]", "_Py_dg_dtoa [libpython3.11.so.1.0]"};
            String[] computes = {"a.py(7): log", "at::native::add [libtorch_cpu.so]"};
            fixture.sample("main", 10 * i, 10 * i + 10, i < seen ? formats : computes);
            fixture.sample("main", 1000 + 10 * i, 1010 + 10 * i, "a.py(9): step", "at::native::add [libtorch_cpu.so]");
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
    }

    /** As when matrices are multiplied for 3 ms a call: the native sample may be from the next line. */
    @ParameterizedTest
    @CsvSource({"200, CPU_PYTHON", "800, CPU_MODEL_COMPUTE"})
    void nativeSamplesFarFromTheirPythonStackDoNotTellThatCallsAreBrief(int apartUs, LedgerClass expected) {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 100; i++) {
            fixture.sample(
                    "main",
                    2000 * i,
                    2000 * i + 2000,
                    "a.py(4): step",
                    i % 10 == 9 ? "_PyObject_Free [libpython3.11.so.1.0]" : "exec_blas [libopenblas.so]");
            fixture.builder().attribute(fixture.lastRow(), Attribute.LOOKED_NS, 0);
            fixture.builder()
                    .attribute(fixture.lastRow(), Attribute.FRAMES_READ_NS, i % 10 == 9 ? 1000L * apartUs : 100_000);
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(expected);
    }

    @Test
    void otherLinesCompiledCodeAndTheModelsModulesKeepTheirOperators() {
        TimelineFixture fixture = TimelineFixture.blank();
        for (int i = 0; i < 20; i++) {
            int us = 100 * i;
            fixture.sample("main", us, us + 10, "a.py(7): choose")
                    .sample("main", us + 10, us + 50, "a.py(7): choose", "called [libtorch_python.so]")
                    .sample("main", us + 50, us + 90, "a.py(9): score", "called [libtorch_python.so]")
                    .sample(
                            "main",
                            us + 90,
                            us + 95,
                            "torch/nn/modules/module.py(1553): _call_impl",
                            "a.py(7): choose",
                            "called [libtorch_python.so]")
                    .sample("main", us + 95, us + 98, "a.py(7): choose", COMPILED, "called [libtorch_python.so]")
                    .sample("main", us + 98, us + 100, "a.py(7): choose", COMPILED);
        }
        Analysis analysis = Analysis.of(fixture.build(), Thresholds.defaults());

        assertThat(IntStream.range(0, 6).mapToObj(analysis::classify))
                .containsExactly(
                        LedgerClass.CPU_PYTHON,
                        LedgerClass.CPU_PYTHON,
                        LedgerClass.CPU_MODEL_COMPUTE,
                        LedgerClass.CPU_MODEL_COMPUTE,
                        LedgerClass.CPU_MODEL_COMPUTE,
                        LedgerClass.FRAMEWORK_PYTHON);
    }

    /** NumPy's wheel brings its own BLAS: that of a model is another one, unless the model is made of NumPy. */
    @Test
    void numPysBlasIsTheModelOnlyWhereNoOtherLibraryForModelsRuns() {
        String blas = "ddot_k [libscipy_openblas64_-32a4b2a6.so]";
        TimelineFixture fixture = TimelineFixture.blank().sample("main", 0, 10, "a.py(7): log", blas);
        Timeline alone = fixture.build();
        Timeline beside = fixture.sample("main", 10, 20, "a.py(9): step", "gemm [libtorch_cpu.so]")
                .sample("main", 20, 30, "a.py(9): step", "gemm [libopenblas.so.0]")
                .build();

        assertThat(classOf(alone, new SampledStacks(alone, false), blas)).isEqualTo(LedgerClass.CPU_MODEL_COMPUTE);
        SampledStacks stacks = new SampledStacks(beside, false);
        assertThat(classOf(beside, stacks, blas)).isEqualTo(LedgerClass.CPU_NATIVE);
        assertThat(classOf(beside, stacks, "gemm [libopenblas.so.0]")).isEqualTo(LedgerClass.CPU_MODEL_COMPUTE);
    }

    @Test
    void linesOfAnInstalledProgramAreItsOwnWhereNoOtherCodeIs() {
        String packages = "/v/lib/python3.11/site-packages/";
        TimelineFixture installed = TimelineFixture.blank()
                .sample(
                        "main",
                        0,
                        10,
                        "/v/bin/serve(8): <module>",
                        packages + "serving/cli.py(3): main",
                        packages + "serving/engine.py(7): step",
                        packages + "numpy/core.py(9): dot")
                .sample("helper", 0, 10, packages + "anyio/thread.py(5): run");
        Analysis alone = Analysis.of(installed.build(), Thresholds.defaults());

        assertThat(Tables.of(alone).sampled().lines())
                .extracting(SampleFigures::place)
                .containsExactly("serving/engine.py:7 step");

        Analysis beside = Analysis.of(
                installed.sample("main", 10, 20, "/home/x/a.py(7): main").build(), Thresholds.defaults());
        assertThat(Tables.of(beside).sampled().lines())
                .extracting(SampleFigures::place)
                .containsExactly("/home/x/a.py:7 main");
    }

    @Test
    void theModelsNativeCodeIsDispatchWhereADeviceComputes() {
        Timeline timeline = TimelineFixture.blank()
                .kernel("7", 0, 10, "gemm")
                .sample("main", 0, 10, "a.py(7): step", "torch/nn/functional.py(4): linear")
                .build();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());

        assertThat(analysis.threads().activity(1)).isNotNull();
        int sample = timeline.kind(0) == io.inferscope.timeline.RowKind.STACK_SAMPLE ? 0 : 1;
        assertThat(analysis.classify(sample)).isEqualTo(LedgerClass.FRAMEWORK_DISPATCH);
    }

    @Test
    void aLineNamesTheNativeFunctionsBeneathIt() {
        Timeline timeline = TimelineFixture.blank()
                .sample("main", 0, 70, "a.py(7): step", "lzma_encode [liblzma.so.5]")
                .sample("main", 70, 90, "a.py(7): step", "memcpy [libc.so.6]")
                .sample("main", 90, 98, "a.py(7): step")
                .sample("main", 98, 100, "a.py(7): step", "memset [libc.so.6]")
                .build();

        assertThat(SampledCode.of(Analysis.of(timeline, Thresholds.defaults())).lines())
                .extracting(SampleFigures::beneath)
                .containsExactly("lzma_encode [liblzma.so.5] 70.0%, memcpy [libc.so.6] 20.0%");
    }

    @Test
    void aLineNamesTheColumnsOfItsExpressions() {
        TimelineFixture fixture = TimelineFixture.blank();
        fixture.sample("main", 0, 60, "a.py(7): step", "lzma_encode [liblzma.so.5]");
        fixture.builder().attribute(fixture.lastRow(), Attribute.COLUMNS, 5 << 16 | 20);
        fixture.sample("main", 60, 90, "a.py(7): step");
        fixture.builder().attribute(fixture.lastRow(), Attribute.COLUMNS, 9 << 16);
        fixture.sample("main", 90, 100, "a.py(7): step", "/usr/lib/python3.11/json/decoder.py(3): decode");
        fixture.builder().attribute(fixture.lastRow(), Attribute.COLUMNS, 1 << 16 | 3);

        assertThat(SampledCode.of(Analysis.of(fixture.build(), Thresholds.defaults()))
                        .lines())
                .extracting(SampleFigures::columns)
                .containsExactly("5-19 60.0%, 9- 30.0%");
    }

    @Test
    void aLineOfANativeProgramIsHotAndItsFunctionHasOneName() {
        Timeline timeline = TimelineFixture.blank()
                .sample("main", 0, 10, "score [serve]")
                .sample("main", 10, 70, "/src/serve.cpp(12): main [serve]", "/src/serve.cpp(8): score [serve]")
                .sample("main", 70, 100, "/src/serve.cpp(12): main [serve]", "/src/serve.cpp(9): score [serve]")
                .build();
        SampledCode code = SampledCode.of(Analysis.of(timeline, Thresholds.defaults()));

        assertThat(code.lines())
                .extracting(SampleFigures::place)
                .containsExactly("/src/serve.cpp:8 score [serve]", "/src/serve.cpp:9 score [serve]");
        assertThat(code.functions()).extracting(SampleFigures::place).containsExactly("score [serve]");
    }

    @Test
    void aStackOfAnyDepthIsClassifiedInOnePass() {
        String[] frames = new String[200_000];
        java.util.Arrays.fill(frames, "a.py(7): recurse");
        frames[frames.length - 1] = "memcpy [libc.so.6]";
        Timeline timeline =
                TimelineFixture.blank().sample("main", 0, 10, frames).build();
        Analysis analysis = Analysis.of(timeline, Thresholds.defaults());

        assertThat(analysis.classify(0)).isEqualTo(LedgerClass.CPU_NATIVE);
        assertThat(SampledCode.of(analysis).lines().get(0).totalNs()).isEqualTo(10_000);
    }
}
