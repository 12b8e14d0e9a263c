package io.inferscope.batch;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tracer as it describes itself.
 *
 * @param name its name
 * @param description what it does, in one sentence
 * @param details what it writes
 * @param version changes when what it writes changes
 * @param frameworks what it looks at: {@code huggingface}, {@code vllm}
 * @param modes what it can do: {@code eval}, {@code train}
 * @param exclusiveGroup of tracers with the same group one success per model is enough; null for none
 * @param outputs paths it promises below its folder; {@code *} stands for at least one match
 * @param profile paths of traces to explain; null for none
 * @param origin {@code built in}, or its file
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
                JsonTree.text(json, "name"),
                JsonTree.text(json, "description"),
                JsonTree.text(json, "details"),
                JsonTree.text(json, "version"),
                JsonTree.texts(json, "frameworks"),
                JsonTree.texts(json, "modes"),
                group == null ? null : group.toString(),
                JsonTree.texts(json, "outputs"),
                profile == null ? null : profile.toString(),
                JsonTree.text(json, "origin"));
    }
}
