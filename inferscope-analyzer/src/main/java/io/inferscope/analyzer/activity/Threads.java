package io.inferscope.analyzer.activity;

import io.inferscope.analyzer.knowledge.NameRole;
import io.inferscope.analyzer.model.Report.ThreadFigures;
import io.inferscope.timeline.Attribute;
import io.inferscope.timeline.HandOver;
import io.inferscope.timeline.Intervals;
import io.inferscope.timeline.LinkKind;
import io.inferscope.timeline.Links;
import io.inferscope.timeline.Order;
import io.inferscope.timeline.ProcessFact;
import io.inferscope.timeline.RangeActivity;
import io.inferscope.timeline.RowKind;
import io.inferscope.timeline.Timeline;
import io.inferscope.timeline.Track;
import io.inferscope.timeline.TrackKind;
import io.inferscope.timeline.WaitReason;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The host threads of a timeline and what each was doing, computed when first asked for. */
public final class Threads {
    /** The weight of a main thread's CPU time where the judged thread is chosen. */
    private static final double MAIN_THREAD = 1.25;

    /** A main thread leads its program if it is on a CPU for at least this share of its time, */
    private static final double LEADS_CPU = 0.05;

    /** works in at least so many of {@value #PARTS} parts of it, */
    private static final int LEADS_PARTS = 8;

    private static final int PARTS = 10;

    /** and for at least this share neither sleeps nor waits for anything but other threads. */
    private static final double LEADS_BUSY = 0.5;

    /** A thread that calls the model for this part of another one's time, at most, has loaded or tried it. */
    private static final double HARDLY = 0.05;

    private final Timeline timeline;
    private final ActivityClassifier classifier;
    private final WaitFollower following;

    /** By track. An array, because it is read for each piece of time. */
    private final @Nullable ThreadActivity[] activities;

    private final Lazy<Map<Integer, Integer>> callers = new Lazy<>(this::findCallers);
    private final Map<Integer, int[]> byProcess = new HashMap<>();
    private final Lazy<List<Track>> all = new Lazy<>(this::withHostRows);

    /** The processes with threads that a JVM names. */
    private final Lazy<Set<Integer>> jvms = new Lazy<>(
            () -> all().stream().filter(Threads::isJvms).map(Track::parent).collect(Collectors.toUnmodifiableSet()));

    public Threads(Timeline timeline, ActivityClassifier classifier) {
        this.timeline = timeline;
        this.classifier = classifier;
        this.activities = new ThreadActivity[timeline.tracks().size()];
        this.following = new WaitFollower(timeline, this, classifier);
    }

    /** Returns what a thread was doing. */
    public ThreadActivity activity(int track) {
        ThreadActivity known = activities[track];
        if (known == null) {
            known = new ThreadActivity(timeline, track, classifier);
            activities[track] = known;
        }
        return known;
    }

    /**
     * Splits {@code [fromNs, toNs)} of a thread's time into pieces; waits for other threads are followed ({@link
     * WaitFollower}).
     */
    public void explain(int track, long fromNs, long toNs, ThreadActivity.Sink sink) {
        following.cover(track, fromNs, toNs, sink);
    }

    /** Splits some intervals of a thread's time likewise. */
    public void explain(int track, Intervals times, ThreadActivity.Sink sink) {
        times.forEach((fromNs, toNs) -> explain(track, fromNs, toNs, sink));
    }

    /**
     * Returns from when on a thread's time is its own, in ns: before, {@link #explain} gives what other threads did;
     * {@link Long#MIN_VALUE} if it is always its own.
     */
    public long ownFromNs(int track) {
        return following.ownFromNs(track);
    }

    /** Returns the threads with any host row. */
    public List<Track> all() {
        return all.get();
    }

    /** Returns the threads of a process with any host row, without InferScope's own; the same array each time. */
    int[] of(int process) {
        return byProcess.computeIfAbsent(
                process,
                p -> all().stream()
                        .filter(track -> track.parent() == p && !isRecorders(timeline, track.id()))
                        .mapToInt(Track::id)
                        .toArray());
    }

    /** Returns the main thread of a process, -1 if it is not known. */
    int main(int process) {
        String pid = process < 0 ? "" : timeline.tracks().get(process).key();
        return process < 0 ? -1 : timeline.knownTrack(TrackKind.THREAD, process, pid);
    }

    /** Finds autograd's threads by their hand-overs of gradients, because not every recording has names of threads. */
    private Map<Integer, Integer> findCallers() {
        Map<Integer, Integer> found = new HashMap<>();
        Links links = timeline.links();
        links.of(LinkKind.HAND_OVER)
                .filter(link -> HandOver.What.of(timeline, links.fromRow(link)) == HandOver.What.GRADIENTS)
                .forEach(link ->
                        found.putIfAbsent(timeline.track(links.fromRow(link)), timeline.track(links.toRow(link))));
        return found;
    }

