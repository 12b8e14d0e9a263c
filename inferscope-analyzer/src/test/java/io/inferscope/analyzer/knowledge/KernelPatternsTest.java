package io.inferscope.analyzer.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.analysis.Thresholds;
import io.inferscope.analyzer.model.KernelCategory;
import io.inferscope.analyzer.tables.KernelCategoryTime;
import io.inferscope.timeline.fixture.SharedTraces;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelPatternsTest {
    /** Kernels below this share of all kernels' time may be of no known category. */
    private static final double UNKNOWN = 0.10;

    /** Toy programs have kernels of their own. */
    private static final int FEW = 6;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "volta_sgemm_64x64_nt | GEMM | cuBLAS",
                "nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT | GEMM | cuBLAS",
                "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32 | GEMM | rocBLAS and hipBLASLt",
                "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm> | GEMM | CUTLASS",
                "cudnn_volta_scudnn_winograd_128x128_ldg1 | CONVOLUTION | cuDNN",
                "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw | CONVOLUTION | ''",
                "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128>> | ATTENTION | FlashAttention",
                "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128 | ATTENTION | TensorRT-LLM",
                "attn_fwd | ATTENTION | ''",
                "kernel_unified_attention_3d | ATTENTION | ''",
                "void vllm::reshape_and_cache_flash_kernel<float> | CACHE | vLLM",
                "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernel> | ELEMENTWISE | PyTorch",
                "void at::native::elementwise_kernel<128, 2, softmax_backward> | ELEMENTWISE | PyTorch",
                "triton_poi_fused__unsafe_view_mul_silu_2 | FUSED | Inductor",
                "triton_red_fused_add_mean_1 | FUSED | Inductor",
                "void (anonymous namespace)::softmax_warp_forward<float> | NORMALISATION | ''",
                "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel | NORMALISATION | PyTorch",
                "split_embedding_codegen_forward_unweighted_kernel | EMBEDDING | FBGEMM",
                "moe::dev::finalize::finalizeKernelVecLoad | MOE | TensorRT-LLM",
                "void cub::DeviceRadixSortOnesweepKernel | SAMPLING | Thrust and CUB",
                "multi_tensor_apply_kernel<adam> | OPTIMIZER | PyTorch",
                "void at::native::reduce_kernel<512> | REDUCTION | PyTorch",
                "void deep_ep::intranode::dispatch<int4> | COMMUNICATION | DeepEP",
                "pplx::AllToAllInterNode_kernel | COMMUNICATION | pplx",
                "kuserbuffers_pushsend | COMMUNICATION | Transformer Engine",
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL | COMMUNICATION | NCCL",
                "void cutlass::gemm::threadblock::MmaPipelined<float> | GEMM | CUTLASS",
                "void ck_tile::kentry<GemmKernel> | GEMM | Composable Kernel",
                "convert_fp8_kernel | ELEMENTWISE | ''",
                "void at::native::upsample_bilinear2d_out_frame<float> | OTHER | PyTorch",
                "bmm_xyz | GEMM | ''",
                "vectoradd | OTHER | ''",
                "'divergence(int, int, double, bool *)' | OTHER | ''",
                "submit_rays(int) | OTHER | ''",
                "add(float *) | ELEMENTWISE | ''",
                "void ns::MulFunctor<float> | ELEMENTWISE | ''"
            })
    void namesTellWhatIsComputedAndWhoseItIs(String kernel, KernelCategory category, String library) {
        assertThat(KernelPatterns.category(kernel)).isEqualTo(category);
        assertThat(KernelPatterns.library(kernel)).isEqualTo(library);
    }

    /** What is of no category is little, and the categories add up, on every real trace with kernels. */
    @Tag("traces")
    @Test
    void nearlyAllKernelTimeOfRealTracesHasACategory() throws Exception {
        List<String> unknown = new ArrayList<>();
        for (Path trace : SharedTraces.forCostlyTests(SharedTraces.chrome())) {
            KernelCategoryTime time =
                    KernelCategoryTime.of(Analysis.of(SharedTraces.timeline(trace), Thresholds.defaults()));
            long sumNs = time.categories().stream().mapToLong(time::ns).sum();
            assertThat(sumNs).isEqualTo(time.totalNs());
            if (time.names().size() > FEW && time.ns(KernelCategory.OTHER) > UNKNOWN * time.totalNs()) {
                unknown.add(trace.getFileName() + ": "
                        + time.names().stream()
                                .filter(kernel -> kernel.category() == KernelCategory.OTHER)
                                .limit(3)
                                .toList());
            }
        }
        assertThat(unknown).isEmpty();
    }
}
