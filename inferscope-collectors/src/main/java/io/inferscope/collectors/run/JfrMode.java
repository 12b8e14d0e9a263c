package io.inferscope.collectors.run;

/** How JVMs among the observed processes are made to record themselves. */
public enum JfrMode {
    /** When a JVM has started, through its attach mechanism: it says nothing about it. */
    ATTACH,
    /** From a JVM's first moment, by JDK_JAVA_OPTIONS: the launcher {@code java} says so on standard error. */
    START,
    /** Not at all. */
    OFF
}
