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
        if (!(e instanceof FileSystemException problem)) {
            return oneLine(e);
        }
        String reason = problem.getReason() == null ? e.getClass().getSimpleName() : problem.getReason();
        if (e instanceof AccessDeniedException) {
            reason = "permission denied";
        } else if (e instanceof NoSuchFileException) {
            reason = "no such file or folder";
        }
        return problem.getFile() + ": " + reason;
    }

    /** Returns a message without line ends; the exception's name where it has none. */
    public static String oneLine(Throwable e) {
        String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }
}