    private List<Track> withHostRows() {
        return timeline.tracks(TrackKind.THREAD)
                .filter(thread -> hasHostRows(thread.id()))
                .toList();
    }

    private boolean hasHostRows(int track) {
        return timeline.rows(track)
                .mapToObj(timeline::kind)
                .anyMatch(
                        kind -> kind.isHostActivity() || kind == RowKind.THREAD_STATE || kind == RowKind.STACK_SAMPLE);
    }

    /** Returns what precedes the name of one of several threads of a kind; nothing before a thread that stands alone. */
    public static String crowd(int threads) {
        return threads == 1 ? "" : threads + " threads such as ";
    }

    /** Returns {@code thread 4711}, with its name if it has one, and a remark if it is InferScope's own. */
    public static String label(Timeline timeline, int track) {
        Track thread = timeline.tracks().get(track);
        String own = thread.name().equals(thread.key()) ? "" : " (" + thread.name() + ")";
        return "thread " + thread.key() + own + (isRecorders(timeline, track) ? ThreadFigures.RECORDERS : "");
    }

    /** Returns whether a thread belongs to a recorder that InferScope runs inside the program. */
    public static boolean isRecorders(Timeline timeline, int track) {
        return NameRole.RECORDER_THREAD.in(timeline.tracks().get(track).name());
    }

    /** Returns whether PyTorch's autograd computes gradients on a thread while another thread waits for them. */
    public boolean isAutograd(int track) {
        return callerOf(track) != track;
    }

    /**
     * Returns the thread that waits for the gradients of an autograd thread; {@code track} itself if it is not
     * autograd's, or the waiting thread is not recorded.
     */
    public int callerOf(int track) {
        return callers.get().getOrDefault(track, track);
    }

    /**
     * Returns the thread and its process, {@code process 4711 (serve.py), thread 4711 (MainThread)}; the thread alone
     * where no process is recorded.
     */
    public static String withProcess(Timeline timeline, int track) {
        boolean known = timeline.tracks()
                .get(timeline.tracks().get(track).parent())
                .key()
                .chars()
                .anyMatch(Character::isDigit);
        return (known ? "process " + process(timeline, track) + ", " : "") + label(timeline, track);
    }

    /** Returns the id of a thread's process, with its name where it has one. */
    public static String process(Timeline timeline, int track) {
        Track process = timeline.tracks().get(timeline.tracks().get(track).parent());
        return process.name().equals(process.key()) ? process.key() : process.key() + " (" + process.name() + ")";
    }

    /** Returns the label, with the process if it differs from the process of {@code beside}. */
    public static String labelInProcess(Timeline timeline, int track, int beside) {
        if (track < 0) {
            return "";
        }
        int process = timeline.tracks().get(track).parent();
        boolean same = beside >= 0 && timeline.tracks().get(beside).parent() == process;
        return same || process < 0
                ? label(timeline, track)
                : timeline.tracks().get(process).name() + ", " + label(timeline, track);
    }

    /**
     * Returns the judged thread of a program without device work, -1 without threads. The first of these that differs
     * between two threads decides:
     *
     * <ol>
     *   <li>A JVM's own threads, and InferScope's, come last.
     *   <li>So do those of a process that only starts and watches the workers of a server ({@link #supervisors}).
     *   <li>The time in outermost scopes: first the user's own, then any.
     *   <li>The time in which, by stack samples, its Python called the model: not a worker that prepares inputs.
     *   <li>The main thread of a native or Java program that leads it ({@link #leads}): not a busy thread in the background.
     *   <li>The CPU time, weighted ({@link #weightedCpuNs}).
     *   <li>The time in which stack samples saw it work, the time with recorded activity, and the earlier start.
     * </ol>
     *
     * <p>Of the workers that one process watches, the thread that answered requests for the longest time is judged. A
     * thread that only accepts connections ({@link #onlyAccepts}) is replaced in the same way by one of its own process.
     * Where nobody asks for anything, a thread that waits for the model of another process is replaced by the one that
     * calls it ({@link #callerElsewhere}), as the thread that launches is judged where there is a device.
     */
    public int subject() {
        Map<Integer, Long> answeredNs = answeredNs();
        Set<Integer> supervisors = supervisors(answeredNs.keySet());
        int found = -1;
        long[] bestScore = new long[10];
        for (Track thread : all()) {
            long[] score = score(thread.id(), supervisors.contains(thread.parent()));
            if (found < 0 || java.util.Arrays.compare(score, bestScore) > 0) {
                found = thread.id();
                bestScore = score;
            }
        }
        int best = found;
        int supervisor = best < 0 ? -1 : outermost(supervisors, process(best));
        if (supervisor >= 0) {
            return longest(answeredNs, track -> outermost(supervisors, process(track)) == supervisor, best);
        }
        int handler = best < 0 ? best : longest(answeredNs, track -> process(track) == process(best), best);
        boolean marked = bestScore[2] > 0;
        if (!marked && answeredNs.isEmpty() && best >= 0) {
            return callerElsewhere(best);
        }
        return !marked && !answeredNs.containsKey(best) && onlyAccepts(best, handler) ? handler : best;
    }

