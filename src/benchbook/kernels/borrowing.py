"""Arrays lent to a loop: the same memory, without a count of references.

Compiled code counts the references to an array, with an atomic instruction each time that it takes or drops a slice.
In an epoch of a small network that is a twentieth of the time. A borrowed array has no count; it is valid for as long
as whoever lent it keeps the array, as the caller of a compiled function does until it returns.
"""

from numba import carray, njit, types  # type: ignore[attr-defined]
from numba.extending import intrinsic


@intrinsic
def _pointer(_, address):
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), generate


@njit(cache=True)
def borrow(array):
    """The same elements as a C-contiguous array, in compiled code only; never to be returned or kept."""
    return carray(_pointer(array.ctypes.data), array.shape, array.dtype)  # type: ignore[call-arg]
