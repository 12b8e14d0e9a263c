package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the C code that runs when one process calls an object: built-in functions and methods, types, and objects with
 * their own vectorcall; and iterators and operands, by the module of their type. Code of the interpreter itself yields
 * no library, because the code that it calls is unknown. An extension module that was linked into the interpreter is a
 * library of its own.
 */
final class CalledFunctions {
    // Fields of objects, RuntimeLayout.field. PyTypeObject, Include/cpython/object.h: 3.9 to 3.15 agree.
    private static final int TYPE_NAME = 24;
    private static final int RELEASE = 48;
    private static final int VECTORCALL_OFFSET = 56;
    private static final int AS_SEQUENCE = 104;
    private static final int AS_MAPPING = 112;
    private static final int CALL = 128;
    private static final int FLAGS = 168;
    private static final int NEXT = 224;
    private static final int INIT = 296;
    private static final int NEW = 312;
    private static final int VECTORCALL = 400;
    private static final int TYPE_BYTES = 408;
    private static final long HAS_VECTORCALL = 1L << 11;

    private static final int BUILTIN_DEFINITION = 16; // PyCFunctionObject.m_ml, Include/cpython/methodobject.h
    private static final int BUILTIN_SELF = 24; // m_self
    private static final int BUILTIN_MODULE = 32; // m_module: a text of a function of a module, none of a bound method
    private static final int DESCRIPTOR_TYPE = 16; // PyDescrObject.d_type, Include/cpython/descrobject.h
    private static final int DESCRIPTOR_DEFINITION = 40; // PyMethodDescrObject.d_method, Include/cpython/descrobject.h
    private static final int DEFINED_FUNCTION = 8; // PyMethodDef.ml_meth behind ml_name, Include/methodobject.h
    private static final int DEFINITION_BYTES = 16;
    private static final int NAME_BYTES = 32;

    /** A type, a definition or a name is read again after this time, because its memory may have been reused. */
    private static final long TRUSTED_NS = 1_000_000_000L;

    private static final int MAX_KNOWN = 1 << 14;

    /** The types of locks, and the methods seen where one is waited for: Modules/_threadmodule.c, {@link Bytecode}. */
    private static final Set<String> LOCKS = Set.of("_thread.lock", "_thread.RLock");

    private static final Set<String> TAKES_LOCK = Set.of("acquire", "acquire_lock", "__enter__", "__exit__");

    /**
     * The modules that every interpreter contains (CPython's Modules/Setup.bootstrap.in and Modules/config.c.in, 3.9 to
     * 3.15), and the modules that types of theirs claim to be from. Others are extension modules, even where a
     * distribution links them into the interpreter: Debian does so with some, python-build-standalone with all.
     */
    private static final Set<String> CORE = Set.of(
            ("_abc _ast _codecs _collections _contextvars _functools _imp _interpchannels _interpqueues _interpreters _io _locale"
                            + " _operator _peg_parser _signal _sre _stat _string _suggestions _symtable _sysconfig _thread _tokenize"
                            + " _tracemalloc _types _typing _warnings _weakref _winapi atexit builtins errno faulthandler gc itertools"
                            + " marshal posix pwd sys time xxsubtype"
                            + " abc ast codecs collections contextvars functools importlib io operator os re string thread threading"
                            + " tracemalloc types typing warnings weakref")
                    .split(" "));

