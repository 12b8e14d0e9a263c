package io.inferscope.collectors.python;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which a program was working when it was first read: the program's own files below it are named from
 * there, as the Python probe names them. Libraries keep their whole path, by which they are told from the program's own
 * code.
 *
 * @param prefix the folder with a slash at its end, empty where it is not known or the root
 */
record SourceFolder(String prefix) {
    private static final Pattern LIBRARY = Pattern.compile("/(site|dist)-packages/|/lib(64)?/python\\d");

    /** Returns the folder that a process's {@code cwd} names, null where that cannot be read. */
    static SourceFolder of(@Nullable String cwd) {
        return new SourceFolder(cwd == null || cwd.equals("/") ? "" : cwd + "/");
    }

    /** Returns how a file is called in a report. */
    String shorten(String file) {
        boolean own = !prefix.isEmpty()
                && file.startsWith(prefix)
                && !LIBRARY.matcher(file).find();
        return own ? file.substring(prefix.length()) : file;
    }
}
