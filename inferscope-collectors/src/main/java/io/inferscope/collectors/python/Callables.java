package io.inferscope.collectors.python;

import io.inferscope.collectors.os.MemoryBatch;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which file the C code is in that runs when one process calls an object: built-in functions and methods, types, and objects that say
 * themselves what a call of them runs. Code of the interpreter itself names no file: what it does on, nobody knows.
 */
final class Callables {
    // PyTypeObject, Include/cpython/object.h: 3.9 to 3.14 agree.
    private static final int VECTORCALL_OFFSET = 56;
    private static final int CALL = 128;
    private static final int FLAGS = 168;
    private static final int INIT = 296;
    private static final int NEW = 312;
    private static final int VECTORCALL = 400;
    private static final int TYPE_BYTES = 408;
    private static final long HAS_VECTORCALL = 1L << 11;

    private static final int BUILTIN_DEFINITION = 16; // PyCFunctionObject.m_ml, Include/cpython/methodobject.h
    private static final int DESCRIPTOR_DEFINITION = 40; // PyMethodDescrObject.d_method, Include/cpython/descrobject.h
    private static final int DEFINED_FUNCTION = 8; // PyMethodDef.ml_meth, Include/methodobject.h

    /** What was read of a type or a definition is read again after this time: another one may have come to lie there. */
    private static final long TRUSTED_NS = 1_000_000_000L;

    private static final int MAX_KNOWN = 1 << 14;

    /** The functions of a type. */
    private record Type(long call, int vectorcallOffset, long construct, long initialise, long vectorcall) {}

    private final PythonProcess.Context context;
    private final int pid;
    private final PythonRuntime.Types types;
    private final Map<Long, Type> knownTypes = new HashMap<>();
    private final Map<Long, Long> definitions = new HashMap<>();
    private long forgetNs;
    private boolean hasRead;

    Callables(PythonProcess.Context context, int pid, PythonRuntime runtime) {
        this.context = context;
        this.pid = pid;
        this.types = runtime.types();
    }

    /** Returns the path of the file whose code a call runs, null where that is not known or the interpreter's own. */
    @Nullable
    String file(InnermostCall call, long nowNs) {
        if (!call.isProven() || !types.areKnown()) {
            return null;
        }
        if (nowNs > forgetNs || knownTypes.size() + definitions.size() > MAX_KNOWN) {
            forget();
            forgetNs = nowNs + TRUSTED_NS;
        }
        hasRead = false;
        try {
            String file = find(call);
            if (hasRead && !call.isStill(context.reader(), pid)) {
                forget();
                return null;
            }
            return file;
        } catch (UnreadableRuntime gone) {
            forget();
            return null;
        }
    }

    private void forget() {
        knownTypes.clear();
        definitions.clear();
    }

    private @Nullable String find(InnermostCall call) throws UnreadableRuntime {
        long typeCall = type(types.type()).call();
        String interpreter = context.natives().file(pid, typeCall);
        if (interpreter == null) {
            return null;
        }
        long typeAddress = call.word(RemoteReader.TYPE);
        Type type = type(typeAddress);
        if (type.call() == typeCall) {
            return constructor(type(call.address()), interpreter);
        }
        long own = call.word(type.vectorcallOffset());
        String file = module(own != 0 ? own : type.call(), interpreter);
        if (file != null) {
            return file;
        }
        if (typeAddress == types.builtin() || typeAddress == types.builtinMethod()) {
            return module(function(call.word(BUILTIN_DEFINITION)), interpreter);
        }
        return typeAddress == types.methodDescriptor()
                ? module(function(call.word(DESCRIPTOR_DEFINITION)), interpreter)
                : null;
    }

    /** A type is called to make an object: by its vectorcall, else by what it makes one with, and what fills that. */
    private @Nullable String constructor(Type made, String interpreter) {
        if (made.vectorcall() != 0) {
            return module(made.vectorcall(), interpreter);
        }
        String file = module(made.construct(), interpreter);
        String other = module(made.initialise(), interpreter);
        return file == null ? other : other == null || other.equals(file) ? file : null;
    }

    private @Nullable String module(long code, String interpreter) {
        String file = code == 0 ? null : context.natives().file(pid, code);
        return file == null || !file.startsWith("/") || file.equals(interpreter) ? null : file;
    }

    private Type type(long address) throws UnreadableRuntime {
        Type known = knownTypes.get(address);
        if (known == null) {
            MemoryBatch batch = context.reader().read(pid, address, TYPE_BYTES);
            boolean hasVectorcall = (batch.getLong(FLAGS) & HAS_VECTORCALL) != 0;
            known = new Type(
                    batch.getLong(CALL),
                    hasVectorcall ? (int) batch.getLong(VECTORCALL_OFFSET) : 0,
                    batch.getLong(NEW),
                    batch.getLong(INIT),
                    batch.getLong(VECTORCALL));
            knownTypes.put(address, known);
            hasRead = true;
        }
        return known;
    }

    private long function(long definition) throws UnreadableRuntime {
        Long known = definitions.get(definition);
        if (known == null) {
            known = context.reader().getLong(pid, definition + DEFINED_FUNCTION);
            definitions.put(definition, known);
            hasRead = true;
        }
        return known;
    }
}
