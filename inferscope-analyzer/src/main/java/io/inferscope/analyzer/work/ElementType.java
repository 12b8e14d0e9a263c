package io.inferscope.analyzer.work;

/** The type of a tensor's elements. */
public enum ElementType {
    FLOAT64(8),
    FLOAT32(4),
    BFLOAT16(2),
    FLOAT16(2),
    FLOAT8(1),
    COMPLEX64(8),
    COMPLEX128(16),
    INT64(8),
    INT32(4),
    INT16(2),
    INT8(1),
    BOOL(1),
    /** Not recorded, or none that this version knows. */
    UNKNOWN(0);

    private final int sizeBytes;

    ElementType(int sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Returns the size of one element, 0 when it is not known. */
    public int sizeBytes() {
        return sizeBytes;
    }

    boolean isFloat() {
        return ordinal() <= FLOAT8.ordinal();
    }

    /** Returns the type by the name that PyTorch writes in Python: {@code torch.float16}. */
    public static ElementType ofTorch(String name) {
        String plain = name.startsWith("torch.") ? name.substring("torch.".length()) : name;
        return switch (plain) {
            case "float64" -> FLOAT64;
            case "float32" -> FLOAT32;
            case "bfloat16" -> BFLOAT16;
            case "complex64" -> COMPLEX64;
            case "complex128" -> COMPLEX128;
            case "int16", "uint16" -> INT16;
            case "uint32", "qint32" -> INT32;
            case "uint64" -> INT64;
            case "qint8", "quint8" -> INT8;
            default -> plain.startsWith("float8_") ? FLOAT8 : of(plain);
        };
    }

    /** Returns the type by the name that PyTorch's profiler writes: the C++ type of {@code c10::ScalarType}. */
    static ElementType of(String name) {
        return switch (name) {
            case "double", "Double", "float64" -> FLOAT64;
            case "float", "Float", "float32" -> FLOAT32;
            case "c10::BFloat16", "BFloat16", "bfloat16" -> BFLOAT16;
            case "c10::Half", "Half", "half", "float16" -> FLOAT16;
            case "c10::complex<float>" -> COMPLEX64;
            case "c10::complex<double>" -> COMPLEX128;
            case "long int", "long", "Long", "int64" -> INT64;
            case "int", "Int", "int32", "c10::qint32" -> INT32;
            case "short int", "short" -> INT16;
            case "signed char", "unsigned char", "char", "byte", "int8", "uint8", "c10::qint8", "c10::quint8" -> INT8;
            case "bool" -> BOOL;
            default -> name.startsWith("c10::Float8") ? FLOAT8 : UNKNOWN;
        };
    }
}
