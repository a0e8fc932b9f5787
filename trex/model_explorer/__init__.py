"""Engines in Google's Model Explorer: an adapter, and data to lay over its nodes.

    model-explorer --extensions=trex.model_explorer out/model.graph.json
    python -m trex.model_explorer out/ --base before/

The first line adds the adapter to Model Explorer; the second opens a folder with times, precisions, findings and the
changes from another engine. Both need the extra ``model-explorer``.
"""
