"""Small verbose build logs, written by us after the wording of real ones."""

# As TensorRT 10.16 with an editable timing cache and several backend strategies.
MODERN = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=m.onnx --verbose
[01/02/2026-03:04:05] [V] [TRT] Original: 9 layers
[01/02/2026-03:04:05] [V] [TRT] Running: ConvReluFusion on Conv_0
[01/02/2026-03:04:05] [V] [TRT] ConvReluFusion: Fusing Conv_0 with Relu_1
[01/02/2026-03:04:05] [V] [TRT] Removing Identity_2
[01/02/2026-03:04:05] [V] [TRT] After vertical fusions: 7 layers
[01/02/2026-03:04:05] [V] [TRT] Building graph using backend strategy 4
[01/02/2026-03:04:05] [I] [TRT] Global timing cache in use. Profiling results in this builder pass will be stored.
[01/02/2026-03:04:05] [V] [TRT] =============== Computing costs for Conv_0 + Relu_1
[01/02/2026-03:04:05] [V] [TRT] ******* Autotuning format combination: Float(4,1:4,1) -> Half(4,1) ***************
[01/02/2026-03:04:05] [V] [TRT] --------------- Timing Runner: Conv_0 + Relu_1 (CaskConvolution[0x80000009])
[01/02/2026-03:04:05] [V] [TRT] Tactic Name: sm80_a Tactic: 0x00000000000000aa Time: 0.010
[01/02/2026-03:04:05] [V] [TRT] Tactic Name: sm80_b Tactic: 0xffffffffffffffff Time: 0.0101
[01/02/2026-03:04:05] [V] [TRT] Tactic: 0x0000000000000004 skipped. Scratch requested: 7527, available: 1024
[01/02/2026-03:04:06] [V] [TRT] Conv_0 + Relu_1 (CaskConvolution[0x80000009]) profiling completed in 0.5 seconds. \
Fastest Tactic: 0x00000000000000aa Time: 0.010
[01/02/2026-03:04:06] [V] [TRT] Skipping CaskFlattenConvolution: No valid tactics for Conv_0 + Relu_1
[01/02/2026-03:04:06] [V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x00000000000000aa
[01/02/2026-03:04:06] [V] [TRT] =============== Computing costs for {ForeignNode[m]}
[01/02/2026-03:04:06] [V] [TRT] *************** Autotuning format combination: Half(4,1) -> Half(4,1) ***************
[01/02/2026-03:04:06] [V] [TRT] --------------- Timing Runner: {ForeignNode[m]} (Myelin[0x80000023])
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode) Autotuning op m: 0(key: 0x00000000000000000000000000000abc): \
[ONNX Layer: m][ONNX Layer: [a]: b]
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode) Sorted table of all evaluated tactics:
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode) tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, \
kernel_name, tactic_hash, tunable_parameter
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode)   70, 0.0130, 1.0, 1.4, k_f16f16_f16f16_f16, 0xad1,
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode)    3, 0.0131, 1.007, 1.3, k_f16f16_f16f32_f32, 0xbd1, , 0
[01/02/2026-03:04:06] [V] [TRT]  (foreignNode) The selected tactic is (tactic hash, cost(in ms)):0xbd1, 0.0131
[01/02/2026-03:04:06] [V] [TRT] Tactic: 0x0000000000000000 Time: 0.02
[01/02/2026-03:04:06] [V] [TRT] {ForeignNode[m]} (Myelin[0x80000023]) profiling completed in 0.1 seconds. \
Fastest Tactic: 0x0000000000000000 Time: 0.02
[01/02/2026-03:04:06] [V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: Myelin Tactic: 0x0000000000000000
[01/02/2026-03:04:06] [V] [TRT] *************** Autotuning Reformat: Float(4,1) -> Half(4,1) ***************
[01/02/2026-03:04:06] [V] [TRT] --------------- Timing Runner: Optimizer Reformat(x -> <out>) (Reformat[0x80000006])
[01/02/2026-03:04:06] [V] [TRT] Tactic: 0x00000000000003e8 Time: 0.003
[01/02/2026-03:04:06] [V] [TRT] Optimizer Reformat(x -> <out>) (Reformat[0x80000006]) profiling completed in 0.01 \
seconds. Fastest Tactic: 0x00000000000003e8 Time: 0.003
[01/02/2026-03:04:06] [V] [TRT] Optimizer Reformat(y -> <out>) [Float(4,1) -> Half(4,1)] got cached result: \
Reformat, tactic 0x00000000000003e8, 0.0026 ms
[01/02/2026-03:04:06] [V] [TRT] Adding reformat layer: Reformatted Input Tensor 0 to m (y) from Float(4,1) to Half(4,1)
[01/02/2026-03:04:06] [V] [TRT] Formats and tactics selection completed in 0.9 seconds.
[01/02/2026-03:04:07] [I] [TRT] Engine generation completed in 1.5 seconds.
[01/02/2026-03:04:07] [V] [TRT] Use backend strategy 4 with estimated inference time (0.2) as the initial choice.
[01/02/2026-03:04:07] [V] [TRT] Building graph using backend strategy 3
[01/02/2026-03:04:08] [V] [TRT] Chose this engine with backend strategy 3 since its estimated inference time (0.1) is \
faster than the previous engine with estimated inference time (0.2).
[01/02/2026-03:04:08] [I] [TRT] Serialized 25 timing cache entries
&&&& PASSED TensorRT.trtexec [TensorRT v101600] [b72]
"""
# As TensorRT 8.2 to 8.4: no runner ids, decimal tactics, memory in MiB.
EARLY = """\
[V] [TRT] Original: 2 layers
[V] [TRT] =============== Computing costs for
[V] [TRT] *************** Autotuning format combination: Float(1) -> Float(1) ***************
[V] [TRT] --------------- Timing Runner: conv (CudnnConvolution)
[V] [TRT] CudnnConvolution has no valid tactics for this config, skipping
[V] [TRT] --------------- Timing Runner: conv (CaskConvolution)
[V] [TRT] conv Set Tactic Name: k1 Tactic: -2
[V] [TRT] Tactic: -2 Time: 0.5
[W] [TRT] Tactic Device request: 538MB Available: 166MB. Device memory is insufficient to use tactic.
[W] [TRT] Skipping tactic 3 due to insuficient memory on requested size of 538 detected for tactic 4.
[V] [TRT] Fastest Tactic: -2 Time: 0.5
[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: -2
[V] [TRT] Formats and tactics selection completed in 0.5 seconds.
"""
