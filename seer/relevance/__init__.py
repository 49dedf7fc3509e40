"""Which words decided: a relevance for every word of a sentence, by several methods.

Every method is a function ``attribute(model, batch, target) -> WordRelevance``; ``methods.METHODS`` names them.
"""
