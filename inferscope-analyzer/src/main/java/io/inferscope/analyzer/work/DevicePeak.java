package io.inferscope.analyzer.work;

/**
 * The peak rates of a device, by its vendor's data sheet: dense, without sparsity, at the boost clock.
 *
 * @param model the vendor's name for it
 * @param fp64 operations per second in float64, by matrix units if it has them
 * @param fp32 in float32, by the ordinary units (for AMD's devices, by the matrix units)
 * @param tf32 in TF32 with float32 inputs; 0 without
 * @param fp16 in float16 and bfloat16 by matrix units, accumulated in float32
 * @param fp8 in FP8; 0 without
 * @param int8 in INT8; 0 without
 * @param bytesPerSecond of its memory
 * @param cacheBytes of its last-level cache; data that fits may move faster than the memory's rate
 * @param source the data sheet
 */
public record DevicePeak(
        String model,
        double fp64,
        double fp32,
        double tf32,
        double fp16,
        double fp8,
        double int8,
        double bytesPerSecond,
        double cacheBytes,
        String source) {

    /**
     * Returns the operations per second of matrix work on a type; float32 uses TF32 only if {@code usesTf32}; 0 when
     * not known.
     */
    public double matrixFlopsPerSecond(ElementType type, boolean usesTf32) {
        return switch (type) {
            case FLOAT64, COMPLEX128 -> fp64;
            case FLOAT32, COMPLEX64 -> usesTf32 && tf32 > 0 ? tf32 : fp32;
            case FLOAT16, BFLOAT16 -> fp16;
            case FLOAT8 -> fp8;
            case INT8 -> int8;
            default -> 0;
        };
    }

    /** Returns whether it has matrix units for float16. */
    public boolean hasMatrixUnits() {
        return fp16 > 2 * fp32;
    }

    /** Returns this peak with those of the given figures that are above 0. */
    public DevicePeak with(double otherFp16, double otherFp32, double otherBytesPerSecond) {
        if (otherFp16 <= 0 && otherFp32 <= 0 && otherBytesPerSecond <= 0) {
            return this;
        }
        return new DevicePeak(
                model,
                fp64,
                otherFp32 > 0 ? otherFp32 : fp32,
                tf32,
                otherFp16 > 0 ? otherFp16 : fp16,
                fp8,
                int8,
                otherBytesPerSecond > 0 ? otherBytesPerSecond : bytesPerSecond,
                cacheBytes,
                source + "; overridden");
    }
}
