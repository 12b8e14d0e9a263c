package io.inferscope.collectors.symbols;

import io.inferscope.timeline.fixture.FuzzFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Reads bytes as a library that a process has mapped, and as the name of a function in it. Jazzer calls it: {@code lab/fuzz}. */
public final class SymbolTarget {
    private static final Path FILE = FuzzFile.make();
    private static final byte[] MAGIC = {0x7f, 'E', 'L', 'F'};
    private static final Set<String> NAMES = Set.of("_PyRuntime", "Py_Version");
    private static final int SOME_BYTES = 1024;

    private SymbolTarget() {}

    /** Throws where such a file does anything but tell addresses and names, or is refused by the declared exception. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String symbol = new String(input, StandardCharsets.ISO_8859_1);
        String name = Demangler.name(symbol);
        if (name.length() > symbol.length() + "std::".length() * symbol.length()) {
            throw new AssertionError("'" + name + "' is more than the symbol tells");
        }
        if (input.length < MAGIC.length || input[0] != MAGIC[0] || input[1] != MAGIC[1]) {
            return;
        }
        Files.write(FILE, input);
        try {
            ElfFile elf = ElfFile.read(FILE, NAMES, ".PyRuntime");
            elf.bias(elf.symbol("_PyRuntime"), elf.section());
        } catch (IOException refused) {
            // As declared.
        }
        try {
            SymbolTable functions = ElfFile.functions(FILE);
            for (long address = 0; address < SOME_BYTES; address += Long.BYTES) {
                int at = functions.find(functions.linkedAt(address, 0, 0));
                if (at >= 0) {
                    named(functions, at);
                }
            }
        } catch (IOException refused) {
            // As declared.
        }
    }

    private static void named(SymbolTable functions, int at) throws IOException {
        try {
            functions.name(FILE, at);
        } catch (IllegalArgumentException beforeTheFile) {
            // Taken for unreadable by those who ask.
        }
    }
}
