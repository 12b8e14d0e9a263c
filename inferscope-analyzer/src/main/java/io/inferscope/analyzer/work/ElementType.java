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

    /** Returns the type by the name that a recorder writes: NumPy's or C++'s, with or without a namespace. */
    public static ElementType of(String name) {
        return switch (name.substring(Math.max(name.lastIndexOf(':'), name.lastIndexOf('.')) + 1)) {
            case "double", "Double", "float64" -> FLOAT64;
            case "float", "Float", "float32" -> FLOAT32;
            case "BFloat16", "bfloat16" -> BFLOAT16;
            case "Half", "half", "float16" -> FLOAT16;
            case "complex<float>", "complex64" -> COMPLEX64;
            case "complex<double>", "complex128" -> COMPLEX128;
            case "long int", "long", "Long", "int64", "uint64" -> INT64;
            case "int", "Int", "int32", "uint32", "qint32" -> INT32;
            case "short int", "short", "int16", "uint16" -> INT16;
            case "signed char", "unsigned char", "char", "byte", "int8", "uint8", "qint8", "quint8" -> INT8;
            case "bool" -> BOOL;
            default -> name.contains("Float8_") || name.contains("float8_") ? FLOAT8 : UNKNOWN;
        };
    }
}
