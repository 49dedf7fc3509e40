"""A model that was trained elsewhere becomes a study: its weights, its vocabulary, and what is read off them."""
