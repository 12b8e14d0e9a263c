package io.inferscope.collectors.run;

/** How observed JVMs are made to record themselves. */
public enum JfrMode {
    /** After a JVM has started, through its attach mechanism, which prints nothing. */
    ATTACH,
    /** From a JVM's start, by JDK_JAVA_OPTIONS. The launcher {@code java} prints the options on standard error. */
    START,
    /** Not at all. */
    OFF
}
