"""ESIM, a classifier of sentence pairs: two bi-LSTMs with attention between the sentences (Chen et al., ACL 2017)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seer.models.batches import Batch, PairBatch
from seer.models.prefixes import Prefixes
from seer.models.recurrent import run_layer
from seer.models.sizes import Sized
from seer.text import PAD_ID, UNKNOWN_ID

_DEVIATION = 0.3  # of the initial word vectors
_BUDGET = 4096  # words of a row at a time when prefixes are read: what they need stays in the cache

BiLSTM = Callable[[nn.RNNBase, Tensor, Tensor], Tensor]
"""Runs a two-way LSTM: (net, inputs (B, T, E), lengths (B,)) → states (B, T, 2H)."""


@dataclass(frozen=True)
class PairArchitecture(Sized):
    """What an ESIM is made of; checked when made.

    Attributes:
        vocabulary: number of word ids.
        classes: number of classes.
        embedding: numbers a word vector.
        hidden: units of each LSTM direction and of each projection.
        dropout: of word vectors, projections and the classifier.
        same_word: a learned vector is added to a word that occurs in the other sentence too (off in the published
            model).

    Raises:
        SettingError: a size below 1, a dropout outside [0, 1), fewer than two classes.
    """

    embedding: int = 100
    hidden: int = 50
    dropout: float = 0.4
    same_word: bool = False

    def describe(self) -> str:
        """One line for a person, such as ``ESIM 50, with same-word flag``."""
        return f"ESIM {self.hidden}{', with same-word flag' if self.same_word else ''}"


@dataclass(frozen=True)
class Reading:
    """What an ESIM computes on B pairs of P and Q words.

    Attributes:
        scores: (B, P, Q) e_ij, the unnormalised attention between premise and hypothesis words.
        over_hypothesis: (B, P, Q) its softmax over the hypothesis, 0 at padding.
        over_premise: (B, P, Q) its softmax over the premise, 0 at padding.
        states: (2B, T, 2H) of the inference LSTM, premises above hypotheses; 0 at padding.
        logits: (B, C).
    """

    scores: Tensor
    over_hypothesis: Tensor
    over_premise: Tensor
    states: Tensor
    logits: Tensor


class ESIM(nn.Module):
    """Reads a premise and a hypothesis, lets each word look at the other sentence, reads both again, and decides."""

    def __init__(self, architecture: PairArchitecture) -> None:
        super().__init__()
        a = self.architecture = architecture
        self.embedding = nn.Embedding(a.vocabulary, a.embedding, padding_idx=PAD_ID)
        nn.init.normal_(self.embedding.weight, std=_DEVIATION)
        with torch.no_grad():
            self.embedding.weight[PAD_ID] = 0
        self.same_word = nn.Parameter(_DEVIATION * torch.randn(a.embedding)) if a.same_word else None
        self.encoder = nn.LSTM(a.embedding, a.hidden, bidirectional=True, batch_first=True)
        self.projection = nn.Linear(8 * a.hidden, a.hidden)
        self.inference = nn.LSTM(a.hidden, a.hidden, bidirectional=True, batch_first=True)
        self.combine = nn.Linear(8 * a.hidden, a.hidden)
        self.head = nn.Linear(a.hidden, a.classes)
        self.dropout = nn.Dropout(a.dropout)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.architecture.classes

    @property
    def rereads(self) -> bool:
        """Whether it is re-run on every prefix to know what it predicts after each word."""
        return True

    def forward(self, batch: PairBatch) -> Tensor:
        """Logits (B, C)."""
        return self.read(self.embed(batch), batch).logits

    @torch.inference_mode()
    def probabilities(self, batch: PairBatch) -> Tensor:
        """(B, C) class probabilities, without a gradient."""
        return torch.softmax(self(batch), dim=-1)

    def hidden_states(self, batch: PairBatch) -> Tensor:
        """(B, W, 2H) inference states, the premise's words followed by the hypothesis's; zero at padding."""
        return batch.in_rows(self.read(self.embed(batch), batch).states)

    def predict_steps(self, batch: PairBatch, states: Tensor | None = None) -> Tensor:
        """(B, W, C) class probabilities for what has been read after every word: the premise, then the hypothesis.

        The model is re-run on every prefix; in a row of more than 38 words on every ``prefix_stride``-th one and the
        last, the words between keep the prediction before them.

        Args:
            batch: the pairs.
            states: not used; a two-way net's state at a word has seen what follows.
        """
        prefixes = Prefixes.of((batch.premise.lengths + batch.hypothesis.lengths).numpy())
        probability = torch.empty(len(prefixes), self.architecture.classes, dtype=self.head.weight.dtype)
        for part in prefixes.groups(_BUDGET):
            rows, words = torch.from_numpy(prefixes.row[part]), torch.from_numpy(prefixes.end[part] + 1)
            begun = words.clamp(max=batch.premise.lengths[rows])
            sides = []
            for side, lengths in ((batch.premise, begun), (batch.hypothesis, words - begun)):
                ids = side.ids[rows, : max(1, int(lengths.max()))]
                seen = torch.arange(ids.shape[1]) < lengths[:, None]
                sides.append(Batch(torch.where(seen, ids, PAD_ID), lengths))
            probability[part] = torch.softmax(self(PairBatch(*sides)), dim=-1)
        return probability[torch.from_numpy(prefixes.newest)]

    def embed(self, batch: PairBatch) -> Tensor:
        """(2B, T, E) word vectors, premises above hypotheses; zero at padding."""
        ids = batch.ids
        vectors: Tensor = self.embedding(ids)
        if self.same_word is not None:
            premise, hypothesis = ids.chunk(2)
            same = (premise[:, :, None] == hypothesis[:, None, :]) & (premise > UNKNOWN_ID)[:, :, None]
            vectors = vectors + torch.cat([same.any(2), same.any(1)])[..., None] * self.same_word
        return vectors

    def read(
        self,
        vectors: Tensor,
        batch: PairBatch,
        *,
        run: BiLSTM = run_layer,
        on_scores: Callable[[Tensor], Tensor] | None = None,
    ) -> Reading:
        """Everything from word vectors to logits.

        Args:
            vectors: (2B, T, E) as ``embed`` gives them.
            batch: the pairs.
            run: how a two-way LSTM is run.
            on_scores: a change to the attention scores (B, T, T) before both softmaxes, such as masking a pair.
        """
        return self.decide(self.encode(vectors, batch.lengths, run=run), batch, run=run, on_scores=on_scores)

    def encode(self, vectors: Tensor, lengths: Tensor, *, run: BiLSTM = run_layer) -> Tensor:
        """(2B, T, 2H) states of the input-encoding LSTM on word vectors (2B, T, E); 0 at padding."""
        real = torch.arange(vectors.shape[1]) < lengths[:, None]
        return run(self.encoder, self.dropout(vectors), lengths) * real[..., None]

    def decide(
        self,
        encoded: Tensor,
        batch: PairBatch,
        *,
        run: BiLSTM = run_layer,
        on_scores: Callable[[Tensor], Tensor] | None = None,
    ) -> Reading:
        """Everything from the encoded sentences (2B, T, 2H) to logits; see ``read``."""
        lengths = batch.lengths
        real = torch.arange(encoded.shape[1]) < lengths[:, None]
        premise, hypothesis = encoded.chunk(2)
        scores = premise @ hypothesis.transpose(1, 2)
        if on_scores is not None:
            scores = on_scores(scores)
        real_premise, real_hypothesis = real.chunk(2)
        over_hypothesis = masked_softmax(scores, real_hypothesis[:, None, :].expand_as(scores), 2)
        over_premise = masked_softmax(scores, real_premise[:, :, None].expand_as(scores), 1)
        seen = torch.cat([over_hypothesis @ hypothesis, over_premise.transpose(1, 2) @ premise])
        compared = torch.cat([encoded, seen, encoded - seen, encoded * seen], dim=-1)
        projected = self.dropout(torch.relu(self.projection(compared)))
        states = run(self.inference, projected, lengths) * real[..., None]
        pooled = torch.cat([_mean(states, lengths), _max(states, real)], dim=-1)
        pooled = torch.cat(pooled.chunk(2), dim=-1)  # mean and max of the premise, then of the hypothesis
        logits = self.head(self.dropout(torch.tanh(self.combine(self.dropout(pooled)))))
        pairs = real_premise[:, :, None] & real_hypothesis[:, None, :]
        return Reading(scores, over_hypothesis * pairs, over_premise * pairs, states, logits)


def masked_softmax(scores: Tensor, real: Tensor, dim: int) -> Tensor:
    """Softmax over the real places of a dimension; rows without one are uniform, never NaN."""
    return torch.softmax(scores.masked_fill(~real, torch.finfo(scores.dtype).min), dim=dim)


def _mean(states: Tensor, lengths: Tensor) -> Tensor:
    return states.sum(1) / lengths.clamp(min=1)[:, None]


def _max(states: Tensor, real: Tensor) -> Tensor:
    """(B, H) the maximum over real words, 0 without one."""
    filled = states.masked_fill(~real[..., None], torch.finfo(states.dtype).min).amax(1)
    return torch.where(real.any(1)[:, None], filled, torch.zeros_like(filled))
