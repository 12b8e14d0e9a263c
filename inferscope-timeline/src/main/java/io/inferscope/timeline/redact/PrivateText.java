package io.inferscope.timeline.redact;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds and removes private text: secrets recognised by keys and prefixes, values of environment variables, addresses,
 * and the parts of a path that identify its owner. User names are learned from the home folders in all texts of a
 * timeline, so that they are found elsewhere too.
 */
public final class PrivateText {
    /** Replaces removed text. */
    public static final String REDACTED = "<redacted>";

    private static final int MIN_NAME_CHARS = 3;
    /** Longer than any name of an account: Linux allows 32 characters. */
    private static final int MAX_NAME_CHARS = 64;

    private static final int MAX_LEARNED = 100;
    /** Longer texts are no names. */
    private static final int MAX_CHARS = 1 << 14;

    private static final String SECRET_WORD =
            "api[_-]?key|apikey|token|secret|passw(?:or)?d|passwd|pwd|passphrase|authorization|credentials?"
                    + "|private[_-]?key|access[_-]?key|secret[_-]?key|account[_-]?key|session[_-]?key|cookie|signature|sig";

    /** The start of a word in a key: {@code access_token}, {@code accessToken}. */
    private static final String WORD_START = "(?:(?<![a-z])|(?-i:(?<=[a-z0-9])(?=[A-Z])))";

    private static final Pattern SECRET_KEY =
            Pattern.compile("(?i)" + WORD_START + "(?:" + SECRET_WORD + ")(?:$|[^a-z])");

    private static final Pattern PRIVATE_KEY_BLOCK = Pattern.compile(
            "-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)", Pattern.DOTALL);
    /**
     * Prefixes that issuers give their tokens so that scanners find them: GitHub, GitLab, Hugging Face, OpenAI, AWS,
     * Google, Slack, npm; JSON web tokens.
     */
    private static final Pattern KNOWN_TOKEN = Pattern.compile(
            "\\b(?:gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\\w{16,}|glpat-[\\w-]{16,}"
                    + "|hf_[A-Za-z0-9]{16,}|(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\\w-]{30,}"
                    + "|xox[abeoprs]-[\\w-]{10,}|npm_[A-Za-z0-9]{30,}|wandb_v1_\\w{16,}|(?<![\\w-])eyJ[\\w-]{8,}+\\.[\\w-]{8,}(?:\\.[\\w-]*)?)");

    private static final Pattern BEARER = Pattern.compile("(?i)\\b(bearer|basic) +[A-Za-z0-9._~+/=-]{8,}");
    /** The cookies of a header, separated by semicolons. */
    private static final Pattern COOKIES =
            Pattern.compile("(?i)(?<![a-z])((?:set-)?cookie[\\\\]{0,8}[\"']? *[:=] *)[^\\r\\n]++");
    /**
     * {@code key=value}, {@code "key": "value"}, {@code --key value}, {@code key%3Dvalue}; the value in quotes or up to
     * a blank or separator. Quotes may be escaped, as in JSON inside of JSON.
     */
    private static final Pattern SECRET_VALUE = Pattern.compile("(?i)(" + WORD_START + "(?:" + SECRET_WORD
            + ")[\\w-]{0,20}\\\\{0,8}[\"']?(?: *(?:[:=]|%3[ad]) *| +(?=\\S)(?<=--[\\w-]{2,40} {1,3})))"
            + "(\"[^\"]*\"|'[^']*'|\\\\{1,8}\"[^\"]*\"|[^\\s,;&\"'<>)}\\]]+)");

    private static final Pattern ENVIRONMENT_VALUE =
            Pattern.compile("(?<![\\w-])([A-Z][A-Z0-9_]{2,}=)(\"[^\"]*\"|'[^']*'|[^\\s,;\"'<>)}\\]]+)");
    private static final Pattern SMALL_NUMBER = Pattern.compile("[\"']?-?\\d{1,6}[\"']?");

    private static final Pattern URL_WITH_CREDENTIALS =
            Pattern.compile("\\b([a-z][a-z0-9+.-]{1,20}://)[^\\s/@\"']+@[^\\s\"'<>)]*");
    private static final Pattern E_MAIL =
            Pattern.compile("[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,100}[A-Za-z]{2,24}\\b");
    private static final Pattern USER_AT_HOST =
            Pattern.compile("(?<![\\w@])[a-z][a-z0-9_.-]{1,31}@(?!plt\\b)[a-z][a-z0-9-]{1,62}\\b(?!\\.?[\\w(])");
    private static final Pattern HOST = Pattern.compile(
            "(?<![\\w./-])(?:[A-Za-z0-9-]{1,63}\\.){1,100}(?:com|org|edu|gov)\\b(?!\\.[A-Za-z])(?![\\w(./]*\\()"
                    + "|(?<![\\w./-])(?=[A-Za-z_.]*+[\\d-][\\w-]*+\\.)(?:[A-Za-z0-9-]{1,63}\\.){2,100}(?:net|internal|local|lan|corp|cloud|io|ai|dev)\\b");
    private static final Pattern IP = Pattern.compile(
            "(?<![\\w.])(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?![\\w.])");

    private static final Pattern HOME =
            Pattern.compile("(?:^|[^\\w.])(?:/(?:[\\w.-]+/){0,4})?(?:home|Users)[/\\\\]{1,2}([\\w.-]+)");
    private static final Pattern UNIX_PATH =
            Pattern.compile("(?<![\\w./)\\]>])(?:file://)?/[\\w.@+~%=-][\\w.@+~%=/-]*+");
    private static final Pattern WINDOWS_PATH =
            Pattern.compile("\\b[A-Za-z]:\\\\{1,2}(?:Users\\\\{1,2}[^\\\\/:*?\"<>|]+\\\\{1,2})?[^/:*?\"<>|\\s]*+");
    private static final Pattern RELATIVE_HOME =
            Pattern.compile("(?<![\\w./])(?:home|Users)/[\\w.-]+/([\\w.@+-][\\w.@+/-]*+)");
    private static final Pattern PACKAGES = Pattern.compile(".*/((?:site|dist)-packages/.*)");
    private static final Pattern STANDARD_LIBRARY = Pattern.compile(".*/lib/(python\\d[\\d.]*/.*)");

