package io.inferscope.analyzer.work;

import io.inferscope.analyzer.model.MatrixUnits;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether a kernel uses matrix units (NVIDIA's tensor cores, AMD's matrix cores), by its name. The words come from the
 * libraries: cuBLAS and cuDNN name the instruction ({@code s16816gemm} is mma.m16n8k16, {@code 884} Volta's, {@code
 * hmma}, {@code wgmma}) and call Hopper's kernels {@code nvjet}; CUTLASS writes {@code tensorop} or {@code simt};
 * Tensile's {@code MI16x16x16} is the shape of an MFMA instruction, Composable Kernel's word for it is {@code xdl}.
 * cuBLAS' {@code gemv} kernels and {@code sgemm}, {@code dgemm} run on the ordinary units.
 */
public final class MatrixKernels {
    private static final Pattern ORDINARY =
            Pattern.compile("simt|gemv|splitkreduce|scal_kernel", Pattern.CASE_INSENSITIVE);
    private static final Pattern MATRIX = Pattern.compile(
            "tensorop|[shi]16816|[shi]1688|[shid]884|s161616|i16832|gtcx|[hiqb]mma|wgmma|gmma|tcgen05|utcmma|nvjet|xmma|warpspecialized|mfma|_MI\\d+x\\d+|xdl|ck_tile"
                    + "|flash_(fwd|attn)|fmha|tensor_op",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern PRODUCT = Pattern.compile(
            "[sdhc]gemm|scudnn|gemmsn|gemm_kernel|convolve|convolution|conv_depthwise|winograd",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern SIMT = Pattern.compile("simt", Pattern.CASE_INSENSITIVE);
    private static final Pattern TF32 = Pattern.compile("tf32|s1688|f32f32_tf32|xf32", Pattern.CASE_INSENSITIVE);

    /**
     * cuBLAS' and CUTLASS' {@code dgemm}, {@code d884gemm} and {@code f64f64}, complex numbers as {@code zgemm}; Tensile's
     * {@code DB} and {@code ZB}; templates of products of vectors, whose arguments are the elements' types.
     */
    private static final Pattern DOUBLE = Pattern.compile(
            "(?<![A-Za-z])[dz](884|1688|16816)?gemm|f64f64|Cijk_\\w*_[DZ]B_|(gemv|dot_kernel|gemmk1)\\w*<[^>]*\\bdouble");

    private MatrixKernels() {}

    /** Returns whether a kernel multiplies in float64 by its name. */
    public static boolean isDouble(String kernel) {
        return DOUBLE.matcher(kernel).find();
    }

    /** Returns what the name of a kernel shows, null for nothing. */
    public static @Nullable MatrixUnits of(String kernel) {
        if (ORDINARY.matcher(kernel).find()) {
            return MatrixUnits.UNUSED;
        }
        if (MATRIX.matcher(kernel).find()) {
            return MatrixUnits.USED;
        }
        return PRODUCT.matcher(kernel).find() ? MatrixUnits.UNUSED : null;
    }

    /** Returns whether a kernel multiplies in TF32 by its name. Matrix units use TF32 for float32 inputs. */
    public static boolean isTf32(String kernel) {
        return TF32.matcher(kernel).find();
    }

    /**
     * Returns whether a kernel, by its name, multiplies matrices on the ordinary units, in another type than float64.
     */
    public static boolean isProductBesideThem(String kernel) {
        return of(kernel) == MatrixUnits.UNUSED
                && (PRODUCT.matcher(kernel).find() || SIMT.matcher(kernel).find())
                && !kernel.contains("dgemm");
    }
}
