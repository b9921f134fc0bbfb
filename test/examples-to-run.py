# SPDX-License-Identifier: GPL-2.0-only
# For ns-3's test.py, which looks here: name, run it, run it under valgrind.
cpp_examples = [
    ("weft-two-hosts", "True", "True"),
    ("weft-themis-leaf-spine", "True", "False"),
    ("weft-timer-sweep", "True", "False"),
    ("weft-flow-files", "True", "False"),
    ("weft-two-planes", "True", "False"),
]

python_examples = []
