"""Decoding and transforming images, sound and video: PIL, OpenCV, torchvision, torchaudio, soundfile, librosa.

Only the outermost of nested calls is recorded. Values: bytes decoded, if the call got them in memory.
"""

from .._hook import Hook
from .._spool_format import PREPROCESSING, SERIALIZATION

GROUP = "preprocess"


def encoded_bytes(result, args, kwargs):
    first = args[0] if args else next(iter(kwargs.values()), None)
    size = getattr(first, "nbytes", None)
    if size is None and callable(getattr(first, "numel", None)):
        size = first.numel() * first.element_size()
    return int(size) if size is not None else len(first) if isinstance(first, (bytes, bytearray)) else 0


def is_undecoded(args, kwargs):
    """Whether an image still has to be decoded. A lazily opened image is decoded once; later calls of load, one per
    pixel access, do nothing."""
    return bool(getattr(args[0], "tile", None))


def _rows(module, names, prefix="", value=None, activity=PREPROCESSING, optional=True):
    return [Hook(module, prefix + name, "%s.%s" % (module.partition(".")[0], name), activity, GROUP, value, optional=optional)
            for name in names.split()]


HOOKS = tuple(
    _rows("PIL.Image", "open", optional=False)
    + [Hook("PIL.ImageFile", "ImageFile.load", "PIL.decode", PREPROCESSING, GROUP, when=is_undecoded)]
    + _rows("PIL.Image", "resize convert crop rotate transform thumbnail transpose filter reduce quantize", "Image.")
    + _rows("PIL.Image", "save", "Image.", activity=SERIALIZATION)
    + _rows("PIL.ImageOps", "fit pad contain scale expand equalize autocontrast")
    + _rows("cv2", "imdecode", value=encoded_bytes)
    + _rows("cv2", "imread resize cvtColor warpAffine warpPerspective GaussianBlur copyMakeBorder remap normalize")
    + _rows("cv2.dnn", "blobFromImage blobFromImages")
    + _rows("cv2", "imwrite imencode", activity=SERIALIZATION)
    + _rows("torchvision.io.image", "decode_image decode_jpeg decode_png decode_webp decode_gif", value=encoded_bytes)
    + _rows("torchvision.io.image", "read_image read_file")
    + _rows("torchvision.io.image", "write_jpeg write_png encode_jpeg encode_png", activity=SERIALIZATION)
    + _rows("torchvision.io.video", "read_video")
    + _rows("torchvision.transforms.transforms", "Compose.__call__")
    + _rows("torchaudio", "load info")
    + _rows("torchaudio.functional", "resample")
    + _rows("torchaudio.compliance.kaldi", "fbank mfcc")
    + _rows("soundfile", "read")
    + _rows("soundfile", "read", "SoundFile.")
    # Where they are defined: the package imports them, and compiles, when the program first asks for them.
    + _rows("librosa.core.audio", "load resample")
    + _rows("librosa.feature.spectral", "melspectrogram mfcc")
    + _rows("decord", "get_batch", "VideoReader.")
)
