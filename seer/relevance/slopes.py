"""The gradient of a logit with respect to the word vectors, by backpropagation through time written out.

PyTorch's backward pass also makes the gradient of every weight, which no relevance needs; here only what leads to the
words is computed, the slopes of all gates at once and then one product of matrices a step for all sentences. Arrays are
(T, rows, B) for T steps and B sentences, each direction in its own reading order; sentences end in padding in either.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from seer.models.classifier import RNNClassifier
from seer.models.readout import ONE_STEP
from seer.models.recurrent import direction_weights
from seer.relevance.backward import CELL_READERS, Array, Read
from seer.relevance.record import Target, targets
from seer.traces import IntArray


def logit_slopes(
    model: RNNClassifier, vectors: Tensor, lengths: Tensor, target: Target
) -> tuple[Tensor, Tensor, Tensor]:
    """How each sentence's logit changes with its word vectors.

    Args:
        model: any classifier; there is no dropout, whatever its mode.
        vectors: (B, T, E) word vectors.
        lengths: (B,) their real words.
        target: which logit.

    Returns:
        Logits (B, C), the target classes (B,), and the gradient (B, T, E), zero at padding.

    Raises:
        SettingError: a target that the model does not have.
    """
    wanted = None if target is None else targets(target, torch.empty(len(lengths), model.classes))
    parts, begin = [], 0
    for rows, steps in model.as_read(vectors, lengths):
        part = slice(begin, begin + len(rows))
        parts.append(_slopes(model, rows, steps, None if wanted is None else wanted[part]))
        begin = part.stop
    logits, chosen, gradient = (torch.cat(each) for each in zip(*parts, strict=True))
    if model.architecture.length is None:
        return logits, chosen, gradient
    # What the model read there beside the words is padding, whose vector is not the text's.
    found, words = torch.zeros_like(vectors), gradient[:, : vectors.shape[1]]
    real = torch.arange(words.shape[1]) < lengths[:, None]
    found[:, : words.shape[1]] = words * real[..., None]
    return logits, chosen, found


def _slopes(
    model: RNNClassifier, vectors: Tensor, lengths: Tensor, target: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """``logit_slopes`` of vectors that are read as they are."""
    size, last = model.architecture.hidden, lengths.numpy() - 1
    step = np.arange(vectors.shape[1])[:, None]
    turned = np.where(step <= last, last - step, step)
    layers = _read_layers(model, np.ascontiguousarray(vectors.detach().numpy().transpose(1, 2, 0)), turned)
    read_out = model.architecture.read_out
    ends = [last, np.zeros_like(last) if read_out in ONE_STEP else last]
    weights = [_read_out_weights(read_out, read.states, last, end) for read, end in zip(layers[-1], ends, strict=False)]
    final = [(read.states * of).sum(0) for read, of in zip(layers[-1], weights, strict=True)]
    logits, chosen, slopes = _head_slopes(model, torch.from_numpy(np.concatenate(final).T), target)
    given = [of * part.T.numpy() for of, part in zip(weights, torch.split(slopes, size, dim=1), strict=True)]
    for reads in reversed(layers):
        gradient, *other = (read.inputs_gradient(part) for read, part in zip(reads, given, strict=True))
        for backward in other:
            gradient += _turn(backward, turned)
        given = [gradient[:, :size], *(_turn(gradient[:, size:], turned) for _ in other)]
    return logits, chosen, torch.from_numpy(np.ascontiguousarray(gradient.transpose(2, 0, 1)))


def _read_out_weights(read_out: str, states: Array, last: IntArray, end: IntArray) -> Array:
    """(T, d or 1, B) how much of each state (T, d, B) the head reads: what it reads is their weighted sum.

    Args:
        read_out: its name.
        states: of one direction, in its own order.
        last: (B,) the last real step.
        end: (B,) the step that a read-out of one state reads.
    """
    step = np.arange(len(states))[:, None, None]
    if read_out == "mean":
        weights: Array = ((step <= last) / (last + 1)).astype(states.dtype)
    elif read_out == "max":
        largest = np.where(step <= last, states, -np.inf).argmax(0)
        weights = (step == largest).astype(states.dtype)
    else:
        weights = (step == end).astype(states.dtype)
    return weights


def _head_slopes(model: RNNClassifier, read: Tensor, target: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Logits (B, C), target classes (B,) and the logits' slopes (B, H) by what the head reads (B, H)."""
    if isinstance(model.head, nn.Linear):
        weight = model.head.weight.detach()
        logits = read @ weight.T + model.head.bias.detach()
        chosen = targets(target, logits)
        return logits, chosen, weight[chosen]
    with torch.inference_mode(False), torch.enable_grad():
        inputs = read.clone().requires_grad_()
        scores = model.head(inputs)
        chosen = targets(target, scores)
        (slopes,) = torch.autograd.grad(scores.gather(1, chosen[:, None]).sum(), inputs)
    return scores.detach(), chosen, slopes


def _read_layers(model: RNNClassifier, inputs: Array, turned: IntArray) -> list[list[Read]]:
    """Every direction of every layer, from word vectors (T, E, B)."""
    a, (steps, _, sentences) = model.architecture, inputs.shape
    ways = ("", "_reverse") if a.bidirectional else ("",)
    read, shares = CELL_READERS[a.cell]
    # One block for all: the C library keeps what a call frees for the next one, up to twice its largest block, and
    # fresh memory costs more than what is written on it.
    room = np.empty((a.layers, len(ways), steps + 1, sum(shares) * a.hidden, sentences), inputs.dtype)
    room[:, :, 0] = 0
    layers: list[list[Read]] = []
    for layer in range(a.layers):
        if layers:
            first, *other = (done.states for done in layers[-1])
            inputs = np.concatenate([first, *(_turn(states, turned) for states in other)], axis=1)
        layers.append([])
        for way, block in zip(ways, room[layer], strict=True):
            weights = [weight.detach().numpy() for weight in direction_weights(model.rnn, layer, way)]
            parts = np.split(block, np.cumsum(shares)[:-1] * a.hidden, axis=1)
            layers[-1].append(read(parts, _turn(inputs, turned) if way else inputs, *weights))
    return layers


def _turn(rows: Array, turned: IntArray) -> Array:
    """(T, rows, B) in the other direction's order: the real words the other way round, the padding where it is."""
    return np.take_along_axis(rows, turned[:, None], axis=0)
