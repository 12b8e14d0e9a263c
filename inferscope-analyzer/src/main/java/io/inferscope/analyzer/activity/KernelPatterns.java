package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.model.KernelCategory;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a kernel computes, and which library it belongs to, by its name. The first matching row decides, so rows with
 * rarer words come first: an elementwise kernel's template names the applied operation, and a cache kernel's name
 * contains "attention".
 */
public final class KernelPatterns {
    private static final FirstMatch<KernelCategory> CATEGORIES = new FirstMatch<>(
            List.of(
                    row(
                            KernelCategory.FUSED,
                            "triton_poi_|(add|mul|and)_fused|act_and_mul|_and_mul_|swiglu_kernel|fused_add"),
                    row(
                            KernelCategory.ELEMENTWISE,
                            "elementwise_kernel|CatArrayBatchedCopy|batched_transpose|SubTensorOp|nchwToNhwc|nhwcToNchw|scalePackedTensor"),
                    row(
                            KernelCategory.CACHE,
                            "reshape_and_cache|kv_?cache_?(store|copy|write|kernel)|store_kv_?cache|concat_and_cache"),
                    row(KernelCategory.OPTIMIZER, "multi_tensor_apply|fused_adam|adamw?_kernel|lamb_|sgd_kernel"),
                    row(
                            KernelCategory.MOE,
                            "moe|expert|topk_?softmax|grouped_?topk|matmul_ogs|bmm_(MxE|Bfloat16_Mx|E4m3_MxE)"),
                    row(
                            KernelCategory.ATTENTION,
                            "flash_?(fwd|bwd|attn|decod|attention|::|_)|fmha|attention|attn_|mla_|(^|_)attn"),
                    row(
                            KernelCategory.EMBEDDING,
                            "embedding|pooled_embs|indexSelect|bounds_check_indices|permute_indices_weights"),
                    row(
                            KernelCategory.CONVOLUTION,
                            "conv(?!ert)|winograd|scudnn|[dw]grad|fprop|im2col|igemm_(fwd|bwd|wrw)|cudnn.*(Kernel2?<|OffsetsKernel)|naive_conv"),
                    row(
                            KernelCategory.GEMM,
                            "gemm|gemv|Cijk_|nvjet|cutlass|xmma|wgmma|matmul|splitK|(^|_)bmm_|dot_kernel|cublas|ck_tile.*Gemm|triton_tem_"),
                    row(
                            KernelCategory.NORMALISATION,
                            "norm|softmax|bn_(fw|bw)|triton_(per|red)_.*(norm|softmax)|GammaBeta"),
                    row(
                            KernelCategory.SAMPLING,
                            "(?<!up)(?<!grid_)sampl|top_?[kp]|argmax|multinomial|RadixSort|sort_|bitonic|penalt|gumbel|rejection"),
                    row(
                            KernelCategory.REDUCTION,
                            "reduce|triton_(red|per)_|scan|cumsum|pool|ReduceByKey|nll_loss|arg_max|arg_?min"),
                    row(
                            KernelCategory.ELEMENTWISE,
                            "copy|transpose|permute|fill|cast|convert|silu|gelu|relu|rotary|rope|pointwise|dropout|scatter|gather|index|unary|binary|(^|[^a-z])(add|mul|sub|div)([_<(]|$)")));

    /** An operation that begins a word of a name in camel case, as in {@code MulFunctor}; {@code divergence} is none. */
    private static final Pattern OPERATION = Pattern.compile("(?<![A-Za-z])([aA]dd|[mM]ul|[sS]ub|[dD]iv)[A-Z]");

    private static final FirstMatch<String> LIBRARIES = new FirstMatch<>(List.of(
            row("DeepEP", "deep_ep::"),
            row("pplx", "pplx"),
            row("NCCL", "nccl"),
            row("RCCL", "rccl"),
            row("Transformer Engine", "transformer_engine|userbuffers"),
            row("FlashInfer", "flashinfer"),
            row("FlashAttention", "flash::|flash_fwd|flash_bwd|pytorch_flash"),
            row("AITER", "aiter"),
            row("Composable Kernel", "(^|[^a-z_])ck(_tile)?::"),
            row("vLLM", "vllm"),
            row("SGLang", "sgl_|sglang"),
            row("FBGEMM", "fbgemm|split_embedding"),
            row("TensorRT-LLM", "tensorrt_llm|trtllm|fmhaSm|bmm_(MxE|Bfloat16_|E4m3_|Fp16_)|moe::dev"),
            row("Inductor", "triton_(poi|red|per|tem|for)_"),
            row("MIOpen", "miopen|igemm_.*gtc|SubTensorOp"),
            row("cuDNN", "cudnn|winograd"),
            row("rocBLAS and hipBLASLt", "Cijk_"),
            row(
                    "cuBLAS",
                    "cublas|nvjet|(volta|turing|ampere|hopper|maxwell)_\\w*gemm|sm\\d+_xmma_gemm|splitKreduce|gemv"),
            row("CUTLASS", "cutlass"),
            row("Thrust and CUB", "cub::|thrust::|rocprim"),
            row("PyTorch", "at::native|at_cuda_detail|multi_tensor_apply|vectorized_elementwise")));

    private KernelPatterns() {}

    private static <T> FirstMatch.Row<T> row(T means, String words) {
        return new FirstMatch.Row<>(means, Pattern.compile(words.toLowerCase(Locale.ROOT)));
    }

    /** Returns what a kernel computes. */
    public static KernelCategory category(String kernel) {
        if (DeviceActivity.communicates(kernel)) {
            return KernelCategory.COMMUNICATION;
        }
        return CATEGORIES
                .in(small(kernel))
                .orElseGet(() -> OPERATION.matcher(kernel).find() ? KernelCategory.ELEMENTWISE : KernelCategory.OTHER);
    }

    /** Returns the library that a kernel belongs to, empty if its name does not show it. */
    public static String library(String kernel) {
        return LIBRARIES.in(small(kernel)).orElse("");
    }

    /** Pattern and name are in lower case: a case-insensitive pattern costs twice as much, and names are long. */
    private static String small(String kernel) {
        return kernel.toLowerCase(Locale.ROOT);
    }
}
