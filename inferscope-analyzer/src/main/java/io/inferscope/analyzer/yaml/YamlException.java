package io.inferscope.analyzer.yaml;

/** Thrown for a file that is not YAML, or uses YAML features that are not supported. */
public final class YamlException extends Exception {
    private static final long serialVersionUID = 1;

    private final int line;
    private final String problem;

    YamlException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
        this.problem = problem;
    }

    /** Returns the line, from 1; 0 where none is known. */
    public int line() {
        return line;
    }

    public String problem() {
        return problem;
    }
}
