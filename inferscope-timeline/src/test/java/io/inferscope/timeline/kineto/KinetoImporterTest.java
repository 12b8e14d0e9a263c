package io.inferscope.timeline.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.ImportStats.Reason;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.fixture.CoreFormats;
import io.inferscope.timeline.fixture.TimelineDump;
import io.inferscope.timeline.fixture.TraceFile;
import io.inferscope.timeline.importer.ImportException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Well-formed traces in all their dialects; {@link DamagedTraceTest} has the others. */
class KinetoImporterTest {
    @TempDir
    private Path folder;

    private Timeline load(String json) throws ImportException {
        return CoreFormats.load(TraceFile.of(folder, "trace.json", json));
    }

    private Timeline events(String events) throws ImportException {
        return load("{\"traceEvents\": [" + events + "]}");
    }

    private static List<String> rows(Timeline timeline) {
        return IntStream.range(0, timeline.rowCount())
                .mapToObj(row -> TimelineDump.row(timeline, row))
                .toList();
    }

    @Test
    void everyCategoryHasItsKindAndTrack() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"user_annotation","name":"step","pid":10,"tid":11,"ts":0,"dur":90},
                {"ph":"X","cat":"python_function","name":"a.py(3): f","pid":10,"tid":11,"ts":1,"dur":80},
                {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":11,"ts":2,"dur":70},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":3,"dur":4,"args":{"correlation":7}},
                {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":10,"tid":11,"ts":8,"dur":1},
                {"ph":"X","cat":"overhead","name":"Buffer Flush","pid":10,"tid":11,"ts":9,"dur":1},
                {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5,"args":{"device":0,"stream":7,"correlation":7}},
                {"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":30,"dur":1,"args":{"device":0,"stream":7,"bytes":64}},
                {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":32,"dur":1,"args":{"device":0,"stream":7}},
                {"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":7,"ts":20,"dur":20},
                {"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":99}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "ANNOTATION 11 [0,90000) step",
                        "PYTHON_FUNCTION 11 [1000,81000) a.py(3): f",
                        "OPERATOR 11 [2000,72000) aten::mm",
                        "RUNTIME_CALL 11 [3000,7000) cudaLaunchKernel c7",
                        "DRIVER_CALL 11 [8000,9000) cuLaunchKernel",
                        "PROFILER_OVERHEAD 11 [9000,10000) Buffer Flush",
                        "PROFILER_WINDOW PyTorch Profiler [0,99000) PyTorch Profiler (0)",
                        "DEVICE_ANNOTATION 7 [20000,40000) step",
                        "KERNEL 7 [20000,25000) gemm c7",
                        "MEMSET 7 [30000,31000) Memset (Device) SIZE_BYTES=64",
                        "DEVICE_SYNC 7 [32000,33000) Stream Sync");
        assertThat(timeline.links().launchOf(8)).isEqualTo(3);
        assertThat(timeline.importStats().entries()).isEmpty();
        assertThat(timeline.importStats().eventsRead()).isEqualTo(11);
        assertThat(timeline.info().format()).isEqualTo("kineto");
    }

    /** Stream 20 waits for what stream 7 did up to the recording of an event; then the host waits for stream 20 in the same way. */
    @Test
    void waitsForEventsLinkWhatWasBeforeTheEventToWhatWaitedForIt() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":1,"tid":1,"ts":2,"dur":1,"args":{"correlation":2}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":4,"dur":1,"args":{"correlation":3}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":1,"tid":1,"ts":6,"dur":1,"args":{"correlation":4}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":8,"dur":1,"args":{"correlation":5}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":1,"tid":1,"ts":10,"dur":1,"args":{"correlation":6}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaEventSynchronize","pid":1,"tid":1,"ts":12,"dur":40,"args":{"correlation":7}},
                {"ph":"X","cat":"kernel","name":"before","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0,"context":1,"stream":7,"correlation":1}},
                {"ph":"X","cat":"kernel","name":"behind","pid":0,"tid":7,"ts":20,"dur":30,"args":{"device":0,"context":1,"stream":7,"correlation":3}},
                {"ph":"X","cat":"kernel","name":"waits","pid":0,"tid":20,"ts":21,"dur":9,"args":{"device":0,"context":1,"stream":20,"correlation":5}},
                {"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":20,"ts":6,"dur":1,"args":{"device":0,"context":1,"stream":20,"correlation":4,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":2,"wait_on_cuda_event_id":9}},
                {"ph":"X","cat":"cuda_sync","name":"Event Sync","pid":0,"tid":-1,"ts":12,"dur":40,"args":{"device":0,"context":1,"stream":-1,"correlation":7,"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":6,"wait_on_cuda_event_id":10}},
                {"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":20,"ts":11,"dur":1,"args":{"device":0,"context":1,"stream":20,"correlation":4,"wait_on_stream":99,"wait_on_cuda_event_record_corr_id":2}}
                """);

        assertThat(TimelineDump.links(timeline, LinkKind.EVENT_WAIT))
                .containsExactly("before -> waits", "waits -> cudaEventSynchronize");
        assertThat(timeline.tracks()).noneMatch(track -> track.key().endsWith("99"));
    }

    @ParameterizedTest
    @CsvSource({
        "Kernel, KERNEL",
        "KERNEL, KERNEL",
        "Memcpy, MEMCPY_OTHER",
        "gpu_memcpy, MEMCPY_OTHER",
        "Memset, MEMSET",
        "Runtime, RUNTIME_CALL",
        "Driver, DRIVER_CALL",
        "Operator, OPERATOR",
        "cpu_op, OPERATOR",
    })
    void oldSpellingsMeanTheSame(String category, String kind) throws ImportException {
        Timeline timeline = events(
                "{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"x\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":2}");

        assertThat(timeline.kind(0)).hasToString(kind);
    }

    /** Timelines of TensorFlow 1 show work of streams as processes, and once more for all streams. */
    @Test
    void processesOfTensorFlowsTimelinesAreStreams() throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:localhost/replica:0/task:0/device:GPU:0 Compute"}},
                {"ph":"M","name":"process_name","pid":2,"args":{"name":"/device:GPU:0/stream:18 Compute"}},
                {"ph":"M","name":"process_name","pid":3,"args":{"name":"/device:GPU:0/stream:all Compute"}},
                {"ph":"M","name":"process_name","pid":4,"args":{"name":"/device:GPU:0/memcpy Compute"}},
                {"ph":"X","cat":"Op","name":"Conv2D","pid":1,"tid":0,"ts":0,"dur":9,"args":{"name":"conv1","op":"Conv2D"}},
                {"ph":"X","cat":"Op","name":"Conv2D","pid":2,"tid":0,"ts":5,"dur":8,"args":{"name":"conv1","op":"Conv2D"}},
                {"ph":"X","cat":"Op","name":"Conv2D","pid":3,"tid":0,"ts":5,"dur":8,"args":{"name":"conv1","op":"Conv2D"}},
                {"ph":"X","cat":"Op","name":"MEMCPYDtoH","pid":2,"tid":0,"ts":13,"dur":2,"args":{"name":"edge","op":"MEMCPYDtoH"}},
                {"ph":"X","cat":"Op","name":"MEMCPYDtoH","pid":4,"tid":0,"ts":13,"dur":2,"args":{"name":"edge","op":"MEMCPYDtoH"}}
                """);

        assertThat(rows(timeline))
                .containsExactlyInAnyOrder(
                        "OPERATOR 0 [0,9000) Conv2D",
                        "KERNEL 18 [5000,13000) Conv2D",
                        "MEMCPY_D2H 18 [13000,15000) MEMCPYDtoH");
        assertThat(timeline.importStats().count(Reason.OVERLAY)).isEqualTo(2);
        assertThat(timeline.properties()).containsEntry(TimelineInfo.FRAMEWORK, "tensorflow");
    }

    @Test
    void theSameCategoryOfAnotherToolIsARange() throws ImportException {
        Timeline timeline =
                events("{\"ph\":\"X\",\"cat\":\"Op\",\"name\":\"x\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":2}");

        assertThat(timeline.kind(0)).isEqualTo(RowKind.ANNOTATION);
    }

    /** Lanes of overlapping operators are no threads; the run that they all belong to is added. */
    @Test
    void operatorsOfTensorFlowOnTheCpuAreOfOneRun() throws ImportException {
        Timeline timeline = events("""
                {"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Compute"}},
                {"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":1,"dur":9,"args":{"name":"a","op":"MatMul"}},
                {"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":1,"ts":5,"dur":8,"args":{"name":"b","op":"MatMul"}}
                """);

        assertThat(rows(timeline)).contains("ANNOTATION run [1000,13000) session.run ACTIVITY=4");
    }

    /** PyTorch 1.8 recorded its own scopes as operators; a scope of today's operators keeps its kind. */
    @ParameterizedTest
    @CsvSource({
        "Operator, ProfilerStep#5, ANNOTATION",
        "Operator, enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__, ANNOTATION",
        "Operator, aten::mm, OPERATOR",
        "Operator, detach_, OPERATOR",
        "cpu_op, custom#op, OPERATOR",
    })
    void scopesOfOldVersionsAreAnnotations(String category, String name, String kind) throws ImportException {
        Timeline timeline = events("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name
                + "\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":2}");

        assertThat(timeline.kind(0)).hasToString(kind);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Memcpy HtoD (Pageable -> Device) | MEMCPY_H2D | Pageable -> Device",
                "Memcpy DtoH (Device -> Pinned)   | MEMCPY_D2H | Device -> Pinned",
                "Memcpy DtoD (Device -> Device)   | MEMCPY_D2D | Device -> Device",
                "Memcpy PtoP (Device -> Device)   | MEMCPY_P2P | Device -> Device",
                "CopyHostToDevice                 | MEMCPY_H2D |",
                "CopyDeviceToHost                 | MEMCPY_D2H |",
                "CopyDeviceToDevice               | MEMCPY_D2D |",
                "Memcpy                           | MEMCPY_OTHER |",
            })
    void theNameSaysTheDirectionOfACopyAndItsMemory(String name, String kind, String memory) throws ImportException {
        Timeline timeline = events("{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"" + name
                + "\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":2}");

        assertThat(timeline.kind(0)).hasToString(kind);
        assertThat(timeline.attributeText(0, Attribute.MEMORY_KINDS)).isEqualTo(memory == null ? "" : memory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FEE | step (/srv/app.py:10) | /srv/app.py(10): step",
                "fee | Model.forward (<string>:1) | <string>(1): Model.forward",
                "FEE | time.sleep | <built-in> time sleep",
                "FEE | _thread.lock.acquire | <built-in> _thread.lock acquire",
            })
    void functionsOfVizTracerAreFrames(String category, String name, String frame) throws ImportException {
        Timeline timeline = events("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name
                + "\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}");

        assertThat(timeline.kind(0)).isEqualTo(RowKind.PYTHON_FUNCTION);
        assertThat(timeline.name(0)).isEqualTo(frame);
    }

    @Test
    void eventsInAnyOrderGiveTheSameTimeline() throws ImportException {
        String a = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":30,\"dur\":5}";
        String b = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":50}";
        String c = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":20,\"dur\":5}";

        String expected = TimelineDump.of(events(b + ',' + a + ',' + c));

        assertThat(TimelineDump.of(events(a + ',' + c + ',' + b))).isEqualTo(expected);
        assertThat(TimelineDump.of(events(c + ',' + b + ',' + a))).isEqualTo(expected);
    }

    @Test
    void processAndThreadIdsMayBeTextOrNumbers() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"a","pid":"7","tid":"12","ts":0,"dur":1},
                {"ph":"X","cat":"cpu_op","name":"b","pid":7,"tid":12,"ts":2,"dur":1},
                {"ph":"X","cat":"cpu_op","name":"c","pid":"node[7]","tid":"main thread","ts":4,"dur":1},
                {"ph":"X","cat":"cpu_op","name":"d","pid":12345678901234567890,"tid":-1,"ts":6,"dur":1}
                """);

        assertThat(timeline.tracks())
                .extracting(t -> t.kind() + " " + t.key())
                .containsExactly(
                        "PROCESS 7",
                        "THREAD 12",
                        "PROCESS 12345678901234567890",
                        "THREAD -1",
                        "PROCESS node[7]",
                        "THREAD main thread");
    }

    @Test
    void absoluteAndFractionalStampsKeepEveryNanosecond() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1790000000123456.789,"dur":0.001},
                {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":"1790000000123457","dur":"1.5"},
                {"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,"ts":1.790000000123458e15,"dur":1e1}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "OPERATOR 1 [1790000000123456789,1790000000123456790) a",
                        "OPERATOR 1 [1790000000123457000,1790000000123458500) b",
                        "OPERATOR 1 [1790000000123458000,1790000000123468000) c");
    }

    @Test
    void emptyNamesAndMissingMembersAreKept() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"","pid":1,"tid":1,"ts":0,"dur":1},
                {"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":2,"dur":1},
                {"ph":"X","name":"no category","ts":4,"dur":1}
                """);

        assertThat(rows(timeline))
                .containsExactlyInAnyOrder(
                        "OPERATOR 1 [0,1000) ", "OPERATOR 1 [2000,3000) ", "ANNOTATION  [4000,5000) no category");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void theBareArrayFormIsRead() throws ImportException {
        Timeline timeline =
                load("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}]");

        assertThat(rows(timeline)).containsExactly("OPERATOR 1 [0,1000) a");
    }

    @Test
    void whitespaceLineEndsAndAByteOrderMarkDoNotMatter() throws ImportException {
        Timeline timeline = load(
                "\uFEFF\r\n\t {\r\n\"schemaVersion\": 1,\r\n\"traceEvents\":\r\n[\r\n{\"ph\":\"X\",\r\n\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}\r\n]}\r\n");

        assertThat(rows(timeline)).containsExactly("OPERATOR 1 [0,1000) a");
        assertThat(timeline.properties()).containsEntry("schemaVersion", "1");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void gzipIsKnownByContentNotByName() throws ImportException {
        byte[] json = "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":0,\"dur\":1}]"
                .getBytes(StandardCharsets.UTF_8);

        Timeline zipped = CoreFormats.load(TraceFile.of(folder, "plain-name.json", TraceFile.gzip(json)));
        Timeline plain = CoreFormats.load(TraceFile.of(folder, "zipped-name.json.gz", json));

        assertThat(TimelineDump.of(zipped)).isEqualTo(TimelineDump.of(plain));
        assertThat(zipped.importStats().bytesRead()).isEqualTo(json.length);
    }

    @Test
    void beginAndEndEventsNestPerThread() throws ImportException {
        Timeline timeline = events("""
                {"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0},
                {"ph":"B","cat":"cpu_op","name":"elsewhere","pid":1,"tid":2,"ts":1},
                {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":2},
                {"ph":"E","pid":1,"tid":1,"ts":3},
                {"ph":"E","pid":1,"tid":2,"ts":4},
                {"ph":"E","name":"outer","pid":1,"tid":1,"ts":5}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "OPERATOR 1 [0,5000) outer",
                        "OPERATOR 1 [2000,3000) inner",
                        "OPERATOR 2 [1000,4000) elsewhere");
        assertThat(timeline.importStats().entries()).isEmpty();
    }

    @Test
    void unbalancedBeginAndEndEventsAreCounted() throws ImportException {
        Timeline timeline = events("""
                {"ph":"E","name":"never begun","pid":1,"tid":1,"ts":0},
                {"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":1},
                {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":2},
                {"ph":"E","name":"outer","pid":1,"tid":1,"ts":5},
                {"ph":"E","name":"another","pid":1,"tid":1,"ts":6},
                {"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":2,"ts":7,"dur":2}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "OPERATOR 1 [1000,5000) outer", "OPERATOR 1 [2000,9000) inner", "OPERATOR 2 [7000,9000) last");
        assertThat(timeline.importStats().count(Reason.UNMATCHED_END)).isEqualTo(2);
        assertThat(timeline.importStats().count(Reason.UNCLOSED_BEGIN)).isEqualTo(1);
    }

    @Test
    void eachSeriesOfACounterIsACounterAndTextMayBeANumber() throws ImportException {
        Timeline timeline = events("""
                {"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":"0.5","unit":"GB","free":3}},
                {"ph":"C","name":"one","pid":1,"ts":2,"args":{"x":"4"}}
                """);

        assertThat(IntStream.range(0, timeline.rowCount())
                        .mapToObj(row -> timeline.name(row) + "="
                                + Double.longBitsToDouble(timeline.attribute(row, Attribute.COUNTER_VALUE))))
                .containsExactlyInAnyOrder("mem: used=0.5", "mem: free=3.0", "one=4.0");
        assertThat(timeline.importStats().damage()).isEmpty();
    }

    @Test
    void countersFlowsMarksAndMetadataAreNoWork() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":1},
                {"ph":"C","name":"GPU 0 Utilization","pid":0,"tid":0,"ts":5,"args":{"GPU Utilization":0.25}},
                {"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":0},
                {"ph":"f","id":1,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":1,"bp":"e"},
                {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":3,"s":"t"},
                {"ph":"i","name":"Iteration Start","pid":"Traces","tid":"Trace","ts":3,"s":"g"},
                {"ph":"M","name":"process_name","pid":1,"ts":0,"args":{"name":"python"}},
                {"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0,"args":{"name":"thread 1 (python)"}},
                {"ph":"M","name":"thread_name","pid":1,"tid":2,"ts":0,"args":{"name":"tokenizer"}},
                {"ph":"M","name":"process_sort_index","pid":1,"ts":0,"args":{"sort_index":5}}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "COUNTER GPU 0 Utilization [5000,5000) GPU 0 Utilization COUNTER_VALUE="
                                + Double.doubleToRawLongBits(0.25),
                        "OPERATOR 1 [0,1000) a",
                        "INSTANT 1 [3000,3000) [memory]");
        assertThat(timeline.importStats().count(Reason.FLOW)).isEqualTo(2);
        assertThat(timeline.tracks())
                .filteredOn(t -> t.kind() == TrackKind.PROCESS || t.kind() == TrackKind.THREAD)
                .extracting(Track::name)
                .containsExactlyInAnyOrder("0", "python", "1", "tokenizer");
    }

    @Test
    void aGraphLaunchOwnsEveryKernelWithItsCorrelation() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":0,"dur":2,"args":{"correlation":5}},
                {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":10,"dur":2,"args":{"device":0,"stream":7,"correlation":5}},
                {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":13,"dur":2,"args":{"device":0,"stream":7,"correlation":5}}
                """);

        assertThat(timeline.links().count()).isEqualTo(2);
        assertThat(timeline.links().kind(0)).isEqualTo(LinkKind.GRAPH_REPLAY);
        assertThat(timeline.links().launchOf(1)).isZero();
        assertThat(timeline.links().launchOf(2)).isZero();
    }

    @Test
    void ofCallsThatShareACorrelationTheLastBeforeTheOperationLaunchedIt() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":2,"args":{"correlation":5}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":2,"tid":2,"ts":8,"dur":2,"args":{"correlation":5}},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":3,"tid":3,"ts":30,"dur":2,"args":{"correlation":5}},
                {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":20,"dur":2,"args":{"device":0,"stream":7,"correlation":5}}
                """);

        assertThat(timeline.startNs(timeline.links().launchOf(3))).isEqualTo(8_000);
        assertThat(timeline.links().confidencePercent(0)).isLessThan(100);
    }

    @Test
    void theDeviceIsTheArgumentElseTheProcess() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"kernel","name":"a","pid":3,"tid":7,"ts":0,"dur":2,"args":{"device":0,"stream":20}},
                {"ph":"X","cat":"kernel","name":"b","pid":3,"tid":"stream 7","ts":0,"dur":2},
                {"ph":"X","cat":"kernel","name":"c","pid":3,"tid":7,"ts":0,"dur":2,"args":{"device":0,"stream":20,"context":2}}
                """);

        assertThat(timeline.tracks())
                .extracting(t -> t.kind() + " " + t.key())
                .containsExactly("DEVICE 0", "STREAM 20", "STREAM 2/20", "DEVICE 3", "STREAM stream 7");
    }

    @Test
    void unknownCategoriesKeepTheirNameAndAcceleratorsAreToldApart() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"my_tool","name":"a","pid":1,"tid":1,"ts":0,"dur":1},
                {"ph":"X","cat":"mtia_insight","name":"b","pid":1,"tid":2,"ts":0,"dur":1}
                """);

        assertThat(rows(timeline))
                .containsExactly("ANNOTATION 1 [0,1000) a DETAIL=my_tool", "OTHER 2 [0,1000) b DETAIL=mtia_insight");
        assertThat(timeline.importStats().count(Reason.UNKNOWN_CATEGORY)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "hip_runtime, hipLaunchKernel, RUNTIME_CALL",
        "xpu_runtime, urEnqueueKernelLaunch, RUNTIME_CALL",
        "xpu_driver, zeCommandListAppendLaunchKernel, DRIVER_CALL",
        "mtia_runtime, runFunction - model, RUNTIME_CALL",
        "musa_runtime, musaLaunchKernel, RUNTIME_CALL",
        "musa_driver, muLaunchKernel, DRIVER_CALL",
        "musa_runtime, musaGraphLaunch, GRAPH_LAUNCH",
        "privateuse1_runtime, Launch, RUNTIME_CALL",
        "hpu_op, synLaunch, RUNTIME_CALL",
        "'kernel,gpu', gemm, KERNEL",
        "'gpu, Kernel', gemm, KERNEL",
        "mtia_ccp_events, merge, KERNEL",
        "mtia_ccp_events, event_wait, DEVICE_SYNC",
        "xpu_sync, wait, DEVICE_SYNC"
    })
    void categoriesOfOtherAcceleratorsAreRead(String category, String name, RowKind kind) throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"%s","name":"%s","pid":1,"tid":1,"ts":0,"dur":1}
                """.formatted(category, name));

        assertThat(timeline.kind(0)).isEqualTo(kind);
        assertThat(timeline.importStats().count(Reason.UNKNOWN_CATEGORY)).isZero();
    }

    @Test
    void theDirectionOfACopyIsReadInTheSpellingOfMtia() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"mtia_ccp_events","name":"dma_request","pid":1,"tid":1,"ts":0,"dur":1,
                 "args":{"stream":7,"direction":"HOST_TO_DEVICE"}}
                """);

        assertThat(timeline.kind(0)).isEqualTo(RowKind.MEMCPY_H2D);
    }

    @Test
    void onlyHarmlessMetadataIsKept() throws ImportException {
        Timeline timeline = load("""
                {"deviceProperties": [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85}, {"id": 1, "name": ""}],
                 "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0"}]},
                 "baseTimeNanoseconds": 1790000000000000000,
                 "with_stack": 1,
                 "hostname": "secret-host", "env": {"TOKEN": "secret"}, "PT_PROFILER_JOB_NAME": "secret",
                 "traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","ts":0,"dur":1}],
                 "traceName": "/home/secret/trace.json"}
                """);

        assertThat(timeline.properties().toString())
                .isEqualTo(
                        "{device.0.memory_bytes=85, device.0.name=NVIDIA H100, distributedInfo.backend=nccl, distributedInfo.rank=3,"
                                + " distributedInfo.world_size=8, with_stack=1}");
        assertThat(timeline.originUnixNs()).isEqualTo(1_790_000_000_000_000_000L);
    }

    @Test
    void argumentsOfEveryShapeAreReadOrSkipped() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"a","ts":0,"dur":1,"args":{"Input Dims":[[1,2],[],[3]],"External id":4,"Call stack":"x;y","deep":{"a":[{"b":1}]}}},
                {"ph":"X","cat":"cpu_op","name":"b","ts":2,"dur":1,"args":null},
                {"ph":"X","cat":"cpu_op","name":"c","ts":4,"dur":1,"args":["x",{"y":1}]},
                {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":6,"dur":1,"args":{"correlation":"9","External id":"none"}}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "OPERATOR  [0,1000) a SEQUENCE=4 INPUT_DIMS=[[1,2],[],[3]]",
                        "OPERATOR  [2000,3000) b",
                        "OPERATOR  [4000,5000) c",
                        "RUNTIME_CALL  [6000,7000) cudaLaunchKernel c9");
    }

    @Test
    void launchConfigurationsAreKeptAsBlocksAndThreads() throws ImportException {
        String kernel =
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":%d,\"dur\":1,\"args\":{\"grid\":%s,\"block\":%s}}";
        String text = String.join(
                ",",
                kernel.formatted(0, "[96, 2, 1]", "[32,4,1]"),
                kernel.formatted(2, "[65536,65536]", "[2147483648,2147483648,2147483648]"),
                kernel.formatted(4, "[0,1,1]", "[1.5]"),
                kernel.formatted(6, "\"[8]\"", "{\"x\":8}"),
                kernel.formatted(8, "[99999999999,1]", "[-4]"));

        assertThat(rows(events(text)))
                .containsExactly(
                        "KERNEL  [0,1000) k GRID_BLOCKS=192 BLOCK_THREADS=128",
                        "KERNEL  [2000,3000) k",
                        "KERNEL  [4000,5000) k",
                        "KERNEL  [6000,7000) k GRID_BLOCKS=8",
                        "KERNEL  [8000,9000) k");
    }

    @Test
    void valuesOfInputsAreKeptWhereTheWorkDependsOnThem() throws ImportException {
        Timeline timeline = events("""
                {"ph":"X","cat":"cpu_op","name":"aten::conv1d","ts":0,"dur":1,"args":{"Input type":["float","long int",""],"Concrete Inputs":["","[16, 16]",""]}},
                {"ph":"X","cat":"cpu_op","name":"aten::slice","ts":2,"dur":1,"args":{"Input type":["c10::Half","Scalar"],"Concrete Inputs":["","81"]}}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "OPERATOR  [0,1000) aten::conv1d INPUT_TYPES=[float,long int,] CONCRETE_INPUTS=[,[16, 16],]",
                        "OPERATOR  [2000,3000) aten::slice INPUT_TYPES=[c10::Half,Scalar]");
    }

    @Test
    void withoutAnyCorrelationIdTheExternalIdLinks() throws ImportException {
        String launches = """
                {"ph":"X","cat":"cuda_runtime","name":"hipGetDevicePropertiesR0600","pid":1,"tid":1,"ts":1,"dur":0,"args":{"External id":24}},
                {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,"args":{"External id":25}},
                {"ph":"X","cat":"kernel","name":"k","pid":2,"tid":0,"ts":7,"dur":5,"args":{"External id":25}}
                """;

        Timeline without = events(launches);
        assertThat(without.links().count()).isEqualTo(1);
        assertThat(without.name(without.links().fromRow(0))).isEqualTo("hipExtModuleLaunchKernel");
        assertThat(without.name(without.links().toRow(0))).isEqualTo("k");

        Timeline with = events(launches + """
                ,{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":20,"dur":1,"args":{"correlation":7}}
                """);
        assertThat(with.links().count())
                .as("operators may share an external id")
                .isZero();
    }

    @Test
    void marksOfTheAllocatorSayWhatItGaveOut() throws ImportException {
        Timeline timeline = events("""
                {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":5,"args":{"Total Reserved":2097152,"Total Allocated":512,"Bytes":-512,"Addr":128184607182336,"Device Id":0,"Device Type":1,"Ev Idx":480}}
                """);

        assertThat(rows(timeline))
                .containsExactly(
                        "INSTANT 1 [5000,5000) [memory] ALLOCATED_BYTES=512 RESERVED_BYTES=2097152 MEMORY_DEVICE=0");
    }
}
