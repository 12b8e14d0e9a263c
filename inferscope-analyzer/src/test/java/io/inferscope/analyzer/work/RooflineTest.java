package io.inferscope.analyzer.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferscope.analyzer.model.MatrixUnits;
import io.inferscope.analyzer.model.RooflineBound;
import io.inferscope.analyzer.model.WorkKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RooflineTest {
    /** 100 GFLOP/s in float16, 10 in float32, 50 in TF32, 1 GB/s, 1000 bytes of cache: an operation each 0.01 ns, a byte each ns. */
    private static final DevicePeak PEAK = new DevicePeak("toy", 5e9, 10e9, 50e9, 100e9, 0, 0, 1e9, 1000, "test");

    private static Roofline of(WorkKind kind, double flops, double bytes, ElementType type, double ns, boolean tf32) {
        Roofline roofline = Roofline.of(new Work(kind, flops, bytes, type), ns, PEAK, tf32);
        assertThat(roofline).isNotNull();
        return roofline == null ? new Roofline(0, 0, -1, false) : roofline;
    }

    @Test
    void theSlowerOfComputeAndMemoryIsTheBound() {
        Roofline compute = of(WorkKind.MATMUL, 1_000_000, 5_000, ElementType.FLOAT16, 20_000, false);
        Roofline memory = of(WorkKind.MATMUL, 100_000, 5_000, ElementType.FLOAT16, 20_000, false);

        assertThat(compute).isEqualTo(new Roofline(10_000, 5_000, 20_000, false));
        assertThat(compute.bound()).isEqualTo(RooflineBound.COMPUTE);
        assertThat(compute.efficiency()).isEqualTo(0.5);
        assertThat(memory).isEqualTo(new Roofline(1_000, 5_000, 20_000, false));
        assertThat(memory.bound()).isEqualTo(RooflineBound.MEMORY);
        assertThat(memory.efficiency()).isEqualTo(0.25);
    }

    @Test
    void float32ProductsAreHeldAgainstTf32OnlyWhereTheyUsedIt() {
        assertThat(of(WorkKind.MATMUL, 1e6, 1, ElementType.FLOAT32, 200_000, false)
                        .efficiency())
                .isEqualTo(0.5, within(1e-9));
        assertThat(of(WorkKind.MATMUL, 1e6, 1, ElementType.FLOAT32, 200_000, true)
                        .efficiency())
                .isEqualTo(0.1, within(1e-9));
    }

    @Test
    void elementwiseWorkRunsOnTheOrdinaryUnits() {
        assertThat(of(WorkKind.ELEMENTWISE, 1e6, 1, ElementType.FLOAT16, 200_000, false)
                        .efficiency())
                .isEqualTo(0.5, within(1e-9));
    }

    @Test
    void moreThanATenthAboveThePeakIsAnAnomalyUnlessACacheExplainsIt() {
        assertThat(of(WorkKind.COPY, 0, 5_000, ElementType.FLOAT32, 4_600, false)
                        .isAnomaly())
                .isFalse();
        assertThat(of(WorkKind.COPY, 0, 5_000, ElementType.FLOAT32, 4_500, false)
                        .isAnomaly())
                .isTrue();
        assertThat(of(WorkKind.COPY, 0, 900, ElementType.FLOAT32, 100, false).isAnomaly())
                .isFalse();
        assertThat(of(WorkKind.MATMUL, 1e6, 900, ElementType.FLOAT16, 5_000, false)
                        .isAnomaly())
                .isTrue();
    }

    @Test
    void nothingIsSaidWithoutATimeATrafficOrAPeak() {
        Work work = new Work(WorkKind.MATMUL, 1e6, 100, ElementType.FLOAT16);

        assertThat(Roofline.of(work, 0, PEAK, false)).isNull();
        assertThat(Roofline.of(new Work(WorkKind.MATMUL, 1, Double.NaN, ElementType.FLOAT16), 9, PEAK, false))
                .isNull();
        assertThat(Roofline.of(new Work(WorkKind.MATMUL, 1, 1, ElementType.FLOAT8), 9, PEAK, false))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA H100 80GB HBM3,        132,  85018279936, H100 SXM",
        "NVIDIA H100 PCIe,             114,  85018279936, H100 PCIe",
        "NVIDIA H100 NVL,              132, 100000000000, H100 NVL",
        "NVIDIA H200,                  132, 150754820096, H200",
        "NVIDIA GH200 480GB,           132, 101000000000, GH200",
        "NVIDIA GH200 144G HBM3e,      132, 150000000000, GH200 144GB",
        "NVIDIA B200,                  148, 191503138816, B200",
        "NVIDIA GB200,                 152, 191503138816, GB200",
        "NVIDIA A100-PG509-200,        108,  42297524224, A100 40GB",
        "NVIDIA A100-SXM4-80GB,        108,  85031714816, A100 80GB SXM",
        "NVIDIA A100 80GB PCIe,        108,  85031714816, A100 80GB PCIe",
        "NVIDIA A10,                    72,  24000000000, A10",
        "NVIDIA L40S,                  142,  48000000000, L40S",
        "NVIDIA L4,                     58,  24000000000, L4",
        "Tesla T4,                      40,  15000000000, T4",
        "Tesla V100-SXM2-32GB,          80,  34079637504, V100 SXM2",
        "AMD Instinct MI300X VF,       304, 205571227648, MI300X",
        "AMD Instinct MI210,           104,  68702699520, MI210",
        "AMD Instinct MI250X/MI250,    110,  68702699520, 'MI250X, one die'",
        "AMD Radeon Graphics,          104,  68702699520, 'MI250, one die'",
        "'',                           304, 206141652992, MI300X",
    })
    void devicesAreKnownByTheNameOfTheDriver(String name, long multiprocessors, long memoryBytes, String model) {
        DevicePeak peak = DevicePeaks.of(name, multiprocessors, memoryBytes);

        assertThat(peak).isNotNull();
        assertThat(peak == null ? "" : peak.model()).isEqualTo(model);
        assertThat(peak != null && peak.hasMatrixUnits()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"''", "NVIDIA A1000", "Quadro K620", "ARTEMIS", "AMD Radeon RX 6800"})
    void otherDevicesHaveNoKnownPeak(String name) {
        assertThat(DevicePeaks.of(name, 20, 4_000_000_000L)).isNull();
    }

    @Test
    void aPeakCanBeReplacedInPart() {
        DevicePeak other = PEAK.with(0, 20e9, 0);

        assertThat(other.fp32()).isEqualTo(20e9);
        assertThat(other.fp16()).isEqualTo(100e9);
        assertThat(other.source()).isEqualTo("test; overridden");
        assertThat(PEAK.with(0, 0, 0)).isSameAs(PEAK);
    }

    @ParameterizedTest
    @CsvSource({
        "nvjet_tst_128x64_64x8_4x2_2cta_h_bz_bias_TNT, USED",
        "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize32x32x64_stage6_warpsize2x2x1_tensor16x8x16_kernel, USED",
        "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x6_tn, USED",
        "volta_h884gemm_128x64_ldg8_nn, USED",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_tn_align8>, USED",
        "Cijk_Alik_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB1, USED",
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>, USED",
        "ampere_sgemm_128x64_tn, UNUSED",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>, UNUSED",
        "void gemv2T_kernel_val<int>, UNUSED",
        "implicit_convolve_sgemm, UNUSED",
        "void at::native::vectorized_elementwise_kernel<4>,",
    })
    void namesOfKernelsTellWhichUnitsTheyUse(String kernel, MatrixUnits units) {
        assertThat(MatrixKernels.of(kernel)).isEqualTo(units);
    }
}
