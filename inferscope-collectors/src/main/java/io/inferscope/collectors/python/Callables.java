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
    private static final int DESCRIPTOR_DEFINITION = 40; // PyMethodDescrObject.d_method, Include/cpython/descrobject.h
    private static final int DEFINED_FUNCTION = 8; // PyMethodDef.ml_meth behind ml_name, Include/methodobject.h
    private static final int DEFINITION_BYTES = 16;
    private static final int NAME_BYTES = 24;

    /** What was read of a type or a definition is read again after this time: another one may have come to lie there. */
    private static final long TRUSTED_NS = 1_000_000_000L;

    private static final int MAX_KNOWN = 1 << 14;

    /** The functions of a type. */
    private record Type(
            long type,
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
     * @param function name of a built-in function or method, empty for others
     */
    record Called(@Nullable String file, String function) {
        static final Called UNKNOWN = new Called(null, "");

        /** Returns whether it is known to be C. */
        boolean isC() {
            return file != null || !function.isEmpty();
        }
    }

    private final PythonProcess.Context context;
    private final int pid;
    private final PythonRuntime.Types types;
    private final Map<Long, Type> knownTypes = new HashMap<>();
    private final Map<Long, Definition> definitions = new HashMap<>();
    private long forgetNs;
    private boolean hasRead;

    Callables(PythonProcess.Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.types = runtime.types();
    }

    /** Returns what a call runs, as far as that is known. */
    Called called(InnermostCall call, long nowNs) {
        if (!call.isProven() || !types.areKnown()) {
            return Called.UNKNOWN;
        }
        if (nowNs > forgetNs || knownTypes.size() + definitions.size() > MAX_KNOWN) {
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
            return new Called(file, "");
        }
        if (type.call() == typeCall) {
            return new Called(constructor(type(call.address()), interpreter), "");
        }
        long own = call.word(type.vectorcallOffset());
        String file = module(own != 0 ? own : type.call(), interpreter);
        if (file != null) {
            return new Called(file, "");
        }
        int definition = typeAddress == types.builtin() || typeAddress == types.builtinMethod()
                ? BUILTIN_DEFINITION
                : typeAddress == types.methodDescriptor() ? DESCRIPTOR_DEFINITION : 0;
        if (definition == 0) {
            return Called.UNKNOWN;
        }
        Definition known = definition(call.word(definition));
        return new Called(module(known.function(), interpreter), known.name());
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
