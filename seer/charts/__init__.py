"""Drawings of a study: colours, Altair charts and the pyvis graph. Nothing here knows Streamlit or torch."""
