"""The canvas: a view on one document, in rooms that know the protocol in `base`."""
