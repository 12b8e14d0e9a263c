"""PyTorch: outermost forward, copies, synchronisation, data loaders, loading.

Copies and synchronisation are recorded only if a device other than the CPU takes part; on a machine without one the
methods are not wrapped (INFERSCOPE_HOOKS=all wraps them anyway). Values: bytes copied, token ids passed to a forward.
Counters: token ids of a forward with an attention mask, and how many of them are padding, of some of them if there are many;
passes that run as in training, in float64 or, on a CPU without it, in float16, and backward passes.
"""

import os
import sys
from _thread import _local
from _weakref import ref
from time import monotonic_ns

from .. import _recorder
from .._hook import Hook
from .._signals import pass_on
from .._same import same_of
from .._spool_format import (
    COPY, DATA_LOADING, LOAD, MODEL, NOT_RECORDED, OK, PREPROCESSING, SPAN_FAILED, SPAN_HEADER, SPAN_VALUE_WORD, SYNC,
)

DEVICE_NODES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/dri", "/dev/accel", "/dev/davinci_manager")


# Modules by type, preprocessing by purpose.
TRANSFORMS = ("torchvision.transforms", "torchaudio.transforms")


class _Forward(_local):
    open = False


on_forward = None  # if set, called before each outermost call
drafts = ()  # references to the modules that propose tokens for another one

_parts = {}  # by id: whether a module is in training mode, its number of modules, of dropouts and of batch norms that act so
_nested_calls = 0


MASKS_AT_ONCE, MASK_EACH_NS, MASK_SHARE = 16, 20_000_000, 500


class _Masks:
    """Attention masks of this process: how many were read, when the next one may be, and the token ids of passes whose mask
    was not read since."""

    read = next_ns = skipped_tokens = 0


def add_draft(module):
    """From now on, passes of this module are named as those of a draft, which often is of its target's class."""
    global drafts
    if all(draft() is not module for draft in drafts):
        drafts = tuple(draft for draft in drafts if draft() is not None) + (ref(module),)


def token_ids(args, kwargs):
    """What a forward may have got as token ids, or None."""
    ids = kwargs.get("input_ids")
    return args[0] if ids is None and args else ids


def tokens_read(ids):
    """The number of token ids passed to a forward, rows x length; 0 for none."""
    shape = getattr(ids, "shape", ())
    if len(shape) not in (1, 2) or ids.is_floating_point():
        return 0
    return int(shape[0]) * int(shape[-1]) if len(shape) == 2 else int(shape[0])


def count_padding(recorder, ids, mask, tokens):
    """Counts the token ids of a pass and what its attention mask leaves out. The first masks are all read; then one in 20 ms at
    most, and reading takes at most a 500th of the time. Those between are counted by their token ids."""
    if _Masks.read >= MASKS_AT_ONCE and monotonic_ns() < _Masks.next_ns:
        if ids.shape == getattr(mask, "shape", None):
            _Masks.skipped_tokens += tokens
        return
    began_ns = monotonic_ns()
    counted = padding(ids, mask)
    if counted:
        recorder.count("model.batch_tokens", tokens)
        recorder.count("model.batch_padding", counted[0])
        recorder.count("model.batch_filled", int(counted[1]))
        if _Masks.skipped_tokens:
            recorder.count("model.batch_skipped", _Masks.skipped_tokens)
        _Masks.read, _Masks.skipped_tokens = _Masks.read + 1, 0
        _Masks.next_ns = began_ns + max(MASK_EACH_NS, MASK_SHARE * (monotonic_ns() - began_ns))


def padding(ids, mask):
    """(how many of the token ids passed to a forward its attention mask leaves out, whether some text has its first and its last
    column: then none is longer); None where that is not known.

    Counting takes some 10 us for a batch of 64 x 512, several times that with cold caches, and calls no operator of PyTorch. A
    mask on a device is not read: that would wait for the device.
    """
    numpy, torch = sys.modules.get("numpy"), sys.modules["torch"]
    if numpy is None or type(mask) is not torch.Tensor or not mask.is_cpu or len(mask.shape) != 2:
        return None
    if ids.shape != mask.shape or mask.requires_grad:
        return None
    # Inside torch.func.vmap and the like a tensor has no memory of its own, and NumPy does not have every type.
    wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
    if mask.layout is not torch.strided or mask.dtype is torch.bfloat16 or wrapped is None or wrapped(mask):
        return None
    read = mask.numpy()
    hidden = read.size - int(numpy.count_nonzero(read))
    return hidden, read.size > 0 and (not hidden or bool(read[:, 0].any() and read[:, -1].any()))


_first_floating = {}


