"""Transcribes sound with faster-whisper and a small Whisper (see models.py): python whisper_service.py MODEL

    python whisper_service.py MODEL --fault reload         each recording opens the model
    python whisper_service.py MODEL --fault samples        sound is read number by number, in Python
"""

import argparse
import array
import time

import numpy
from faster_whisper import WhisperModel

RATE, SECONDS = 16000, 20


def open_model(folder):
    return WhisperModel(folder, device="cpu", cpu_threads=1)


def read_samples(data):
    """Numbers between -1 and 1, one by one."""
    return numpy.array([max(-1.0, min(1.0, number / 32768)) for number in array.array("h", data)], dtype=numpy.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--fault", choices=("none", "reload", "samples"), default="none")
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    model, random, recordings = open_model(options.model), numpy.random.default_rng(2), 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        data = random.integers(-9000, 9000, RATE * SECONDS, dtype=numpy.int16).tobytes()
        if options.fault == "reload":
            model = open_model(options.model)
        sound = read_samples(data) if options.fault == "samples" else numpy.frombuffer(data, numpy.int16).astype(numpy.float32) / 32768
        pieces, _ = model.transcribe(sound, language="en", beam_size=1, temperature=0.0, max_new_tokens=8, without_timestamps=True)
        sum(len(piece.text) for piece in pieces)
        recordings += 1
    print("%d recordings in %.2f s" % (recordings, options.seconds + time.monotonic() - end))


if __name__ == "__main__":
    main()
