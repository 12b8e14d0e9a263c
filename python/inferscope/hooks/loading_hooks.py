"""What libraries beside torch and transformers load: adapters, estimators, sentence encoders, certificates for TLS; and
files that the program itself reads and parses."""

from .._hook import Hook
from .._same import always, same_in_own_code, same_of
from .._spool_format import LOAD, UNSPECIFIED


def _read(module, path, keyword, position=0, name=None):
    """What a reader does, samples show; that it reads the same again, they do not."""
    return Hook(module, path, name or "%s.%s" % (module, path), UNSPECIFIED, "load", when=same_in_own_code(position, keyword), optional=True)


HOOKS = (
    Hook("peft.peft_model", "PeftModel.load_adapter", "load_adapter", LOAD, "load", when=same_of(1, "model_id")),
    Hook("peft.peft_model", "PeftModel.from_pretrained", "from_pretrained PeftModel", LOAD, "load", when=same_of(2, "model_id")),
    Hook("joblib.numpy_pickle", "load", "joblib.load", LOAD, "load", when=same_of(0, "filename")),
    Hook("sentence_transformers.SentenceTransformer", "SentenceTransformer.__init__", "SentenceTransformer", LOAD, "load",
         when=same_of(1, "model_name_or_path"), optional=True),
    Hook("ssl", "SSLContext.load_verify_locations", "TLS certificates", LOAD, "load", when=same_of(1, "cafile")),
    Hook("ssl", "SSLContext.load_default_certs", "TLS certificates", LOAD, "load", when=always("default certificates")),
    _read("json", "load", "fp"),
    _read("pickle", "load", "file"),
    _read("tomllib", "load", "fp"),
    _read("yaml", "load", "stream"),
    _read("yaml", "safe_load", "stream"),
    _read("pathlib", "Path.read_text", "self", name="read_text"),
    _read("pathlib", "Path.read_bytes", "self", name="read_bytes"),
    _read("numpy", "load", "file"),
    _read("pandas", "read_csv", "filepath_or_buffer"),
    _read("pandas", "read_json", "path_or_buf"),
    _read("pandas", "read_parquet", "path"),
)
