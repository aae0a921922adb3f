"""What a picture is: checked, cleaned, measured and shrunk, in processes of their own (`decoder.py`).

Nothing here knows the rest of comicsdb, so that such a process starts quickly and holds little.
"""
