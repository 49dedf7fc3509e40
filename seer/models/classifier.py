"""The recurrent classifier: embedding → GRU, LSTM or plain RNN → linear head on the last real word."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.prefixes import Prefixes
from seer.models.recurrent import run_layer
from seer.models.sizes import Sized
from seer.text import PAD_ID

CELLS: dict[str, type[nn.GRU | nn.LSTM | nn.RNN]] = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}


@dataclass(frozen=True)
class Architecture(Sized):
    """What a classifier is made of; checked when made.

    Raises:
        SettingError: a size below 1, a dropout outside [0, 1), an unknown cell, fewer than two classes.
    """

    cell: str = "gru"
    embedding: int = 64
    hidden: int = 64
    layers: int = 1
    bidirectional: bool = False
    dropout: float = 0.6

    def __post_init__(self) -> None:
        if self.cell not in CELLS:
            raise SettingError(f"The cell must be one of {', '.join(CELLS)}, got {self.cell!r}.")
        super().__post_init__()

    def describe(self) -> str:
        """One line for a person, such as ``GRU 64, one-way, 1 layer``."""
        way = "two-way" if self.bidirectional else "one-way"
        return f"{self.cell.upper()} {self.hidden}, {way}, {self.layers} layer{'s' if self.layers > 1 else ''}"


class RNNClassifier(nn.Module):
    """A recurrent text classifier that also tells its hidden state and its prediction after every word.

    The head reads the last *real* word (each direction's own last for a two-way model); padding changes nothing.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        a = self.architecture = architecture
        self.embedding = nn.Embedding(a.vocabulary, a.embedding, padding_idx=PAD_ID)
        self.rnn = CELLS[a.cell](
            a.embedding,
            a.hidden,
            num_layers=a.layers,
            bidirectional=a.bidirectional,
            batch_first=True,
        )
        self.dropout = nn.Dropout(a.dropout)
        self.head = nn.Linear(a.hidden * (2 if a.bidirectional else 1), a.classes)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.architecture.classes

    @property
    def rereads(self) -> bool:
        """Whether it is re-run on every prefix to know what it predicts after each word."""
        return self.architecture.bidirectional

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, C) of whole sentences."""
        return self.logits(self.embed(batch), batch.lengths)

    def embed(self, batch: Batch) -> Tensor:
        """(B, T, E) word vectors; zero at padding."""
        return self.embedding(batch.ids)  # type: ignore[no-any-return]

    def logits(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Logits (B, C) of sentences given as word vectors (B, T, E) and their lengths (B,)."""
        output = self.encode(vectors, lengths)
        return self.head(self.dropout(self._read_out(output, lengths)))  # type: ignore[no-any-return]

    @torch.inference_mode()
    def probabilities(self, batch: Batch) -> Tensor:
        """(B, C) class probabilities of whole sentences, without a gradient."""
        return torch.softmax(self(batch), dim=-1)

    def hidden_states(self, batch: Batch) -> Tensor:
        """(B, T, H) top-layer states, both directions side by side for a two-way model; zero at padding."""
        states: Tensor = self.encode(self.embed(batch), batch.lengths) * batch.mask[..., None]
        return states

    def encode(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(B, T, H) top-layer states of word vectors (B, T, E); what stands at padding means nothing."""
        output = vectors
        for layer in range(self.architecture.layers):
            output = run_layer(self.rnn, self.dropout(output), lengths, layer)
        return output

    def _read_out(self, output: Tensor, lengths: Tensor) -> Tensor:
        """(B, H) what the head reads: forward at the last real word, backward at the first."""
        rows = torch.arange(len(lengths))
        hidden = self.architecture.hidden
        last = output[rows, lengths - 1, :hidden]
        return torch.cat([last, output[:, 0, hidden:]], dim=1) if self.architecture.bidirectional else last

    def predict_steps(self, batch: Batch, states: Tensor | None = None) -> Tensor:
        """(B, T, C) class probabilities after every word.

        One-way: the head on each state. Two-way: the whole model on each prefix, since its right-to-left state has
        seen the future; for a sentence of more than 38 words every ``prefix_stride``-th prefix and the last,
        the words between keep the prediction before them.

        Args:
            batch: sentences.
            states: ``hidden_states(batch)`` where the caller has them already (used by a one-way model only).
        """
        if self.architecture.bidirectional:
            return self._predict_prefixes(batch)
        output = self.hidden_states(batch) if states is None else states
        return torch.softmax(self.head(output), dim=-1)

    def _predict_prefixes(self, batch: Batch) -> Tensor:
        prefixes = Prefixes.of(batch.lengths.numpy())
        probability = torch.empty(len(prefixes), self.architecture.classes, dtype=self.head.weight.dtype)
        for part in prefixes.groups():
            words = prefixes.end[part] + 1
            rows = Batch(batch.ids[prefixes.row[part], : int(words.max())], torch.from_numpy(words))
            probability[part] = torch.softmax(self(rows), dim=-1)
        return probability[torch.from_numpy(prefixes.newest)]
