package io.inferscope.timeline.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Descriptions of problems with files, for users. */
public final class FileProblem {
    private FileProblem() {}

    /** Returns one line with the file and the reason, if possible without the name of a Java class. */
    public static String describe(IOException e) {
        return e instanceof FileSystemException problem ? problem.getFile() + ": " + reason(e) : reason(e);
    }

    /** Returns the reason in one line, for messages that already name the file. */
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

    /** Returns the message without line ends; the exception's name if it has no message. */
    public static String oneLine(Throwable e) {
        String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return text.replaceAll("(?<!\\s)\\s*[\\r\\n]\\s*", " ");
    }
}
