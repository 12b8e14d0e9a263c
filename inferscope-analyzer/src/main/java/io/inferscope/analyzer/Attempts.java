package io.inferscope.analyzer;

import io.inferscope.analyzer.model.Report.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Makes the parts of a report one by one: a defect in one of them costs that part, and the report names it. */
final class Attempts {
    private final List<Failure> failures = new ArrayList<>();

    /**
     * Makes a part.
     *
     * @param part what to call it if it fails
     * @param otherwise stands for it then
     */
    <T> T at(String part, T otherwise, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | StackOverflowError e) {
            failed(Failure.of(part, e));
            return otherwise;
        }
    }

    /** Makes a list, which is empty if that fails. */
    <T> List<T> list(String part, Supplier<List<T>> work) {
        return at(part, List.of(), work);
    }

    /** Adds a failure that was met elsewhere. */
    void failed(Failure failure) {
        failures.add(failure);
    }

    /** Returns the parts that failed. */
    List<Failure> failures() {
        return List.copyOf(failures);
    }
}
