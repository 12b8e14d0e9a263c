package io.inferscope.analyzer.rules;

import io.inferscope.analyzer.rules.EngineSteps.Engine;

/** Reports vLLM decoding without CUDA graphs. Basis and threshold: docs/rules/vllm-eager-decode.md. */
final class VllmEagerDecodeRule extends EagerDecodeRule {
    VllmEagerDecodeRule() {
        super(
                new RuleInfo("vllm-eager-decode", "vLLM decodes without CUDA graphs", Needs.DEVICE_WORK, Needs.LAUNCHES)
                        .limits(LAUNCHES),
                Engine.VLLM,
                "Do not pass `--enforce-eager`. Where it is not passed, the batch is larger than any captured graph: `--max-cudagraph-capture-size {batch}` "
                        + "(before 0.12 `--cuda-graph-sizes {batch}`), and `--compilation-config.cudagraph_mode FULL_AND_PIECEWISE`.");
    }
}
