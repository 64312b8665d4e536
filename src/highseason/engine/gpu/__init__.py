"""Games on a GPU, with the bits of a CPU; `simulate(executor="gpu")`.

The functions that play are those of `engine.kernels`; here are their kernels for a GPU (`kernels`),
how these are compiled (`ptx`) and launched (`device`), and which of them play (`play`).
"""
