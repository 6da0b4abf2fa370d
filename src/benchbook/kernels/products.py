"""Sums of products, the same whoever computes them: as vector instructions, or as plain loops where that cannot be.

``vector_products`` leans on parts of numba that may change with any release. Where they are missing or do something
else, the plain loops of ``plain_products`` take their place, chosen when this file is imported: right to rounding, and
several times slower. ``PLAIN`` says why, and is empty with vector instructions.
"""

import warnings

PLAIN = ""
try:
    from benchbook.kernels.vector_products import (
        FUSED,
        add_product,
        back_through_tanh,
        inner,
        multiply_add,
    )
except Exception as error:  # whatever a changed library raises, the package must not stop
    from benchbook.kernels.plain_products import (
        FUSED,
        add_product,
        back_through_tanh,
        inner,
        multiply_add,
    )

    PLAIN = f"{type(error).__name__}: {error}"
    warnings.warn(
        f"this release of numba cannot be given vector instructions ({PLAIN}); plain loops take their place, "
        "which are several times slower: install the release that requirements.txt names",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["FUSED", "PLAIN", "add_product", "back_through_tanh", "inner", "multiply_add"]
