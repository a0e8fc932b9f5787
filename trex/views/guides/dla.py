"""Rows of the DLA in a profile: what they are, and where its time is.

The DLA (deep learning accelerator) of Jetson and DRIVE runs whole parts of a network; TensorRT shows each part as one
layer, {ForeignNode[first...last]}, of type DLA (TensorRT 7: {first,second,...}). Layers inside a part have no times.

"x to nvm" (type DlaCopyIn) copies an input into the DLA's memory. "y from nvm" (DlaCopyOut) copies an output back.
"x copy finish" and "y finish" (DlaFinish) wait until a copy or the part is done. TensorRT 8.5 on Orin shows
reformats (Reformatting CopyNode …) instead.

Until about TensorRT 8.5 the DLA runs in the background: the row of the part has only the time of its launch, and the
time of the whole part is in the row that waits for it, mostly the first "… from nvm" (98 % of the time in one public
profile), or in the first GPU layer after the part (a reformat with 92 % in another). It is no slow copy. Later releases
give the time to the part itself.

Where a GPU layer that reads what a part wrote takes longer than the part, and several times longer than its own bytes
and operations allow, the note dla-time-in-gpu-layers names it, and rules, savings and the roofline leave its time out.

Each change between DLA and GPU costs such copies and waits: keep layers that the DLA does not support at the ends of
the network (rule BUILD005), and compare with the GPU alone. A DLA holds a limited number of parts. The roofline,
precision and tensor core rules judge the GPU, and say nothing of the DLA.

Sources: NVIDIA/TensorRT issue 3143 (rows with TensorRT 8); NVIDIA/Deep-Learning-Accelerator-SW discussion 5 (run time
in "fc1000 from nvm" up to 8.5); GoogleNet on Xavier with TensorRT 7.1 and on AGX Orin with 8.5.2, in the artifact of a
paper on layers shared by DLA and GPU; TensorRT's page Working with DLA.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_PROFILE = """\
trtexec --onnx=model.onnx --fp16 --useDLACore=0 --allowGPUFallback --verbose \\
    --profilingVerbosity=detailed --exportLayerInfo=model.graph.json \\
    --exportProfile=model.profile.json --separateProfileRun > model.build.log
trex summary .
trex lint . --select dla-fallback
"""

SNIPPETS = (Snippet("Where the time goes, and which layers fell back to the GPU", _PROFILE, "bash"),)
