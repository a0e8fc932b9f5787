"""Text of an engine's file → the same text with names hashed: for files that may be shown when the model may not.

Works on text, not on what was read from it, so that files that cannot be read are redacted as well: every brace,
comma, number and line stays. A word stays if TensorRT, ONNX, a kernel's grammar or the readers of this package know
it, in what trex printed also if its messages have it; any other becomes ``n_`` and eight digits of a keyed hash. The
key is thrown away, so that no list of names can be tried. One word has one hash in all files of a bundle: times still
find their layers.

Keys of JSON stay next to keys that are known, since a key that is not known yet is often what is to be reported;
``HashedWords.kept`` lists those that nothing here knows. Addresses, serial numbers and unique ids become hashes, too.
"""

from __future__ import annotations

import ast
import hashlib
import re
import secrets
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trex.core.endings import without_ending
from trex.core.telemetry import NOT_SLOWING, SLOWING
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.perf.known_devices import known_devices
from trex.views.glossary import IMPLEMENTATIONS, LAYER_TYPES
from trex.views.kept_words import FORMAT_WORDS, KERNEL_PIECE, TENSORRT_WORDS, is_known_type


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Words of the names that TensorRT itself makes, and of the files' names.
_NAME_WORDS = _split(
    "reformatting copynode for input output tensor to from pwn foreignnode copy noop unnamed layer shape call "
    "dummy mye myl reformat reformatted optimizer reformatter weight weights bias kernel constant copied reshape "
    "transpose squeeze unsqueeze before after node network profile scale shuffle slice padding fused true false "
    "null none nan inf infinity graph json txt log build run timing times metadata device manifest samples "
    "monitor plan cfg engine onnx trt gz zst tensorrt trtexec nvidia geforce rtx tesla jetson quadro generation "
    "laptop gpu pcie sxm device host simulated synthetic sm cc mib gib kib mb gb kb ms us ns hz mhz ghz qps x b w "
    "nchw nhwc ndhwc ncdhw nhwc8 hwc chw warm up explicit batch enabled disabled default auto fp32 fp16 bf16 tf32 "
    "fp8 fp4 int8 int4 int64 int32 uint8 bool strongly typed k arg bb trex gtx titan ada orin xavier datatype "
    "throughput memusagestats peak memory usage"
)
_REASON_WORDS = _split(" ".join(SLOWING | NOT_SLOWING).replace("-", " "))
# Operators of ONNX and of Q/DQ.
_OPERATORS = _split(
    "abs acos acosh add and argmax argmin asin asinh atan atanh attention averagepool batchnormalization bitshift "
    "cast castlike ceil celu clip compress concat concatfromsequence constant constantofshape conv convinteger "
    "convtranspose cos cosh cumsum depthtospace dequantizelinear dequantize det div dropout dynamicquantizelinear "
    "einsum elu equal erf exp expand eyelike flatten floor fused gather gatherelements gathernd gelu gemm "
    "globalaveragepool globallppool globalmaxpool greater greaterorequal gridsample groupnormalization gru "
    "hardmax hardsigmoid hardswish identity if instancenormalization isinf isnan layernormalization leakyrelu "
    "less lessorequal log logsoftmax loop lppool lrn lstm matmul matmulinteger max maxpool maxroipool maxunpool "
    "mean meanvariancenormalization min mish mod mul multinomial neg nonmaxsuppression nonzero not onehot or pad "
    "pow prelu qlinearconv qlinearmatmul quantize quantizelinear rmsnorm rmsnormalization randomnormal range "
    "reciprocal reducemax reducemean reducemin reduceprod reducesum relu reshape resize reversesequence rnn "
    "roialign rotaryembedding round scan scatter scatterelements scatternd selu shape shrink sigmoid sign sin "
    "sinh size skiplayernormalization slice softmax softplus softsign spacetodepth split sqrt squeeze sub sum "
    "swish tan tanh thresholdedrelu tile topk transpose trilu unique unsqueeze upsample where xor"
)
READERS = ("ingest", "builder")
"""The folders that read logs and JSON."""

