"""Models as research code has them, in plain PyTorch and without anything of this program, and their files."""

from __future__ import annotations

from argparse import Namespace
from itertools import pairwise
from pathlib import Path

import numpy as np
import tokenizers
import torch
from tokenizers import normalizers, pre_tokenizers
from torch import Tensor, nn

PIECES = [
    *("[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "the", "film", "was", "a", "play", "and", "it", "is", "not"),
    *("but", "very", "good", "great", "fine", "bad", "dull", "poor", "act", "##ing", "##ed", "##s", "##ly", "love"),
    *("hat", "##e", "end", ".", ",", "!", "n", "##ot", "cafe"),
]
"""A WordPiece vocabulary, its unknown word not beside its padding."""

GOOD, BAD = ["good", "great", "fine", "love", "loved", "lovely"], ["bad", "dull", "poor", "hate", "hated", "badly"]
REST = ["the", "film", "was", "a", "play", "and", "it", "is", "acting", "ended", "very", "Café,", "zzz"]


def reviews(count: int, seed: int = 0) -> tuple[list[str], list[int]]:
    """Texts in which good and bad words are counted, a few labels turned round."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(count):
        label = int(random.integers(2))
        words = list(random.choice(REST, random.integers(2, 9)))
        told = random.choice(GOOD if label else BAD)
        words.insert(random.integers(len(words) + 1), told)
        texts.append(" ".join(words).capitalize() + str(random.choice([".", " !", ""])))
        labels.append(label if random.random() > 0.08 else 1 - label)
    return texts, labels


class Research(nn.Module):
    """Embedding, recurrent layer, dense head, as such code writes them; it reads ids of its own vocabulary."""

    def __init__(
        self,
        words: int,
        cell: str = "gru",
        *,
        read_out: str = "last",
        two_way: bool = False,
        layers: int = 1,
        head: tuple[int, ...] = (8,),
        outputs: int = 1,
        length: int = 10,
        relu: bool = False,
    ) -> None:
        super().__init__()
        self.read_out, self.length = read_out, length
        self.embedding = nn.Embedding(words, 10)
        kind = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}[cell]
        more = {"nonlinearity": "relu"} if relu else {}
        self.rnn = kind(10, 12, num_layers=layers, bidirectional=two_way, batch_first=True, **more)
        sizes = [12 * (1 + two_way), *head, outputs]
        parts: list[nn.Module] = []
        for before, after in pairwise(sizes):
            parts += [nn.Linear(before, after), nn.ReLU()]
        self.dense = nn.Sequential(*parts[:-1])

    def forward(self, ids: list[int]) -> Tensor:
        """The outputs for one text."""
        if self.read_out == "padded":
            ids = (ids + [0] * self.length)[: self.length]
        states, last = self.rnn(self.embedding(torch.tensor([ids])))
        if isinstance(last, tuple):
            last = last[0]
        if self.read_out == "mean":
            read = states[0].mean(0)
        elif self.read_out == "max":
            read = states[0].max(0).values
        else:  # each direction's own last state of the top layer
            read = torch.cat([last[-2, 0], last[-1, 0]]) if self.rnn.bidirectional else last[-1, 0]
        return self.dense(read)

    @torch.no_grad()
    def probabilities(self, texts: list[list[int]]) -> np.ndarray:
        """(n, C)."""
        rows = []
        for ids in texts:
            out = self(ids)
            if len(out) == 1:
                p = torch.sigmoid(out[0])
                rows.append(torch.stack([1 - p, p]))
            else:
                rows.append(torch.softmax(out, 0))
        return torch.stack(rows).numpy()


def plain_ids(texts: list[str], length: int | None = None) -> list[list[int]]:
    """Ids by BERT's own WordPiece of the `tokenizers` library, made straight from the list."""
    bert = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({word: number for number, word in enumerate(PIECES)}, unk_token="[UNK]")
    )
    bert.normalizer = normalizers.BertNormalizer(lowercase=True)
    bert.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return [bert.encode(text).ids[:length] for text in texts]


def trained(model: Research, ids: list[list[int]], labels: list[int], epochs: int = 6) -> Research:
    """Trained for a moment, text by text, so that it is better than chance and far from perfect."""
    torch.manual_seed(1)
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(epochs):
        for begin in range(0, len(ids), 16):
            optimiser.zero_grad()
            loss = torch.zeros(())
            for row, label in zip(ids[begin : begin + 16], labels[begin : begin + 16], strict=True):
                out = model(row)
                loss = loss + (
                    nn.functional.binary_cross_entropy_with_logits(out[0], torch.tensor(float(label)))
                    if len(out) == 1
                    else nn.functional.cross_entropy(out[None], torch.tensor([label]))
                )
            loss.backward()
            optimiser.step()
    return model.eval()


def saved(model: nn.Module, path: Path, prefix: str = "module.") -> Path:
    """A checkpoint as such code writes it."""
    weights = {f"{prefix}{name}": tensor for name, tensor in model.state_dict().items()}
    args = Namespace(lr=0.01, bidirectional=False, out=Path("runs"), name="gru")
    torch.save({"epoch": 3, "acc": np.float64(0.9), "best": np.int64(3), "args": args, "model": weights}, path)
    return path


def csv_of(texts: list[str], labels: list[int], path: Path) -> Path:
    """A labelled file; the texts hold no quote."""
    names = ("neg", "pos")
    lines = [f'"{text}",{names[label]}' for text, label in zip(texts, labels, strict=True)]
    path.write_text("\n".join(["text,label", *lines, ""]), encoding="utf-8")
    return path
