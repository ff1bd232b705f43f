"""The page docs/gallery.md: each flow of examples/ as a picture and a few numbers beside theory (tools/make_gallery.py)."""
