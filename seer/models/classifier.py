"""The recurrent classifier: embedding → GRU, LSTM or plain RNN → read-out → head."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from seer.errors import ModelError, SettingError
from seer.models.batches import Batch
from seer.models.prefixes import Prefixes
from seer.models.readout import (
    ACTIVATIONS,
    ONE_STEP,
    PADDED,
    READ_OUTS,
    make_head,
    read_last,
    read_max,
    read_mean,
    running_max,
    running_mean,
)
from seer.models.recurrent import run_layer
from seer.models.sizes import Sized
from seer.text import PAD_ID

CELLS: dict[str, type[nn.GRU | nn.LSTM | nn.RNN]] = {
    "gru": nn.GRU,
    "lstm": nn.LSTM,
    "rnn": nn.RNN,
    "rnn_relu": nn.RNN,
}

CELL_NAMES = {"gru": "GRU", "lstm": "LSTM", "rnn": "RNN", "rnn_relu": "RNN with ReLU"}
"""What a person calls each cell."""

MOST_LENGTH = 100_000
"""Most words that a text may be padded to."""

MOST_HEAD = 8
"""Most hidden layers of a head."""

_PADDED_WORDS = 65_536  # read at once where every text is padded to a length


@dataclass(frozen=True)
class Architecture(Sized):
    """What a classifier is made of; checked when made.

    Attributes:
        head: hidden sizes of a head of several linear layers; none for a linear head.
        activation: between the layers of the head.
        read_out: what the head reads of the states; one of ``READ_OUTS``.
        length: words that every text is padded to, for the read-outs ``PADDED`` alone; a longer text is cut.

    Raises:
        SettingError: a size out of range, a dropout outside [0, 1), an unknown cell, activation or read-out, fewer than
            two classes, a length without padding or padding without a length.
    """

    cell: str = "gru"
    embedding: int = 64
    hidden: int = 64
    layers: int = 1
    bidirectional: bool = False
    dropout: float = 0.6
    head: tuple[int, ...] = ()
    activation: str = "relu"
    read_out: str = "last"
    length: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", tuple(self.head))  # a list, as JSON has it
        for noun, value, known in (
            ("cell", self.cell, CELLS),
            ("activation", self.activation, ACTIVATIONS),
            ("read-out", self.read_out, READ_OUTS),
        ):
            if value not in known:
                raise SettingError(f"The {noun} must be one of {', '.join(known)}, got {value!r}.")
        if len(self.head) > MOST_HEAD:
            raise SettingError(f"A head may have {MOST_HEAD} hidden layers, got {len(self.head):,}.")
        for size in self.head:
            if not 1 <= size <= 8192:
                raise SettingError(f"A hidden layer of the head must have 1 to 8,192 units, got {size:,}.")
        if (self.read_out in PADDED) != (self.length is not None):
            raise SettingError(
                f"The read-outs {' and '.join(PADDED)}, and no other, need the length that every text is padded to; on "
                "the command line: --length."
            )
        if self.read_out in ONE_STEP and not self.bidirectional:
            plain = self.read_out.removesuffix("_step")
            raise SettingError(
                f"The read-out {self.read_out} is for two-way models; this one is one-way, choose {plain}."
            )
        if self.length is not None and not 1 <= self.length <= MOST_LENGTH:
            raise SettingError(f"A text can be padded to 1 to {MOST_LENGTH:,} words, got {self.length:,}.")
        super().__post_init__()

    def as_dict(self) -> dict[str, Any]:
        """JSON-able fields; of those in ``optional`` only what differs from the default."""
        fields = super().as_dict() | {"head": list(self.head)}
        for name in self.optional():
            if getattr(self, name) == getattr(type(self), name):
                del fields[name]
        return fields

    @classmethod
    def optional(cls) -> tuple[str, ...]:
        """Fields that a checkpoint may leave out."""
        return ("head", "activation", "read_out", "length")

    def describe(self) -> str:
        """One line for a person, such as ``GRU 64, one-way, 1 layer``."""
        way = "two-way" if self.bidirectional else "one-way"
        said = f"{CELL_NAMES[self.cell]} {self.hidden}, {way}, {self.layers} layer{'s' if self.layers > 1 else ''}"
        if self.head:
            said += f", head {'–'.join(map(str, self.head))} {self.activation}"
        if self.read_out != "last":
            said += f", read-out {self.read_out}"
        return said if self.length is None else f"{said} {self.length}"


class RNNClassifier(nn.Module):
    """A recurrent text classifier that also tells its hidden state and its prediction after every word.

    By default the head reads the last *real* word (each direction's own last for a two-way model), and padding changes
    nothing. The read-outs ``PADDED`` are for models that were trained on the last padded step: there each text is read
    with as much padding as it had then, whatever it stands beside.
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
            **({"nonlinearity": "relu"} if a.cell == "rnn_relu" else {}),
        )
        self.dropout = nn.Dropout(a.dropout)
        self.head = make_head(a.hidden * (2 if a.bidirectional else 1), a.head, a.classes, a.activation)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.architecture.classes

    @property
    def rereads(self) -> bool:
        """Whether it is re-run on every prefix to know what it predicts after each word."""
        return self.architecture.bidirectional or self.architecture.length is not None

    @property
    def linear_head(self) -> nn.Linear:
        """The head, where it is one linear layer.

        Raises:
            ModelError: it has several.
        """
        if not isinstance(self.head, nn.Linear):
            raise ModelError("This needs a linear head; this model's head has several layers.")
        return self.head

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, C) of whole sentences."""
        return self.logits(self.embed(batch), batch.lengths)

    def embed(self, batch: Batch) -> Tensor:
        """(B, T, E) word vectors, and that of padding."""
        return self.embedding(batch.ids)  # type: ignore[no-any-return]

    def logits(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Logits (B, C) of sentences given as word vectors (B, T, E) and their lengths (B,)."""
        parts = [self._read_out(self._encode(*rows), rows[1]) for rows in self.as_read(vectors, lengths)]
        return self.head(self.dropout(torch.cat(parts)))  # type: ignore[no-any-return]

    def logits_of_nothing(self) -> Tensor:
        """(C,) logits of a text without a word: of padding where it is read, else of zero states."""
        a = self.architecture
        if a.length is not None:
            return self.logits(self.embedding.weight.new_zeros(1, 1, a.embedding), torch.tensor([0]))[0]
        weight = self.embedding.weight
        return self.head(weight.new_zeros(a.hidden * (2 if a.bidirectional else 1)))  # type: ignore[no-any-return]

    def as_read(self, vectors: Tensor, lengths: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """What the recurrent layers read: the word vectors as they are, or with padding up to the length L they need.

        Args:
            vectors: (B, T, E); what stands at or beyond the lengths is not read.
            lengths: (B,) real words of each row; words beyond L are not read.

        Yields:
            Vectors (b, L, E) and how many of them each row reads, (b,) times L, so many rows at a time as memory is
            fair to; without padding all of them at once.
        """
        length = self.architecture.length
        if length is None:
            yield vectors, lengths
            return
        padding = self.embedding.weight[PAD_ID].to(vectors.dtype)
        size = max(1, _PADDED_WORDS // length)
        for rows, count in zip(torch.split(vectors[:, :length], size), torch.split(lengths, size), strict=True):
            wide = torch.nn.functional.pad(rows, (0, 0, 0, length - rows.shape[1]))
            real = torch.arange(length) < count[:, None]
            yield torch.where(real[..., None], wide, padding), torch.full_like(count, length)

    @torch.inference_mode()
    def probabilities(self, batch: Batch) -> Tensor:
        """(B, C) class probabilities of whole sentences, without a gradient."""
        return torch.softmax(self(batch), dim=-1)

    def hidden_states(self, batch: Batch) -> Tensor:
        """(B, T, H) top-layer states, both directions side by side for a two-way model; zero at padding.

        Where padding is read, a text of more than L words has the state of word L at the words after it.
        """
        mask, length = batch.mask, self.architecture.length
        place = torch.arange(mask.shape[1])
        place = place if length is None else place.clamp(max=length - 1)
        parts = [self._encode(*rows)[:, place] for rows in self.as_read(self.embed(batch), batch.lengths)]
        states = torch.cat(parts)
        return states * mask[..., None]

    def _encode(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """(B, T, H) top-layer states of word vectors (B, T, E); what stands beyond the lengths means nothing."""
        output = vectors
        for layer in range(self.architecture.layers):
            output = run_layer(self.rnn, self.dropout(output), lengths, layer)
        return output

    def _read_out(self, states: Tensor, lengths: Tensor) -> Tensor:
        """(B, H) what the head reads of states (B, T, H)."""
        if self.architecture.read_out == "mean":
            return read_mean(states, lengths)
        if self.architecture.read_out == "max":
            return read_max(states, lengths)
        return read_last(states, lengths, self.architecture.hidden, self.architecture.read_out in ONE_STEP)

    def predict_steps(self, batch: Batch, states: Tensor | None = None) -> Tensor:
        """(B, T, C) class probabilities after every word.

        One-way: the head on each state, or on the mean or maximum of the states so far. Two-way, or with padding: the
        whole model on each prefix, since what it reads there has seen the future; for a sentence of more than 38 words
        every ``prefix_stride``-th prefix and the last, the words between keep the prediction before them.

        Args:
            batch: sentences.
            states: ``hidden_states(batch)`` where the caller has them already (used by a one-way model only).
        """
        if self.rereads:
            return self._predict_prefixes(batch)
        output = self.hidden_states(batch) if states is None else states
        if self.architecture.read_out == "mean":
            output = running_mean(output)
        elif self.architecture.read_out == "max":
            output = running_max(output)
        return torch.softmax(self.head(output), dim=-1)

    def _predict_prefixes(self, batch: Batch) -> Tensor:
        prefixes = Prefixes.of(batch.lengths.numpy())
        probability = torch.empty(len(prefixes), self.classes, dtype=self.embedding.weight.dtype)
        for part in prefixes.groups(least=self.architecture.length or 1):
            words = prefixes.end[part] + 1
            rows = Batch(batch.ids[prefixes.row[part], : int(words.max())], torch.from_numpy(words))
            probability[part] = torch.softmax(self(rows), dim=-1)
        return probability[torch.from_numpy(prefixes.newest)]
