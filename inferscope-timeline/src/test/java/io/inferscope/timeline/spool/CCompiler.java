package io.inferscope.timeline.spool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** The machine's C compiler, for stand-ins of libraries that only a machine with a device has. */
public final class CCompiler {
    private static final List<String> FLAGS = List.of("-std=gnu11", "-O1", "-D_GNU_SOURCE", "-Wall", "-Werror");

    private CCompiler() {}

    /** Skips the test, and says why, where something is lacking; with INFERSCOPE_REQUIRE_GCC=1 that is a failure. */
    public static void need(boolean there, String lacking) {
        if (!there) {
            Assertions.assertFalse("1".equals(System.getenv("INFERSCOPE_REQUIRE_GCC")), lacking);
            System.out.println("skipped: " + lacking);
            Assumptions.assumeTrue(false, lacking);
        }
    }

    /** Returns whether a program can be started. */
    public static boolean has(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException none) {
            return false;
        }
    }

    /** Compiles; the test fails with what gcc says. */
    public static void compile(List<String> arguments) throws IOException, InterruptedException {
        need(has("gcc"), "no gcc on the PATH");
        compile("gcc", arguments);
    }

    /** Compiles with a compiler that is known to be there. */
    public static void compile(String compiler, List<String> arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(compiler));
        words.addAll(FLAGS);
        words.addAll(arguments);
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assertions.assertEquals(0, process.waitFor(), said);
    }

    /** Compiles a shared library, of its file's name for the loader. */
    public static void library(java.nio.file.Path out, String source, List<String> options)
            throws IOException, InterruptedException {
        List<String> words =
                new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname," + out.getFileName(), "-o", out.toString()));
        words.addAll(options);
        words.add(source);
        compile(words);
    }
}
