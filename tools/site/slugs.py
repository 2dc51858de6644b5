"""Anchors of headings, as GitHub makes them and tools/check_links.py checks them."""
import re


def github(text, separator):
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)