_DIGITS_BEGIN = r"(?<!\d)\d+"  # not tried again from each of many digits
_NUMBER = rf"-?{_DIGITS_BEGIN}(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])"
_TOKEN = re.compile(
    r"(?P<secret>(?i:uuid|serial|pci(?:bus)?[_ ]?(?:bus)?[_ ]?id|hostname|host name)\s*[:=]\s*)(?P<value>[^\s,}\]]+)"
    rf"|(?P<number>{_NUMBER}|0x[0-9a-fA-F]+\b|{_DIGITS_BEGIN}x[\dx]*(?<=\d)\b|{_DIGITS_BEGIN}(?:\.\d+){{2,3}}\b)"
    rf"|(?P<word>[^\W\d]\w*|{_DIGITS_BEGIN}[^\W\d]\w*)"
)
_JSON_TOKEN = re.compile(r"(?P<quote>\")|(?P<bare>[^\W\d]\w*)|(?P<brace>[{}])")
_IN_STRING = re.compile(r"[\"\\]")
_COLON = re.compile(r"\s*:")
_JSON = re.compile(r"\s*(?:\ufeff\s*)?[\[{]\s*(?:[\[{\]}\"]|\Z)")
_CONTROL = re.compile(r"(\\u00(?:[01][0-9a-fA-F]|22|5[cC])|\\[bfnrt/\"\\]|[\x00-\x1f])")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_PIECES = re.compile(r"(_+)")
_DIGITS = re.compile(r"\d+")
_RELEASE = re.compile(r"v\d{4,6}")
_LONG_DIGITS = re.compile(r"\d{12,}")
_KEY = re.compile(r"(?:[HD]2[HD] )?[A-Za-z][A-Za-z _-]{0,39}")
_SECRET_KEY = re.compile(r"uuid|serial(?:[ _]?num|$)|pci|host ?name|driver", re.IGNORECASE)
_QUANTITY = re.compile(r"\d+(?:[numk]?s|[KMG]i?B|[kMG]?Hz|W)")
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_RELEASE_NAMED = re.compile(
    r"(?:tensorrt|rtx|bindings|libs|cuda|cudnn|cublas(?:lt)?|nvinfer|version|release|driver|\.so)[\s:=.\"'\[(_-]{0,4}v?\Z",
    re.IGNORECASE,
)
_LONGEST_RELEASE_NAME = 16
_JSON_NUMBER = re.compile(r"\s*(?P<number>-?\d[\w.+-]*)")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_REGEX_ESCAPE = re.compile(r"\\[A-Za-z]")
_FEWEST_KNOWN = 3
_SEPARATORS = frozenset("/\\.")


