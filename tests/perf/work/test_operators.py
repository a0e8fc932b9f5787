"""Every family of operators against counts computed by hand, each with its derivation."""

from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.perf.work import operators
from trex.perf.work.operators import FAMILIES, formula_of, operator_count

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper  # noqa: E402

from tests.onnx_models import Net, convolution, infer_here, resnet18, transformer  # noqa: E402


@pytest.fixture(autouse=True)
def without_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr("trex.ingest.onnx_shapes.inferred", infer_here)


INT8, INT64, BOOL = TensorProto.INT8, TensorProto.INT64, TensorProto.BOOL


class Of:
    """``Of("Conv", (1, 3, 8, 8), w(4, 3, 3, 3), pads=…)``: one operator; tuples are inputs, W stored tensors."""

    def __init__(self, type, *inputs, domain="", outputs=1, output=None, **attributes):
        self.type, self.inputs, self.domain, self.outputs = type, inputs, domain, outputs
        self.output, self.attributes = output, attributes

    def add(self, net):
        """The operator as a node of the net; its index."""
        index = len(net.nodes)
        names = [self._name(net, f"x{index}_{number}", item) for number, item in enumerate(self.inputs)]
        written = net.node(self.type, *names, domain=self.domain, outputs=self.outputs, **self.attributes)
        first = written if self.outputs == 1 else written[0]
        if self.output:
            net.infos.append(helper.make_tensor_value_info(first, TensorProto.FLOAT, self.output))
        return index

    def work(self, folder):
        net = Net(opset=23, com_microsoft=1)
        model = (self.add(net), net.read(folder))[1]
        return operator_count(model.operators[0], model)

    @staticmethod
    def _name(net, name, value):
        if value is None:
            return ""
        if isinstance(value, W):
            return net.weight(*value.shape, type=value.type)
        if isinstance(value, C):
            return net.constant(value.numbers, None, value.type)
        shape, type = value if value and isinstance(value[0], tuple) else (value, TensorProto.FLOAT)
        return net.input(name, shape, type)


class W:
    def __init__(self, *shape, type=TensorProto.FLOAT):
        self.shape, self.type = shape, type


class C:
    def __init__(self, *numbers, type=TensorProto.INT64):
        self.numbers, self.type = numbers, type


