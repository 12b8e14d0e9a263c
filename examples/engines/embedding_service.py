"""Embeds texts behind FastAPI with a small BERT of transformers: uvicorn embedding_service:app

The variable EMBEDDING_FAULT plants what users meet: `audit` (a coroutine that sleeps with time.sleep), `words` (texts are cleaned letter by letter).
EMBEDDING_MODEL is the model's folder (see models.py).
"""

import os
import time

import torch
import transformers
from fastapi import FastAPI
from pydantic import BaseModel

FAULT, FOLDER = os.environ.get("EMBEDDING_FAULT", ""), os.environ["EMBEDDING_MODEL"]
torch.set_num_threads(1)
tokenizer, model = transformers.AutoTokenizer.from_pretrained(FOLDER), transformers.AutoModel.from_pretrained(FOLDER).eval()
app = FastAPI()


class Asked(BaseModel):
    prompt: str
    model: str = "tiny"


def clean_text(text):
    """Leaves out what is no letter, by building a string per letter."""
    for _ in range(200):
        cleaned = ""
        for letter in text:
            cleaned = cleaned + letter.lower() if letter.isalpha() or letter == " " else cleaned
    return cleaned


async def audit():
    time.sleep(0.05)


@app.get("/health")
async def health():
    return {}


if FAULT == "audit":
    @app.middleware("http")
    async def audited(request, call_next):
        await audit()
        return await call_next(request)


@app.post("/embed")
def embed(asked: Asked):
    text = clean_text(asked.prompt) if FAULT == "words" else asked.prompt
    with torch.inference_mode():
        found = model(**tokenizer([text], return_tensors="pt")).last_hidden_state.mean(1)
    return {"embedding": found[0].tolist()}
