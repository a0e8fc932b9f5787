"""A log of trtexec's tuner, written by us after TensorRT 11.1's documentation: no real one was seen."""

TUNING = """\
{"tuner_version": "1", "searching_algorithm": "fast", "default_build_route": "-a=0", "command_line": "trtexec --onnx=m"}
{"iter": 0, "build_route": "-a=0", "crash": false, "error_message": "", "accuracy_loss": null, "gpu_time": 2.0}
{"iter": 1,"build_route": "-a=1","crash": false,"error_message":"", "accuracy_loss": {"y": 0.5, "z": 1},"gpu_time": 1.5}
{"iter": 2, "build_route": "-a=2","crash": true,"error_message": "killed","accuracy_loss": null,"gpu_time": null}
"""
