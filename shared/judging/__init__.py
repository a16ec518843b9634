"""Judges whether passages back a sentence.

A text is read into facts (facts.py) with its numbers and dates (quantities.py); passages.py says how well a passage
holds each of them, support.py weighs them into a verdict. model_judge.py asks a model instead.
"""