X = (2, 8, 10, 10)  # 1600 values
CASES = [
    # ---- convolution
    # output 2×16×10×10; M = 2·100 = 200, N = 16, K = 8·9 = 72: 230400; bias 3200 values
    (Of("Conv", X, W(16, 8, 3, 3), W(16), pads=[1] * 4), 230_400, 3_200),
    # stride 2: output 2×16×5×5, M = 50: 57600, no bias
    (Of("Conv", X, W(16, 8, 3, 3), pads=[1] * 4, strides=[2, 2]), 57_600, 0),
    # 4 groups: each M = 200, N = 4, K = 2·9 = 18: 4·200·4·18 = 57600
    (Of("Conv", X, W(16, 2, 3, 3), pads=[1] * 4, group=4), 57_600, 0),
    # depthwise: 8 groups, K = 9, N = 1: 8·200·9
    (Of("Conv", X, W(8, 1, 3, 3), pads=[1] * 4, group=8), 14_400, 0),
    # 1-D: 1×4×20 by 6×4×5 → 1×6×16: 16·6·20
    (Of("Conv", (1, 4, 20), W(6, 4, 5)), 1_920, 0),
    # 3-D: 1×2×4×4×4 by 3×2×2×2×2 → 3 channels of 3³: 27·3·16
    (Of("Conv", (1, 2, 4, 4, 4), W(3, 2, 2, 2, 2)), 1_296, 0),
    # transposed: every of 2·100 input positions, 8 channels, meets 4·3·3 weights: 200·8·36; output 2×4×12×12, bias 1152
    (Of("ConvTranspose", X, W(8, 4, 3, 3), W(4)), 57_600, 1_152),
    # transposed in 2 groups: 200 positions · 8 channels · 4·9 weights a channel (8 output channels, 4 a group)
    (Of("ConvTranspose", X, W(8, 4, 3, 3), group=2), 57_600, 0),
    (Of("ConvInteger", (X, INT8), W(16, 8, 3, 3, type=INT8), pads=[1] * 4), 230_400, 0),
    # 3200 output values, each scaled and rounded
    (Of("QLinearConv", (X, INT8), W(), W(type=INT8), W(16, 8, 3, 3, type=INT8), W(), W(type=INT8), W(), W(type=INT8),
        pads=[1] * 4), 230_400, 6_400),
    # 3×3 over 2×8×10×10 → 2×16×8×8: 128·16·72; blended: 128·72·8 values read, 8 operations each: 128·8·9·8
    (Of("DeformConv", X, W(16, 8, 3, 3), (2, 18, 8, 8)), 147_456, 73_728),
    # ---- products
    (Of("MatMul", (4, 5), (5, 6)), 120, 0),
    (Of("MatMul", (2, 3, 4, 5), (5, 6)), 2 * 3 * 4 * 5 * 6, 0),
    (Of("MatMul", (2, 3, 4, 5), (3, 5, 6)), 6 * 120, 0),  # the batch is broadcast: 2·3 products
    (Of("MatMul", (2, 1, 4, 5), (1, 3, 5, 6)), 6 * 120, 0),
    (Of("MatMul", (5,), (5, 6)), 30, 0),  # one row
    (Of("MatMul", (4, 5), (5,)), 20, 0),  # one column
    (Of("MatMul", (7, 4, 5), (5,)), 140, 0),
    (Of("MatMul", (5,), (5,)), 5, 0),
    (Of("MatMul", (5,), (2, 5, 6)), 60, 0),
    # 4×5 by 5×6: 120; C added 24, beta scales C 24, alpha 24
    (Of("Gemm", (5, 4), (6, 5), (6,), transA=1, transB=1, alpha=2.0, beta=0.5), 120, 72),
    (Of("Gemm", (4, 5), W(5, 6), W(6)), 120, 24),
    (Of("MatMulInteger", ((4, 5), INT8), ((5, 6), INT8)), 120, 0),
    (Of("QLinearMatMul", ((4, 5), INT8), W(), W(type=INT8), ((5, 6), INT8), W(), W(type=INT8), W(), W(type=INT8)),
     120, 48),
    # ---- attention: 2 images, 4 heads, 6 queries, 7 keys, d 8, dᵥ 8
    # scores 2·4·42 = 336; 336·16 macs; 6 operations a score
    (Of("Attention", (2, 4, 6, 8), (2, 4, 7, 8), (2, 4, 7, 8)), 5_376, 2_016),
    (Of("Attention", (2, 6, 32), (2, 7, 32), (2, 7, 32), q_num_heads=4, kv_num_heads=4), 5_376, 2_016),
    # masked: one addition more a score
    (Of("Attention", (2, 4, 6, 8), (2, 4, 7, 8), (2, 4, 7, 8), (6, 7)), 5_376, 2_352),
    # causal, 6 queries and 6 keys: 1+2+…+6 = 21 of 36 scores: 2·4·21 = 168
    (Of("Attention", (2, 4, 6, 8), (2, 4, 6, 8), (2, 4, 6, 8), is_causal=1), 168 * 16, 168 * 6),
    # grouped: 4 query heads share 2 key heads: as many products
    (Of("Attention", (2, 6, 32), (2, 7, 16), (2, 7, 16), q_num_heads=4, kv_num_heads=2), 5_376, 2_016),
    # ---- pointwise
    (Of("Add", X, (8, 1, 1)), 0, 1_600),
    (Of("Add", (4, 1), (1, 5)), 0, 20),  # both operands are broadcast
    (Of("Sqrt", X), 0, 1_600),
    (Of("Sum", X, X, X), 0, 3_200),
    (Of("Mean", X, X), 0, 3_200),  # one addition, one division
    (Of("Clip", X, W(), W()), 0, 3_200),
    (Of("Clip", X, None, W()), 0, 1_600),
    (Of("Cast", X, to=TensorProto.FLOAT16), 0, 0),
    (Of("Where", (X, BOOL), X, X), 0, 1_600),
    (Of("Relu", X), 0, 1_600),
    (Of("Sigmoid", X), 0, 6_400),
    (Of("Gelu", X), 0, 8_000),
    (Of("Gelu", X, approximate="tanh"), 0, 12_800),
    # ---- normalizations and reductions
    (Of("Softmax", X), 0, 8_000),
    (Of("BatchNormalization", X, W(8), W(8), W(8), W(8)), 0, 3_200),
    (Of("LayerNormalization", X, W(10), W(10)), 0, 11_200),
    (Of("LayerNormalization", X, W(10)), 0, 9_600),
    (Of("GroupNormalization", X, W(8), W(8), num_groups=2), 0, 11_200),
    (Of("InstanceNormalization", X, W(8), W(8)), 0, 11_200),
    (Of("RMSNormalization", X, W(10)), 0, 6_400),
    (Of("LRN", X, size=5), 0, 14_400),
    (Of("ReduceSum", X, C(2, 3)), 0, 1_600 - 16),  # 16 sums of 100 values, 99 additions each
    (Of("ReduceMean", X, C(2, 3)), 0, 1_600),  # and a division each
    (Of("ReduceL2", X, C(2, 3)), 0, 3_200),  # 1600 squares, 16·99 additions, 16 roots
    (Of("ArgMax", X, axis=1, keepdims=0), 0, 1_600 - 200),
    (Of("CumSum", X, W(type=INT64)), 0, 1_600),
    # ---- pooling: 2×8×5×5 = 400 results
    (Of("MaxPool", X, kernel_shape=[2, 2], strides=[2, 2]), 0, 1_200),
    (Of("AveragePool", X, kernel_shape=[2, 2], strides=[2, 2]), 0, 1_600),
    (Of("GlobalAveragePool", X), 0, 1_600),  # 16 averages of 100
    (Of("GlobalMaxPool", X), 0, 16 * 99),
    # ---- resize: 2×8×20×20 = 6400 results of 4 neighbors, each weighted and added; of 16 for cubic
    (Of("Resize", X, None, C(1, 1, 2, 2, type=TensorProto.FLOAT), mode="linear"), 0, 51_200),
    (Of("Resize", X, None, C(1, 1, 2, 2, type=TensorProto.FLOAT), mode="cubic"), 0, 204_800),
    (Of("Resize", X, None, C(1, 1, 2, 2, type=TensorProto.FLOAT)), 0, 0),
    (Of("GridSample", X, (2, 5, 5, 2)), 0, 400 * 8),
    # ---- moves, views, searches
    (Of("Transpose", X), 0, 0),
    (Of("Concat", X, X, axis=1), 0, 0),
    (Of("Reshape", X, C(2, -1)), 0, 0),
    (Of("TopK", (3, 100), C(5), outputs=2), 0, 900),  # a heap of 5: 3 comparisons for each of 300 values
    (Of("NonZero", X), 0, 1_600),
    (Of("ScatterElements", X, (X, INT64), X, reduction="add"), 0, 1_600),
    # ---- quantization
    (Of("QuantizeLinear", X, W()), 0, 3_200),
    (Of("QuantizeLinear", X, W(8), W(8, type=INT8)), 0, 4_800),  # with a zero point that may be any
    (Of("DequantizeLinear", (X, INT8), W()), 0, 1_600),
    (Of("DynamicQuantizeLinear", X, outputs=3), 0, 8_000),
    # ---- Einsum
    (Of("Einsum", (2, 3, 4), (2, 4, 5), equation="bij,bjk->bik"), 120, 0),
    (Of("Einsum", (2, 3, 4), (4, 5), equation="...j,jk"), 120, 0),
    (Of("Einsum", (3,), (4,), equation="i,j->ij"), 0, 12),  # an outer product sums nothing
    (Of("Einsum", (3, 4), equation="ij->j"), 0, 12),
    (Of("Einsum", (3, 4), equation="ij->ji"), 0, 0),
    (Of("Einsum", (3, 4), (4, 5), (5, 6), equation="ij,jk,kl->il"), 60 + 90, 0),
    # ---- recurrent: 7 steps, 2 sequences, 5 inputs, 3 hidden; LSTM: 7·2·4·3·8 = 1344; 42 values · (22 + 4)
    (Of("LSTM", (7, 2, 5), W(1, 12, 5), W(1, 12, 3), W(1, 24), outputs=3, hidden_size=3), 1_344, 1_092),
    (Of("GRU", (7, 2, 5), W(2, 9, 5), W(2, 9, 3), outputs=2, hidden_size=3, direction="bidirectional"), 2_016, 1_428),
    (Of("RNN", (7, 2, 5), W(1, 3, 5), W(1, 3, 3), outputs=2, hidden_size=3), 336, 84),
    (Of("RotaryEmbedding", (2, 4, 6, 8), (6, 4), (6, 4)), 0, 2 * 4 * 6 * 8 * 3),
]  # fmt: skip


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    """The works of all cases, in their order: read as one model."""
    net = Net(opset=23, com_microsoft=1)
    for operator, _, _ in CASES:
        operator.add(net)
    model = net.read(tmp_path_factory.mktemp("cases"))
    return [operator_count(operator, model) for operator in model.operators]


@pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{i}-{case[0].type}" for i, case in enumerate(CASES)])
def test_counts(index, works):
    (_, macs, other_ops), work = CASES[index], works[index]
    assert (work.macs, work.other_ops) == (macs, other_ops), work.reason
    assert work.confidence > 0
    if work.gemm is not None:
        assert work.macs == work.gemm.macs


def test_every_family_has_a_case_or_a_test_of_its_own():
    formulas = [formula_of(f"{of.domain}::{of.type}" if of.domain else of.type) for of, _, _ in CASES]
    others = set(FAMILIES) - {family for family, _ in filter(None, formulas)}
    own = Path(__file__).parent / "operator_kinds"
    assert all((own / f"test_{name.replace('-', '_')}.py").is_file() for name in others) and not FAMILIES.broken


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_documented(name):
    doc = FAMILIES[name].doc
    for part in ("Formula: ", "Source: ", "Does not hold for: "):
        assert part in doc


@pytest.mark.parametrize("domain", ["", "com.microsoft"])
def test_every_formula_survives_every_shape(domain, tmp_path):
    """Operators with too few inputs, of no rank, of unknown rank: a reason, never an exception."""
    net = Net(com_microsoft=1)
    names = [name for name in operators._formulas() if name.startswith(domain) and ("::" in name) == bool(domain)]
    scalar, open_one, ranked = net.input("s", ()), net.input("o", None), net.input("r", (None, 0, 3))
    for name in names:
        for inputs in ((), (scalar,), (open_one,) * 9, (ranked,) * 9, (scalar,) * 9, ("", "")):
            net.node(name.rpartition("::")[2], *inputs, domain=domain)
    model = net_without_inference(net)
    for operator in model.operators:
        work = operator_count(operator, model)
        assert work.macs is not None or work.reason


