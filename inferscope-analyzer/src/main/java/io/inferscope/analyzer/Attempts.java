package io.inferscope.analyzer;

import io.inferscope.analyzer.model.Report.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Makes the parts of a report one by one. If one fails by a defect, the report lacks that part and names it. */
final class Attempts {
    private final boolean detailed;
    private final List<Failure> failures = new ArrayList<>();

    /** Makes a report with or without the details that the console does not show. */
    Attempts(boolean detailed) {
        this.detailed = detailed;
    }

    /**
     * Makes a part.
     *
     * @param part its name if it fails
     * @param otherwise its value if it fails
     */
    <T> T at(String part, T otherwise, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | StackOverflowError e) {
            failed(Failure.of(part, e));
            return otherwise;
        }
    }

    /** Makes a list; empty if that fails. */
    <T> List<T> list(String part, Supplier<List<T>> work) {
        return at(part, List.of(), work);
    }

    /** Makes a part that the console does not show; {@code otherwise} if it fails or details are not wanted. */
    <T> T detail(String part, T otherwise, Supplier<T> work) {
        return detailed ? at(part, otherwise, work) : otherwise;
    }

    /** Makes a list that the console does not show; empty if that fails or details are not wanted. */
    <T> List<T> detail(String part, Supplier<List<T>> work) {
        return detail(part, List.of(), work);
    }

    /** Adds a failure from elsewhere. */
    void failed(Failure failure) {
        failures.add(failure);
    }

    /** Returns the parts that failed. */
    List<Failure> failures() {
        return List.copyOf(failures);
    }
}
