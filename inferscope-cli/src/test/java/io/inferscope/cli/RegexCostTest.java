package io.inferscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No expression of the product takes more than linear time on a text that somebody made for it. The work is counted in characters that the
 * matcher looks at, not in time: it is the same on every machine.
 *
 * <p>For each expression a matching text is derived, and each of its characters, and pieces of it, repeated many times.
 */
@Tag("slow")
class RegexCostTest {
    private static final int REPEATS = 200;

    /** The stack of a thread has room for some 5,000 repetitions of a group. */
    private static final int DEEP = 20_000;

    private static final int MOST_ALTERNATIVES = 40;
    private static final Pattern REPEATED_GROUP = Pattern.compile("\\)(?:[*+]|\\{\\d+,})");

    /** Twice the text, twice the work; quadratic work would be four times. */
    private static final double MOST_GROWTH = 3;

    @Test
    void everyExpressionTakesLinearTime() throws Exception {
        Map<Pattern, Boolean> patterns = patterns();
        assertThat(patterns).hasSizeGreaterThan(100);
        Set<String> slow = new TreeSet<>();
        patterns.forEach((pattern, searched) -> {
            String attack = attack(pattern, searched);
            if (!attack.isEmpty()) {
                slow.add(attack);
            }
        });
        assertThat(slow).isEmpty();
    }

    @Test
    void quadraticExpressionsAreFound() {
        assertThat(attack(Pattern.compile("execute_(\\d+)\\((\\d+)[^)]*\\)x"), false))
                .isNotEmpty();
        assertThat(attack(Pattern.compile("\\s+$"), true)).isNotEmpty();
        assertThat(attack(Pattern.compile("(a+)+b"), false)).isNotEmpty();
        assertThat(attack(Pattern.compile("execute_(\\d++)\\((\\d++)[^)]*+\\)x"), false))
                .isEmpty();
    }

    /**
     * Returns what makes the pattern slow, empty when nothing was found.
     *
     * @param searched whether it is searched for at every place of a text, or has to match from the start
     */
    private static String attack(Pattern pattern, boolean searched) {
        Set<String> samples = new LinkedHashSet<>();
        for (int choice = 0; choice < MOST_ALTERNATIVES; choice++) {
            samples.add(new Sample(pattern.pattern(), choice).text());
        }
        boolean repeatsGroups = REPEATED_GROUP.matcher(pattern.pattern()).find();
        boolean first = true;
        for (String sample : samples) {
            for (String pump : pumps(sample, first)) {
                if (repeatsGroups && overflows(pattern, searched, sample + pump.repeat(DEEP))) {
                    return pattern + "   on   " + sample + "(" + pump + ")*: StackOverflowError";
                }
                for (int place = 0; place <= Math.min(sample.length(), first ? 40 : 0); place++) {
                    String before = sample.substring(0, place);
                    double once = work(pattern, searched, before + pump.repeat(REPEATS) + "\u0001");
                    double twice = work(pattern, searched, before + pump.repeat(2 * REPEATS) + "\u0001");
                    if (twice > 20.0 * REPEATS * pump.length() && twice > MOST_GROWTH * once) {
                        return pattern + "   on   " + before + "(" + pump + ")*: " + (long) once + " -> "
                                + (long) twice;
                    }
                }
            }
            first = false;
        }
        return "";
    }

    /** Returns what is repeated: single characters and pieces of the text that matches, and the whole of it. */
    private static Set<String> pumps(String sample, boolean all) {
        Set<String> pumps = new LinkedHashSet<>();
        if (!sample.isEmpty()) {
            pumps.addAll(List.of(sample, sample + " ", sample + "-", "." + sample));
        }
        if (all) {
            pumps.addAll(List.of("a", "0", " ", "/a", "a/", "a.", ".", "_", "A", "(", "\"", "\\", ":", "-", "aA0"));
            for (int i = 0; i < Math.min(sample.length(), 60); i++) {
                pumps.add(sample.substring(i, i + 1));
                pumps.add(sample.substring(i, Math.min(sample.length(), i + 2)));
            }
        }
        return pumps;
    }

    /** A group that is repeated without a limit calls itself once for each repetition. */
    private static boolean overflows(Pattern pattern, boolean searched, String text) {
        try {
            work(pattern, searched, text);
            return false;
        } catch (StackOverflowError tooDeep) {
            return true;
        }
    }

    /** Returns how many characters are looked at. */
    private static double work(Pattern pattern, boolean searched, String text) {
        Counting counting = new Counting(text);
        Matcher matcher = pattern.matcher(counting);
        try {
            matcher.matches();
            matcher.reset().lookingAt();
            matcher.reset();
            while (searched && matcher.find()) {
                // All of them.
            }
        } catch (TooMuch tooMuch) {
            return Counting.MOST * 10.0;
        }
        return counting.looked;
    }

