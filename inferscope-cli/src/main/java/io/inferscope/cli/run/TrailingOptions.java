package io.inferscope.cli.run;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits {@code python infer.py --report report.md} into the command and InferScope's options: without {@code --}
 * before the command, {@code --report [FILE]} and {@code -o FILE} at its end are InferScope's.
 *
 * @param command the words of the command
 * @param reports files named at the end, in their order
 * @param taken the removed words
 */
record TrailingOptions(List<String> command, List<String> reports, List<String> taken) {
    private static final String REPORT = "--report";
    private static final String REPORT_IS = "--report=";
    private static final String OUTPUT = "-o";

    static TrailingOptions split(List<String> words) {
        List<String> reports = new ArrayList<>();
        int end = words.size();
        while (end > 1) {
            String last = words.get(end - 1);
            String before = end > 2 ? words.get(end - 2) : "";
            if (last.startsWith(REPORT_IS) && last.length() > REPORT_IS.length()) {
                reports.add(0, last.substring(REPORT_IS.length()));
                end--;
            } else if ((before.equals(REPORT) || before.equals(OUTPUT)) && !last.startsWith("-")) {
                reports.add(0, last);
                end -= 2;
            } else if (last.equals(REPORT)) {
                end--;
            } else {
                break;
            }
        }
        return new TrailingOptions(
                List.copyOf(words.subList(0, end)),
                List.copyOf(reports),
                List.copyOf(words.subList(end, words.size())));
    }
}
