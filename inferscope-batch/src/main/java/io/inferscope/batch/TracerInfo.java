package io.inferscope.batch;

import io.inferscope.timeline.JsonValues;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tracer's description of itself.
 *
 * @param name its name
 * @param description what it does, in one sentence
 * @param details what it writes
 * @param version version of its output: it changes when the files that the tracer writes change
 * @param frameworks frameworks it can trace: {@code huggingface}, {@code vllm}
 * @param modes modes it can trace: {@code eval}, {@code train}
 * @param exclusiveGroup of the tracers in a group only one needs to succeed per model; null for no group
 * @param outputs paths below its folder that a successful run writes; {@code *} must match at least one file
 * @param profile paths of the profiler's traces on which InferScope writes a report; null for none
 * @param origin {@code built in}, or the file that defines the tracer
 */
public record TracerInfo(
        String name,
        String description,
        String details,
        String version,
        List<String> frameworks,
        List<String> modes,
        @Nullable String exclusiveGroup,
        List<String> outputs,
        @Nullable String profile,
        String origin) {
    static TracerInfo of(Map<String, ?> json) {
        Object group = json.get("exclusive_group");
        Object profile = json.get("profile");
        return new TracerInfo(
                JsonValues.text(json, "name"),
                JsonValues.text(json, "description"),
                JsonValues.text(json, "details"),
                JsonValues.text(json, "version"),
                JsonValues.texts(json, "frameworks"),
                JsonValues.texts(json, "modes"),
                group == null ? null : group.toString(),
                JsonValues.texts(json, "outputs"),
                profile == null ? null : profile.toString(),
                JsonValues.text(json, "origin"));
    }
}