    private static final class TooMuch extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class Counting implements CharSequence {
        private static final int MOST = 1_000_000;
        private final String text;
        private int looked;

        Counting(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            if (++looked > MOST) {
                throw new TooMuch();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    // ------------------------------------------------------------------------------------------ what there is

    /** Returns the expressions that static fields hold, and whether each is searched for. */
    private static Map<Pattern, Boolean> patterns() throws Exception {
        Map<Pattern, Boolean> patterns = new LinkedHashMap<>();
        for (String name : classNames()) {
            Class<?> type = Class.forName(name, false, RegexCostTest.class.getClassLoader());
            for (Field field : fields(type)) {
                if (Modifier.isStatic(field.getModifiers()) && mayHold(field.getType())) {
                    field.setAccessible(true);
                    Map<String, Pattern> found = new TreeMap<>();
                    collect(field.get(null), new IdentityHashMap<>(), found, 0);
                    boolean searched = !found.isEmpty() && isSearched(type, field);
                    found.values().forEach(pattern -> patterns.merge(pattern, searched, Boolean::logicalOr));
                }
            }
        }
        inline().forEach((pattern, searched) -> patterns.merge(pattern, searched, Boolean::logicalOr));
        return patterns;
    }

    /** Returns the expressions that stand in the source as the text of a call, such as {@code replaceAll("\\s+$", "")}. */
    private static Map<Pattern, Boolean> inline() throws IOException {
        Pattern call = Pattern.compile(
                "\\.(matches|replaceAll|replaceFirst|split)\\(\\s*\"((?:[^\"\\\\]|\\\\.){0,300})\"\\s*[,)]");
        Map<Pattern, Boolean> patterns = new LinkedHashMap<>();
        for (Path file : sources()) {
            Matcher calls = call.matcher(Files.readString(file));
            while (calls.find()) {
                // What Java reads as a character before anything else, an expression reads as one, too.
                String text = calls.group(2).replaceAll("(?<!\\\\)\\\\(?=u\\p{XDigit})", "\\\\\\\\");
                Pattern pattern = Pattern.compile(text.translateEscapes());
                patterns.merge(pattern, !calls.group(1).equals("matches"), Boolean::logicalOr);
            }
        }
        assertThat(patterns).hasSizeGreaterThan(50);
        return patterns;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    /** Reads in the source whether what the field holds is searched for; where that cannot be told, it is. */
    private static boolean isSearched(Class<?> type, Field field) throws IOException {
        String file = type.getName().replace('.', '/').replaceFirst("\\$.*", "") + ".java";
        String source = "";
        for (Path path : sources()) {
            source = path.toString().endsWith(file) ? Files.readString(path) : source;
        }
        String searching = "\\.(find|results|replaceAll|replaceFirst|split|asPredicate)\\(";
        if (!source.isEmpty() && !Pattern.compile(searching).matcher(source).find()) {
            return false;
        }
        Matcher uses = Pattern.compile("(?:(\\w+) =\\s+)?\\b" + field.getName() + "\\s*\\.matcher\\(")
                .matcher(source);
        boolean searched = !uses.find();
        uses.reset();
        while (uses.find()) {
            String rest = source.substring(uses.end(), source.indexOf(';', uses.end()));
            boolean matched = uses.group(1) == null
                    ? rest.matches("(?s).*\\)\\s*\\.(matches|lookingAt)\\(.*")
                    : Pattern.compile("\\b" + uses.group(1) + "\\.(matches|lookingAt)\\(")
                            .matcher(source)
                            .find();
            searched |= !matched;
        }
        return searched;
    }

    private static Field[] fields(Class<?> type) {
        try {
            return type.getDeclaredFields();
        } catch (LinkageError absent) {
            return new Field[0];
        }
    }

    private static boolean mayHold(Class<?> type) {
        return type == Pattern.class
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type)
                || (type.isArray() && !type.getComponentType().isPrimitive())
                || type.getName().startsWith("io.inferscope");
    }

    private static void collect(Object value, Map<Object, Boolean> seen, Map<String, Pattern> found, int depth)
            throws IllegalAccessException {
        if (value == null || depth > 4 || seen.put(value, true) != null) {
            return;
        }
        if (value instanceof Pattern pattern) {
            found.put(pattern.pattern() + pattern.flags(), pattern);
        } else if (value instanceof Collection<?> collection) {
            for (Object element : collection) {
                collect(element, seen, found, depth + 1);
            }
        } else if (value instanceof Map<?, ?> map) {
            collect(map.keySet(), seen, found, depth + 1);
            collect(map.values(), seen, found, depth + 1);
        } else if (value instanceof Object[] array) {
            collect(Arrays.asList(array), seen, found, depth + 1);
        } else if (value.getClass().getName().startsWith("io.inferscope")) {
            for (Field field : fields(value.getClass())) {
                if (!Modifier.isStatic(field.getModifiers()) && mayHold(field.getType())) {
                    field.setAccessible(true);
                    collect(field.get(value), seen, found, depth + 1);
                }
            }
        }
    }

    private static List<String> classNames() throws IOException {
        List<String> names = new ArrayList<>();
        for (URL url : Collections.list(RegexCostTest.class.getClassLoader().getResources("io/inferscope"))) {
            if (url.getProtocol().equals("jar")) {
                String jar = url.toString().substring(0, url.toString().indexOf('!'));
                try (FileSystem files = FileSystems.newFileSystem(URI.create(jar), Map.of())) {
                    addClasses(files.getPath("/"), names);
                }
            } else if (!url.toString().contains("test-classes")) {
                addClasses(Path.of(URI.create(url.toString())).getParent().getParent(), names);
            }
        }
        return names;
    }

    private static void addClasses(Path root, List<String> names) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            files.map(file -> root.relativize(file).toString().replace('/', '.'))
                    .filter(name -> name.startsWith("io.inferscope.") && name.endsWith(".class"))
                    .filter(name -> !name.matches(".*(Test|package-info).*"))
                    .filter(name -> !name.startsWith("io.inferscope.scope.")) // Loading its classes starts a recording.
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .forEach(names::add);
        }
    }

