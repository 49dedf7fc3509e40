"""A module of one's own that several tests bring: a plain recurrent net with attention pooling, written by hand."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seer.models.batches import Batch


class AttentionRNN(nn.Module):
    """h_t = tanh(W x_t + U h_(t−1)); what it predicts after word t reads the attention-weighted mean of h_1 … h_t."""

    def __init__(self, words: int, classes: int, size: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size, padding_idx=0)
        self.into, self.again = nn.Linear(size, size), nn.Linear(size, size, bias=False)
        self.attention, self.dropout, self.head = nn.Linear(size, 1), nn.Dropout(0.2), nn.Linear(size, classes)

    def hidden_states(self, batch: Batch) -> Tensor:
        state, states = torch.zeros(len(batch.ids), self.again.in_features), []
        for step in self.into(self.dropout(self.embedding(batch.ids))).unbind(1):
            state = torch.tanh(step + self.again(state))
            states.append(state)
        return torch.stack(states, dim=1)

    def predict_steps(self, batch: Batch) -> Tensor:
        states = self.hidden_states(batch)
        weight = self.attention(states).tanh().exp()
        return self.head((weight * states).cumsum(1) / weight.cumsum(1)).softmax(-1)
