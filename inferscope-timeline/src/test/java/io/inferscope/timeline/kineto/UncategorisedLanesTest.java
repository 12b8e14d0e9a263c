package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UncategorisedLanesTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "GPU 0, '', 0",
        "6 GPU0, '', 0",
        "7 GPU1, '', 1",
        "Ascend Hardware, NPU, NPU:0",
        "MTIA 17, '', MTIA:17",
        "GPU (gfx950), '', 0",
        "GPU<Max 1550>, '', 0",
        "'', NPU, NPU:0",
        "python, Ascend NPU, NPU:0",
        "NV, '', 0",
        "AMD:1, '', 1",
        "Neuron Core 0, '', NEURON:0",
        "Gaudi2 device 1, '', GAUDI:1"
    })
    void aProcessNamedOrLabelledAsADeviceIsOne(String name, String label, String device) throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","name":"MatMul","pid":3,"tid":7,"ts":1,"dur":2},
                {"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"%s"}},
                {"ph":"M","name":"process_labels","pid":3,"tid":0,"args":{"labels":"%s"}}
                """.formatted(name, label));

        assertThat(timeline.kind(0)).isEqualTo(RowKind.KERNEL);
        assertThat(timeline.tracks()
                        .get(timeline.tracks().get(timeline.track(0)).parent())
                        .key())
                .isEqualTo(device);
    }

    @ParameterizedTest
    @CsvSource({
        "GPU Process, ''",
        "python3, CPU",
        "CrGpuMain, ''",
        "npu_server.py, ''",
        "2 CPU HIP API, ''",
        "CANN, CPU"
    })
    void aProcessOfTheHostStaysOne(String name, String label) throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"%s"}},
                {"ph":"M","name":"process_labels","pid":3,"tid":0,"args":{"labels":"%s"}},
                {"ph":"X","name":"MatMul","pid":3,"tid":7,"ts":1,"dur":2}
                """.formatted(name, label));

        assertThat(timeline.kind(0)).isEqualTo(RowKind.ANNOTATION);
    }

    @ParameterizedTest
    @CsvSource({
        "cudaLaunchKernel, RUNTIME_CALL",
        "cuLaunchKernel, RUNTIME_CALL",
        "hsa_queue_create, RUNTIME_CALL",
        "mcMemcpyAsync, RUNTIME_CALL",
        "mc_dropout, ANNOTATION",
        "cu_seqlens, ANNOTATION",
        "mu_law, ANNOTATION",
        "ze_init, ANNOTATION"
    })
    void callsAreKnownByTheSpellingOfTheirRuntime(String name, RowKind kind) throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"GPU 0"}},
                {"ph":"X","name":"%s","pid":1,"tid":1,"ts":1,"dur":1},
                {"ph":"X","name":"gemm","pid":3,"tid":7,"ts":2,"dur":2}
                """.formatted(name));

        assertThat(rows(timeline)).containsExactlyInAnyOrder(kind.name(), "KERNEL");
    }

    /** Kineto puts Python functions that began before the recording, and nothing else of the host, on a device's process. */
    @Test
    void whatIsOfTheHostByItsCategoryStaysThere() throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},
                {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":2},
                {"ph":"X","cat":"python_function","name":"serve.py(3): run","pid":0,"tid":0,"ts":1,"dur":2},
                {"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"GPU 1"}},
                {"ph":"X","cat":"python_function","name":"serve.py(3): run","pid":1,"tid":0,"ts":1,"dur":2}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("KERNEL", "PYTHON_FUNCTION", "PYTHON_FUNCTION");
    }

    @Test
    void workThatACallOfAnotherThreadLaunchesMakesItsThreadAStream() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","name":"musaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":5}},
                {"ph":"X","name":"gemm","pid":2,"tid":9,"ts":3,"dur":4,"args":{"correlation":5}},
                {"ph":"X","name":"gemm","pid":2,"tid":9,"ts":8,"dur":4}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", "KERNEL", "KERNEL");
        assertThat(timeline.links().count()).isEqualTo(1);
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.LAUNCH);
    }

    @ParameterizedTest
    @CsvSource({
        "gpu_kernel, KERNEL",
        "GPU_Kernel, KERNEL",
        "gpu_op, KERNEL",
        "rocm_kernel_dispatch, KERNEL",
        "CudaKernel, KERNEL",
        "gpu, KERNEL",
        "gpu.work, KERNEL",
        "gpu_api, ANNOTATION",
        "cuda_kernel_launch, ANNOTATION",
        "cpu_to_gpu, ANNOTATION",
        "gpustat, ANNOTATION",
        "phase, ANNOTATION"
    })
    void aThreadWhoseEventsHaveADevicesCategoryIsAStream(String category, RowKind kind) throws ImportException {
        String event = "{'ph':'X','cat':'%s','name':'gemm','pid':1,'tid':11,'ts':%d,'dur':2},".replace('\'', '"');
        String step = "{'ph':'X','cat':'step','name':'decode','pid':1,'tid':1,'ts':1,'dur':40}".replace('\'', '"');
        Timeline timeline = events(IntStream.range(0, 10)
                        .mapToObj(i -> event.formatted(category, 4 * i))
                        .collect(Collectors.joining())
                + step);

        assertThat(rows(timeline)).contains("ANNOTATION").containsOnly("ANNOTATION", kind.name());
        assertThat(timeline.tracks().stream()
                        .filter(track -> track.kind() == TrackKind.DEVICE)
                        .map(Track::key))
                .isEqualTo(kind == RowKind.KERNEL ? List.of("0") : List.of());
    }

    @ParameterizedTest
    @CsvSource({
        "CUDA stream 7, '', KERNEL",
        "GPU, '', KERNEL",
        "GPU Kernels, '', KERNEL",
        "stream 7, '', KERNEL",
        "worker, '\"stream\":7', KERNEL",
        "worker, '\"grid\":[1,1,1]', KERNEL",
        "worker, '\"stream\":true', ANNOTATION",
        "GPU worker, '', ANNOTATION",
        "CrGpuMain, '', ANNOTATION",
        "upstream 7, '', ANNOTATION",
    })
    void aThreadNamedAsAStreamOrWithKernelsArgumentsIsOne(String name, String arguments, RowKind kind)
            throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"%s"}},
                {"ph":"X","name":"clEnqueueNDRangeKernel","pid":1,"tid":1,"ts":1,"dur":3,"args":{%s}},
                {"ph":"X","name":"gemm","pid":1,"tid":5,"ts":5,"dur":4,"args":{%s}},
                {"ph":"X","name":"gemm","pid":1,"tid":5,"ts":9,"dur":4,"args":{%s}}
                """.formatted(name, arguments, arguments, arguments));

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", kind.name(), kind.name());
    }

    /** A browser's process for a device traces its own code with the category gpu. */
    /** Engines of an accelerator that nothing names as one, or threads: a label tells. */
    @ParameterizedTest
    @CsvSource({"1, '', 0, 'MAC, 2'", "1, '', 5, ''", "1, CPU, 0, ''", "4711, '', 0, ''"})
    void lanesThatNothingShowsToBeThreadsAreSaid(int tid, String label, int inside, String lanes)
            throws ImportException {
        String events = IntStream.range(0, 120)
                .mapToObj(i -> """
                        {"ph":"X","name":"a","pid":1,"tid":%d,"ts":%d,"dur":%d}""".formatted(i % 2 == 0 ? tid : 2, 10 * i, i == 7 && inside > 0 ? 25 : 4))
                .collect(Collectors.joining(","));
        Timeline timeline = events(events + """
                ,{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"%s"}}
                ,{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"MAC"}}
                """.formatted(label));

        assertThat(timeline.properties().getOrDefault(TimelineInfo.UNKNOWN_LANES, ""))
                .isEqualTo(lanes);
    }

    @Test
    void rangesThatNestAreNoStream() throws ImportException {
        Timeline timeline = events(IntStream.range(0, 10)
                .mapToObj(i -> """
                        {"ph":"X","cat":"gpu","name":"Scheduler","pid":1,"tid":11,"ts":%d,"dur":8},
                        {"ph":"X","cat":"gpu","name":"Decoder","pid":1,"tid":11,"ts":%d,"dur":4}
                        """.formatted(10 * i, 10 * i + 2))
                .collect(Collectors.joining(",")));

        assertThat(rows(timeline)).containsOnly("ANNOTATION");
    }

    @Test
    void callsThatUnitraceWritesAsOperatorsLaunch() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"zeCommandListAppendLaunchKernel","pid":285,"tid":285,"ts":1,"dur":3},
                {"ph":"X","cat":"gpu_op","name":"gemm[SIMD16 {128; 1; 1} {16; 2; 8}]","pid":999,"tid":7,"ts":9,"dur":4},
                {"ph":"s","cat":"Flow_H2D_1_285","name":"dep","id":1,"pid":285,"tid":285,"ts":1},
                {"ph":"t","cat":"Flow_H2D_1_285","name":"dep","id":1,"pid":999,"tid":7,"ts":9}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", "KERNEL");
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.LAUNCH);
    }

    /** Without ids nothing is joined: a launch may be of any of the kernels that follow it. */
    @Test
    void callsAndWorkWithoutIdsAreNotJoined() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"zeCommandListAppendLaunchKernel","pid":285,"tid":285,"ts":1,"dur":3},
                {"ph":"X","cat":"gpu_op","name":"gemm","pid":999,"tid":7,"ts":9,"dur":4}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", "KERNEL");
        assertThat(timeline.links().count()).isZero();
    }

    /** The OpenCL Intercept Layer: a queue is a thread of the host's process; stages of a command are ranges of their own. */
    @Test
    void aCommonIdJoinsWhatACallQueues() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","pid":9,"tid":9,"name":"clEnqueueNDRangeKernel( gemm )","ts":1,"dur":3,"args":{"id":1}},
                {"ph":"X","pid":9,"tid":0.1,"name":"gemm (Queued)","ts":2,"dur":3,"args":{"id":1}},
                {"ph":"X","pid":9,"tid":0.1,"name":"gemm (Submitted)","ts":5,"dur":2,"args":{"id":1}},
                {"ph":"X","pid":9,"tid":0.1,"name":"gemm (Execution)","ts":7,"dur":9,"args":{"id":1}},
                {"ph":"X","pid":9,"tid":9,"name":"clEnqueueNDRangeKernel( gemm )","ts":9,"dur":3,"args":{"id":0}},
                {"ph":"X","pid":9,"tid":1.1,"name":"gemm (Execution)","ts":16,"dur":9,"args":{"id":0}}
                """);

        assertThat(rows(timeline))
                .containsExactlyInAnyOrder(
                        "RUNTIME_CALL", "RUNTIME_CALL", "DEVICE_ANNOTATION", "DEVICE_ANNOTATION", "KERNEL", "KERNEL");
        assertThat(timeline.links().count()).isEqualTo(2);
    }

    /** The same tracer gives a copy the name of its call. */
    @Test
    void whatACallQueuesMayHaveItsName() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","pid":9,"tid":9,"name":"clEnqueueReadBuffer","ts":1,"dur":30,"args":{"id":4}},
                {"ph":"X","pid":9,"tid":-1,"name":"clEnqueueReadBuffer","ts":7,"dur":9,"args":{"id":4}}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", "MEMCPY_OTHER");
        assertThat(timeline.links().count()).isEqualTo(1);
    }

    /** NCCL's example of a profiler plug-in. In a browser, threads have ranges of this category, too. */
    @ParameterizedTest
    @CsvSource({"COLL, KERNEL", "gpu, ANNOTATION"})
    void asynchronousRangesMayBeWorkOfADevice(String ofThread, RowKind kind) throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"%s","name":"AllReduce","pid":1,"tid":1,"ts":1,"dur":9},
                {"ph":"b","cat":"GPU","id":0,"name":"KernelCh","pid":1,"tid":1,"ts":2},
                {"ph":"e","cat":"GPU","id":0,"name":"KernelCh","pid":1,"tid":1,"ts":8}
                """.formatted(ofThread));

        assertThat(rows(timeline)).contains(kind.name());
    }

    @Test
    void aCategoryOfADeviceMakesWhatItsIdsJoinACall() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"host_op","name":"launch","pid":1,"tid":1,"ts":1,"dur":3,"args":{"correlationId":4}},
                {"ph":"X","cat":"gpu_op","name":"gemm","ts":9,"dur":4,"args":{"correlationId":4,"streamId":7}}
                """);

        assertThat(rows(timeline)).containsExactlyInAnyOrder("RUNTIME_CALL", "KERNEL");
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.LAUNCH);
    }

    /** A request of a client to a server is a flow between processes, too. */
    @Test
    void workThatAnotherProcessAsksForIsNoDevice() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","name":"request","pid":1,"tid":1,"ts":1,"dur":9,"args":{"correlation":5}},
                {"ph":"X","name":"handle","pid":2,"tid":9,"ts":3,"dur":4,"args":{"correlation":5}}
                """);

        assertThat(rows(timeline)).containsExactly("ANNOTATION", "ANNOTATION");
    }

    @Test
    void flowsOfRocprofConnectLaunchesToKernels() throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":6,"args":{"name":"6 GPU0"}},
                {"ph":"X","name":"hipLaunchKernel","pid":2,"tid":77,"ts":"1000","dur":"8"},
                {"ph":"X","name":"gemm","pid":6,"tid":0,"ts":"1010","dur":"700"},
                {"ph":"s","id":0,"pid":2,"tid":77,"ts":"1000","cat":"DataFlow","name":"dep"},
                {"ph":"t","id":0,"pid":6,"tid":0,"ts":"1010","cat":"DataFlow","name":"dep"}
                """);

        assertThat(timeline.links().count()).isEqualTo(1);
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.LAUNCH);
    }

    /** HCCL shows a collective as a whole and its tasks once more; lanes of an analysis are no work. */
    @Test
    void lanesThatRepeatOthersAreNoWork() throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"Ascend Hardware"}},
                {"ph":"M","name":"process_name","pid":4,"tid":0,"args":{"name":"HCCL"}},
                {"ph":"M","name":"process_labels","pid":4,"tid":0,"args":{"labels":"NPU"}},
                {"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"Overlap Analysis"}},
                {"ph":"X","name":"MatMul","pid":3,"tid":2,"ts":1,"dur":2},
                {"ph":"X","name":"Notify Wait","pid":3,"tid":4,"ts":5,"dur":2},
                {"ph":"X","name":"hcom_allReduce__1","pid":4,"tid":0,"ts":4,"dur":5},
                {"ph":"X","name":"Reduce_Inline","pid":4,"tid":1,"ts":5,"dur":1},
                {"ph":"X","name":"Computing","pid":5,"tid":0,"ts":1,"dur":2}
                """);

        assertThat(rows(timeline))
                .containsExactlyInAnyOrder("KERNEL", "DEVICE_SYNC", "KERNEL", "DEVICE_ANNOTATION", "DEVICE_ANNOTATION");
        assertThat(timeline.tracks().stream().filter(track -> track.kind() == TrackKind.DEVICE))
                .hasSize(1);
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> timeline.kind(row).name())
                .toList();
    }

    private Timeline events(String events) throws ImportException {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", "{\"traceEvents\":[" + events + "]}"));
    }

    @Test
    void operatorsThatOneThreadHandsToAnotherAreNoWorkOfADevice() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","name":"Enqueue@aclnnMm","cat":"enqueue","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation_id":7}},
                {"ph":"X","name":"Dequeue@aclnnMm","cat":"dequeue","pid":1,"tid":2,"ts":4,"dur":9,"args":{"correlation_id":7}},
                {"ph":"X","name":"Node@launch","pid":2,"tid":2,"ts":5,"dur":2,"args":{"connection_id":7}},
                {"ph":"X","name":"MatMulV3","pid":3,"tid":5,"ts":9,"dur":4,"args":{"connection_id":7}},
                {"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"Ascend Hardware"}}
                """);

        assertThat(IntStream.range(0, timeline.rowCount())
                        .mapToObj(row -> timeline.kind(row) + " " + timeline.name(row)))
                .containsExactlyInAnyOrder(
                        "OPERATOR Enqueue@aclnnMm",
                        "OPERATOR Dequeue@aclnnMm",
                        "RUNTIME_CALL Node@launch",
                        "KERNEL MatMulV3");
        assertThat(timeline.links().count()).isEqualTo(1);
    }
}
