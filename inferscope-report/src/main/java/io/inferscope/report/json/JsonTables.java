package io.inferscope.report.json;

import io.inferscope.analyzer.model.HostTables.CounterFigures;
import io.inferscope.analyzer.model.HostTables.PlaceFigures;
import io.inferscope.analyzer.model.HostTables.RequestFigures;
import io.inferscope.analyzer.model.PhaseKind;
import io.inferscope.analyzer.model.Report.BlameFigures;
import io.inferscope.analyzer.model.Report.CopyFigures;
import io.inferscope.analyzer.model.Report.DeviceFigures;
import io.inferscope.analyzer.model.Report.KernelFigures;
import io.inferscope.analyzer.model.Report.LaunchFigures;
import io.inferscope.analyzer.model.Report.OperatorFigures;
import io.inferscope.analyzer.model.Report.ScopeFigures;
import io.inferscope.analyzer.model.Report.Stretch;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.analyzer.model.RequestTables.RequestPart;
import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.RequestTables.SlowCause;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.PhaseFigures;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The tables of a JSON report: what {@link JsonFigures} and {@link JsonSteps} wrote. Null stands for -1, "not recorded". */
record JsonTables(JsonMembers json) {
    static DeviceFigures device(JsonMembers device) {
        JsonMembers kinds = device.object("operations");
        Map<String, Long> operations = new TreeMap<>();
        kinds.members().keySet().forEach(kind -> operations.put(kind, kinds.number(kind)));
        return new DeviceFigures(
                device.text("id"),
                device.text("name"),
                operations,
                device.number("firstNs"),
                device.number("lastNs"),
                device.number("spanNs"),
                device.number("busyNs"),
                device.number("spanIdleNs"),
                device.number("windowIdleNs"),
                device.number("computeNs"),
                device.number("exposedCommunicationNs"),
                device.number("exposedH2dNs"),
                device.number("exposedD2hNs"),
                device.number("exposedOtherCopyNs"),
                device.number("gaps"),
                device.number("longestGapNs"));
    }

    static BlameFigures blame(JsonMembers blame) {
        return new BlameFigures(
                blame.text("device"),
                blame.text("phase"),
                blame.textOrNone("thread"),
                JsonReportReader.ledgerClass(blame, "cause"),
                blame.text("state"),
                blame.textOrNone("activity"),
                blame.textOrNone("where"),
                blame.number("ns"),
                blame.number("gaps"),
                JsonReportReader.isEstimated(blame),
                blame.number("boundNs"));
    }

    static ScopeFigures scope(JsonMembers scope) {
        return new ScopeFigures(
                scope.text("name"),
                scope.textOrNone("where"),
                JsonReportReader.ledgerClass(scope, "class"),
                scope.number("count"),
                scope.number("wallNs"),
                scope.number("selfNs"),
                scope.numberOr("onCpuNs", -1),
                scope.number("deviceBusyNs"),
                scope.number("deviceIdleNs"));
    }

    static KernelFigures kernel(JsonMembers kernel) {
        return new KernelFigures(
                kernel.text("name"),
                kernel.text("device"),
                kernel.flag("communication"),
                kernel.number("count"),
                kernel.number("totalNs"),
                kernel.number("minNs"),
                kernel.number("maxNs"),
                kernel.numberOr("launchLatencyNs", -1),
                kernel.numberOr("queueDelayNs", -1),
                kernel.textOrNone("operator"));
    }

    static CopyFigures copy(JsonMembers copy) {
        return new CopyFigures(
                copy.text("device"),
                copy.text("direction"),
                copy.textOrNone("memoryKinds"),
                copy.number("count"),
                copy.numberOr("sizeBytes", -1),
                copy.number("totalNs"),
                copy.number("maxNs"));
    }

    static OperatorFigures operator(JsonMembers operator) {
        return new OperatorFigures(
                operator.text("name"),
                operator.number("count"),
                operator.number("totalNs"),
                operator.number("selfNs"),
                operator.number("deviceNs"),
                operator.number("launches"),
                operator.textOrNone("inputDims"));
    }

    static ThreadFigures thread(JsonMembers thread) {
        return new ThreadFigures(
                thread.text("process"),
                thread.text("thread"),
                thread.numberOr("onCpuNs", -1),
                thread.numberOr("runnableNs", -1),
                thread.number("recordedNs"),
                thread.number("launches"));
    }

