"""The page *Studies*: what there is, what runs, and a new study in four steps."""
