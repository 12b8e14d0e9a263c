package io.inferscope.report.json;

import io.inferscope.analyzer.model.ShapeTables;
import io.inferscope.analyzer.model.ShapeTables.GraphFigures;
import io.inferscope.analyzer.model.ShapeTables.GraphKernel;
import io.inferscope.analyzer.model.ShapeTables.LoggedShape;
import io.inferscope.analyzer.model.ShapeTables.MemoryFigures;
import io.inferscope.analyzer.model.ShapeTables.OperatorShape;
import io.inferscope.analyzer.model.ShapeTables.PeakFigures;
import java.io.IOException;

/** The members of the JSON report about graphs, operators by shape, the devices' peaks, and memory. */
record JsonShapes(JsonWriter json) {
    void write(ShapeTables shapes) throws IOException {
        json.objects("graphs", shapes.graphs(), this::graph);
        json.textOrNull("operatorShapesPart", shapes.part());
        json.objects("operatorShapes", shapes.operators(), this::operator);
        json.objects("devicePeaks", shapes.peaks(), this::peak);
        json.objects("allocators", shapes.memory(), this::memory);
        if (!shapes.logged().isEmpty()) {
            json.objects("loggedShapes", shapes.logged(), this::logged);
        }
    }

    private void graph(GraphFigures graph) throws IOException {
        json.text("device", graph.device());
        json.text("name", graph.name());
        json.text("call", graph.call());
        json.number("replays", graph.replays());
        json.number("operations", graph.operations());
        json.number("lengthNs", graph.lengthNs());
        json.number("busyNs", graph.busyNs());
        json.number("insideIdleNs", graph.insideIdleNs());
        json.numberOrNull("gapNs", graph.gapNs());
        json.number("launchNs", graph.launchNs());
        json.number("totalInsideIdleNs", graph.totalInsideIdleNs());
        json.number("totalGapNs", graph.totalGapNs());
        json.textOrNull("operatorsFrom", graph.source());
        json.objects("kernels", graph.kernels(), this::kernel);
    }

    private void kernel(GraphKernel kernel) throws IOException {
        json.text("name", kernel.name());
        json.textOrNull("operator", kernel.operator());
        json.number("perReplay", kernel.perReplay());
        json.number("totalNs", kernel.totalNs());
    }

    private void operator(OperatorShape operator) throws IOException {
        json.text("name", operator.name());
        json.text("inputDims", operator.dims());
        json.textOrNull("inputTypes", operator.types());
        json.textOrNull("kind", operator.kind());
        json.number("count", operator.count());
        json.number("hostNs", operator.hostNs());
        json.number("deviceNs", operator.deviceNs());
        json.decimal("share", operator.share());
        json.whole("flops", operator.flops());
        json.whole("bytes", operator.bytes());
        json.whole("flopsPerSecond", operator.flopsPerSecond());
        json.whole("bytesPerSecond", operator.bytesPerSecond());
        json.textOrNull("bound", operator.bound());
        json.decimal("efficiency", operator.efficiency());
        json.textOrNull("remark", operator.remark());
        json.textOrNull("matrixUnits", operator.matrixUnits());
    }

    private void logged(LoggedShape shape) throws IOException {
        json.text("operation", shape.name());
        json.number("calls", shape.calls());
        json.whole("flops", shape.flops());
        json.whole("bytes", shape.bytes());
        json.number("timedCalls", shape.timedCalls());
        json.number("hostNs", shape.hostNs());
        json.number("deviceNs", shape.deviceNs());
        JsonShapeReport tensors = new JsonShapeReport(json);
        tensors.tensors("inputs", shape.inputs());
        tensors.tensors("outputs", shape.outputs());
    }

    private void peak(PeakFigures peak) throws IOException {
        json.text("device", peak.device());
        json.text("model", peak.model());
        json.whole("fp16FlopsPerSecond", peak.fp16());
        json.whole("fp32FlopsPerSecond", peak.fp32());
        json.whole("bytesPerSecond", peak.bytesPerSecond());
        json.text("source", peak.source());
    }

    private void memory(MemoryFigures memory) throws IOException {
        json.text("process", memory.process());
        json.text("device", memory.device());
        json.number("events", memory.events());
        json.number("peakAllocatedBytes", memory.peakAllocatedBytes());
        json.number("peakNs", memory.peakNs());
        json.textOrNull("operator", memory.operator());
        json.numberOrNull("peakReservedBytes", memory.peakReservedBytes());
        json.number("lastAllocatedBytes", memory.lastAllocatedBytes());
        json.numberOrNull("capacityBytes", memory.capacityBytes());
    }
}