def slow_type(module, tokens, args):
    """The counter for a forward pass of a module whose weights have a type in which computing it is slow: float64, or
    float16 on a CPU without instructions for it; "" for others. The first floating-point parameter tells. Its place is
    looked up once, its type each time. ``tokens``: of the pass, 0 if its input is no token ids."""
    try:
        known = _first_floating.get(id(module))
        if known is None or known[0]() is not module:
            known = _find_floating(module)
        if known[1] is None:
            return ""
        parameter = _parameter(known)
        if parameter is None:  # The module has other layers by now.
            parameter = _parameter(_find_floating(module))
        torch = sys.modules["torch"]
        if parameter is None:
            return ""
        if parameter.dtype is torch.float64:
            return "model.double_passes"
        half = parameter.dtype is torch.float16 and parameter.is_cpu and converts_half(torch)
        return "model.half_passes" if half and (tokens or _rows(args)) > FAST_HALF_ROWS else ""
    except Exception as error:
        pass_on(error)
        return ""


# Products with so few rows wait for memory, which float16 halves.
FAST_HALF_ROWS = 4
_converts_half = []


def _rows(args):
    """The number of rows of the first input, in all dimensions but its last; many if it has no shape."""
    shape = getattr(args[0], "shape", None) if args else None
    rows = FAST_HALF_ROWS + 1 if shape is None else 1
    for length in shape[:-1] if shape else ():
        rows *= length
    return rows


def converts_half(torch):
    """Whether PyTorch has no float16 kernels for this CPU: x86 without AVX512-FP16 or AMX-FP16. It then converts to
    float32 number by number. Other CPUs are not known to be slow."""
    if not _converts_half:
        supported = getattr(torch.ops.mkldnn, "_is_mkldnn_fp16_supported", None)
        _converts_half.append(os.uname().machine == "x86_64" and supported is not None and not supported())
    return _converts_half[0]


def _parameter(known):
    owner = known[1] and known[1]()
    if owner is None:
        return None
    parameters = owner._parameters  # A dict or, of TorchScript, what has some of its methods.
    return parameters[known[2]] if known[2] in parameters else None


def _find_floating(module):
    """(module, owner of its first floating-point parameter or None, the parameter's name), the first two as weak
    references."""
    known = none = (ref(module), None, "")
    if len(_first_floating) < 10000:
        _first_floating[id(module)] = none
    for owner in module.modules():
        for name, parameter in owner._parameters.items():
            if known is none and parameter is not None and parameter.is_floating_point():
                known = (none[0], ref(owner), name)
        if known is not none:
            break
    if id(module) in _first_floating:
        _first_floating[id(module)] = known
    return known


def _only_chooses(call):
    """Whether all it does is to choose between two methods, like PyTorch's own Module.__call__ since 2.1."""
    return getattr(getattr(call, "__code__", None), "co_names", ()) == ("_compiled_call_impl", "_call_impl")


