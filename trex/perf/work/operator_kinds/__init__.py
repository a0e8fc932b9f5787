"""Families of ONNX operators, one file each: the work of an operator of the family.

A file's ``OPERATORS`` maps an operator's type (``Conv``, ``com.microsoft::Attention``) to its formula.
"""
