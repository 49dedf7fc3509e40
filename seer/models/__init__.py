"""Recurrent classifiers: the network, its training, its checkpoint."""