def wrap_forward(original, hook, state):
    """A wrapper of Module.__call__. A nested call costs one thread-local read and, where the original only chooses, no frame."""
    forward, chooses = _Forward(), _only_chooses(original)

    def begin(module, args, kwargs, frame):
        if on_forward is not None:
            on_forward()
        recorder, kind = _recorder.current, type(module)
        transforms = kind.__module__.startswith(TRANSFORMS)
        name = ("preprocess " if transforms else "forward ") + kind.__name__
        if drafts and any(draft() is module for draft in drafts):
            name += " (draft)"
        word = recorder.begin(name, PREPROCESSING if transforms else MODEL, frame)
        if word and not transforms:
            ids = token_ids(args, kwargs)
            tokens = recorder.words[word + SPAN_VALUE_WORD] = tokens_read(ids)
            if tokens and "attention_mask" in kwargs:
                count_padding(recorder, ids, kwargs["attention_mask"], tokens)
            counter = slow_type(module, tokens, args)
            if counter:
                recorder.count(counter, 1)
        state.recorded += 1
        return recorder, word

    def end(token, end_ns, failed, module, result):
        recorder, word = token
        if word:
            recorder.end(word, end_ns)
            if failed:
                recorder.words[word] = SPAN_HEADER | SPAN_FAILED
        count_training(module, result)

    def __call__(self, *args, **kwargs):
        if forward.open or state.off or _recorder.current is None:
            if chooses and self._compiled_call_impl is None:
                return self._call_impl(*args, **kwargs)
            return original(self, *args, **kwargs)
        token = None
        try:
            token = begin(self, args, kwargs, sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        if token is None:
            return original(self, *args, **kwargs)
        forward.open = failed = True
        result = None
        try:
            result = original(self, *args, **kwargs)
            failed = False
            return result
        finally:
            forward.open = False
            try:
                end(token, monotonic_ns(), failed, self, result)
            except Exception as error:
                state.failed(error)

    return __call__


def parts(module):
    """Whether a module is in training mode, how many modules it has, and how many dropout layers and batch norms among them
    act as in training."""
    key = id(module)
    known = _parts.get(key)
    if known is None or known[0] is not module.training:
        modules = list(module.modules()) if len(_parts) < 10000 else []
        kinds = sys.modules["torch"].nn.modules
        dropouts = sum(isinstance(part, kinds.dropout._DropoutNd) and part.training and part.p > 0 for part in modules)
        norms = sum(isinstance(part, kinds.batchnorm._BatchNorm) and part.training for part in modules)
        known = _parts[key] = module.training, len(modules), dropouts, norms
    return known


def has_graph(result):
    """Whether the first tensor of a pass's result has a graph for gradients. Calls no code of the program."""
    for _ in range(4):
        if isinstance(result, dict):
            result = next(iter(dict.values(result)), None)
        elif isinstance(result, (tuple, list)):
            result = next(iter(result), None)
        else:
            break
    return type(result) is sys.modules["torch"].Tensor and result.requires_grad and not result.is_leaf


def count_training(module, result):
    """Counts what only training needs of a pass that ended: a graph, dropout, statistics of batches."""
    global _nested_calls
    try:
        _, modules, dropouts, norms = parts(module)
        _nested_calls += modules
        graph = has_graph(result)
        if graph or dropouts or norms:
            for name, value in (("graph", graph), ("dropout", dropouts), ("batch_norm", norms)):
                if value:
                    _recorder.current.count("model.%s_passes" % name, value)
    except Exception as error:  # A module or result may refuse; the pass itself is recorded.
        pass_on(error)


def wrap_backward(original, hook, state):
    """A wrapper of a function that computes gradients."""

    def backward(*args, **kwargs):
        try:
            if _recorder.current is not None:
                _recorder.current.count("model.backward_passes", 1)
                state.recorded += 1
        except Exception as error:
            state.failed(error)
        return original(*args, **kwargs)

    return backward


def nested_call_ns(repeats=1000):
    """Estimated time that the forward hook added to nested modules, assuming one call of each per forward."""
    if not _nested_calls:
        return 0

    class Quiet:
        off, _compiled_call_impl, _call_impl = True, None, lambda self: None

    original = getattr(sys.modules["torch"].nn.Module.__call__, "__wrapped__", None)
    original, quiet, costs_ns = original if _only_chooses(original) else Quiet._call_impl, Quiet(), []
    for call in (original, wrap_forward(original, None, quiet)):
        start_ns = monotonic_ns()
        for _ in range(repeats):
            call(quiet)
        costs_ns.append(monotonic_ns() - start_ns)
    return max(0, costs_ns[1] - costs_ns[0]) * _nested_calls // repeats


def no_accelerator():
    """Why copies need no hook on this machine, or "". Does not call a driver, which could initialise it in the observed
    program."""
    if os.environ.get("INFERSCOPE_HOOKS") == "all" or any(os.path.exists(node) for node in DEVICE_NODES):
        return ""
    return "no accelerator on this machine"


def _is_cpu_target(target):
    """Whether an argument of ``to`` names a device, and then whether it is the CPU: True, False, or None for
    neither."""
    if isinstance(target, str):
        return target.startswith("cpu")
    if isinstance(target, int) and not isinstance(target, bool):
        return False
    device = getattr(target, "device", target)
    kind = getattr(device, "type", None)
    return kind == "cpu" if isinstance(kind, str) else None


def _is_real(tensor):
    """False for the stand-ins that tracing uses instead of tensors."""
    return type(tensor).__name__ not in ("FakeTensor", "FunctionalTensor")


def _direction(from_cpu, to_cpu):
    return "%s2%s" % ("H" if from_cpu else "D", "H" if to_cpu else "D")


def to_direction(args, kwargs):
    """``H2D``, ``D2H`` or ``D2D`` when a call of ``to`` concerns another device than the CPU, else ""."""
    tensor = args[0]
    named = [_is_cpu_target(target) for target in args[1:2] + (kwargs.get("device"), kwargs.get("other"))]
    to_cpu = next((is_cpu for is_cpu in named if is_cpu is not None), tensor.is_cpu)
    return "" if tensor.is_cpu and to_cpu or not _is_real(tensor) else _direction(tensor.is_cpu, to_cpu)


def to_host(args, kwargs):
    return "" if args[0].is_cpu or not _is_real(args[0]) else "D2H"


def to_device(args, kwargs):
    return _direction(args[0].is_cpu, False) if _is_real(args[0]) else ""


def module_direction(args, kwargs):
    first = next(iter(args[0].parameters()), None)
    return "" if first is None else to_direction((first,) + args[1:], kwargs)


def module_to_host(args, kwargs):
    first = next(iter(args[0].parameters()), None)
    return "" if first is None else to_host((first,), kwargs)


def copied_bytes(result, args, kwargs):
    return int(args[0].numel()) * int(args[0].element_size())


def _copy(path, when, activity=COPY):
    return Hook("torch", path, path, activity, "copy", copied_bytes, when, needs=no_accelerator)


def _device(path, activity, group, when=None):
    return Hook("torch", path, path, activity, group, when=when, needs=no_accelerator)


HOOKS = (
    Hook("torch", "nn.Module.__call__", "forward", MODEL, "forward", wrap=wrap_forward),
    _copy("Tensor.to", to_direction),
    _copy("Tensor.cpu", to_host),
    _copy("Tensor.cuda", to_device),
    _copy("Tensor.numpy", to_host),
    _copy("Tensor.tolist", to_host, SYNC),
    _copy("Tensor.item", to_host, SYNC),
    _device("nn.Module.to", COPY, "copy", module_direction),
    _device("nn.Module.cuda", COPY, "copy"),
    _device("nn.Module.cpu", COPY, "copy", module_to_host),
    _device("cuda.synchronize", SYNC, "synchronize"),
    _device("cuda.Stream.synchronize", SYNC, "synchronize"),
    _device("cuda.Event.synchronize", SYNC, "synchronize"),
    Hook("torch", "autograd.backward", wrap=wrap_backward, purpose="backward"),
    Hook("torch", "autograd.grad", wrap=wrap_backward, purpose="backward"),
    Hook("torch", "nn.Module.load_state_dict", "load_state_dict", LOAD, "load"),
    Hook("torch", "load", "torch.load", LOAD, "load", when=same_of(0, "f")),
    Hook("torch", "jit.load", "torch.jit.load", LOAD, "load", when=same_of(0, "f")),
    Hook("torch.utils.data.dataloader", "_BaseDataLoaderIter.__next__", "DataLoader next", DATA_LOADING, "data"),
    Hook("torch.utils.data._utils.fetch", "_MapDatasetFetcher.fetch", "DataLoader fetch", PREPROCESSING, "fetch"),
    Hook("torch.utils.data._utils.fetch", "_IterableDatasetFetcher.fetch", "DataLoader fetch", PREPROCESSING, "fetch"),
    Hook("torch.utils.data._utils.pin_memory", "pin_memory", "DataLoader pin memory", COPY, "pin", optional=True),
)


def target(torch):
    """What an imported torch was built for."""
    platform = getattr(torch, "version", None)
    for name, label in (("cuda", "CUDA"), ("hip", "HIP"), ("xpu", "XPU")):
        number = getattr(platform, name, None)
        if number:
            return "%s %s" % (label, number)
    return "CPU"


def after_import(torch):
    """Notes the build. Makes torch.compile run the recorder's own frames without compiling or breaking on them; functions that
    they call are compiled as usual."""
    try:
        _recorder.current.note("torch.build", str(torch.__version__))
        _recorder.current.note("torch.target", target(torch))
        skip_own_frames(frame_skipper(torch._C._dynamo.eval_frame))
        _recorder.current.coverage("hook:torch.compile", OK)
    except AttributeError as error:
        _recorder.current.coverage("hook:torch.compile", NOT_RECORDED, "cannot be kept out: %s" % error)


def skip_own_frames(skip_code):
    pending = []
    for name, module in list(sys.modules.items()):
        if name.startswith("inferscope."):
            owners = [module] + [value for value in vars(module).values() if isinstance(value, type)]
            found = [getattr(value, "__code__", None) for owner in owners for value in vars(owner).values()]
            pending += [code for code in found if type(code) is _Code]  # The type of functions has such an attribute, too.
    seen = set()
    while pending:
        code = pending.pop()
        if id(code) not in seen:
            seen.add(id(code))
            skip_code(code)
            pending += [constant for constant in code.co_consts if type(constant) is _Code]


_Code = type(skip_own_frames.__code__)


def frame_skipper(eval_frame):
    """The function that marks a code object for torch.compile, which differs between versions."""
    if hasattr(eval_frame, "skip_code"):
        return eval_frame.skip_code
    actions = eval_frame._FrameAction
    strategy = eval_frame._FrameExecStrategy(actions.SKIP, actions.DEFAULT)
    return lambda code: eval_frame.set_code_exec_strategy(code, strategy)
