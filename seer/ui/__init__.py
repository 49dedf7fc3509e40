"""The Streamlit side of the project: the shared selection, its place in the URL, and the panels that pages share."""