def net_without_inference(net):
    from trex.core.model import Model
    from trex.ingest.onnx_facts import described_value, operators_of

    proto = net.proto()
    values = map(described_value, proto.graph.input)
    return Model(tuple(operators_of(proto.graph.node)), {value.name: value for value in values})


# ---- What is not known


def test_an_unknown_operator_is_unknown_with_a_reason(tmp_path):
    work = Of("Mystery", X, domain="com.microsoft", output=X).work(tmp_path)
    assert (work.macs, work.other_ops) == (None, None)
    assert work.reason == "no formula for operators of type com.microsoft::Mystery"


def test_a_dynamic_dimension_is_the_reason(tmp_path):
    work = Of("Conv", ("N", 3, 8, 8), W(4, 3, 3, 3)).work(tmp_path)
    assert work.macs is None
    assert work.reason.startswith("dimensions known only at run time") and work.reason.endswith(" is ?x4x6x6")


def test_a_branch_is_not_looked_into(tmp_path):
    inner = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"])], "then", [], [helper.make_tensor_value_info("r", 1, None)]
    )
    net = Net()
    net.input("x", (3,))
    net.output(net.node("If", net.input("c", (), BOOL), then_branch=inner, else_branch=inner))
    model = net.read(tmp_path)
    work = operator_count(model.operators[0], model)
    assert work.macs is None and work.reason == "If has subgraphs, which are not analyzed"


