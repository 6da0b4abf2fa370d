"""The mean distance of a Gaussian, as vector instructions: nothing branches (compare ``exponentials``).

The mean distance of a standard Gaussian Z from a number z is what the CRPS of Gaussians and of mixtures is made of:

    E|Z - z| = |z| + 2 (phi(z) - |z| Q(|z|)) = |z| + exp(-z^2/2) p(t),    t = (|z| - 3)/(|z| + 3),

with the density phi and the upper tail Q. p is a polynomial of degree 20, right at the Chebyshev points of
0 <= |z| <= 9; beyond that the second term is below 1e-18. The error is below 6e-16 of the whole.
"""

from numba import njit

from benchbook.kernels.exponentials import exp_negative
from benchbook.kernels.products import multiply_add

_P = (
    0.06880087066949235,
    -0.2197517082158837,
    0.27931426194288955,
    -0.18275469483161358,
    0.057725892166002,
    0.0034902457821771754,
    -0.008000213491170067,
    1.8236376780361505e-05,
    0.0013024038352988268,
    0.00010218069090388466,
    -0.00023320589878798447,
    -6.556456881146174e-05,
    3.392867506805334e-05,
    2.4192143192076528e-05,
    -1.0690447408312759e-07,
    -5.8359912011248224e-06,
    -2.254419312503137e-06,
    4.6389377561089e-07,
    7.399597475348428e-07,
    2.8073597614688e-07,
    4.028340708133139e-08,
)


@njit(cache=True, error_model="numpy")
def mean_distance(z):
    """E|Z - z| of one number z and a standard Gaussian Z."""
    a = abs(z)
    near = min(a, 9.0)
    t = (near - 3.0) / (near + 3.0)
    t2 = t * t
    even = multiply_add(t2, multiply_add(t2, _P[20], _P[18]), _P[16])
    odd = multiply_add(t2, _P[19], _P[17])
    even = multiply_add(t2, multiply_add(t2, multiply_add(t2, even, _P[14]), _P[12]), _P[10])
    odd = multiply_add(t2, multiply_add(t2, multiply_add(t2, odd, _P[15]), _P[13]), _P[11])
    even = multiply_add(t2, multiply_add(t2, multiply_add(t2, even, _P[8]), _P[6]), _P[4])
    odd = multiply_add(t2, multiply_add(t2, multiply_add(t2, odd, _P[9]), _P[7]), _P[5])
    even = multiply_add(t2, multiply_add(t2, even, _P[2]), _P[0])
    odd = multiply_add(t2, multiply_add(t2, odd, _P[3]), _P[1])
    return multiply_add(exp_negative(-0.5 * near * near), multiply_add(t, odd, even), a)
