"""Families of ONNX operators, one file each: how much work an operator of the family is.

A file's ``OPERATORS`` maps an operator's type (``Conv``, ``com.microsoft::Attention``) to its formula.
"""
