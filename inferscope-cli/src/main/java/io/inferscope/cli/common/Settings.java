package io.inferscope.cli.common;

import io.inferscope.analyzer.config.ConfigFile;
import io.inferscope.analyzer.config.RuleSections;
import io.inferscope.analyzer.rules.RuleSettings;
import io.inferscope.analyzer.trust.TrustGate;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings outside the command line: from the environment, otherwise {@code .inferscope.yaml} of the working folder,
 * otherwise the default. An invalid value is skipped with a warning. Sources are read when first needed. Not
 * thread-safe.
 */
public final class Settings {
    /** The file, in the working folder. */
    static final String FILE = ".inferscope.yaml";

    private static final String DEFAULT = "default";

    private final Map<String, String> environment;
    private final Path folder;
    private final Map<Setting, Value> values = new EnumMap<>(Setting.class);
    private final List<String> warnings = new ArrayList<>();
    private @Nullable ConfigFile file;
    private @Nullable RuleSettings rules;
    private int told;

    /**
     * A value in force.
     *
     * @param text the value
     * @param origin its source: {@code default}, a variable, or file and line
     */
    public record Value(String text, String origin) {}

    /** Prepares to read the settings of an environment and a folder. */
    public Settings(Map<String, String> environment, Path folder) {
        this.environment = environment;
        this.folder = folder;
    }

    /** Returns the value of a setting, and where it is set. */
    public Value value(Setting setting) {
        if (values.isEmpty()) {
            load();
        }
        return values.getOrDefault(setting, new Value(setting.fallback(), DEFAULT));
    }

    public String get(Setting setting) {
        return value(setting).text();
    }

    /** Returns the report's file if the command line names none. */
    public Optional<Path> reportPath() {
        return Optional.of(get(Setting.REPORT_PATH))
                .filter(text -> !text.isEmpty())
                .map(Path::of);
    }

    private void load() {
        for (Setting setting : Setting.values()) {
            values.put(setting, new Value(setting.fallback(), DEFAULT));
        }
        if (Files.isRegularFile(folder.resolve(FILE))) {
            file = read();
        }
        for (Setting setting : Setting.values()) {
            String text = environment.get(setting.variable());
            if (text != null && !text.isBlank()) {
                set(setting, text.strip(), setting.variable(), setting.variable());
            }
        }
    }

    private @Nullable ConfigFile read() {
        ConfigFile config;
        try {
            config = ConfigFile.read(FILE, folder.resolve(FILE));
        } catch (IOException e) {
            warnings.add(FILE + ": cannot be read: " + e.getMessage());
            return null;
        }
        List<String> keys = new ArrayList<>(RuleSections.KEYS);
        for (Setting setting : Setting.values()) {
            keys.add(setting.key());
            config.root()
                    .get(setting.key())
                    .ifPresent(value -> config.text(value, setting.key()).ifPresent(text -> {
                        String place = config.place(value.line());
                        if (setting.isPath() && !isInside(text)) {
                            warnings.add(place + ": " + setting.key() + " must be a file in this folder, not '" + text
                                    + "'; " + setting.variable() + " may name any file");
                        } else {
                            set(setting, text, place, place + ": " + setting.key());
                        }
                    }));
        }
        config.refuseOthers(keys);
        return config;
    }

    /**
     * Whether a path is inside the folder. A project's file may be from someone else, so it may only name files in its
     * own folder.
     */
    private boolean isInside(String text) {
        try {
            Path path = folder.resolve(text).normalize();
            while (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                    && !path.equals(folder.normalize())
                    && path.getParent() != null) {
                path = path.getParent();
            }
            return !Path.of(text).isAbsolute() && path.toRealPath().startsWith(folder.toRealPath());
        } catch (IOException | InvalidPathException unusable) {
            return false;
        }
    }

    private void set(Setting setting, String text, String origin, String name) {
        if (setting.accepts(text)) {
            values.put(setting, new Value(text, origin));
        } else {
            String kept = get(setting).isEmpty() ? "unset" : get(setting);
            warnings.add(name + " must be " + setting.expected() + ", not '" + text + "'; it stays " + kept);
        }
    }

    /** Returns the file's settings of rules, including the margin of clocks. */
    public RuleSettings rules() {
        if (rules == null) {
            Value margin = value(Setting.SYNC_ERROR_MARGIN_US);
            RuleSettings below = margin.origin().equals(DEFAULT)
                    ? RuleSettings.DEFAULT
                    : RuleSettings.DEFAULT.with(Map.of(TrustGate.CLOCK_ERROR, Long.parseLong(margin.text()) * 1e3));
            rules = file == null ? below : RuleSections.of(file, below);
            if (file != null) {
                file.problems().forEach(problem -> warnings.add(problem.toString()));
            }
        }
        return rules;
    }

    /** Prints each warning once. */
    public void warn(PrintWriter err) {
        for (; told < warnings.size(); told++) {
            Log.tell(err, "warning: " + warnings.get(told));
        }
        err.flush();
    }

    /** Adds a warning about an invalid setting. */
    void warning(String text) {
        warnings.add(text);
    }
}
