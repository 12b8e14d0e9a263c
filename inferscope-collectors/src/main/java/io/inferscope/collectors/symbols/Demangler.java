package io.inferscope.collectors.symbols;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The qualified name in a mangled symbol of C++ or Rust, without arguments: {@code _ZN2at6native4reluERKNS_6TensorE} is
 * {@code at::native::relu}. Itanium C++ ABI, "Mangling"; Rust's legacy scheme, which is the same with escapes, and the
 * identifiers of Rust's scheme v0 (RFC 2603). Other symbols stay unchanged.
 */
final class Demangler {
    private static final Map<String, String> ESCAPES =
            Map.of("LT", "<", "GT", ">", "LP", "(", "RP", ")", "C", ",", "RF", "&", "BP", "*", "SP", "@");

    /** The two hexadecimal digits are those of an ASCII character. */
    private static final Pattern ESCAPE = Pattern.compile("\\$(LT|GT|LP|RP|C|RF|BP|SP|u([2-7][0-9a-f]))\\$");

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
        boolean isPath = isPath(plain);
        if (!plain.startsWith("_Z") && !isPath) {
            return plain;
        }
        Demangler mangled = new Demangler(plain, 2);
        String name = isPath ? mangled.path() : mangled.name();
        return name.isEmpty() ? plain : name;
    }

    /** Returns whether a symbol is one of Rust's scheme v0: a path, which begins with a crate. */
    private static boolean isPath(String symbol) {
        if (!symbol.startsWith("_R") || symbol.length() < 4 || "CINMXY".indexOf(symbol.charAt(2)) < 0) {
            return false;
        }
        for (int crate = symbol.indexOf('C'); crate >= 0; crate = symbol.indexOf('C', crate + 1)) {
            char next = crate + 1 < symbol.length() ? symbol.charAt(crate + 1) : 'E';
            if (next == 's' || (next >= '1' && next <= '9')) {
                return true;
            }
        }
        return false;
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
                append(name, identifier(false));
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

    /** The identifiers of a path of Rust's scheme v0, up to its generic arguments. */
    private String path() {
        StringBuilder name = new StringBuilder();
        while (at < text.length() && peek() != 'E' && (peek() != 'I' || name.length() == 0)) {
            char next = peek();
            if (next == 's') { // A number that distinguishes paths of the same name.
                at = Math.max(at + 1, text.indexOf('_', at) + 1);
            } else if (next >= '1' && next <= '9') {
                append(name, identifier(true));
            } else {
                at++;
            }
        }
        return name.toString();
    }

    /**
     * Returns an identifier of Rust's legacy scheme with its escapes replaced: {@code $LT$}, {@code $u7b$}, {@code ..}.
     */
    private static String unescaped(String part) {
        if (part.indexOf('$') < 0) {
            return part;
        }
        String plain = part.startsWith("_$") ? part.substring(1) : part;
        return ESCAPE.matcher(plain.replace("..", "::")).replaceAll(found -> {
            String character = ESCAPES.get(found.group(1));
            return Matcher.quoteReplacement(
                    character == null ? Character.toString(Integer.parseInt(found.group(2), 16)) : character);
        });
    }

    private static void append(StringBuilder name, String part) {
        boolean hash = part.length() == 17 && part.charAt(0) == 'h'; // Rust's
        if (!hash && !part.isEmpty()) {
            name.append(name.length() == 0 ? "" : "::").append(unescaped(part));
        }
    }

    /** Reads length and characters; in Rust's scheme v0, an underscore may stand between them. */
    private String identifier(boolean isPath) {
        int length = 0;
        while (at < text.length() && Character.isDigit(peek()) && length < text.length()) {
            length = 10 * length + peek() - '0';
            at++;
        }
        at += isPath && peek() == '_' ? 1 : 0;
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
                identifier(false);
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