    static LaunchFigures launch(JsonMembers launch) {
        return new LaunchFigures(
                launch.text("device"),
                launch.number("operations"),
                launch.number("withoutLaunch"),
                launch.number("graphReplayed"),
                launch.numberOr("minLatencyNs", -1),
                launch.numberOr("medianLatencyNs", -1),
                launch.numberOr("p95LatencyNs", -1),
                launch.numberOr("medianQueueDelayNs", -1));
    }

    static PlaceFigures place(JsonMembers place) {
        return new PlaceFigures(
                place.text("thread"),
                place.flag("followed"),
                JsonReportReader.ledgerClass(place, "cause"),
                place.text("state"),
                place.textOrNone("activity"),
                place.textOrNone("where"),
                place.number("ns"),
                place.numberOr("pieces", 1),
                JsonReportReader.isEstimated(place),
                place.number("boundNs"));
    }

    static RequestFigures request(JsonMembers request) {
        return new RequestFigures(
                request.text("name"),
                request.text("process"),
                request.number("count"),
                request.number("medianNs"),
                request.number("p95Ns"),
                request.number("maxNs"),
                request.numberOr("medianFirstNs", -1),
                request.numberOr("p95FirstNs", -1),
                request.number("items"));
    }

    static CounterFigures counter(JsonMembers counter) {
        return new CounterFigures(
                counter.textOrNone("process"),
                counter.text("name"),
                counter.number("samples"),
                counter.decimal("first"),
                counter.decimal("last"),
                counter.decimal("least"),
                counter.decimal("most"),
                counter.decimal("growth"));
    }

    /** Returns the tables about steps; {@code subject} is whose time that of phases is. */
    StepTables steps(String subject) {
        return new StepTables(
                json.textOrNone("steadyState"),
                json.objects("phases", phase -> phase(phase, subject)),
                json.objects("steps", JsonTables::step),
                List.of(),
                List.of(),
                json.objects("requestTime", JsonTables::requestTime));
    }

    private static PhaseFigures phase(JsonMembers phase, String subject) {
        PhaseKind kind = phase.known("phase", Arrays.asList(PhaseKind.values()), PhaseKind::id);
        Stretch stretch = JsonReportReader.stretch(phase);
        return new PhaseFigures(
                kind,
                stretch,
                phase.text("evidence"),
                JsonReportReader.ledger(phase, subject, kind.id(), stretch.durationNs()));
    }

    private static StepFigures step(JsonMembers step) {
        return new StepFigures(
                step.text("name"),
                step.textOrNone("kind"),
                step.text("source"),
                step.textOrNone("phase"),
                step.number("count"),
                step.number("medianNs"),
                step.number("p95Ns"),
                step.number("maxNs"),
                step.numberOr("medianBusyNs", -1),
                step.numberOr("medianIdleNs", -1),
                step.objects("causes", JsonTables::cause));
    }

    private static StepCause cause(JsonMembers cause) {
        return new StepCause(
                JsonReportReader.ledgerClass(cause, "cause"),
                cause.number("medianNs"),
                cause.number("totalNs"),
                cause.textOrNone("thread"),
                cause.textOrNone("activity"),
                cause.textOrNone("where"),
                cause.number("placeNs"),
                JsonReportReader.isEstimated(cause));
    }

    private static RequestTime requestTime(JsonMembers request) {
        return new RequestTime(
                request.text("name"),
                request.text("process"),
                request.number("count"),
                request.numberOr("medianFirstNs", -1),
                request.numberOr("p95FirstNs", -1),
                request.numberOr("medianPerTokenNs", -1),
                request.numberOr("p95PerTokenNs", -1),
                request.objects("parts", part -> new RequestPart(part.text("part"), part.number("ns"))),
                tokens(request),
                JsonReportReader.ledger(request, request.text("name"), "requests", request.number("durationNs")));
    }

    private static TokenFigures tokens(JsonMembers request) {
        long count = request.numberOr("tokenGaps", 0); // Reports of earlier versions have none.
        return count == 0
                ? TokenFigures.NONE
                : new TokenFigures(
                        count,
                        request.number("medianTokenNs"),
                        request.number("p95TokenNs"),
                        request.number("p99TokenNs"),
                        request.number("maxTokenNs"),
                        request.number("slowTokenLimitNs"),
                        request.number("slowTokens"),
                        request.number("slowTokensMoreNs"),
                        request.objects(
                                "slowTokenCauses",
                                cause -> new SlowCause(
                                        JsonReportReader.ledgerClass(cause, "cause"),
                                        cause.number("moreNs"),
                                        cause.textOrNone("where"))));
    }
}