    /** Names of accounts that do not identify a person. */
    private static final Set<String> COMMON_ACCOUNTS = Set.of(
            "root", "user", "users", "ubuntu", "runner", "jovyan", "work", "data", "shared", "public", "admin",
            "python", "torch");

    private final Pattern learned;

    private PrivateText(Set<String> names) {
        String any = String.join("|", names.stream().map(Pattern::quote).toList());
        this.learned = Pattern.compile(names.isEmpty() ? "(?!)" : "(?i)(?<![A-Za-z0-9])(?:" + any + ")(?![A-Za-z0-9])");
    }

    /** Returns a finder that knows the user names in all home folders of some texts. */
    static PrivateText learning(Collection<String> texts) {
        Set<String> names = new TreeSet<>();
        for (String text : texts) {
            if (!text.contains("home") && !text.contains("Users")) {
                continue; // The pattern needs one of them; looking for it takes long in long texts.
            }
            Matcher home = HOME.matcher(text);
            while (home.find() && names.size() < MAX_LEARNED) {
                String name = home.group(1);
                if (name.length() >= MIN_NAME_CHARS
                        && name.length() <= MAX_NAME_CHARS
                        && !COMMON_ACCOUNTS.contains(name.toLowerCase(Locale.ROOT))) {
                    names.add(name);
                }
            }
        }
        return new PrivateText(names);
    }

    /** Returns whether the value under a key is a secret by the key's name. */
    static boolean isSecretKey(String key) {
        return SECRET_KEY.matcher(key).find();
    }

    /** Returns a text without keys, tokens, cookies and values that names call secret; its paths and hosts stay. */
    public static String withoutSecrets(String text) {
        String result = PRIVATE_KEY_BLOCK.matcher(text).replaceAll(REDACTED);
        result = KNOWN_TOKEN.matcher(result).replaceAll(REDACTED);
        result = BEARER.matcher(result).replaceAll("$1 " + REDACTED);
        result = COOKIES.matcher(result).replaceAll("$1" + REDACTED);
        result = SECRET_VALUE.matcher(result).replaceAll(PrivateText::withoutSecret);
        return URL_WITH_CREDENTIALS.matcher(result).replaceAll("$1" + REDACTED);
    }

    /** Returns a text without its private parts. A text too long to search is removed completely. */
    String redacted(String text) {
        if (text.length() < MIN_NAME_CHARS) {
            return text;
        }
        return text.length() > MAX_CHARS ? REDACTED : searched(text);
    }

    private String searched(String text) {
        String result = ENVIRONMENT_VALUE.matcher(withoutSecrets(text)).replaceAll(PrivateText::withoutValue);
        result = E_MAIL.matcher(result).replaceAll(REDACTED);
        result = USER_AT_HOST.matcher(result).replaceAll(REDACTED);
        result = paths(result);
        result = HOST.matcher(result).replaceAll(REDACTED);
        result = IP.matcher(result).replaceAll(REDACTED);
        return learned.matcher(result).replaceAll(REDACTED);
    }

    private static String withoutSecret(MatchResult found) {
        boolean sure = found.group(1).toLowerCase(Locale.ROOT).matches("(?s).*(pass|pwd|secret).*");
        return !sure && SMALL_NUMBER.matcher(found.group(2)).matches()
                ? Matcher.quoteReplacement(found.group())
                : Matcher.quoteReplacement(found.group(1) + REDACTED);
    }

    private static String withoutValue(MatchResult found) {
        return SMALL_NUMBER.matcher(found.group(2)).matches()
                ? Matcher.quoteReplacement(found.group())
                : Matcher.quoteReplacement(found.group(1) + REDACTED);
    }

    private static String paths(String text) {
        String result = text;
        if (text.indexOf('\\') >= 0) {
            result = WINDOWS_PATH
                    .matcher(result)
                    .replaceAll(m -> Matcher.quoteReplacement(
                            shortened(m.group().substring(2).replaceAll("\\\\+", "/"))));
        }
        if (result.indexOf('/') >= 0) {
            result = UNIX_PATH.matcher(result).replaceAll(m -> Matcher.quoteReplacement(shortened(m.group())));
            result = RELATIVE_HOME
                    .matcher(result)
                    .replaceAll(m -> Matcher.quoteReplacement(shortened('/' + m.group(1))));
        }
        return result;
    }

    /**
     * Returns the part of an absolute path inside a package; otherwise its last two components, without the owner's
     * home folder.
     */
    private static String shortened(String path) {
        Matcher packaged = PACKAGES.matcher(path);
        if (packaged.matches()) {
            return packaged.group(1);
        }
        Matcher standard = STANDARD_LIBRARY.matcher(path);
        if (standard.matches()) {
            return standard.group(1);
        }
        String inside =
                path.replaceFirst("^(?:file://)?/+", "").replaceFirst("^(?:.*/)?(?:home|Users)/[^/]+(?:/|$)", "");
        String[] parts = inside.replaceAll("(?<!/)/+$", "").split("/+", -1);
        if (inside.isEmpty()) {
            return REDACTED;
        }
        int first = Math.max(0, parts.length - 2);
        return String.join("/", java.util.Arrays.asList(parts).subList(first, parts.length));
    }
}