def test_shapes_that_are_none_of_the_operators(tmp_path):
    work = Of("Conv", X, (16, 8, 3), output=(2, 16, 10, 10)).work(tmp_path)
    assert work.macs is None and "not those of the operator Conv" in work.reason


def test_dimensions_beyond_any_device_are_unknown(tmp_path):
    huge = (1 << 40, 1 << 40)
    work = Of("MatMul", huge, huge).work(tmp_path)
    assert work.macs is None and work.reason


def test_a_lookup_and_a_view_do_not_read_all_of_their_input(tmp_path):
    assert not Of("Gather", W(30_000, 64), ((2, 5), INT64)).work(tmp_path).reads_all
    assert not Of("Reshape", X, C(2, -1)).work(tmp_path).reads_all
    assert Of("Transpose", X).work(tmp_path).reads_all


def test_what_constants_determine_is_no_work(tmp_path):
    net = Net()
    x = net.input("x", X)
    scale = net.weight()
    stored = net.node("QuantizeLinear", net.weight(16, 8, 3, 3), scale, net.weight(type=INT8))
    kernel = net.node("DequantizeLinear", stored, scale)
    net.output(net.node("Conv", x, kernel, pads=[1] * 4))
    model = net.read(tmp_path)
    works = [operator_count(operator, model) for operator in model.operators]
    assert [work.macs for work in works] == [0, 0, 230_400]
    assert "when the engine is built" in works[0].reason


# ---- Whole networks


def total_macs(net, folder):
    model = net.read(folder)
    return sum(operator_count(operator, model).macs for operator in model.operators)


def test_resnet18_has_the_macs_of_the_literature(tmp_path):
    # He et al. 2015, table 1: 1.8·10⁹ "FLOPs" (MACs, in terms of today); by hand 1,814,073,344 (torchvision)
    assert total_macs(resnet18(), tmp_path) == pytest.approx(1.8e9, rel=0.02)
    assert total_macs(resnet18(), tmp_path) == 1_814_073_344
    assert total_macs(resnet18(4), tmp_path) == 4 * 1_814_073_344


def test_a_transformer_layer_has_the_macs_of_its_formula(tmp_path):
    # Per layer 12·tokens·hidden² for the products with weights (4 + 4 + 4), 2·tokens²·hidden for the attention.
    tokens, hidden = 128, 768
    expected = 2 * (12 * tokens * hidden**2 + 2 * tokens**2 * hidden)
    assert total_macs(transformer(2, tokens=tokens, hidden=hidden), tmp_path) == expected


def test_operators_of_others_may_be_added(monkeypatch):
    formula = FAMILIES["reduction"].value["Softmax"]
    plug = Plug("mine", FAMILIES["reduction"].module, {"mine::Softmax": formula, "Conv": formula})
    monkeypatch.setattr(operators, "FAMILIES", {"convolution": FAMILIES["convolution"], "mine": plug})
    operators._formulas.cache_clear()
    try:
        with pytest.raises(TrexError, match="two families of operators claim Conv: convolution and mine"):
            formula_of("Conv")
    finally:
        operators._formulas.cache_clear()


def test_the_net_of_the_tests_pads_as_it_says(tmp_path):
    net = Net()
    net.output(convolution(net, net.input("x", X), 8, 8, 5, "/conv"))
    assert net.read(tmp_path).outputs[0].shape == X
