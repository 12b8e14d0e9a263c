package io.inferscope.report.json;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.HolderFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.Report;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.SampleFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** The figures of the JSON report: devices, idle time, annotations, kernels, copies, operators, threads, launches, stack samples. */
record JsonFigures(JsonWriter json) {
    void write(Report report) throws IOException {
        json.objects("devices", report.devices(), this::device);
        json.objects("idleBlame", report.idleBlame(), this::blame);
        json.objects("scopes", report.scopes(), this::scope);
        json.objects("kernels", report.kernels(), this::kernel);
        json.objects("copies", report.copies(), this::copy);
        json.objects("operators", report.operators(), this::operator);
        json.objects("threads", report.threads(), this::thread);
        json.objects("launches", report.launches(), this::launch);
        json.objects("hostTime", report.host().time(), this::place);
        json.objects("waitedFor", report.host().waitedFor(), this::holder);
        json.objects("requests", report.host().requests(), this::request);
        json.objects("machine", report.host().machine(), this::counter);
        new JsonShapes(json).write(report.shapes());
        json.objects("sampledLines", report.sampledLines(), this::sampled);
        json.objects("sampledFunctions", report.sampledFunctions(), this::sampled);
        new JsonPath(json).write(report.path());
    }

    private void place(PlaceFigures place) throws IOException {
        json.text("thread", place.thread());
        json.flag("followed", place.followed());
        json.text("cause", place.cause().id());
        json.text("state", place.state());
        json.textOrNull("activity", place.activity());
        json.textOrNull("where", place.where());
        json.number("ns", place.ns());
        json.number("pieces", place.pieces());
        json.text("basis", place.estimated() ? "estimated" : "measured");
        json.number("boundNs", place.boundNs());
    }

    private void holder(HolderFigures holder) throws IOException {
        json.text("cause", holder.cause().id());
        json.text("thread", holder.thread());
        json.textOrNull("where", holder.where());
        json.number("ns", holder.ns());
        json.text("known", holder.known());
    }

    private void request(RequestFigures request) throws IOException {
        json.text("name", request.name());
        json.text("process", request.process());
        json.number("count", request.count());
        json.number("medianNs", request.medianNs());
        json.number("p95Ns", request.p95Ns());
        json.number("maxNs", request.maxNs());
        json.numberOrNull("medianFirstNs", request.medianFirstNs());
        json.numberOrNull("p95FirstNs", request.p95FirstNs());
        json.number("items", request.items());
    }

    private void counter(CounterFigures counter) throws IOException {
        json.textOrNull("process", counter.process());
        json.text("name", counter.name());
        json.number("samples", counter.samples());
        json.decimal("first", counter.first());
        json.decimal("last", counter.last());
        json.decimal("least", counter.least());
        json.decimal("most", counter.most());
        json.decimal("growth", counter.growth());
    }

    private void device(DeviceFigures device) throws IOException {
        json.text("id", device.id());
        json.text("name", device.name());
        json.object("operations", () -> {
            for (Map.Entry<String, Long> kind : new TreeMap<>(device.operations()).entrySet()) {
                json.number(JsonWriter.mended(kind.getKey()), kind.getValue());
            }
        });
        json.number("firstNs", device.firstNs());
        json.number("lastNs", device.lastNs());
        json.number("spanNs", device.spanNs());
        json.number("busyNs", device.busyNs());
        json.number("spanIdleNs", device.spanIdleNs());
        json.number("windowIdleNs", device.windowIdleNs());
        json.number("computeNs", device.computeNs());
        json.number("exposedCommunicationNs", device.exposedCommunicationNs());
        json.number("exposedH2dNs", device.exposedH2dNs());
        json.number("exposedD2hNs", device.exposedD2hNs());
        json.number("exposedOtherCopyNs", device.exposedOtherCopyNs());
        json.number("gaps", device.gaps());
        json.number("longestGapNs", device.longestGapNs());
    }

    private void blame(BlameFigures blame) throws IOException {
        json.text("device", blame.device());
        json.text("phase", blame.phase());
        json.textOrNull("thread", blame.thread());
        json.text("cause", blame.cause().id());
        json.text("state", blame.state());
        json.textOrNull("activity", blame.activity());
        json.textOrNull("where", blame.where());
        json.number("ns", blame.ns());
        json.number("gaps", blame.gaps());
        json.text("basis", blame.estimated() ? "estimated" : "measured");
        json.number("boundNs", blame.boundNs());
    }

    private void scope(ScopeFigures scope) throws IOException {
        json.text("name", scope.name());
        json.textOrNull("where", scope.where());
        json.text("class", scope.ledgerClass().id());
        json.number("count", scope.count());
        json.number("wallNs", scope.wallNs());
        json.number("selfNs", scope.selfNs());
        json.numberOrNull("onCpuNs", scope.onCpuNs());
        json.number("deviceBusyNs", scope.deviceBusyNs());
        json.number("deviceIdleNs", scope.deviceIdleNs());
    }

    private void kernel(KernelFigures kernel) throws IOException {
        json.text("name", kernel.name());
        json.text("device", kernel.device());
        json.flag("communication", kernel.communication());
        json.number("count", kernel.count());
        json.number("totalNs", kernel.totalNs());
        json.number("minNs", kernel.minNs());
        json.number("maxNs", kernel.maxNs());
        json.numberOrNull("launchLatencyNs", kernel.launchLatencyNs());
        json.numberOrNull("queueDelayNs", kernel.queueDelayNs());
        json.textOrNull("operator", kernel.operator());
    }

    private void copy(CopyFigures copy) throws IOException {
        json.text("device", copy.device());
        json.text("direction", copy.direction());
        json.textOrNull("memoryKinds", copy.memoryKinds());
        json.number("count", copy.count());
        json.numberOrNull("sizeBytes", copy.sizeBytes());
        json.number("totalNs", copy.totalNs());
        json.number("maxNs", copy.maxNs());
    }

    private void operator(OperatorFigures operator) throws IOException {
        json.text("name", operator.name());
        json.number("count", operator.count());
        json.number("totalNs", operator.totalNs());
        json.number("selfNs", operator.selfNs());
        json.number("deviceNs", operator.deviceNs());
        json.number("launches", operator.launches());
        json.textOrNull("inputDims", operator.inputDims());
    }

    private void thread(ThreadFigures thread) throws IOException {
        json.text("process", thread.process());
        json.text("thread", thread.thread());
        json.numberOrNull("onCpuNs", thread.onCpuNs());
        json.numberOrNull("runnableNs", thread.runnableNs());
        json.number("recordedNs", thread.recordedNs());
        json.number("launches", thread.launches());
    }

    private void launch(LaunchFigures launch) throws IOException {
        json.text("device", launch.device());
        json.number("operations", launch.operations());
        json.number("withoutLaunch", launch.withoutLaunch());
        json.number("graphReplayed", launch.graphReplayed());
        json.numberOrNull("minLatencyNs", launch.minLatencyNs());
        json.numberOrNull("medianLatencyNs", launch.medianLatencyNs());
        json.numberOrNull("p95LatencyNs", launch.p95LatencyNs());
        json.numberOrNull("medianQueueDelayNs", launch.medianQueueDelayNs());
    }

    private void sampled(SampleFigures sampled) throws IOException {
        json.text("place", sampled.place());
        json.text("class", sampled.ledgerClass().id());
        json.number("samples", sampled.samples());
        json.number("selfNs", sampled.selfNs());
        json.number("boundNs", sampled.boundNs());
        json.number("totalNs", sampled.totalNs());
    }
}
