"""Records the profile that lies beside this file: a small jitted JAX program on a CPU, three steps.

    pip install jax jaxlib
    python3 - OUT < record.py

The script comes by standard input and the HLO protos are left out, so that no path gets into the recording. The profiler writes the host's
name into OUT/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz; run it where that name says nothing.
"""
import sys

import jax
import jax.numpy as jnp


@jax.jit
def predict(x, weights):
    for w in weights:
        x = jnp.tanh(x @ w)
    return jax.nn.softmax(x)


key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (64, 256))
weights = [jax.random.normal(key, (256, 256)) for _ in range(4)]
predict(x, weights).block_until_ready()

options = jax.profiler.ProfileOptions()
options.enable_hlo_proto = False
jax.profiler.start_trace(sys.argv[1], profiler_options=options)
for step in range(3):
    with jax.profiler.StepTraceAnnotation("step", step_num=step):
        with jax.profiler.TraceAnnotation("predict"):
            predict(x, weights).block_until_ready()
jax.profiler.stop_trace()
