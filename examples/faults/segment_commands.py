"""A speech service that runs a command for each segment of a recording to change its rate, with the samples in a pipe both ways."""

import subprocess
import sys

import zoo

CONVERT = """
import array, sys
samples = array.array("f", sys.stdin.buffer.read())
sys.stdout.buffer.write(samples[::3].tobytes())
"""
SEGMENTS, SAMPLES = 4, 9600


def resample(segment):
    done = subprocess.run([sys.executable, "-S", "-c", CONVERT], input=segment, capture_output=True, check=True)
    return done.stdout


def resample_here(segment):
    import numpy

    return numpy.frombuffer(segment, numpy.float32)[::3].tobytes()


def main():
    import torch

    recording = torch.sin(torch.arange(SEGMENTS * SAMPLES) / 20.0).numpy().tobytes()
    model = zoo.embedding_model(512)
    plant = zoo.Plant("place", resample, part="wall",
                      causes=("wait.child-process", "system.process", "wait.socket", "library.python", "system.other", "wait.unknown", "wait.disk"))
    for step in zoo.steady():
        levels = []
        for start in range(0, len(recording), len(recording) // SEGMENTS):
            segment = recording[start:start + len(recording) // SEGMENTS]
            if zoo.PLANTED:
                with plant:
                    converted = resample(segment)
            else:
                converted = resample_here(segment)
            samples = torch.frombuffer(bytearray(converted), dtype=torch.float32)
            levels.append(samples[: 64 * 48].reshape(64, 48).abs().mean(1))
        ids = (torch.stack(levels) * 1000).long().clamp(3, zoo.VOCABULARY - 1)
        zoo.embed(model, ids)
    zoo.finish(plant)


if __name__ == "__main__":
    main()
