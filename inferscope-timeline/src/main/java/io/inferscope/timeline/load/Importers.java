package io.inferscope.timeline.load;

import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.TimelineBuilder;
import io.inferscope.timeline.TimelineInfo;
import io.inferscope.timeline.importer.ImportException;
import io.inferscope.timeline.importer.Importer;
import io.inferscope.timeline.importer.KnownNonTraces;
import io.inferscope.timeline.importer.RefusedInputException;
import io.inferscope.timeline.importer.TraceHead;
import io.inferscope.timeline.importer.TraceSource;
import io.inferscope.timeline.merge.Captures;
import io.inferscope.timeline.merge.LatestRun;
import io.inferscope.timeline.merge.Recording;
import io.inferscope.timeline.merge.TimelineMerge;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the importer for an input, the first one that recognises it, and runs it. */
public record Importers(List<Importer> known) {
    /** Text that only Chrome's format contains. */
    private static final Pattern DAMAGED_JSON = Pattern.compile("\"traceEvents\"\\s*:|\"ph\"\\s*:\\s*\"[A-Za-z]\"");

    public Importers {
        known = List.copyOf(known);
    }

    /**
     * Reads a file or directory of any known format.
     *
     * @throws ImportException when the input is missing, unreadable, empty, of no known format, or holds nothing usable
     */
    public Timeline load(Path file) throws ImportException {
        return load(file, bytes -> {});
    }

    private Timeline load(Path file, LongConsumer progress) throws ImportException {
        TraceSource source = new TraceSource(file, progress);
        try {
            TraceHead head = TraceHead.of(source);
            for (Importer importer : known) {
                if (importer.recognises(head)) {
                    return read(importer, source);
                }
            }
            throw unknown(file, head);
        } catch (NoSuchFileException e) {
            throw new ImportException(file.toString(), "no such file", "check the path", e);
        } catch (AccessDeniedException e) {
            throw new ImportException(file.toString(), "permission denied", "make the file readable", e);
        } catch (RefusedInputException e) {
            throw new ImportException(file.toString(), String.valueOf(e.getMessage()), e.remedy(), e);
        } catch (IOException e) {
            throw new ImportException(file.toString(), "cannot be read: " + e.getMessage(), "check the file", e);
        }
    }

    /**
     * Returns whether a file or directory looks like a recording of a known format.
     *
     * @throws IOException when it cannot be read
     */
    public boolean recognises(Path file) throws IOException {
        TraceHead head = TraceHead.of(new TraceSource(file));
        for (Importer importer : known) {
            if (importer.recognises(head)) {
                return true;
            }
        }
        return false;
    }

    /**
     * One input of several.
     *
     * @param offsetNs the offset for its stamps, if given by the user; otherwise null
     * @param found whether it was found in a folder or an archive: an unusable one is then skipped
     */
    public record Input(Path file, @Nullable Long offsetNs, boolean found) {
        /** Makes an input that the user named. */
        public Input(Path file, @Nullable Long offsetNs) {
            this(file, offsetNs, false);
        }

        /** Returns the same input, read from another file. */
        public Input at(Path other) {
            return new Input(other, offsetNs, found);
        }

        public Input found(Path inside) {
            return new Input(inside, offsetNs, true);
        }
    }

    /**
     * Reads several files or directories onto one timeline, on the axis of the first.
     *
     * @param progress receives the number of bytes after each read of a file, on any thread
     * @throws ImportException as {@link #load(Path)}, and when the offset between two clocks is not known
     */
    public Timeline load(List<Input> inputs, LongConsumer progress) throws ImportException {
        if (inputs.size() == 1 && inputs.get(0).offsetNs() == null) {
            return load(inputs.get(0).file(), progress);
        }
        List<Recording> recordings = new ArrayList<>();
        List<Recording> found = new ArrayList<>();
        List<String> leftAside = new ArrayList<>();
        ImportException unusable = null;
        Set<String> names = new HashSet<>();
        for (Input input : inputs) {
            String name = new TraceSource(input.file()).name();
            String unique = name;
            for (int i = 2; !names.add(unique); i++) {
                unique = name + " (" + i + ")";
            }
            try {
                Recording recording = new Recording(unique, load(input.file(), progress), input.offsetNs());
                Optional<Recording> same = Stream.concat(recordings.stream(), found.stream())
                        .filter(recording::isSameAs)
                        .findFirst();
                if (same.isPresent()) {
                    leftAside.add(unique + " (the same as " + same.get().name() + ")");
                } else {
                    (input.found() ? found : recordings).add(recording);
                }
            } catch (ImportException e) {
                if (!input.found()) {
                    throw e;
                }
                unusable = e;
                leftAside.add(unique);
            }
        }
        if (unusable != null && recordings.isEmpty() && found.isEmpty()) {
            throw unusable;
        }
        Timeline timeline = merge(recordings, found, leftAside);
        return leftAside.isEmpty() ? timeline : timeline.with(TimelineInfo.LEFT_ASIDE, String.join(", ", leftAside));
    }

    /** Captures whose replay is left aside are recordings as any other. */
    private static Timeline merge(List<Recording> named, List<Recording> found, List<String> leftAside)
            throws ImportException {
        List<Recording> all = new ArrayList<>(named);
        all.addAll(found);
        Captures graphs = Captures.among(all);
        List<Recording> captures = graphs.replayedIn(all);
        while (true) {
            List<String> earlier = new ArrayList<>();
            List<Recording> run = without(captures, named);
            run.addAll(LatestRun.latest(without(captures, found), earlier));
            List<Recording> used = new ArrayList<>(run);
            used.addAll(captures);
            List<Recording> replayed = graphs.replayedIn(used);
            replayed.retainAll(captures);
            if (replayed.size() == captures.size()) {
                List<Recording> aside = graphs.replayedBy(run, without(used, found));
                aside.forEach(capture -> earlier.remove(capture.name()));
                leftAside.addAll(earlier);
                captures.addAll(aside);
                return Captures.addedTo(TimelineMerge.of(run), run, captures);
            }
            captures = replayed;
        }
    }

    private static List<Recording> without(List<Recording> some, List<Recording> all) {
        List<Recording> rest = new ArrayList<>(all);
        rest.removeAll(some);
        return rest;
    }

    private static Timeline read(Importer importer, TraceSource source) throws ImportException, IOException {
        TimelineBuilder builder = new TimelineBuilder();
        builder.stats().source(source.name());
        importer.read(source, builder);
        Timeline timeline = builder.build(importer.format());
        return importer.finish(builder.hasOwnRows() ? timeline : ContradictingRows.removed(timeline));
    }

    private ImportException unknown(Path file, TraceHead head) throws ImportException, IOException {
        if (head.isDirectory()) {
            return new ImportException(
                    file.toString(), "is a directory without a known recording in it", "name a trace file in it");
        }
        if (Files.size(file) == 0) {
            return new ImportException(file.toString(), "is empty", "record the trace again");
        }
        if (DAMAGED_JSON.matcher(head.text()).find()) {
            return new ImportException(
                    file.toString(),
                    "holds trace events, but does not begin as JSON does: its beginning is damaged",
                    "put [ in place of everything before the first whole event, or record the trace again");
        }
        KnownNonTraces.refuse(file, head);
        String formats = known.stream().map(Importer::description).distinct().collect(Collectors.joining(", "));
        return new ImportException(file.toString(), "not a trace of a known format", "known formats: " + formats);
    }
}
