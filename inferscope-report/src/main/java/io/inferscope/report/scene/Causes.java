package io.inferscope.report.scene;

import io.inferscope.analyzer.activity.DeviceActivity;
import io.inferscope.analyzer.analysis.Analysis;
import io.inferscope.analyzer.blame.IdleBlame;
import io.inferscope.analyzer.model.LedgerClass;
import io.inferscope.report.scene.Lanes.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * What devices waited for while they were idle: as a lane in time, and as time by the stack of the thread that was
 * waited for.
 */
final class Causes {
    private final Analysis analysis;
    private final Texts texts;
    private final Detail detail;
    private final ShownPart part;
    private final List<Stacked> trees = new ArrayList<>();

    Causes(Analysis analysis, Texts texts, Detail detail, ShownPart part) {
        this.part = part;
        this.analysis = analysis;
        this.texts = texts;
        this.detail = detail;
    }

    List<Stacked> trees() {
        return trees;
    }

    /** Returns the lane of a device, and keeps its tree, which is of the shown part. */
    Lanes of(DeviceActivity device, String label) {
        Lanes track = new Lanes(Kind.CAUSES, "why " + label + " is idle", label, 1);
        String title = "idle time of " + label + part.words() + ", by whom it waited for";
        Stacked tree = new Stacked(part, texts, label, title);
        Pieces pieces = new Pieces(track.lane(0), tree);
        analysis.blameOf(device).explain(pieces);
        pieces.end();
        trees.add(tree);
        return track;
    }

    /**
     * Pieces may share a stretch, each with a part of its length: they are drawn one after the other, and touch the
     * gap's ends.
     */
    private final class Pieces implements IdleBlame.Pieces {
        private final Lane lane;
        private final Stacked tree;
        private long startNs;
        private long cursorNs;
        private int name = -1;
        private int ledgerClass;

        Pieces(Lane lane, Stacked tree) {
            this.lane = lane;
            this.tree = tree;
        }

        @Override
        public void gap(long gapStartNs, long gapEndNs) {
            end();
            cursorNs = gapStartNs;
        }

        @Override
        public void take(int row, int sample, LedgerClass cause, long ns) {
            if (ns <= 0) {
                return;
            }
            boolean ofDevice = cause == LedgerClass.FRAMEWORK_LAUNCH_LATENCY
                    || cause == LedgerClass.GPU_DEPENDENCY
                    || (row < 0 && sample < 0);
            long shownNs = part.withinNs(cursorNs, cursorNs + ns);
            if (shownNs > 0 && ofDevice) {
                tree.addBelow(row, cause, shownNs);
            } else if (shownNs > 0) {
                tree.add(row, sample, cause, shownNs);
            }
            int says = name(row, sample, cause);
            if (says != name || cause.ordinal() != ledgerClass) {
                end();
                startNs = cursorNs;
                name = says;
                ledgerClass = cause.ordinal();
            }
            cursorNs += ns;
        }

        private int name(int row, int sample, LedgerClass cause) {
            String where = sample >= 0 ? analysis.where(sample) : "";
            return !where.isEmpty()
                    ? texts.of(where)
                    : row >= 0 ? texts.ofName(analysis.timeline().nameId(row)) : texts.of(cause.label());
        }

        void end() {
            if (name >= 0 && cursorNs > startNs) {
                detail.put(lane, startNs, cursorNs, name, ledgerClass, 0);
            }
            name = -1;
        }
    }
}