class HashedWords:
    """One mapping for all files of a bundle. kept: unknown keys of JSON that stayed, for their owner to see."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(16)
        self._words: dict[str, str] = {}
        self.kept: set[str] = set()
        self._is_secret = False
        self._key_before = ""

    def text(self, text: str) -> str:
        """A file's text. What begins as JSON does is taken for JSON, valid or not."""
        if _JSON.match(text):
            keys = iter(_keys_in_known_company(text))
            parts: list[str] = []
            done = 0
            for token in _json_tokens(text):
                parts += text[done : token.start], self._json_token(token, keys)
                done = token.end
            return "".join((*parts, text[done:]))
        known = known_words() | words_in(READERS)
        return self._line(text, known)

    def printed(self, text: str) -> str:
        """What a command of this package printed: the words of its messages stay as well."""
        return self._line(text, known_words() | words_in((*READERS, "core", "capture", "cli")))

    def file_name(self, name: str) -> str:
        return self._line(name, known_words())

    def _json_token(self, token: _JsonToken, keys: Iterator[bool]) -> str:
        if token.brace:
            return token.brace
        if token.bare:
            return token.bare if token.bare.lower() in known_words() else self._word(token.bare, known_words())
        if token.number:
            self._is_secret = False
            return f'"{self._hash(token.number)}"'
        string, colon = token.string, token.colon
        inside, end = (string[1:-1], '"') if token.is_closed else (string[1:], "")
        if colon and next(keys):
            self._is_secret = bool(_SECRET_KEY.search(inside))
            self._key_before = inside
            known = known_words() | words_in(READERS)
            if not inside.isupper() and inside.lower() not in known and not known.issuperset(_words(inside)):
                self.kept.add(inside)
            return f'"{inside}{end}{colon}'
        if self._is_secret and not colon:
            self._is_secret = False
            return f'"{self._hash(inside)}{end}'
        parts = _CONTROL.split(inside)
        known = known_words()
        return (
            '"'
            + "".join(
                part if index % 2 else self._line(_ESCAPED.sub(_plain, part), known, self._key_before)
                for index, part in enumerate(parts)
            )
            + f"{end}{colon}"
        )

    def _line(self, text: str, known: frozenset[str], key: str = "") -> str:
        """key: of JSON, that the text is the value of."""

        def token(match: re.Match[str]) -> str:
            if match["secret"]:
                return f"{match['secret']}{self._hash(match['value'])}"
            if match["number"]:
                number = match["number"]
                is_address = bool(_ADDRESS.fullmatch(number)) and not _is_release(text, match.start(), key)
                return self._hash(number) if is_address else number
            word = match["word"]
            return self._word(word, known_words() if "_" in word or _is_in_name(text, *match.span()) else known)

        return _TOKEN.sub(token, text)

    def _word(self, word: str, known: frozenset[str]) -> str:
        if word in self._words and known is known_words():
            return self._words[word]
        tactic = decode_tactic(word) if "_" in word else None
        if word.lower() in known:
            result = word
        elif tactic is not None and sum(bool(part.words) for part in tactic.parts) >= _FEWEST_KNOWN:
            result = "".join(
                (part.text if part.words or KERNEL_PIECE.fullmatch(part.text) else self._piece(part.text, known))
                + part.separator
                for part in tactic.parts
            )
        else:
            result = "".join(self._piece(piece, known) for piece in _PIECES.split(word))
        if known is known_words():
            self._words[word] = result
        return result

    def _piece(self, piece: str, known: frozenset[str]) -> str:
        lowered = piece.lower()
        if (
            len(piece) < 2
            or _RELEASE.fullmatch(piece)
            or _QUANTITY.fullmatch(piece)
            or not piece.strip("_")
            or (piece.isdigit() and not _LONG_DIGITS.fullmatch(piece))
        ):
            return piece
        is_known = lowered in known or without_ending(lowered, _DIGITS) in known or is_known_type(piece)
        return piece if is_known else self._hash(piece)

    def _hash(self, word: str) -> str:
        return f"n_{hashlib.blake2s(word.encode('utf-8', 'replace'), key=self._key, digest_size=4).hexdigest()}"


class _JsonToken(NamedTuple):
    """One of: string, with the colon behind a key; number, the value of a key that is secret; bare, a word outside of
    strings; brace.
    """

    start: int
    end: int
    string: str = ""
    is_closed: bool = False
    colon: str = ""
    bare: str = ""
    brace: str = ""
    number: str = ""


def _json_tokens(text: str) -> Iterator[_JsonToken]:
    """No one pattern for strings: a repeated alternative takes 150 bytes for each character of the longest."""
    at = 0
    while match := _JSON_TOKEN.search(text, at):
        start, at = match.span()
        if not match["quote"]:
            yield _JsonToken(start, at, bare=match["bare"] or "", brace=match["brace"] or "")
            continue
        is_closed = False
        while not is_closed and (stop := _IN_STRING.search(text, at)):
            is_closed = stop[0] == '"'
            at = stop.end() + (not is_closed)
        at = min(at, len(text)) if is_closed else len(text)
        colon = _COLON.match(text, at)
        yield _JsonToken(start, colon.end() if colon else at, text[start:at], is_closed, colon[0] if colon else "")
        at = colon.end() if colon else at
        if colon and (number := _JSON_NUMBER.match(text, at)) and _SECRET_KEY.search(text, start, colon.start() - 1):
            yield _JsonToken(number.start("number"), number.end(), number=number["number"])
            at = number.end()


