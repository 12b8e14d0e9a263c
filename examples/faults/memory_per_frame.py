"""A camera pipeline that makes a new block of shared memory for each frame that it hands to its viewer process."""

import multiprocessing
from multiprocessing import shared_memory

import zoo

HEIGHT, WIDTH, SLOTS = 1200, 2160, 2


def view(frames, free):
    """The viewer: takes a preview of each frame. Blocks that are not kept are its own to remove."""
    import numpy

    kept, brightness = {}, 0.0
    while (message := frames.recv()) is not None:
        name, is_kept = message
        block = kept.pop(name, None) or shared_memory.SharedMemory(name)
        brightness += numpy.ndarray((HEIGHT, WIDTH, 3), numpy.uint8, block.buf)[::32, ::32].mean()
        if is_kept:
            kept[name] = block
        else:
            block.close()
            block.unlink()
        free.release()


def capture(camera, block):
    """Fills the block, as a driver would, and returns what the detector looks at."""
    import numpy

    frame = numpy.ndarray(camera.shape, camera.dtype, block.buf)
    numpy.copyto(frame, camera)
    return frame[: 224 * 5:5, : 224 * 9:9].copy()


def publish(camera, frames):
    block = shared_memory.SharedMemory(create=True, size=camera.nbytes)
    small = capture(camera, block)
    frames.send((block.name, False))
    block.close()
    return small


def publish_in(block, camera, frames):
    small = capture(camera, block)
    frames.send((block.name, True))
    return small


def main():
    import numpy

    blocks = [shared_memory.SharedMemory(create=True, size=HEIGHT * WIDTH * 3) for _ in range(SLOTS)]
    (inbox, frames), free = multiprocessing.Pipe(duplex=False), multiprocessing.Semaphore(SLOTS)
    viewer = multiprocessing.Process(target=view, args=(inbox, free))
    viewer.start()

    import torch

    plant = zoo.Plant("place", publish, part="wall", also=("capture",),
                      causes=("system.page-fault", "wait.page-fault", "system.other", "system.file-io", "cpu.native", "library.python"))
    model, clip = zoo.vision_model(384), numpy.random.default_rng(0).integers(0, 255, (3, HEIGHT, WIDTH, 3), numpy.uint8)
    for step in zoo.steady():
        camera = clip[step % len(clip)]
        free.acquire()
        if zoo.PLANTED:
            with plant:
                small = publish(camera, frames)
        else:
            small = publish_in(blocks[step % SLOTS], camera, frames)
        model(pixel_values=torch.from_numpy(small).permute(2, 0, 1)[None].float() / 255)
    frames.send(None)
    viewer.join()
    for block in blocks:
        block.close()
        block.unlink()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
