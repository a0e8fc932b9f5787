"""Match the layers of two plans by several kinds of evidence, the strongest first.

1. ONNX nodes: layers that share a node match, whatever they are fused with. If fusions differ, a match contains several
   layers per side. Nodes that only convert (quantize, cast, reshape) match layers that contain nothing else.
2. Names of output tensors, then names of layers, then layers that write the tensor which the other side's layer of the
   preceding match writes.
3. Conversions inserted by TensorRT: by the matches of the layers before and after them.
4. Neighbors: layers of one type between the same matches.
5. Subgraphs: one layer here and a few there that are alone between the same matches, a different fusion.
6. Order: layers of one type and shape (without the batch) in the same order of data, by the longest common subsequence
   between two certain matches, for engines that share no names. For files with layer names only, by words in the names.
7. Swapped adds: the add of two GEMMs is fused into one of them here and into the other there. All four layers are one
   match.
8. Fusions: an unmatched layer joins a neighboring match whose other side contains its work, by the words in the names;
   without words, the preceding match if the other side's layer already has its output shape. A small layer finally
   joins a match that may contain it; such a match is ambiguous.

Every other layer is unmatched. Every step is linear in layers and nodes, except matching by order, which is bounded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from operator import itemgetter

from trex.compare.matching.absorbed_layers import ambiguous_matches, join_by_result, join_fused
from trex.compare.matching.by_order import LEAST_SIMILARITY, match_by_order, match_by_words
from trex.compare.matching.dataflow import POINTWISE
from trex.compare.matching.match import LEAST_SHARE, Alignment, Match
from trex.compare.matching.match_builder import MatchBuilder
from trex.compare.matching.name_evidence import is_attention, is_minor, is_view, shared_words
from trex.compare.matching.swapped_adds import join_swapped_gemms, match_swapped_adds
from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan

ORIGINS, TENSORS, NAMES = "same ONNX nodes", "same output tensor", "same name"
BETWEEN, NEIGHBORS, SUBGRAPHS = "between the same layers", "same neighbors", "only layers between the same neighbors"
MOST_LAYERS = 12
"""Size of the largest unmatched subgraph that is matched as a whole."""
AMBIGUOUS = 0.5
"""Highest confidence of an ambiguous match."""
_START, _END = -2, -3


def align(left: EnginePlan, right: EnginePlan) -> Alignment:
    """Matches the layers of two plans. A Note warns if few match, as those of different models."""
    with collector_paused():
        steps = _Steps(left, right)
        steps.by_nodes(minor=False)
        steps.by_nodes(minor=True)
        steps.by_unique_key(TENSORS, 0.9, steps.names.tensors)
        steps.by_unique_key(NAMES, 0.85, steps.names.name)
        join_by_result(steps)
        for confidence in (0.8, 0.75, 0.7):
            steps.by_neighbors(BETWEEN, confidence, conversions=True)
            steps.by_neighbors(NEIGHBORS, confidence - 0.1, conversions=False)
            if not steps.by_subgraphs(confidence - 0.2, most=1):
                break
        match_by_order(steps)
        match_by_words(steps)
        match_swapped_adds(steps)
        for confidence in (0.6, 0.55):
            steps.by_neighbors(BETWEEN, confidence, conversions=True, partly=True)
            join_swapped_gemms(steps)
            join_fused(steps, guess=False)
            steps.by_neighbors(NEIGHBORS, confidence - 0.1, conversions=False, partly=True)
            steps.by_subgraphs(confidence - 0.2, most=MOST_LAYERS)
        join_fused(steps, guess=True)
        steps.by_neighbors(BETWEEN, 0.5, conversions=True, partly=True)
        return steps.alignment()


class _Steps(MatchBuilder):
    """The steps that match by names and by neighbors."""

    def by_nodes(self, *, minor: bool) -> None:
        """Matches layers that share an ONNX node, directly or through other layers (connected components)."""
        owners: dict[str, list[int]] = defaultdict(list)
        for index, nodes in enumerate(self.names.nodes):
            if self.match_of[index] < 0:
                wanted = [node for node in nodes if is_minor(node) == minor]
                if minor and len(wanted) < len(nodes):
                    continue
                for node in wanted:
                    owners[node].append(index)
        parent = list(range(len(self.layers)))

        def root(index: int) -> int:
            while parent[index] != index:
                parent[index] = parent[parent[index]]
                index = parent[index]
            return index

        shared: list[tuple[str, int]] = []
        for node, indexes in owners.items():
            if indexes[0] < self.start <= indexes[-1]:
                shared.append((node, indexes[0]))
                first = root(indexes[0])
                for index in indexes[1:]:
                    parent[root(index)] = first
        members: dict[int, list[int]] = defaultdict(list)
        shared_of: dict[int, list[str]] = defaultdict(list)
        for node, index in shared:
            shared_of[root(index)].append(node)
        for index in range(len(self.layers)):
            if (top := root(index)) in shared_of and self.match_of[index] < 0:
                members[top].append(index)
        for top, indexes in members.items():
            common = shared_of[top]
            total = len({node for index in indexes for node in self.names.nodes[index]})
            confidence = (0.95 if minor else 1.0) if len(common) == total else 0.8 if minor else 0.9
            self.add(indexes, ORIGINS, confidence, tuple(common))
        if minor:
            self._join_views()

    def _join_views(self) -> None:
        """Layers that only move values join the match whose other side contains all of their nodes."""
        owners: dict[tuple[str, bool], int] = {}
        for index, nodes in enumerate(self.names.nodes):
            if self.match_of[index] >= 0:
                for node in nodes:
                    owners.setdefault((node, index < self.start), self.match_of[index])
        for index in self.unmatched():
            nodes = self.names.nodes[index]
            numbers = {owners.get((node, index >= self.start), -1) for node in nodes}
            if len(numbers) == 1 and min(numbers) >= 0 and all(map(is_view, nodes)):
                self.join(index, numbers.pop(), nodes)

    def by_unique_key(self, why: str, confidence: float, key: Callable[[int], Hashable]) -> None:
        """Matches unmatched layers whose key occurs once on each side."""
        for left, right in self.by_key((index, key(index)) for index in self.unmatched()).values():
            if len(left) == len(right) == 1:
                self.add([*left, *right], why, confidence)

    def by_neighbors(self, why: str, confidence: float, *, conversions: bool, partly: bool = False) -> None:
        """Matches layers of one type whose neighbors are in the same matches, in order.

        partly: also if some of the neighbors are unmatched.
        """

        def key(index: int) -> Hashable:
            before, after = self.flow.before[index], self.flow.after[index]
            if not partly and any(self.match_of[neighbor] < 0 for neighbor in (*before, *after)):
                return ()
            neighbors = (self.matches_of(before), self.matches_of(after))
            if not any(neighbors):
                return ()
            layer = self.layers[index]
            slots = () if partly else tuple(sorted(self.flow.slots[index]))
            # A conversion may be before a pooling here and after it there; a layer that computes keeps its shape.
            shape = () if conversions else self.output_shape[index]
            return ("" if conversions else layer.type, shape, slots, *neighbors)

        indexes = [index for index in self.unmatched() if self.converts[index] == conversions]
        for left, right in self.by_key((index, key(index)) for index in indexes).values():
            for one, other in zip(left, right):
                if self.names.similarity(one, other) >= LEAST_SIMILARITY:
                    self.add([one, other], why, confidence if len(left) == len(right) else confidence - 0.2)

    def by_subgraphs(self, confidence: float, most: int) -> int:
        """Matches connected unmatched layers that lie between the same matches, with at most ``most`` layers on the
        smaller side. Returns how many subgraphs were matched.
        """
        seen: set[int] = set()
        sides_of: dict[Hashable, tuple[list[tuple[int, ...]], list[tuple[int, ...]]]] = {}
        for first in self.unmatched():
            if first not in seen:
                subgraph, before, after = self._connected(first, seen)
                computes = any(not self.converts[index] for index in subgraph)
                if len(subgraph) <= MOST_LAYERS and before and after and computes:
                    sides_of.setdefault((before, after), ([], []))[subgraph[0] >= self.start].append(subgraph)
        count = 0
        for left, right in sides_of.values():
            if len(left) != 1 or len(right) != 1 or min(len(left[0]), len(right[0])) > most:
                continue
            if similar := self._similar_layers(left[0], right[0]):
                self.add(similar, SUBGRAPHS, confidence)
                count += 1
        return count

    def _connected(self, first: int, seen: set[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """(unmatched layers connected with the first, the matches before them, the matches after them)."""
        subgraph, pending, around = list[int](), [first], (set[int](), set[int]())
        seen.add(first)
        while pending:
            index = pending.pop()
            subgraph.append(index)
            neighbors = self.flow.before[index], self.flow.after[index]
            tensors = self.layers[index].inputs, self.layers[index].outputs
            for matches, others, ends, end in zip(around, neighbors, tensors, (_START, _END), strict=True):
                if not others and ends:
                    matches.add(end)
                for other in others:
                    if self.match_of[other] >= 0:
                        matches.add(self.match_of[other])
                    elif other not in seen:
                        seen.add(other)
                        pending.append(other)
        return tuple(sorted(subgraph)), tuple(sorted(around[0])), tuple(sorted(around[1]))

    def _similar_layers(self, left: tuple[int, ...], right: tuple[int, ...]) -> list[int]:
        """The layers of two subgraphs that compute. If their names share words, without layers that share none. Empty
        if only one side is pointwise: a GEMM does not become that.
        """
        sides = [[index for index in subgraph if not self.converts[index]] for subgraph in (left, right)]
        if len({all(self.layers[index].type in POINTWISE for index in side) for side in sides}) == 2:
            return []
        words = [Counter[str](), Counter[str]()]
        for side, indexes in enumerate(sides):
            for index in indexes:
                words[side].update(self.names.words(index))
        if (words[0] & words[1]).total():
            for side, indexes in enumerate(sides):
                sides[side] = self._with_words(indexes, words[1 - side])
            if self._name_all_work([*sides[0], *sides[1]]) and shared_words(*words) < LEAST_SIMILARITY:
                return []
        elif max(map(len, sides)) > 1 and self._name_all_work([*sides[0], *sides[1]]):
            return []
        return [*sides[0], *sides[1]] if sides[0] and sides[1] else []

    def _with_words(self, indexes: list[int], words: Counter[str]) -> list[int]:
        """The layers that have some of these words, each word used up as it is found: layers with all of their words
        first, then those with many.
        """
        available = Counter(words)
        kept = []
        by_size = sorted(indexes, key=lambda index: -self.names.words(index).total())
        for index in sorted(by_size, key=lambda index: not self.names.words(index) <= words):
            own = self.names.words(index)
            has_no_words = not own and not self.names.names_all_work(index)
            if has_no_words or (own & available).total():
                kept.append(index)
                available -= own
        return kept

    def _name_all_work(self, indexes: list[int]) -> bool:
        """Whether all names contain all of the work; a fused attention kernel's never does."""
        attends = any(is_attention(self.layers[index]) for index in indexes)
        return not attends and all(map(self.names.names_all_work, indexes))

    def alignment(self) -> Alignment:
        """All matches, and every other layer as an unmatched one."""
        rows: list[tuple[float, int, Match]] = []
        start, ambiguous = self.start, ambiguous_matches(self)
        for number, draft in enumerate(self.drafts):
            if draft.indexes:
                left = tuple(index for index in draft.indexes if index < start)
                right = tuple(index - start for index in draft.indexes if index >= start)
                is_ambiguous = number in ambiguous
                confidence = min(draft.confidence, AMBIGUOUS) if is_ambiguous else draft.confidence
                is_swapped = number in self.swapped
                match = Match(left, right, draft.why, confidence, tuple(draft.nodes), is_ambiguous, is_swapped)
                rows.append((left[0], number, match))
        last = -1.0
        for index, nodes in enumerate(self.names.nodes):
            number = self.match_of[index]
            if number >= 0:
                if index >= start:
                    last = max(last, self.drafts[number].indexes[0])
            elif index < start:
                rows.append((index, -1, Match((index,), (), "only in base", 1.0, nodes)))
            else:
                rows.append((last + 0.5, index, Match((), (index - start,), "only in new", 1.0, nodes)))
        rows.sort(key=itemgetter(0, 1))
        alignment = Alignment(self.left, self.right, tuple(match for _, _, match in rows))
        return Alignment(self.left, self.right, alignment.matches, tuple(_notes(alignment)))


def _notes(alignment: Alignment) -> Iterator[Note]:
    if alignment.matched_share < LEAST_SHARE:
        yield Note(
            "unlike-engines",
            f"only {100 * alignment.matched_share:.0f} % of the layers match: the engines may be of different models",
            "compare engines built from the same ONNX model",
        )
    if count := sum(len(match.left) != len(match.right) and match.is_ambiguous for match in alignment.matches):
        yield Note(
            "fusion-or-removal",
            f"{counted(count, 'layer group')} with a small kernel in one engine only: the files don't show whether its "
            "neighbor absorbed it or it was removed, so its time is unexplained",
            "rebuild both from ONNX with TensorRT 8.6 or later and --profilingVerbosity=detailed: the files then name "
            "the ONNX nodes of each kernel",
        )