    /** The functions of a type. */
    private record Type(
            long type,
            long name,
            long call,
            int vectorcallOffset,
            long construct,
            long initialise,
            long vectorcall,
            long release,
            long next,
            boolean isContainer) {
        // A record's own methods are linked at their first call, which takes milliseconds of the start.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Type that
                    && type == that.type
                    && name == that.name
                    && call == that.call
                    && vectorcallOffset == that.vectorcallOffset
                    && construct == that.construct
                    && initialise == that.initialise
                    && vectorcall == that.vectorcall
                    && release == that.release
                    && next == that.next
                    && isContainer == that.isContainer;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(type * 31 + name);
        }
    }

    /** A built-in function or method. */
    private record Definition(long function, String name) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Definition that && function == that.function && name.equals(that.name);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(function) * 31 + name.hashCode();
        }
    }

    /**
     * The C code that a call runs.
     *
     * @param file path of the file with its C code, null if unknown or the interpreter's own
     * @param part the extension module of the interpreter's own file, followed by that file's name, such as {@code
     *     zlib.python3.11}; otherwise empty
     * @param owner the module of a built-in function, such as {@code posix}, or the type of a method, such as {@code
     *     _io.FileIO}; otherwise empty
     * @param function name of a built-in function or method; otherwise empty
     */
    record Called(@Nullable String file, String part, String owner, String function) {
        static final Called UNKNOWN = new Called(null, "", "");

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Called that
                    && Objects.equals(file, that.file)
                    && part.equals(that.part)
                    && owner.equals(that.owner)
                    && function.equals(that.function);
        }

        @Override
        public int hashCode() {
            int hash = file == null ? 0 : file.hashCode();
            return ((hash * 31 + part.hashCode()) * 31 + owner.hashCode()) * 31 + function.hashCode();
        }

        /** A function of a file, or of the interpreter itself. */
        Called(@Nullable String file, String owner, String function) {
            this(file, "", owner, function);
        }

        private static Called in(@Nullable String file, String part) {
            return new Called(file, file == null ? part : "", "", "");
        }

        /** Returns the file, or the part of the interpreter; null if unknown or the interpreter itself. */
        @Nullable
        String library() {
            return file != null ? file : part.isEmpty() ? null : part;
        }

        /**
         * Returns what is known of two calls together: unknown where they differ. A file may be unknown until the
         * process' mappings were read.
         */
        Called and(Called other) {
            boolean sameNames = owner.equals(other.owner) && function.equals(other.function) && !function.isEmpty();
            if (equals(other) || (sameNames && other.file == null)) {
                return this;
            }
            return sameNames && file == null ? other : UNKNOWN;
        }

        /** Returns whether the interpreter takes a lock of module threading. */
        boolean isLock() {
            return library() == null && LOCKS.contains(owner);
        }

        /** Returns the function with its module or type, as far as known, such as {@code zlib.compress}. */
        String name() {
            return owner.isEmpty() || function.isEmpty() ? function : owner + "." + function;
        }

        /** Returns whether the code is known to be C. */
        boolean isC() {
            return library() != null || !function.isEmpty();
        }
    }

    /** A value and the number of the look, from 1, in which it was read. */
    private record Seen<T>(T value, long look) {}

    /** Reads a value at an address. */
    private interface Reading<T> {
        T at(long address) throws UnreadableRuntime;
    }

    /**
     * Cache of values read at addresses. The program runs during reading, so a value is valid only if the call that led
     * to it lasted until it was read, or if another look read the same value.
     */
    private final class Memory<T> {
        private final Map<Long, T> sure = new HashMap<>();
        private final Map<Long, Seen<T>> once = new HashMap<>();
        private final Reading<T> reading;

        Memory(Reading<T> reading) {
            this.reading = reading;
        }

        T get(long address) throws UnreadableRuntime {
            T known = sure.get(address);
            if (known != null) {
                return known;
            }
            Seen<T> now = new Seen<>(reading.at(address), look);
            Seen<T> before = once.put(address, now);
            if (before != null && before.look() != look && before.value().equals(now.value())) {
                sure.put(address, now.value());
            } else {
                isNew = true;
            }
            return now.value();
        }

        /** Marks all values as doubtful, because memory may have been reused: they are read again. */
        void doubt() {
            sure.forEach((address, value) -> once.put(address, new Seen<>(value, 0)));
            sure.clear();
            if (once.size() > MAX_KNOWN) {
                once.clear();
            }
        }
    }

    /**
     * An instruction and an object that it calls. A bound method is created for each call, often at the same address:
     * it is identified by its type and the word after that, which is the definition of a built-in function or method.
     */
    record Site(long instruction, long callable, long type, long behindType) {
        // Those that the compiler generates cost several times as much, and each sample looks one up.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Site site
                    && instruction == site.instruction
                    && callable == site.callable
                    && type == site.type
                    && behindType == site.behindType;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(((instruction * 31 + callable) * 31 + type) * 31 + behindType);
        }
    }

    private final PythonProcess.Context context;
    private final int pid;
    private final PythonRuntime.Types types;
    private final RuntimeLayout layout;
    private final Memory<Type> knownTypes = new Memory<>(this::readType);
    private final Memory<Definition> definitions = new Memory<>(this::readDefinition);
    private final Memory<String> typeNames =
            new Memory<>(type -> name(knownTypes.get(type).name()));
    private final Memory<String> moduleNames = new Memory<>(this::text);
    private long doubtNs;
    private long look;

    /** Whether a value was read that is valid only if the call still runs. */
    private boolean isNew;

    CalledFunctions(PythonProcess.Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.types = runtime.types();
        this.layout = runtime.layout();
    }

    /**
     * Returns the code that a call runs, as far as known. If a short call returned before its object was read, the
     * result is what the same instruction ran when it called the same object before; if nothing of it could be read, or
     * its result is being freed, what the instruction always ran.
     */
    Called called(InnermostCall call, CodeObject code, long nowNs) {
        if (call.address() == 0) {
            Called over = code.calledAt(call.instruction());
            return over.isLock() ? Called.UNKNOWN : over;
        }
        if (!types.areKnown()) {
            return Called.UNKNOWN;
        }
        Called called = call.isProven() ? read(call, nowNs) : null;
        if (call.how() != Bytecode.CALLED) {
            return called == null ? Called.UNKNOWN : called;
        }
        Site site = new Site(
                call.instruction(),
                call.address(),
                call.word(layout.type()),
                call.word(layout.field(BUILTIN_DEFINITION)));
        return called == null ? code.calledBefore(site) : code.calls(site, called);
    }

    /** Returns the code that a proven call runs; null if the call had returned before it was read. */
    private @Nullable Called read(InnermostCall call, long nowNs) {
        if (nowNs > doubtNs) {
            doubt();
            doubtNs = nowNs + TRUSTED_NS;
        }
        isNew = false;
        look++;
        try {
            Called called = find(call);
            return called != null && isNew && !call.isStill(context.reader(), pid) ? null : called;
        } catch (UnreadableRuntime gone) {
            doubt();
            return null;
        }
    }

    private void doubt() {
        knownTypes.doubt();
        definitions.doubt();
        typeNames.doubt();
        moduleNames.doubt();
    }

    private @Nullable Called find(InnermostCall call) throws UnreadableRuntime {
        long typeCall = knownTypes.get(types.type()).call();
        String interpreter = context.natives().file(pid, typeCall);
        long typeAddress = call.word(layout.type());
        Type type = knownTypes.get(typeAddress);
        if (call.how() != Bytecode.CALLED) {
            String file = call.how() == Bytecode.ITERATOR
                    ? module(type.next(), interpreter)
                    : call.how() == Bytecode.OPERAND ? maker(type, interpreter) : operator(type, call, interpreter);
            String name = file == null ? typeNames.get(typeAddress) : "";
            String part = part(name, interpreter);
            return new Called(file, part, call.how() == Bytecode.OPERAND && part.isEmpty() ? name : "", "");
        }
        if (type.call() == typeCall) {
            String file = constructor(knownTypes.get(call.address()), interpreter);
            return Called.in(file, file == null ? part(typeNames.get(call.address()), interpreter) : "");
        }
        long own = type.vectorcallOffset() == 0 ? 0 : call.word(type.vectorcallOffset());
        if (own == 0 && type.call() == 0) {
            return null; // The call is over, and its result lies there: from 3.12 on the collector runs at that
            // instant.
        }
        String file = module(own != 0 ? own : type.call(), interpreter);
        if (file != null) {
            return Called.in(file, "");
        }
        int definition = typeAddress == types.builtin() || typeAddress == types.builtinMethod()
                ? BUILTIN_DEFINITION
                : typeAddress == types.methodDescriptor() ? DESCRIPTOR_DEFINITION : 0;
        if (definition == 0) {
            return Called.in(null, part(typeNames.get(typeAddress), interpreter));
        }
        Definition known = definitions.get(call.word(layout.field(definition)));
        boolean isOfModule = definition == BUILTIN_DEFINITION && call.word(layout.field(BUILTIN_MODULE)) != 0;
        @Nullable
        String owner = definition == DESCRIPTOR_DEFINITION
                ? typeNames.get(call.word(layout.field(DESCRIPTOR_TYPE)))
                : isOfModule ? moduleNames.get(call.word(layout.field(BUILTIN_MODULE))) : typeOfSelf(call, known);
        if (owner == null) {
            return null;
        }
        boolean other = LOCKS.contains(owner) && !TAKES_LOCK.contains(known.name());
        String code = module(known.function(), interpreter);
        boolean linkedIn =
                interpreter != null && interpreter.equals(context.natives().file(pid, known.function()));
        String part = linkedIn ? part(isOfModule ? owner + "." : owner, interpreter) : "";
        return new Called(code, part, other ? "" : owner, known.name());
    }

    /**
     * Returns the part of the interpreter to which a function or a type belongs: see {@link Called}.
     *
     * @param name such as {@code _struct.Struct}; a name without a point is none of an extension module
     */
    private static String part(String name, @Nullable String interpreter) {
        String module = name.substring(0, Math.max(0, name.indexOf('.')));
        return interpreter == null || module.isEmpty() || CORE.contains(module)
                ? ""
                : module + interpreter.substring(interpreter.lastIndexOf('/')).replace('/', '.');
    }

    /**
     * Returns the type of a bound method's object; empty if it does not matter; null if the call has ended, because the
     * object's memory may have been reused.
     */
    private @Nullable String typeOfSelf(InnermostCall call, Definition method) throws UnreadableRuntime {
        long self = call.word(layout.field(BUILTIN_SELF));
        if (self == 0 || !(SystemTimeEstimator.isOfFiles(method.name()) || TAKES_LOCK.contains(method.name()))) {
            return "";
        }
        long type = context.reader().getLong(pid, self + layout.type());
        return call.isStill(context.reader(), pid) ? typeNames.get(type) : null;
    }

    private String text(long object) {
        try {
            return context.reader().text(pid, layout, object);
        } catch (UnreadableRuntime noText) {
            return ""; // __module__ may be set to anything.
        }
    }

    /** The left operand's type comes first; the interpreter's own numbers leave the work to the right operand. */
    private @Nullable String operator(Type left, InnermostCall call, @Nullable String interpreter)
            throws UnreadableRuntime {
        String file = maker(left, interpreter);
        if (call.otherType() == 0 || (file == null && left.isContainer())) {
            return file;
        }
        String other = maker(knownTypes.get(call.otherType()), interpreter);
        return file == null ? other : other == null || other.equals(file) ? file : null;
    }

    /**
     * Returns the file of the module that implements a type: the file of its deallocator or, as for PyTorch's tensors,
     * of the function that creates the type. A class written in Python has the interpreter's deallocator. If it is
     * derived from a C type, it may have operators in Python, so the code is unknown.
     */
    private @Nullable String maker(Type type, @Nullable String interpreter) throws UnreadableRuntime {
        String file = module(type.release(), interpreter);
        boolean plain = file != null || type.type() == types.type() || type.type() == 0;
        return plain ? file : module(knownTypes.get(type.type()).initialise(), interpreter);
    }

    /** Returns the file of a C type's constructor: its vectorcall, otherwise its new and init functions. */
    private @Nullable String constructor(Type made, @Nullable String interpreter) throws UnreadableRuntime {
        if (maker(made, interpreter) == null) {
            return null;
        }
        if (made.vectorcall() != 0) {
            return module(made.vectorcall(), interpreter);
        }
        String file = module(made.construct(), interpreter);
        String other = module(made.initialise(), interpreter);
        return file == null ? other : other == null || other.equals(file) ? file : null;
    }

    private @Nullable String module(long code, @Nullable String interpreter) {
        String file =
                code == 0 || interpreter == null ? null : context.natives().file(pid, code);
        return file == null || !file.startsWith("/") || file.equals(interpreter) ? null : file;
    }

    private Type readType(long address) throws UnreadableRuntime {
        MemoryBatch batch = context.reader().read(pid, address, layout.field(TYPE_BYTES));
        boolean hasVectorcall = (batch.getLong(layout.field(FLAGS)) & HAS_VECTORCALL) != 0;
        return new Type(
                batch.getLong(layout.type()),
                batch.getLong(layout.field(TYPE_NAME)),
                batch.getLong(layout.field(CALL)),
                hasVectorcall ? (int) batch.getLong(layout.field(VECTORCALL_OFFSET)) : 0,
                batch.getLong(layout.field(NEW)),
                batch.getLong(layout.field(INIT)),
                batch.getLong(layout.field(VECTORCALL)),
                batch.getLong(layout.field(RELEASE)),
                batch.getLong(layout.field(NEXT)),
                (batch.getLong(layout.field(AS_SEQUENCE)) | batch.getLong(layout.field(AS_MAPPING))) != 0);
    }

    private Definition readDefinition(long address) throws UnreadableRuntime {
        MemoryBatch batch = context.reader().read(pid, address, DEFINITION_BYTES);
        long name = batch.getLong(0);
        long function = batch.getLong(DEFINED_FUNCTION);
        return new Definition(function, name(name));
    }

    private String name(long address) {
        try {
            byte[] letters = context.reader().memory(pid, address, NAME_BYTES);
            int end = 0;
            while (end < letters.length && letters[end] != 0) {
                end++;
            }
            return new String(letters, 0, end, StandardCharsets.ISO_8859_1);
        } catch (UnreadableRuntime lastPage) {
            return "";
        }
    }
}
