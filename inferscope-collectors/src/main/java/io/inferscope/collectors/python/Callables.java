package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which C code runs when one process calls an object: of built-in functions and methods, types, and objects that say themselves what a call of
 * them runs; of iterators, and of operands by the module that their type is from. Code of the interpreter itself names no file: what that calls,
 * nobody knows.
 */
final class Callables {
    // PyTypeObject, Include/cpython/object.h: 3.9 to 3.14 agree.
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

    /** What was read of a type or a definition is read again after this time: another one may have come to lie there. */
    private static final long TRUSTED_NS = 1_000_000_000L;

    private static final int MAX_KNOWN = 1 << 14;

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
            boolean isContainer) {}

    /** A built-in function or method. */
    private record Definition(long function, String name) {}

    /**
     * What a call runs.
     *
     * @param file path of the file with its C code, null where that is not known or the interpreter's own
     * @param owner of a built-in function its module, of a method its type, such as {@code posix} and {@code _io.FileIO}; empty for others
     * @param function name of a built-in function or method, empty for others
     */
    record Called(@Nullable String file, String owner, String function) {
        static final Called UNKNOWN = new Called(null, "", "");

        private static Called in(@Nullable String file) {
            return new Called(file, "", "");
        }

        /** Returns whether it is known to be C. */
        boolean isC() {
            return file != null || !function.isEmpty();
        }
    }

    private final PythonProcess.Context context;
    private final int pid;
    private final PythonRuntime.Types types;
    private final int asciiBytes;
    private final Map<Long, Type> knownTypes = new HashMap<>();
    private final Map<Long, Definition> definitions = new HashMap<>();

    /** By the address of a type or of a module's name. */
    private final Map<Long, String> owners = new HashMap<>();

    private long forgetNs;
    private boolean hasRead;

    Callables(PythonProcess.Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.types = runtime.types();
        this.asciiBytes = runtime.layout().asciiBytes();
    }

    /** Returns what a call runs, as far as that is known. */
    Called called(InnermostCall call, long nowNs) {
        if (!call.isProven() || !types.areKnown()) {
            return Called.UNKNOWN;
        }
        if (nowNs > forgetNs || knownTypes.size() + definitions.size() + owners.size() > MAX_KNOWN) {
            forget();
            forgetNs = nowNs + TRUSTED_NS;
        }
        hasRead = false;
        try {
            Called called = find(call);
            if (hasRead && !call.isStill(context.reader(), pid)) {
                forget();
                return Called.UNKNOWN;
            }
            return called;
        } catch (UnreadableRuntime gone) {
            forget();
            return Called.UNKNOWN;
        }
    }

    private void forget() {
        knownTypes.clear();
        definitions.clear();
        owners.clear();
    }

    private Called find(InnermostCall call) throws UnreadableRuntime {
        long typeCall = type(types.type()).call();
        String interpreter = context.natives().file(pid, typeCall);
        long typeAddress = call.word(RemoteReader.TYPE);
        Type type = type(typeAddress);
        if (call.how() != Bytecode.CALLED) {
            String file = call.how() == Bytecode.ITERATOR
                    ? module(type.next(), interpreter)
                    : call.how() == Bytecode.OPERAND ? maker(type, interpreter) : operator(type, call, interpreter);
            return Called.in(file);
        }
        if (type.call() == typeCall) {
            return Called.in(constructor(type(call.address()), interpreter));
        }
        long own = call.word(type.vectorcallOffset());
        String file = module(own != 0 ? own : type.call(), interpreter);
        if (file != null) {
            return Called.in(file);
        }
        int definition = typeAddress == types.builtin() || typeAddress == types.builtinMethod()
                ? BUILTIN_DEFINITION
                : typeAddress == types.methodDescriptor() ? DESCRIPTOR_DEFINITION : 0;
        if (definition == 0) {
            return Called.UNKNOWN;
        }
        Definition known = definition(call.word(definition));
        String owner = definition == DESCRIPTOR_DEFINITION
                ? typeName(call.word(DESCRIPTOR_TYPE))
                : call.word(BUILTIN_MODULE) != 0 ? moduleName(call.word(BUILTIN_MODULE)) : typeOfSelf(call, known);
        return new Called(module(known.function(), interpreter), owner, known.name());
    }

    /** An object may end at any time, and another one lie there: what was read of it is not kept. */
    private String typeOfSelf(InnermostCall call, Definition method) throws UnreadableRuntime {
        long self = call.word(BUILTIN_SELF);
        if (self == 0 || !KernelTime.isOfFiles(method.name())) {
            return "";
        }
        long type = context.reader().getLong(pid, self + RemoteReader.TYPE);
        return call.isStill(context.reader(), pid) ? typeName(type) : "";
    }

    private String typeName(long type) throws UnreadableRuntime {
        String known = owners.get(type);
        if (known == null) {
            known = name(type(type).name());
            owners.put(type, known);
            hasRead = true;
        }
        return known;
    }

    private String moduleName(long text) throws UnreadableRuntime {
        String known = owners.get(text);
        if (known == null) {
            known = text(text);
            owners.put(text, known);
            hasRead = true;
        }
        return known;
    }

    private String text(long object) {
        try {
            return context.reader().text(pid, object, asciiBytes);
        } catch (UnreadableRuntime noText) {
            return ""; // __module__ may be set to anything.
        }
    }

    /** The left operand is asked first, and a number of the interpreter leaves the work to the right one. */
    private @Nullable String operator(Type left, InnermostCall call, @Nullable String interpreter)
            throws UnreadableRuntime {
        String file = maker(left, interpreter);
        if (call.otherType() == 0 || (file == null && left.isContainer())) {
            return file;
        }
        String other = maker(type(call.otherType()), interpreter);
        return file == null ? other : other == null || other.equals(file) ? file : null;
    }

    /**
     * Returns the file of the module that a type is written in: that of the function which ends its objects, or which makes the type itself, as
     * of PyTorch's tensors. A class written in Python has the interpreter's, and may have operators in Python: nothing is known of those that run
     * when it is derived from one in C.
     */
    private @Nullable String maker(Type type, @Nullable String interpreter) throws UnreadableRuntime {
        String file = module(type.release(), interpreter);
        boolean plain = file != null || type.type() == types.type() || type.type() == 0;
        return plain ? file : module(type(type.type()).initialise(), interpreter);
    }

    /** A type written in C is called to make an object: by its vectorcall, else by what it makes one with, and what fills that. */
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

    private Type type(long address) throws UnreadableRuntime {
        Type known = knownTypes.get(address);
        if (known == null) {
            MemoryBatch batch = context.reader().read(pid, address, TYPE_BYTES);
            boolean hasVectorcall = (batch.getLong(FLAGS) & HAS_VECTORCALL) != 0;
            known = new Type(
                    batch.getLong(RemoteReader.TYPE),
                    batch.getLong(TYPE_NAME),
                    batch.getLong(CALL),
                    hasVectorcall ? (int) batch.getLong(VECTORCALL_OFFSET) : 0,
                    batch.getLong(NEW),
                    batch.getLong(INIT),
                    batch.getLong(VECTORCALL),
                    batch.getLong(RELEASE),
                    batch.getLong(NEXT),
                    (batch.getLong(AS_SEQUENCE) | batch.getLong(AS_MAPPING)) != 0);
            knownTypes.put(address, known);
            hasRead = true;
        }
        return known;
    }

    private Definition definition(long address) throws UnreadableRuntime {
        Definition known = definitions.get(address);
        if (known == null) {
            MemoryBatch batch = context.reader().read(pid, address, DEFINITION_BYTES);
            long name = batch.getLong(0);
            long function = batch.getLong(DEFINED_FUNCTION);
            known = new Definition(function, name(name));
            definitions.put(address, known);
            hasRead = true;
        }
        return known;
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