    // ------------------------------------------------------------------------------------------ a text that matches

    /** Derives a text that an expression matches, near enough: one of the alternatives, each repeated piece once. */
    private static final class Sample {
        private final String pattern;
        private final int choice;
        private int at;

        /** Takes the alternative of a number, counted from 0, in every group that has so many, else the last. */
        Sample(String pattern, int choice) {
            this.pattern = pattern;
            this.choice = choice;
        }

        String text() {
            return alternatives();
        }

        private String alternatives() {
            List<String> before = new ArrayList<>();
            StringBuilder current = new StringBuilder();
            while (at < pattern.length() && pattern.charAt(at) != ')') {
                if (pattern.charAt(at) == '|') {
                    before.add(current.toString());
                    current.setLength(0);
                    at++;
                } else {
                    current.append(atom());
                    quantifier();
                }
            }
            before.add(current.toString());
            return before.get(Math.min(choice, before.size() - 1));
        }

        private String atom() {
            char c = pattern.charAt(at++);
            return switch (c) {
                case '(' -> group();
                case '[' -> set();
                case '\\' -> escape();
                case '.' -> "x";
                case '^', '$' -> "";
                default -> String.valueOf(c);
            };
        }

        private String group() {
            boolean looks =
                    pattern.startsWith("?=", at) || pattern.startsWith("?!", at) || pattern.startsWith("?<", at);
            if (pattern.startsWith("?", at)) {
                while (at < pattern.length() && ":=!>)".indexOf(pattern.charAt(at)) < 0) {
                    at++;
                }
                if (pattern.charAt(at) == ')') {
                    at++;
                    return "";
                }
                at++;
            }
            String inside = alternatives();
            at++;
            return looks ? "" : inside;
        }

        private String set() {
            boolean not = pattern.charAt(at) == '^';
            int start = not ? ++at : at;
            String first = "";
            while (at < pattern.length() && (pattern.charAt(at) != ']' || at == start)) {
                if (pattern.charAt(at) == '[') {
                    at++;
                    set();
                    continue;
                }
                String one = pattern.charAt(at) == '\\' ? escapeInSet() : String.valueOf(pattern.charAt(at++));
                first = first.isEmpty() ? one : first;
            }
            at++;
            return not ? "~" : first;
        }

        private String escapeInSet() {
            at++;
            return escape();
        }

        private String escape() {
            char c = pattern.charAt(at++);
            return switch (c) {
                case 'd' -> "7";
                case 'w' -> "a";
                case 's' -> " ";
                case 'S', 'D', 'W' -> "~";
                case 'b', 'B', 'A', 'z', 'Z' -> "";
                case 'R', 'n' -> "\n";
                case 't' -> "\t";
                case 'Q' -> quoted();
                case 'p', 'P' -> skipped(pattern.indexOf('}', at) + 1 - at, "a");
                case 'x' -> skipped(2, "\u001b");
                case 'u' -> skipped(4, "\u001b");
                default -> String.valueOf(c);
            };
        }

        private String skipped(int characters, String instead) {
            at += characters;
            return instead;
        }

        private String quoted() {
            int end = pattern.indexOf("\\E", at);
            String quoted = pattern.substring(at, end < 0 ? pattern.length() : end);
            at = end < 0 ? pattern.length() : end + 2;
            return quoted;
        }

        private void quantifier() {
            if (at < pattern.length() && pattern.charAt(at) == '{') {
                at = pattern.indexOf('}', at) + 1;
            }
            while (at < pattern.length() && "*+?".indexOf(pattern.charAt(at)) >= 0) {
                at++;
            }
        }
    }
}
