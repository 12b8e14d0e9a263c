package io.inferscope.analyzer.model;

/** What a kernel computes. Tables list categories with equal times in this order. */
public enum KernelCategory implements HasStableId {
    GEMM("products of matrices"),
    CONVOLUTION("convolution"),
    ATTENTION("attention"),
    ELEMENTWISE("elementwise and copy"),
    FUSED("fused elementwise"),
    NORMALISATION("normalisation and softmax"),
    REDUCTION("reduction and scan"),
    EMBEDDING("embedding"),
    MOE("mixture of experts"),
    SAMPLING("sampling and sorting"),
    OPTIMIZER("optimizer"),
    CACHE("key-value cache"),
    COMMUNICATION("communication"),
    OTHER("other");

    private final String words;

    KernelCategory(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
