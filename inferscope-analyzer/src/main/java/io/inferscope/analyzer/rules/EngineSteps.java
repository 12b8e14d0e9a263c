package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an inference engine, parsed from the names that engines give them in profiles.
 *
 * <ul>
 *   <li>vLLM: {@code execute_context_1(888_788544)_generation_0(0)}, requests and their tokens; since 0.12 {@code
 *       execute_32_context_0(...)_generation_32(...)}, the tokens of the step first.
 *   <li>SGLang: {@code step[DECODE bs=32]}, {@code step[EXTEND bs=15 toks=15360]}. Builds for ROCm write vLLM's form
 *   beside it.
 * </ul>
 */
final class EngineSteps {
    private static final Pattern VLLM =
            Pattern.compile("execute_context_(\\d++)\\((\\d++)[^)]*+\\)_generation_(\\d++)\\((\\d++)[^)]*+\\)");
    private static final Pattern VLLM_TOKENS =
            Pattern.compile("execute_(\\d++)_context_(\\d++)\\([^)]*+\\)_generation_(\\d++)\\([^)]*+\\)");
    private static final Pattern SGLANG = Pattern.compile("step\\[([A-Z_]++) bs=(\\d++)(?: toks=(\\d++))?+[^]]*+]");

    private EngineSteps() {}

    /** The engine that wrote the steps. */
    enum Engine {
        VLLM,
        SGLANG
    }

    /** The engine found in a recording, if any. */
    private record Seen(@Nullable Engine engine) {}

    /** One step: its row, whether it only decodes, how many requests it holds and how many tokens it computes. */
    record Step(int row, boolean decode, long requests, long tokens) {}

    /** Returns the steps of an engine, in the order of their rows; none where another engine wrote the names. */
    static List<Step> of(Analysis analysis, Engine engine) {
        Timeline timeline = analysis.timeline();
        List<Step> vllm = new ArrayList<>();
        List<Step> sglang = new ArrayList<>();
        for (int row : analysis.rows(RowKind.ANNOTATION)) {
            String name = timeline.name(row);
            if (name.startsWith("execute_")) {
                add(vllm, vllm(row, name));
            } else if (name.startsWith("step[")) {
                add(sglang, sglang(row, name));
            }
        }
        return engine == Engine.SGLANG ? sglang : sglang.isEmpty() ? vllm : List.of();
    }

    /** Returns the engine of the recording, by the names of modules, ranges, kernels and processes; null for none. */
    static @Nullable Engine seen(Analysis analysis) {
        return analysis.once(Seen.class, EngineSteps::look).engine();
    }

    /** Prefers SGLang if both are found: SGLang uses kernels of vLLM, but not the reverse. */
    private static Seen look(Analysis analysis) {
        Timeline timeline = analysis.timeline();
        boolean vllm = !of(analysis, Engine.VLLM).isEmpty() || names(timeline, NameRole.OF_VLLM);
        boolean sglang = !of(analysis, Engine.SGLANG).isEmpty() || names(timeline, NameRole.OF_SGLANG);
        return new Seen(sglang ? Engine.SGLANG : vllm ? Engine.VLLM : null);
    }

    private static boolean names(Timeline timeline, NameRole engine) {
        return Stream.concat(timeline.names(), timeline.properties().values().stream())
                .anyMatch(engine::in);
    }

    private static void add(List<Step> steps, @Nullable Step step) {
        if (step != null) {
            steps.add(step);
        }
    }

    private static @Nullable Step vllm(int row, String name) {
        Matcher older = VLLM.matcher(name);
        if (older.matches()) {
            long context = number(older, 1);
            long generation = number(older, 3);
            return new Step(
                    row, context == 0 && generation > 0, context + generation, number(older, 2) + number(older, 4));
        }
        Matcher newer = VLLM_TOKENS.matcher(name);
        if (newer.matches()) {
            long context = number(newer, 2);
            long generation = number(newer, 3);
            return new Step(row, context == 0 && generation > 0, context + generation, number(newer, 1));
        }
        return null;
    }

    private static @Nullable Step sglang(int row, String name) {
        Matcher step = SGLANG.matcher(name);
        if (!step.matches()) {
            return null;
        }
        boolean decode = step.group(1).equals("DECODE");
        long requests = number(step, 2);
        return new Step(row, decode, requests, step.group(3) == null ? requests : number(step, 3));
    }

    /** Returns 0 for a number that does not fit into a long: another program wrote the name. */
    private static long number(Matcher matcher, int group) {
        String digits = matcher.group(group);
        return digits.length() > 18 ? 0 : Long.parseLong(digits);
    }
}
