from trex.core.data_type import DataType
from trex.core.operator import Operator, Subgraph, Value


def test_a_value_knows_its_size_or_says_that_it_does_not():
    assert Value("x", (2, 3), DataType.FP16).size_bytes == 12
    assert Value("x", (3,), DataType.INT4).size_bytes == 2  # 12 bits
    assert Value("x", (), DataType.FP32).count == 1
    assert Value("x", (None, 3), DataType.FP16).size_bytes is None
    assert Value("x", None, DataType.FP16).count is None
    assert Value("x", (2,), DataType.UNKNOWN).size_bytes is None


def test_an_operator_reads_what_its_subgraphs_read():
    body = Subgraph("then", 3, ("outer", "x"))
    operator = Operator(0, "/If", "If", "", ("x", "", "c"), ("y",), {"then_branch": body, "n": 1})
    assert operator.reads == ("x", "c", "outer")
    assert operator.subgraphs == (body,)


def test_types_of_other_domains_are_qualified():
    assert Operator(0, "a", "Conv", "", (), ()).qualified_type == "Conv"
    assert Operator(0, "a", "Conv", "my.own", (), ()).qualified_type == "my.own::Conv"
