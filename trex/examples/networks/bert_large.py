"""BERT-large: twenty-four transformer layers for 128 tokens, exported as BERT-base.

Source: Devlin et al. 2018: width 1024, 16 heads, 4096 inside the feed-forward layers.
"""

from __future__ import annotations

from functools import partial

from trex.examples.network import Network
from trex.examples.networks.bert_base import BertSize, bert

NETWORK = Network(
    partial(bert, BertSize("bert-large", 1024, 16, 4096, 24)),
    {
        "": "BERT-large's encoder and pooler in FP32, 128 tokens",
        "fp16": "BERT-large with FP16 tensors, for strongly typed builds",
        "qat": "BERT-large with Q/DQ at inputs and weights of all linear layers",
    },
    has_names=False,
    has_length=True,
)
