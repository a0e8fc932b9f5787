"""``trex process MODEL OUTDIR WORDS …`` without an engine: writes a small one, or does what the words say.

name=X: nothing. starts=FILE: appends a line. sleep=S: takes so long. fail: exits with 1. die: of SIGKILL.
pid=FILE: writes its own id. tree=FILE: starts a process that sleeps, and writes both ids. until=FILE: waits until there
is such a file. bad: writes no JSON.
"""

import json
import os
import signal
import subprocess
import sys
import time

ENGINE = {
    "Layers": [
        {
            "Name": "conv_0",
            "LayerType": "Convolution",
            "Inputs": [{"Name": "x", "Dimensions": [1, 3, 8, 8], "Format/Datatype": "Row major linear FP32"}],
            "Outputs": [{"Name": "y", "Dimensions": [1, 4, 8, 8], "Format/Datatype": "Row major linear FP32"}],
            "ParameterType": "Convolution",
            "TacticValue": "0x1",
        }
    ],
    "Bindings": ["x", "y"],
}


def main() -> int:
    words = dict(word.partition("=")[::2] for word in sys.argv[4:] if not word.startswith("--"))
    folder = sys.argv[3]
    if "starts" in words:
        with open(words["starts"], "a") as file:  # noqa: PTH123
            file.write(f"{sys.argv[2]}\n")
    print("working", flush=True)
    if "pid" in words:
        with open(words["pid"], "w") as file:  # noqa: PTH123
            file.write(str(os.getpid()))
    if "tree" in words:
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
        with open(words["tree"], "w") as file:  # noqa: PTH123
            file.write(f"{child.pid} {os.getpid()}")
    time.sleep(float(words.get("sleep", 0)))
    while "until" in words and not os.path.exists(words["until"]):  # noqa: PTH110
        time.sleep(0.02)
    if "die" in words:
        os.kill(os.getpid(), signal.SIGKILL)
    if "fail" in words:
        failed = os.path.join(folder, "m.onnx.engine.failed")  # noqa: PTH118
        os.makedirs(failed)  # noqa: PTH103
        with open(os.path.join(failed, "m.onnx.engine.build.log"), "w") as file:  # noqa: PTH118, PTH123
            file.write("[E] what the builder says\n")
        print("trex process: the network has no outputs", flush=True)
        return 1
    os.makedirs(folder)  # noqa: PTH103
    name = os.path.join(folder, "m.onnx.engine.graph.json")  # noqa: PTH118
    with open(name, "w") as file:  # noqa: PTH123
        file.write("{" if "bad" in words else json.dumps(ENGINE))
    name = os.path.join(folder, "m.onnx.engine.profile.json")  # noqa: PTH118
    with open(name, "w") as file:  # noqa: PTH123
        json.dump([{"count": 10}, {"name": "conv_0", "timeMs": 1.0, "averageMs": 0.1, "percentage": 100}], file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