@cache
def known_words() -> frozenset[str]:
    """What names and values may consist of, in lower case."""
    devices = (word for device in known_devices({})[0] for word in re.findall(r"\w+", device.device.name))
    types = (name for name in (*LAYER_TYPES, *IMPLEMENTATIONS))
    texts = (*_NAME_WORDS, *_REASON_WORDS, *_OPERATORS, *FORMAT_WORDS, *TENSORRT_WORDS, *devices)
    return frozenset(word.lower() for word in (*texts, *(word for name in types for word in re.findall(r"\w+", name))))


@cache
def strings_in(folders: tuple[str, ...]) -> frozenset[str]:
    """The string constants of these folders of the package, without docstrings.

    Empty where the package has no sources.
    """
    package = Path(__file__).resolve().parents[1]
    files = (file for folder in folders for file in (package / folder).rglob("*.py"))
    return frozenset(text for file in files for text in _constants(file.read_text(encoding="utf-8")))


@cache
def words_in(folders: tuple[str, ...]) -> frozenset[str]:
    """The words of these strings, in lower case: those that a log's lines are recognized by, for the readers."""
    texts = (_REGEX_ESCAPE.sub(" ", text) for text in strings_in(folders))
    return frozenset(word.lower() for text in texts for word in _LETTERS.findall(text))


def _keys_in_known_company(text: str) -> list[bool]:
    """For every key of the JSON, in order: whether it may stay.

    A key that the readers know may; so may another one that looks like a key, in an object that has one that they know.
    Names that are keys of an object of names become hashes.
    """
    words = known_words() | words_in(READERS)
    keys_known: dict[str, bool] = {}

    def is_known(key: str) -> bool:
        """Whether the readers have this key, or it looks like one and they know all its words."""
        if key not in keys_known:
            in_words = bool(_KEY.fullmatch(key)) and words.issuperset(_words(key))
            keys_known[key] = key in strings_in(READERS) or in_words
        return keys_known[key]

    objects: list[bool] = [False]
    open_objects = [0]
    keys: list[tuple[str, int]] = []
    for token in _json_tokens(text):
        if token.brace == "{":
            objects.append(False)
            open_objects.append(len(objects) - 1)
        elif token.brace:
            if len(open_objects) > 1:
                open_objects.pop()
        elif token.colon:
            key = token.string.strip('"')
            keys.append((key, open_objects[-1]))
            objects[open_objects[-1]] |= is_known(key)
    return [is_known(key) or (objects[number] and bool(_KEY.fullmatch(key))) for key, number in keys]


def _constants(source: str) -> list[str]:
    tree = ast.parse(source)
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def _is_in_name(text: str, start: int, end: int) -> bool:
    """Whether the word is a part of a path or of a name with dots, rather than of a sentence."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    return (before[-1:] in _SEPARATORS and before[:1] != " ") or (after[:1] in _SEPARATORS and after[1:].isalnum())


def _words(key: str) -> list[str]:
    return [word.lower() for word in _LETTERS.findall(key)]


def _plain(match: re.Match[str]) -> str:
    """The character of an escape, so that words in other scripts are words."""
    return chr(int(match[1], 16))


def _is_release(text: str, start: int, key: str) -> bool:
    """Whether what is before four numbers with dots, or the key of these alone, names a release: TensorRT 10.4.0.26."""
    before = text[max(start - _LONGEST_RELEASE_NAME, 0) : start] if start else key[-_LONGEST_RELEASE_NAME:]
    return bool(_RELEASE_NAMED.search(before))
