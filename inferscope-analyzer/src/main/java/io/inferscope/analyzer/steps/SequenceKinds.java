package io.inferscope.analyzer.steps;

import io.inferscope.analyzer.knowledge.NamePredicate;
import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.work.Operands;
import io.inferscope.analyzer.work.Tensor;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes prefill from decode by the shapes of operators, for steps whose names do not show it.
 *
 * <pre>
 *   attention    queries [batch, heads, 559, 64], keys [.., 559, 64]     559 positions of each sequence: prefill
 *                queries [batch, heads,   1, 64], keys [.., 560, 64]       1, which attends to more: decode
 *   embedding    ids [batch, 559], or [batch, 1]                         where no attention is recorded
 * </pre>
 *
 * <p>The first of these operators in a step decides. If no step works on one position, no kind is assigned: a model
 * that classifies texts works on whole sequences, like a prefill. Engines that pack sequences into one have no
 * dimension that shows the kind.
 */
final class SequenceKinds {
    private static final int UNKNOWN = -1;

    private final Timeline timeline;
    private final NamePredicate attentions;
    private final NamePredicate embeddings;

    /** Cache of positions. Key: twice the name id of the dimensions, plus one for attention. */
    private final Map<Integer, Long> known = new HashMap<>();

    private SequenceKinds(Timeline timeline) {
        this.timeline = timeline;
        this.attentions = new NamePredicate(timeline, NameRole.ATTENDS::in);
        this.embeddings = new NamePredicate(timeline, NameRole.EMBEDS::in);
    }

    /**
     * Returns the loop with the kinds of its steps, as far as shapes show them. The steps' times must be their
     * thread's.
     */
    static Loop of(Timeline timeline, Loop loop) {
        boolean wanted = timeline.has(Attribute.INPUT_DIMS)
                && loop.steps().stream().anyMatch(step -> step.kind().isEmpty());
        return wanted ? new SequenceKinds(timeline).told(loop) : loop;
    }

    private Loop told(Loop loop) {
        long[] positions = positions(loop);
        if (Arrays.stream(positions).noneMatch(count -> count == 1)) {
            return loop;
        }
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < positions.length; i++) {
            Step step = loop.steps().get(i);
            String kind = positions[i] == 1 ? "decode" : positions[i] > 1 ? "prefill" : "";
            steps.add(
                    step.kind().isEmpty()
                            ? new Step(step.name(), kind, step.startNs(), step.endNs(), step.phase())
                            : step);
        }
        return new Loop(loop.source(), loop.track(), steps);
    }

    /** Returns, by step, on how many positions of each sequence it works. */
    private long[] positions(Loop loop) {
        long[] byAttention = new long[loop.steps().size()];
        long[] byEmbedding = new long[byAttention.length];
        Arrays.fill(byAttention, UNKNOWN);
        Arrays.fill(byEmbedding, UNKNOWN);
        int at = 0;
        for (int row = timeline.firstRow(loop.track()); row < timeline.endRow(loop.track()); row++) {
            if (timeline.kind(row) != RowKind.OPERATOR || !(attentions.testRow(row) || embeddings.testRow(row))) {
                continue;
            }
            while (at < byAttention.length && loop.steps().get(at).endNs() <= timeline.startNs(row)) {
                at++;
            }
            boolean inside = at < byAttention.length && loop.steps().get(at).startNs() <= timeline.startNs(row);
            if (inside) {
                if (byAttention[at] < 0 && attentions.testRow(row)) {
                    byAttention[at] = positions(row, true);
                } else if (byEmbedding[at] < 0 && embeddings.testRow(row)) {
                    byEmbedding[at] = positions(row, false);
                }
            }
        }
        boolean differ = Arrays.stream(byEmbedding).anyMatch(count -> count > 1);
        for (int i = 0; i < byAttention.length; i++) {
            byAttention[i] = byAttention[i] < 0 && differ ? byEmbedding[i] : byAttention[i];
        }
        return byAttention;
    }

    private long positions(int row, boolean attention) {
        long dims = timeline.attribute(row, Attribute.INPUT_DIMS);
        return dims < 0
                ? UNKNOWN
                : known.computeIfAbsent(
                        (int) dims * 2 + (attention ? 1 : 0), key -> read(timeline.text(dims), attention));
    }

    private static long read(String dims, boolean attention) {
        Operands operands = Operands.of(dims, "", "");
        long first = dimension(operands.tensor(attention ? 0 : 1), attention ? 4 : 2);
        long keys = attention ? dimension(operands.tensor(1), 4) : Long.MAX_VALUE;
        return first == 1 && keys <= 1 ? UNKNOWN : first;
    }

    /**
     * Returns the dimension that counts positions of a tensor with {@code rank} dimensions: the last one, or the one
     * before the channels.
     */
    private static long dimension(@Nullable Tensor tensor, int rank) {
        return tensor == null || tensor.dims().size() != rank
                ? UNKNOWN
                : tensor.dims().get(rank == 4 ? 2 : 1);
    }
}
