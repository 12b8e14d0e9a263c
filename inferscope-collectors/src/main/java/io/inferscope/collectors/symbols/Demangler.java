package io.inferscope.collectors.symbols;

/**
 * The qualified name in a mangled symbol of C++ or Rust, without arguments: {@code _ZN2at6native4reluERKNS_6TensorE} is {@code
 * at::native::relu}. Itanium C++ ABI, "Mangling"; the rest stays unchanged.
 */
final class Demangler {
    private final String text;
    private int at;

    private Demangler(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /** Returns the name for people. */
    static String name(String symbol) {
        int version = symbol.indexOf('@');
        String plain = version > 0 ? symbol.substring(0, version) : symbol;
        if (!plain.startsWith("_Z")) {
            return plain;
        }
        String name = new Demangler(plain, 2).name();
        return name.isEmpty() ? plain : name;
    }

    private String name() {
        StringBuilder name = new StringBuilder();
        boolean nested = peek() == 'N';
        at += nested ? 1 : 0;
        while (nested && "KVrRO".indexOf(peek()) >= 0 && at < text.length()) {
            at++;
        }
        while (at < text.length() && peek() != 'E') {
            char next = peek();
            if (next >= '1' && next <= '9') {
                append(name, identifier());
            } else if (next == 'I' && name.length() > 0) {
                skipArguments();
            } else if (text.startsWith("St", at)) {
                at += 2;
                append(name, "std");
            } else if (next == 'S') {
                at = Math.max(at + 2, text.indexOf('_', at) + 1); // A substitution; the name was already written.
            } else if (next == 'L') {
                at++; // A file-local name.
            } else {
                break; // Constructors, operators, lambdas: the class is enough.
            }
            if (!nested
                    && name.length() > 0
                    && peek() != 'I'
                    && !name.toString().equals("std")) {
                break;
            }
        }
        return name.toString();
    }

    private static void append(StringBuilder name, String part) {
        boolean hash = part.length() == 17 && part.charAt(0) == 'h'; // Rust's
        if (!hash && !part.isEmpty()) {
            name.append(name.length() == 0 ? "" : "::").append(part);
        }
    }

    private String identifier() {
        int length = 0;
        while (at < text.length() && Character.isDigit(peek()) && length < text.length()) {
            length = 10 * length + peek() - '0';
            at++;
        }
        int end = Math.min(text.length(), at + length);
        String part = text.substring(at, end);
        at = end;
        return part.startsWith("_GLOBAL__N") ? "" : part;
    }

    /** Arguments of a template: up to the E that closes them. */
    private void skipArguments() {
        int open = 0;
        do {
            char next = peek();
            if (next >= '1' && next <= '9') {
                identifier();
                continue;
            }
            open += "INXLJF".indexOf(next) >= 0 ? 1 : next == 'E' ? -1 : 0;
            boolean literal = next == 'L';
            at++;
            while (literal && at < text.length() && peek() != 'E' && peek() != '_') {
                at++; // A literal's value has digits of its own.
            }
        } while (open > 0 && at < text.length());
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 'E';
    }
}
