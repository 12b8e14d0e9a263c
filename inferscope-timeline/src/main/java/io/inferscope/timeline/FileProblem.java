package io.inferscope.timeline;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What is wrong with a file, in words for its owner. */
public final class FileProblem {
    private FileProblem() {}

    /** Says in one line which file it is about and why, without a name of a Java class where it can be avoided. */
    public static String describe(IOException e) {
        return e instanceof FileSystemException problem ? problem.getFile() + ": " + reason(e) : reason(e);
    }

    /** Says in one line why, where the reader knows which file it is about. */
    public static String reason(IOException e) {
        if (!(e instanceof FileSystemException problem)) {
            return oneLine(e);
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        return problem.getReason() == null ? e.getClass().getSimpleName() : problem.getReason();
    }

    /** Returns a message without line ends; the exception's name where it has none. */
    public static String oneLine(Throwable e) {
        String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return text.replaceAll("(?<!\\s)\\s*[\\r\\n]\\s*", " ");
    }
}
