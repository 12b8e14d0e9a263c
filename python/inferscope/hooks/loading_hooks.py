"""What libraries beside torch and transformers load: adapters, estimators, sentence encoders, certificates for TLS."""

from .._hook import Hook
from .._same import always, same_of
from .._spool_format import LOAD

HOOKS = (
    Hook("peft.peft_model", "PeftModel.load_adapter", "load_adapter", LOAD, "load", when=same_of(1, "model_id")),
    Hook("peft.peft_model", "PeftModel.from_pretrained", "from_pretrained PeftModel", LOAD, "load", when=same_of(2, "model_id")),
    Hook("joblib.numpy_pickle", "load", "joblib.load", LOAD, "load", when=same_of(0, "filename")),
    Hook("sentence_transformers.SentenceTransformer", "SentenceTransformer.__init__", "SentenceTransformer", LOAD, "load",
         when=same_of(1, "model_name_or_path"), optional=True),
    Hook("ssl", "SSLContext.load_verify_locations", "TLS certificates", LOAD, "load", when=same_of(1, "cafile")),
    Hook("ssl", "SSLContext.load_default_certs", "TLS certificates", LOAD, "load", when=always("default certificates")),
)
