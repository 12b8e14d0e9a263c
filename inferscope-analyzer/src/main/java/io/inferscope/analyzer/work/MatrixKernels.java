package io.inferscope.analyzer.work;

import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.MatrixUnits;
import org.jspecify.annotations.Nullable;

/**
 * Whether a kernel uses matrix units (NVIDIA's tensor cores, AMD's matrix cores), by its name. The words come from the
 * libraries: cuBLAS and cuDNN name the instruction ({@code s16816gemm} is mma.m16n8k16, {@code 884} Volta's, {@code
 * hmma}, {@code wgmma}) and call Hopper's kernels {@code nvjet}; CUTLASS writes {@code tensorop} or {@code simt};
 * Tensile's {@code MI16x16x16} is the shape of an MFMA instruction, Composable Kernel's word for it is {@code xdl}.
 * cuBLAS' {@code gemv} kernels and {@code sgemm}, {@code dgemm} run on the ordinary units.
 */
public final class MatrixKernels {
    private MatrixKernels() {}

    /** Returns whether a kernel multiplies in float64 by its name. */
    public static boolean isDouble(String kernel) {
        return NameRole.FLOAT64.in(kernel);
    }

    /** Returns what the name of a kernel shows, null for nothing. */
    public static @Nullable MatrixUnits of(String kernel) {
        if (NameRole.ORDINARY_UNITS.in(kernel)) {
            return MatrixUnits.UNUSED;
        }
        if (NameRole.MATRIX_UNITS.in(kernel)) {
            return MatrixUnits.USED;
        }
        return NameRole.PRODUCT.in(kernel) ? MatrixUnits.UNUSED : null;
    }

    /** Returns whether a kernel multiplies in TF32 by its name. Matrix units use TF32 for float32 inputs. */
    public static boolean isTf32(String kernel) {
        return NameRole.TF32.in(kernel);
    }

    /**
     * Returns whether a kernel, by its name, multiplies matrices on the ordinary units, in another type than float64.
     */
    public static boolean isProductBesideThem(String kernel) {
        return of(kernel) == MatrixUnits.UNUSED
                && (NameRole.PRODUCT.in(kernel) || NameRole.SIMT.in(kernel))
                && !kernel.contains("dgemm");
    }
}
