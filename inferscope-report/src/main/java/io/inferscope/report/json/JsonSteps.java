package io.inferscope.report.json;

import io.inferscope.analyzer.model.RequestTables.RequestTime;
import io.inferscope.analyzer.model.RequestTables.TokenFigures;
import io.inferscope.analyzer.model.StepTables;
import io.inferscope.analyzer.model.StepTables.GapFigures;
import io.inferscope.analyzer.model.StepTables.PhaseFigures;
import io.inferscope.analyzer.model.StepTables.StepCause;
import io.inferscope.analyzer.model.StepTables.StepFigures;
import java.io.IOException;

/** Phases, steps, gaps and the time of requests in the JSON report. */
record JsonSteps(JsonWriter json) {
    void write(StepTables steps) throws IOException {
        json.textOrNull("steadyState", steps.evidence());
        json.objects("phases", steps.phases(), this::phase);
        json.objects("steps", steps.steps(), this::step);
        json.objects("largestGaps", steps.gaps(), this::gap);
        json.objects("idleOperators", steps.operators(), operator -> {
            json.text("name", operator.name());
            json.text("cause", operator.cause().id());
            json.number("ns", operator.ns());
        });
        json.objects("requestTime", steps.requests(), this::request);
    }

    private void phase(PhaseFigures phase) throws IOException {
        json.text("phase", phase.kind().id());
        json.number("startNs", phase.stretch().startNs());
        json.number("endNs", phase.stretch().endNs());
        json.text("evidence", phase.evidence());
        JsonRenderer.classes(json, phase.ledger());
    }

    private void step(StepFigures step) throws IOException {
        json.text("name", step.name());
        json.textOrNull("kind", step.kind());
        json.text("source", step.source());
        json.textOrNull("phase", step.phase());
        json.number("count", step.count());
        json.number("medianNs", step.medianNs());
        json.number("p95Ns", step.p95Ns());
        json.number("maxNs", step.maxNs());
        json.numberOrNull("medianBusyNs", step.medianBusyNs());
        json.numberOrNull("medianIdleNs", step.medianIdleNs());
        json.objects("causes", step.causes(), this::cause);
    }

    private void cause(StepCause cause) throws IOException {
        json.text("cause", cause.cause().id());
        json.number("medianNs", cause.medianNs());
        json.number("totalNs", cause.totalNs());
        json.textOrNull("thread", cause.thread());
        json.textOrNull("activity", cause.activity());
        json.textOrNull("where", cause.where());
        json.number("placeNs", cause.placeNs());
        json.text("basis", cause.estimated() ? "estimated" : "measured");
    }

    private void gap(GapFigures gap) throws IOException {
        json.number("startNs", gap.stretch().startNs());
        json.number("endNs", gap.stretch().endNs());
        json.text("phase", gap.phase());
        json.text("cause", gap.cause().id());
        json.textOrNull("thread", gap.thread());
        json.textOrNull("activity", gap.activity());
        json.textOrNull("where", gap.where());
    }

    private void request(RequestTime request) throws IOException {
        json.text("name", request.name());
        json.text("process", request.process());
        json.number("count", request.count());
        json.numberOrNull("medianFirstNs", request.medianFirstNs());
        json.numberOrNull("p95FirstNs", request.p95FirstNs());
        json.numberOrNull("medianPerTokenNs", request.medianPerTokenNs());
        json.numberOrNull("p95PerTokenNs", request.p95PerTokenNs());
        json.number("durationNs", request.ledger().durationNs());
        json.objects("parts", request.parts(), part -> {
            json.text("part", part.part());
            json.number("ns", part.ns());
        });
        tokens(request.tokens());
        JsonRenderer.classes(json, request.ledger());
    }

    private void tokens(TokenFigures tokens) throws IOException {
        json.number("tokenGaps", tokens.count());
        json.numberOrNull("medianTokenNs", tokens.medianNs());
        json.numberOrNull("p95TokenNs", tokens.p95Ns());
        json.numberOrNull("p99TokenNs", tokens.p99Ns());
        json.numberOrNull("maxTokenNs", tokens.maxNs());
        json.numberOrNull("slowTokenLimitNs", tokens.slowLimitNs());
        json.number("slowTokens", tokens.slowCount());
        json.number("slowTokensMoreNs", tokens.slowMoreNs());
        json.objects("slowTokenCauses", tokens.causes(), cause -> {
            json.text("cause", cause.cause().id());
            json.number("moreNs", cause.moreNs());
            json.textOrNull("where", cause.where());
        });
    }
}
