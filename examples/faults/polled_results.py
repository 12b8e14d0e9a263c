"""A batching service: requests wait for their answer by looking every few milliseconds whether a worker thread has it."""

import queue
import threading
import time

import zoo


def wait_for_answer(answers, number):
    while number not in answers:
        time.sleep(0.02)
    return answers.pop(number)


def work(model, inbox, answers, done, ready):
    import torch

    torch.set_grad_enabled(False)  # Of this thread.
    while (request := inbox.get()) is not None:
        number, ids = request
        answers[number] = zoo.embed(model, ids)
        ready.append(time.perf_counter_ns())
        done.set()


def main():
    model, ids = zoo.embedding_model(512), zoo.tokens(6, 32)
    inbox, answers, done, ready = queue.Queue(), {}, threading.Event(), []
    worker = threading.Thread(target=work, args=(model, inbox, answers, done, ready))
    worker.start()
    plant = zoo.Plant("place", wait_for_answer, part="wall", causes=("wait.timer",))
    for step in zoo.steady():
        done.clear()
        inbox.put((step, ids))
        if zoo.PLANTED:
            wait_for_answer(answers, step)
            plant.spans.append((ready[-1], max(ready[-1], time.perf_counter_ns())))  # From when the answer is there.
        else:
            done.wait()
            answers.pop(step)
    inbox.put(None)
    worker.join()
    zoo.finish(plant)


if __name__ == "__main__":
    main()
