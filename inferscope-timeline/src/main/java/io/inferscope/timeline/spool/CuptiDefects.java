package io.inferscope.timeline.spool;

import io.inferscope.timeline.files.KnowledgeTable;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Known defects of libcupti by version: {@code cupti-defects.tsv}. */
public final class CuptiDefects {
    private static final Pattern API = Pattern.compile("API (\\d{1,9})\\b.*");

    /**
     * One of them.
     *
     * @param id short name
     * @param firstApi first version of CUPTI's API that has it
     * @param fixedApi first one that has it no longer, 0 if none is known
     * @param when under which circumstances it shows
     * @param graphKernels after how many kernels of graphs; 0: at once
     * @param what in words
     * @param remedy in words
     */
    public record Defect(
            String id, int firstApi, int fixedApi, String when, long graphKernels, String what, String remedy) {
        /** Returns whether a version of CUPTI's API has it. */
        public boolean isIn(int api) {
            return api >= firstApi && (fixedApi == 0 || api < fixedApi);
        }

        /** Returns whether a version of CUDA, such as 13.0, has it in any of its updates. */
        public boolean isIn(int major, int minor) {
            int first = major * 10_000 + minor * 100;
            return major >= 13 && firstApi < first + 100 && (fixedApi == 0 || fixedApi > first);
        }
    }

    /** All of them. */
    public static final List<Defect> ALL = KnowledgeTable.read(
            CuptiDefects.class,
            "cupti-defects.tsv",
            cells -> new Defect(
                    cells[0],
                    Integer.parseInt(cells[1]),
                    Integer.parseInt(cells[2]),
                    cells[3],
                    Long.parseLong(cells[4]),
                    cells[5],
                    cells[6]));

    private CuptiDefects() {}

    /** Returns the version of CUPTI's API from the agent's note on its library; empty without one. */
    static Optional<Integer> api(String note) {
        Matcher matcher = API.matcher(note);
        return matcher.matches() ? Optional.of(Integer.parseInt(matcher.group(1))) : Optional.empty();
    }
}
