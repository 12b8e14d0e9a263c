"""Makes decode.json, the trace of `inferscope demo`: a language model that decodes, as PyTorch's profiler would record it.

Synthetic, and the same bytes each time. After each step the CPU samples the next token in Python while the GPU has nothing to do.

    python3 examples/demo/make_decode.py > examples/demo/decode.json
"""

import json
import sys

PROCESS, THREAD, STREAM, LAYERS, STEPS = 4711, 4711, 7, 6, 24
PREFILL_US, DECODE_US, SAMPLING_US = 900, 55, 1900
KERNELS = [("aten::mm", "ampere_fp16_gemm"), ("aten::scaled_dot_product_attention", "flash_fwd_kernel"), ("aten::add", "elementwise_kernel")]


class Trace:
    def __init__(self):
        self.events, self.now, self.device, self.correlation = [], 1000.0, 0.0, 0

    def add(self, category, name, start, duration, thread=THREAD, process=PROCESS, **args):
        self.events.append(
            {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": round(start, 3), "dur": round(duration, 3), "args": args}
        )

    def launch(self, operator, kernel, duration):
        self.correlation += 1
        self.add("cpu_op", operator, self.now, 14.0, **{"External id": self.correlation})
        self.add("cuda_runtime", "cudaLaunchKernel", self.now + 6, 5.0, correlation=self.correlation, **{"External id": self.correlation})
        start = max(self.device, self.now + 13)
        self.add(
            "kernel", kernel, start, duration, STREAM, 0, device=0, stream=STREAM, correlation=self.correlation, grid=[64, 1, 1], block=[128, 1, 1]
        )
        self.device = start + duration
        self.now += 16

    def fetch(self):
        """Copies the scores to the host, which waits for them."""
        self.correlation += 1
        start = max(self.device, self.now + 8)
        self.add("cpu_op", "aten::item", self.now, start + 12 - self.now, **{"External id": self.correlation})
        self.add("cuda_runtime", "cudaMemcpyAsync", self.now + 2, 5.0, correlation=self.correlation)
        self.add(
            "gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", start, 4.0, STREAM, 0, device=0, stream=STREAM, correlation=self.correlation, bytes=131072
        )
        self.correlation += 1
        self.add("cuda_runtime", "cudaStreamSynchronize", self.now + 7, start + 5 - self.now - 7, correlation=self.correlation)
        self.device = start + 4
        self.now = start + 14

    def step(self, number):
        begin, base = self.now, PREFILL_US if number == 0 else DECODE_US
        for layer in range(LAYERS):
            for operator, kernel in KERNELS:
                self.launch(operator, kernel, base * (1.0 if kernel.endswith("kernel") else 1.6) + layer % 3)
        self.fetch()
        sampling = SAMPLING_US + number * 37 % 200
        self.add("python_function", "sampling.py(41): sample_token", self.now, sampling, **{"Python id": number})
        self.now += sampling + 6
        self.add("user_annotation", "prefill" if number == 0 else "decode", begin, self.now - begin)
        self.now += 4


def main():
    trace = Trace()
    for number in range(STEPS):
        trace.step(number)
    trace.add("user_annotation", "generate", 990, trace.now - 985)
    trace.events.append({"ph": "M", "name": "process_name", "pid": PROCESS, "tid": 0, "args": {"name": "python3 serve.py"}})
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Synthetic GPU"}], "traceEvents": trace.events}
    json.dump(head, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
