"""What a test sees of a page: pixels, places on the screen, what is selected."""

from __future__ import annotations

import time
from typing import Any


def settled(page: Any) -> None:
    """Waits until what was asked for is drawn."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def until(page: Any, condition: str, argument: Any = None) -> None:
    """Waits for a condition; asked from outside, since the page forbids that text is run as a script."""
    deadline = time.monotonic() + 60
    while not page.evaluate(condition, argument):
        assert time.monotonic() < deadline, f"never came true: {condition}"
        page.wait_for_timeout(20)


def pixels(page: Any) -> list[int]:
    """How often each of a few colors is on the canvas: enough to tell two drawings apart."""
    settled(page)
    found: list[int] = page.evaluate("""() => {
        const shown = document.getElementById("graph"), copy = document.createElement("canvas");
        copy.width = shown.width;
        copy.height = shown.height;
        const pencil = copy.getContext("2d", {willReadFrequently: true});
        pencil.drawImage(shown, 0, 0);
        const data = pencil.getImageData(0, 0, copy.width, copy.height).data, counts = new Array(64).fill(0);
        const part = value => value >> 6;
        for (let i = 0; i < data.length; i += 4) {
            counts[part(data[i]) * 16 + part(data[i + 1]) * 4 + part(data[i + 2])]++;
        }
        return counts;
    }""")
    return found


def selected(page: Any) -> str:
    name: str = page.evaluate("trex.selected < 0 ? '' : trex.model.layers.name[trex.selectedLayer()] ?? ''")
    return name


def place_of(page: Any, name: str) -> tuple[float, float]:
    """Where a layer's box is on the screen, after it was brought into view."""
    box = page.evaluate(
        "name => { const box = trex.base.boxOf[trex.model.layers.name.indexOf(name)]; trex.bring(box); return box; }",
        name,
    )
    return middle_of(page, box)


def middle_of(page: Any, box: int, part: tuple[float, float] = (0.5, 0.5)) -> tuple[float, float]:
    """Where a part of a box is on the screen."""
    settled(page)
    stage = page.locator("#graph").bounding_box()
    x, y = page.evaluate(
        """([box, across, down]) => {
            const {boxes} = trex.model, column = trex.sheet.columnAt(boxes.y[box]), {zoom, x, y} = trex.view;
            const place = [boxes.x[box] + across * boxes.w[box], boxes.y[box] + down * boxes.h[box]];
            return [(place[0] + column.dx) * zoom + x, (place[1] + column.dy) * zoom + y];
        }""",
        [box, *part],
    )
    return stage["x"] + x, stage["y"] + y


def badges(page: Any) -> list[str]:
    """What the head of each box says of its time."""
    said: list[str] = page.evaluate("Array.from({length: trex.model.boxes.n}, (_, i) => trex.badge(i))")
    return said


def shown(page: Any) -> list[int]:
    """The boxes that are drawn; from the number of boxes on, those of closed groups."""
    boxes: list[int] = page.evaluate("Array.from(trex.model.boxes.shown)")
    return boxes


# What must be true however groups are closed; each sentence names what is not.
FAULTS = """() => {
    const {base, model, groups} = trex, {boxes, frames, wires} = model, n = boxes.n, faults = [];
    const closed = new Set(frames.closed), kept = boxes.shown.filter(box => box < n);
    const hidden = box => {
        for (let f = base.boxes.frame[box]; f >= 0; f = base.frames.parent[f]) if (groups.closed.has(f)) return true;
        return false;
    };
    for (let box = 0; box < n; box++) {
        if (hidden(box) === kept.includes(box)) faults.push(`box ${box} is ${hidden(box) ? "shown" : "missing"}`);
    }
    for (const box of boxes.shown) {
        if (box >= n && !closed.has(box - n)) faults.push(`group ${box - n} is open and shown`);
        if (boxes.y[box] < -1 || boxes.y[box] + boxes.h[box] > model.data.height + 1)
            faults.push(`box ${box} is outside`);
    }
    // Nothing lies on anything else.
    const inOrder = [...boxes.shown].sort((a, b) => boxes.y[a] - boxes.y[b]);
    inOrder.forEach((a, k) => {
        for (let j = k + 1; j < inOrder.length && boxes.y[inOrder[j]] < boxes.y[a] + boxes.h[a]; j++) {
            const b = inOrder[j];
            if (boxes.x[a] < boxes.x[b] + boxes.w[b] && boxes.x[b] < boxes.x[a] + boxes.w[a])
                faults.push(`${a} lies on ${b}`);
        }
    });
    // What was on a row above in its group stays above.
    const end = (model, box) => model.boxes.y[box] + model.boxes.h[box], last = new Map();
    for (const box of [...kept].sort((a, b) => end(base, a) - end(base, b))) {
        const frame = base.boxes.frame[box], above = last.get(frame);
        if (above !== undefined && end(base, above) < end(base, box) - 2 && end(model, box) < end(model, above) - 2)
            faults.push(`${box} is above ${above}`);
        last.set(frame, box);
    }
    // A frame is around all that is in it.
    for (const box of boxes.shown) {
        const inner = box < n ? base.boxes.frame[box] : base.frames.parent[box - n];
        for (let f = inner; f >= 0; f = base.frames.parent[f]) {
            const {x, y, w, h} = boxes, right = frames.x[f] + frames.w[f] + 1, bottom = frames.y[f] + frames.h[f] + 1;
            const fits = x[box] >= frames.x[f] - 1 && x[box] + w[box] <= right;
            if (!fits || y[box] < frames.y[f] - 1 || y[box] + h[box] > bottom)
                faults.push(`box ${box} sticks out of frame ${f}`);
        }
    }
    // Wires run between boxes that are shown, from the lower edge of one to the upper edge of the other.
    const drawn = new Set(boxes.shown), pairs = new Set();
    for (let i = 0; i < wires.n; i++) {
        const a = wires.source[i], b = wires.target[i], at = wires.start[i], end = wires.start[i + 1];
        pairs.add(`${a} ${b}`);
        if (!drawn.has(a) || !drawn.has(b)) { faults.push(`wire ${i} joins what is not shown`); continue; }
        const on = (box, x, y, edge) =>
            Math.abs(y - edge) <= 3 && x >= boxes.x[box] - 3 && x <= boxes.x[box] + boxes.w[box] + 3;
        const p = wires.points;
        if (!on(a, p[at + 1], p[at + 2], boxes.y[a] + boxes.h[a])) faults.push(`wire ${i} does not leave ${a}`);
        if (!on(b, p[end - 2], p[end - 1], boxes.y[b])) faults.push(`wire ${i} does not reach ${b}`);
    }
    const wanted = new Set();
    for (let i = 0; i < base.wires.n; i++) {
        const a = model.standIn[base.wires.source[i]], b = model.standIn[base.wires.target[i]];
        if (a !== b || a < n) wanted.add(`${a} ${b}`);
    }
    for (const pair of wanted) if (!pairs.has(pair)) faults.push(`no wire ${pair}`);
    if (pairs.size !== wanted.size) faults.push("a wire too many");
    for (const caption of model.captions) if (!drawn.has(caption.box)) faults.push("words of nothing");
    return faults.slice(0, 20);
}"""


def faults(page: Any) -> list[str]:
    """What is wrong with the arrangement of the page's graph."""
    found: list[str] = page.evaluate(FAULTS)
    return found
