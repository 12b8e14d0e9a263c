package io.inferscope.analyzer.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferscope.analyzer.knowledge.Knowledge;
import io.inferscope.analyzer.model.WorkKind;
import io.inferscope.timeline.files.KnowledgeTable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WorkFormulasTest {
    private static final String F3 = "[float,float,float]";

    private static Work work(String operator, String dims, String types, String values) {
        Work work = WorkFormulas.of(operator, Operands.of(dims, types, values));
        assertThat(work).as(operator).isNotNull();
        return work == null ? new Work(WorkKind.COPY, -1, -1, ElementType.UNKNOWN) : work;
    }

    /**
     * What torch.utils.flop_counter.FlopCounterMode of PyTorch 2.13.0 counts on a CPU for a call with these inputs, as torch.profiler
     * records them with record_shapes=True; for attention, its sdpa_flop_count.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mm                          | [[141,512],[512,64]]             | [,]     | 9240576",
                "addmm                       | [[512],[141,512],[512,512],[],[]]| [,,,1,1]| 73924608",
                "bmm                         | [[6,8,64],[6,64,10]]             | [,]     | 61440",
                "baddbmm                     | [[6,8,10],[6,8,64],[6,64,10],[],[]] | [,,,1,1] | 61440",
                "linear                      | [[2,7,16],[24,16],[24]]          | [,,]    | 10752",
                "matmul                      | [[2,3,5,7],[7,11]]               | [,]     | 4620",
                "conv2d                      | [[4,3,224,224],[768,3,16,16],[],[],[],[],[]] | [,,,[16, 16],[0, 0],[1, 1],1] | 924844032",
                "mkldnn_convolution          | [[4,3,224,224],[768,3,16,16],[],[],[],[],[]] | [,,,[0, 0],[16, 16],[1, 1],1] | 924844032",
                "convolution                 | [[2,8,15,17],[12,8,3,3],[12],[],[],[],[],[],[]] | [,,,[2, 2],[1, 1],[1, 1],False,[0, 0],1] | 248832",
                "mkldnn_convolution          | [[2,8,15,17],[12,2,3,3],[],[],[],[],[]] | [,,,[2, 2],[1, 1],[2, 2],4] | 220320",
                "conv1d                      | [[2,8,100],[12,8,5],[],[],[],[],[]] | [,,,[3],[0],[1],1] | 61440",
                "slow_conv3d_forward         | [[1,3,8,16,16],[5,3,2,3,3],[],[],[],[]] | [,,[2, 3, 3],,[1, 1, 1],[0, 0, 0]] | 740880",
                "_convolution                | [[2,8,5,6],[8,4,3,3],[],[],[],[],[],[],[]] | [,,,[2, 2],[0, 0],[1, 1],True,[0, 0],1] | 34560",
                "scaled_dot_product_attention| [[2,4,33,16],[2,4,65,16],[2,4,65,16],[],[],[],[],[]] | [,,,,0.,False,,False] | 1098240",
            })
    void operationsAreThoseThatPyTorchCounts(String operator, String dims, String values, double flops) {
        assertThat(work("aten::" + operator, dims, F3, values).flops()).isEqualTo(flops);
    }

    @Test
    void everyOperatorOfAtenHasOneRowAndAFormula() {
        List<String> names = KnowledgeTable.read(Knowledge.class, "aten.tsv", cells -> cells[0].split(" ")).stream()
                .flatMap(Arrays::stream)
                .toList();

        assertThat(names).hasSizeGreaterThan(150).doesNotHaveDuplicates().noneMatch(name -> name.endsWith("_"));
        assertThat(names)
                .allSatisfy(name -> assertThat(WorkFormulas.of("aten::" + name, Operands.of("[]", "[]", "")))
                        .isNull());
    }

    static List<WorkFormulas.Row> operators() {
        return WorkFormulas.rows();
    }

    @ParameterizedTest
    @MethodSource("operators")
    void theExampleOfARowHasItsFlops(WorkFormulas.Row row) {
        List<String> example = row.example();

        assertThat(example.get(0)).containsPattern(row.operator());
        assertThat(work(example.get(0), example.get(1), example.get(2), "").flops())
                .isEqualTo(row.flops());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[[1,3,2048,2048],[64,3,7,7]] | [Float,Float] | [,,,(2,2),(3,3),(1,1),False,(0,0),1] | 19730006016",
                "[[4,512,8,8],[512,256,4,4]] | [float,float] | [,,,(2, 2),(1, 1),(1, 1),True,(0, 0),1] | 1073741824",
            })
    void convolutionsWithTuplesAreRead(String dims, String types, String values, double flops) {
        assertThat(work("aten::convolution", dims, types, values).flops()).isEqualTo(flops);
    }

    /** PyTorch makes [4,256,16,16] of it. */
    @Test
    void aTransposedConvolutionWritesItsLargerResult() {
        Work work = work(
                "aten::convolution",
                "[[4,512,8,8],[512,256,4,4]]",
                "[float,float]",
                "[,,,[2, 2],[1, 1],[1, 1],True,[0, 0],1]");

        assertThat(work.bytes()).isEqualTo(4.0 * (4 * 512 * 8 * 8 + 512 * 256 * 4 * 4 + 4 * 256 * 16 * 16));
    }

    /** Four tokens with two experts each read eight of 128 experts. */
    @Test
    void expertsThatNoTokenChoosesAreNotRead() {
        String types = "[c10::Half,c10::Half,c10::Half,float]";
        Work few = work("vllm::outplace_fused_experts", "[[4,64],[128,256,64],[128,64,128],[4,2]]", types, "");

        assertThat(few.bytes()).isEqualTo(2.0 * (2 * 4 * 64 + 8 * (256 * 64 + 64 * 128)));
        assertThat(WorkFormulas.of(
                        "vllm::outplace_fused_experts",
                        Operands.of("[[4,64],[128,256,32],[128,64,128],[4,2]]", types, "")))
                .isNull();
    }

    @Test
    void inputsInTheSpellingOfAscendAreRead() {
        assertThat(work("aten::mm", "32,10;10,1024", "float;float", "").flops()).isEqualTo(2.0 * 32 * 10 * 1024);
    }

    @Test
    void aProductReadsBothFactorsAndWritesTheResultOnce() {
        Work work = work(
                "aten::addmm", "[[64],[128,32],[32,64],[],[]]", "[c10::Half,c10::Half,c10::Half,Scalar,Scalar]", "");

        assertThat(work.kind()).isEqualTo(WorkKind.MATMUL);
        assertThat(work.type()).isEqualTo(ElementType.FLOAT16);
        assertThat(work.bytes()).isEqualTo(2.0 * (64 + 128 * 32 + 32 * 64 + 128 * 64));
    }

    @Test
    void eightBitProductsHaveWiderResults() {
        assertThat(work("aten::_scaled_mm", "[[16,32],[32,8]]", "[c10::Float8_e4m3fn,c10::Float8_e4m3fn]", "")
                        .bytes())
                .isEqualTo(16 * 32 + 32 * 8 + 2 * 16 * 8);
    }

    @Test
    void aCausalMaskLeavesTheLowerTriangle() {
        String dims = "[[1,2,10,8],[1,2,10,8],[1,2,10,8],[],[]]";
        String types = "[float,float,float,Scalar,Scalar]";

        assertThat(work("aten::_scaled_dot_product_flash_attention", dims, types, "[,,,0.,True]")
                        .flops())
                .isEqualTo(2 * 2 * 55 * 16);
        assertThat(work("aten::_scaled_dot_product_flash_attention", dims, types, "[,,,0.,False]")
                        .flops())
                .isEqualTo(2 * 2 * 100 * 16);
    }

    /** [batch, sequence, heads, head size], as flash attention's own operator has it; traffic is Q, K, V and the result. */
    @Test
    void flashAttentionHasItsHeadsInThirdPlace() {
        Work work = work(
                "aten::_flash_attention_forward",
                "[[1,141,8,64],[1,141,8,64],[1,141,8,64],[],[],[],[]]",
                "[c10::BFloat16,c10::BFloat16,c10::BFloat16,,,Scalar,Scalar]",
                "");

        assertThat(work.flops()).isEqualTo(2.0 * 8 * 141 * 141 * 128);
        assertThat(work.bytes()).isEqualTo(4.0 * 141 * 8 * 64 * 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aten::relu              | [[8,16]]           | [float]                  | elementwise   | 128 | 1024",
                "aten::add_              | [[8,16],[16],[]]   | [c10::Half,c10::Half,Scalar] | elementwise | 128 | 544",
                "aten::add               | [[8,1],[1,16],[]]  | [float,float,Scalar]     | elementwise   | 128 | 608",
                "aten::mul               | [[8,16],[]]        | [c10::BFloat16,double]   | elementwise   | 128 | 520",
                "aten::gt                | [[8,16],[]]        | [float,Scalar]           | elementwise   | 128 | 640",
                "aten::sum               | [[8,16],[],[],[]]  | [float,ScalarList,Scalar,] | reduction   | 128 | 512",
                "aten::_softmax          | [[8,16],[],[]]     | [float,Scalar,Scalar]    | softmax       | 640 | 1024",
                "aten::native_layer_norm | [[8,16],[],[16],[16],[]] | [float,ScalarList,float,float,Scalar] | normalisation | 896 | 1152",
                "aten::embedding         | [[1000,16],[4,2]]  | [float,long int]         | embedding     | 0   | 1088",
                "aten::copy_             | [[8,16],[8,16],[]] | [c10::Half,float,Scalar] | copy          | 0   | 768",
                "aten::zero_             | [[8,16]]           | [float]                  | copy          | 0   | 512",
                "_C::fused_add_rms_norm  | [[8,16],[8,16],[16],[]] | [c10::Half,c10::Half,c10::Half,Scalar] | normalisation | 640 | 1056",
                "aiter::rmsnorm          | [[8,16],[8,16],[16],[]] | [c10::Half,c10::Half,c10::Half,Scalar] | normalisation | 512 | 544",
                "triton_poi_fused_add_0  | [[8,16],[8,16],[]] | [float,float,Scalar]     | elementwise   | 128 | 1024",
                "aiter::gemm_a16w16      | [[8,16],[4,16]]    | [c10::Half,c10::Half]    | matmul        | 1024| 448",
            })
    void trafficIsInputsAndResultsOnce(
            String operator, String dims, String types, String kind, double flops, double bytes) {
        Work work = work(operator, dims, types, "");

        assertThat(work.kind().name().toLowerCase(Locale.ROOT)).isEqualTo(kind);
        assertThat(work.flops()).isEqualTo(flops);
        assertThat(work.bytes()).isEqualTo(bytes);
    }

    @Test
    void trafficIsNotKnownWithoutTypes() {
        Work work = work("aten::mm", "[[2, 3], [3, 4]]", "", "");

        assertThat(work.flops()).isEqualTo(48);
        assertThat(work.bytes()).isNaN();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "aten::mm          | [[2,3],[4,5]]",
                "aten::mm          | [[2,-3],[3,5]]",
                "aten::mm          | [[2,3]]",
                "aten::mm          | [[2,3],[3,99999999999999999999]]",
                "aten::mm          | nonsense",
                "aten::mm          | [[[[",
                "aten::conv2d      | [[4,3,224,224],[768,3,16,16],[],[],[],[],[]]",
                "aten::_flash_attention_forward | [[141,8,64],[141,8,64],[141,8,64],[5],[5]]",
                "aten::view        | [[4,4],[]]",
                "vllm::moe_forward | [[888,3072],[888,128],[]]",
            })
    void nothingIsClaimedWhereTheInputsDoNotTell(String operator, String dims) {
        assertThat(WorkFormulas.of(operator, Operands.of(dims, F3, ""))).isNull();
    }

    @Test
    void aConvolutionWithoutStrideIsNotGuessed() {
        String dims = "[[1,3,8,8],[4,3,3,3],[],[],[],[],[]]";

        assertThat(WorkFormulas.of("aten::conv2d", Operands.of(dims, F3, "[,,,[0, 0],[1, 1],[1, 1],1]")))
                .isNull();
        assertThat(WorkFormulas.of("aten::conv2d", Operands.of(dims, F3, "[,,,[1, 1],same,[1, 1],1]")))
                .isNull();
    }
}