    /** Returns the thread that answered longest of those that meet a condition, {@code otherwise} without one. */
    private static int longest(Map<Integer, Long> answeredNs, IntPredicate isMeant, int otherwise) {
        return List.copyOf(answeredNs.entrySet()).stream() // Not of the map: its stream makes a serializable lambda.
                .filter(answered -> isMeant.test(answered.getKey()))
                .max(Order.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(otherwise);
    }

    /**
     * Returns whether a thread only accepts connections for another one of its process that answers the requests: it
     * uses the CPU less, hardly calls a model, and the other gives nothing back to it, as it would to a client in the same
     * process.
     */
    private boolean onlyAccepts(int track, int handler) {
        if (handler == track || onCpuNs(track) >= onCpuNs(handler) || modelNs(track) > HARDLY * modelNs(handler)) {
            return false;
        }
        Links links = timeline.links();
        long given = links.of(LinkKind.HAND_OVER)
                .filter(link -> timeline.track(links.fromRow(link)) == handler)
                .filter(link -> timeline.track(links.toRow(link)) == track)
                .limit(2)
                .count();
        return given <= 1; // Each thread tells the one that starts it when it runs.
    }

    /**
     * Returns the only thread that calls the model, if it belongs to another process than the given thread and used the
     * CPU for longer: the kernel of a notebook, the worker of a driver. Otherwise the given thread.
     */
    private int callerElsewhere(int track) {
        int[] callers = all().stream()
                .mapToInt(Track::id)
                .filter(thread -> modelNs(thread) > 0)
                .toArray();
        boolean elsewhere =
                callers.length == 1 && process(callers[0]) != process(track) && onCpuNs(callers[0]) > onCpuNs(track);
        return elsewhere ? callers[0] : track;
    }

    /** Returns the outermost of the supervisors that follow each other above a process, -1 for none. */
    private int outermost(Set<Integer> supervisors, int process) {
        return ancestors(process).stream()
                .takeWhile(supervisors::contains)
                .reduce((inner, outer) -> outer)
                .orElse(-1);
    }

    /** Returns the processes above a process, its parent first. */
    private Set<Integer> ancestors(int process) {
        Set<Integer> found = new LinkedHashSet<>();
        int above = process < 0 ? -1 : parent(timeline, process);
        while (above >= 0 && found.add(above)) {
            above = parent(timeline, above);
        }
        return found;
    }

    /** Returns for how long each thread that answered requests did so, by track, in ns. */
    private Map<Integer, Long> answeredNs() {
        Map<Integer, Long> answeredNs = new TreeMap<>();
        timeline.tracks(TrackKind.REQUEST)
                .flatMapToInt(track -> timeline.rows(track.id()))
                .forEach(row -> answeredNs.merge(servedBy(timeline, row), timeline.durationNs(row), Long::sum));
        answeredNs.remove(-1);
        return answeredNs;
    }

    /**
     * Returns the processes that start and watch the workers of a server, such as gunicorn's, and a program that started
     * gunicorn: a process below answered requests, the process itself none, and nothing was handed over from below to it.
     * A client that starts the server which it asks is none: the answers are handed over to it.
     */
    private Set<Integer> supervisors(Set<Integer> answering) {
        Set<Integer> workers = new HashSet<>();
        answering.forEach(track -> workers.add(timeline.tracks().get(track).parent()));
        Set<Integer> found = new HashSet<>();
        workers.forEach(worker -> found.addAll(ancestors(worker)));
        found.removeAll(workers);
        Links links = timeline.links();
        for (int link = 0; link < links.count() && !found.isEmpty(); link++) {
            if (links.kind(link) == LinkKind.HAND_OVER
                    && workers.contains(process(timeline.track(links.fromRow(link))))) {
                int taker = process(timeline.track(links.toRow(link)));
                if (found.remove(taker)) {
                    found.removeAll(ancestors(taker));
                }
            }
        }
        return found;
    }

    int process(int track) {
        return timeline.tracks().get(track).parent();
    }

    /**
     * Returns the track of the thread that served a request: the thread that the recorder names, otherwise the first of
     * the process; -1 if neither is known.
     */
    public static int servedBy(Timeline timeline, int request) {
        int process = timeline.tracks().get(timeline.track(request)).parent();
        if (process < 0) {
            return -1;
        }
        long tid = timeline.attribute(request, Attribute.OTHER_THREAD);
        int named = tid == Attribute.ABSENT ? -1 : timeline.knownTrack(TrackKind.THREAD, process, Long.toString(tid));
        String pid = timeline.tracks().get(process).key();
        return named >= 0 ? named : timeline.knownTrack(TrackKind.THREAD, process, pid);
    }

    private long[] score(int track, boolean supervises) {
        long userScopesNs = 0;
        long scopesNs = 0;
        int first = timeline.firstRow(track);
        BitSet inUserScope = new BitSet();
        for (int row = first; row < timeline.endRow(track); row++) {
            int parent = timeline.parent(row);
            boolean inside = parent >= 0
                    && (inUserScope.get(parent - first) || timeline.attribute(parent, Attribute.USER_SCOPE) == 1);
            inUserScope.set(row - first, inside);
            if (timeline.kind(row) == RowKind.ANNOTATION) {
                boolean user = timeline.attribute(row, Attribute.USER_SCOPE) == 1;
                if (timeline.parent(row) < 0) {
                    scopesNs += timeline.durationNs(row);
                }
                if (user && !inside) {
                    userScopesNs += timeline.durationNs(row);
                }
            }
        }
        return new long[] {
            isProgramsOwn(timeline.tracks().get(track).name()) ? 1 : 0,
            supervises ? 0 : 1,
            userScopesNs,
            scopesNs,
            scopesNs > 0 ? 0 : modelNs(track),
            leads(track) ? 1 : 0,
            weightedCpuNs(track),
            activity(track).workedNs(),
            activity(track).recordedNs(),
            -timeline.startNs(timeline.firstRow(track))
        };
    }

    /**
     * Returns a thread's CPU time in ns. A thread without the program's own code counts half: a library's pool may spin
     * for as long as the thread that it serves works. The program's main thread counts a quarter more: otherwise chance
     * would decide between it and a thread or process that computes as much. -1 for a child that passes.
     */
    private long weightedCpuNs(int track) {
        if (isPassingChild(track)) {
            return -1;
        }
        return Math.round(onCpuNs(track) * (isMain(track) ? MAIN_THREAD : 1) * (runsProgram(track) ? 1 : 0.5));
    }

    /** Returns whether a thread is the main thread of the program, not of a process that it started. */
    private boolean isMain(int track) {
        Track thread = timeline.tracks().get(track);
        return thread.parent() >= 0
                && timeline.tracks().get(thread.parent()).key().equals(thread.key())
                && parent(timeline, thread.parent()) < 0;
    }

    /**
     * Returns whether the main thread of a program without Python works throughout, and mostly waits for no more
     * than a CPU or its other threads. What these do for it shows in its waits; one that works beside it, however busily,
     * is not what the program waits for. A main thread that only starts others, accepts connections or sleeps leads
     * nothing.
     */
    private boolean leads(int track) {
        if (!(isMain(track) || isMainOfJvm(track)) || hasInterpreter(process(track))) {
            return false;
        }
        long fromNs = Long.MAX_VALUE;
        long toNs = Long.MIN_VALUE;
        long busyNs = 0;
        for (int row = timeline.firstRow(track); row < timeline.endRow(track); row++) {
            if (timeline.kind(row) == RowKind.THREAD_STATE) {
                fromNs = Math.min(fromNs, timeline.startNs(row));
                toNs = Math.max(toNs, timeline.endNs(row));
                WaitReason reason = WaitReason.of(timeline, row);
                boolean forThreads = reason == WaitReason.FUTEX || reason == WaitReason.LOCK;
                busyNs += forThreads
                        ? timeline.durationNs(row)
                        : Math.max(0, timeline.attribute(row, Attribute.ON_CPU_NS))
                                + Math.max(0, timeline.attribute(row, Attribute.RUNNABLE_NS));
            }
        }
        double lengthNs = (double) toNs - fromNs;
        if (onCpuNs(track) < LEADS_CPU * lengthNs || busyNs < LEADS_BUSY * lengthNs) {
            return false;
        }
        int parts = 0;
        for (int part = 0; part < PARTS; part++) {
            long startNs = fromNs + Math.round(lengthNs / PARTS * part);
            long endNs = fromNs + Math.round(lengthNs / PARTS * (part + 1));
            parts += onCpuNs(track, startNs, endNs) >= LEADS_CPU / 2 * (endNs - startNs) ? 1 : 0;
        }
        return parts >= LEADS_PARTS;
    }

    /** A JVM runs {@code main} on a thread that it starts. */
    private boolean isMainOfJvm(int track) {
        Track thread = timeline.tracks().get(track);
        return thread.name().equals("main")
                && thread.parent() >= 0
                && jvms.get().contains(thread.parent());
    }

    /** Only recorders of running programs count states; they name the interpreter of each process. */
    private boolean hasInterpreter(int process) {
        String runtime = ProcessFact.RUNTIME.of(timeline, process);
        return !(runtime.isEmpty() || ProcessFact.isJvm(timeline, process)) || classifier.hasPythonFrames();
    }

    /**
     * Returns whether a thread's process ran for less than half of the time in which the process that started it did:
     * the parent starts many such children and waits for them.
     */
    private boolean isPassingChild(int track) {
        int process = timeline.tracks().get(track).parent();
        long ranNs = ranNs(process);
        return ranNs > 0 && ranNs(parent(timeline, process)) > 2 * ranNs;
    }

    /** Returns the track of the recorded process that started another one, -1 for none. */
    public static int parent(Timeline timeline, int process) {
        Track child = timeline.tracks().get(process);
        String pid = ProcessFact.PARENT.of(timeline, process);
        return pid.isEmpty() ? -1 : timeline.knownTrack(TrackKind.PROCESS, child.parent(), pid);
    }

    /** Returns how long a process was seen, 0 if that is not recorded. */
    private long ranNs(int process) {
        int first = process < 0 ? -1 : timeline.firstRow(process);
        return first < 0 || first == timeline.endRow(process) || timeline.kind(first) != RowKind.PROCESS
                ? 0
                : timeline.durationNs(first);
    }

    /** Returns the time in ranges of the model, and in samples in which a thread's Python called it, in ns. */
    private long modelNs(int track) {
        return timeline.sumNs(timeline.rows(track)
                .filter(row -> timeline.kind(row) == RowKind.STACK_SAMPLE
                        ? classifier.isModelFromPython(row)
                        : timeline.kind(row) == RowKind.ANNOTATION
                                && timeline.attribute(row, Attribute.ACTIVITY) == RangeActivity.MODEL.ordinal()));
    }

    /** Returns whether a thread has recorded activity, or samples with code of the program itself. */
    private boolean runsProgram(int track) {
        return timeline.rows(track)
                .anyMatch(row -> timeline.kind(row) == RowKind.STACK_SAMPLE
                        ? classifier.showsOwnCode(row)
                        : timeline.kind(row).isHostActivity());
    }

    /**
     * Returns the threads that may be a team that a thread shares loops with, as those of OpenMP: threads of its process
     * in which no code of the program is seen. Such a team waits on its CPUs for the next loop, so its CPU time is not
     * work. Empty if no sample shows the thread in such a loop.
     */
    public Set<Integer> teamOf(int leader) {
        boolean leads = timeline.rows(leader)
                .anyMatch(row -> timeline.kind(row) == RowKind.STACK_SAMPLE && classifier.joinsTeam(row));
        return !leads
                ? Set.of()
                : all().stream()
                        .filter(thread -> process(thread.id()) == process(leader) && !runsProgram(thread.id()))
                        .map(Track::id)
                        .collect(Collectors.toSet());
    }

    /** Returns whether a thread is one of a JVM that never runs the program's own code. */
    public static boolean isJvms(Track thread) {
        return NameRole.JVM_THREAD.in(thread.name());
    }

    private static boolean isProgramsOwn(String name) {
        return !NameRole.JVM_THREAD.in(name) && !NameRole.RECORDER_THREAD.in(name);
    }

    /** Returns a thread's CPU time in ns, 0 when it was not recorded. */
    public long onCpuNs(int track) {
        return track < 0 ? 0 : Math.max(0, stateTotalNs(track, Attribute.ON_CPU_NS));
    }

    /** Returns how long a thread was on a CPU in {@code [fromNs, toNs)}, as far as it was recorded, in ns. */
    public long onCpuNs(int track, long fromNs, long toNs) {
        return track < 0 ? 0 : activity(track).onCpuNs(fromNs, toNs);
    }

    /** Returns the sum of an attribute over a thread's state rows, in ns; -1 when it was not recorded. */
    public long stateTotalNs(int track, Attribute attribute) {
        return activity(track).stateTotalNs(attribute);
    }
}
