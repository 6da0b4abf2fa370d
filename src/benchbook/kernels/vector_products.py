"""Sums of products, written as vector instructions: the matrix product, the inner product, the way back through tanh.

The compiler turns an elementwise loop into vector instructions by itself. It does not find the fast form of a matrix
product, and a sum over a loop only when it may reorder it; then the last bits depend on what else is compiled with it.
So the few loops that sum are written here in the compiler's own language (LLVM's intermediate representation, "IR"),
through ``numba.extending.intrinsic``: a Python function that is called while numba compiles, and emits instructions.

How a matrix product C = C + A B is made fast, with A [m, k], B [k, n] and C [m, n]:

* A *vector* is ``LANES`` numbers that lie side by side; one instruction multiplies and adds all of them. Where the
  machine's registers are shorter, LLVM makes several instructions of one, and nothing here changes.
* A *tile* is a few rows times a few vectors of C. It is held in registers while one loop goes along k; each turn loads
  the vectors of one row of B, and for each row of the tile one number of A, copied to all lanes. A tile of 5 rows by 4
  vectors needs 9 loads for 20 multiply-adds, so that the arithmetic, not the memory, is what takes the time.
* ``_tile`` emits that for one size of tile; ``_product`` covers C with tiles, and ``add_product`` calls it. The lengths
  m, k and n are known only when it runs: compiled once, it serves every shape. Columns that do not fill a vector make
  an *edge* tile, which loads and stores under a mask.

Each number of C is summed along k one term after the other, and each of the other sums in ``LANES`` sums that are added
in a fixed order; each multiply-add rounds once. So the results are the same to the bit at any alignment, in any
process, and on every machine that has the fused multiply-add, however long its vectors.

What is used of numba here is not documented, and may be gone in its next release: ``products`` imports this file where
it can, and ``plain_products`` where it cannot.
"""

import platform
from typing import Any

from llvmlite import binding, ir
from numba import cfunc, extending, types
from numba.core import cgutils
from numba.core.registry import cpu_target

intrinsic: Any = extending.intrinsic  # its functions are called without the first argument
_CONTEXT = cpu_target.target_context
_NEEDED = (
    _CONTEXT.make_array,
    _CONTEXT.make_tuple,
    _CONTEXT.get_dummy_value,
    cgutils.get_or_insert_function,
)
"""Used when other files are compiled; named here, so that a lack of them shows when this one is imported."""

LANES = 8
ROWS = 5  # of a tile at most; a layer of 15 or 25 units has no remainder

_DOUBLE, _INDEX, _INT32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
_VECTOR, _MASK = ir.VectorType(_DOUBLE, LANES), ir.VectorType(ir.IntType(1), LANES)
_ZEROS = ir.Constant(_VECTOR, [0.0] * LANES)
_NUMBERS, _WHOLE = types.CPointer(types.float64), types.int64

_FEATURES = _CONTEXT.codegen().magic_tuple()[2].split(",")  # of the processor compiled for
FUSED = "+fma" in _FEATURES or platform.machine().lower() in ("arm64", "aarch64")
# Tiles must fit into the registers: 32 of 8 numbers with AVX-512; 16 of 4 with AVX2, and 32 of 2 on arm64.
WIDE, TALL = (4, 2 * ROWS) if "+avx512f" in _FEATURES else (1, ROWS)


def _number(value):
    return ir.Constant(_INDEX, value)


def _multiply_add(builder, a, b, c):
    """a b + c, rounded once where the processor can."""
    if not FUSED:
        return builder.fadd(builder.fmul(a, b), c)
    name = "llvm.fma.f64" if a.type == _DOUBLE else f"llvm.fma.v{LANES}f64"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(a.type, [a.type] * 3), name
    )
    return builder.call(function, [a, b, c])


def _splat(builder, value):
    """A vector with the number in every lane."""
    single = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INT32, 0)
    )
    return builder.shuffle_vector(
        single, single, ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
    )


def _sum(builder, vector):
    """The sum of the lanes: the upper half onto the lower, until one is left."""
    half = LANES // 2
    while half:
        upper = ir.Constant(
            ir.VectorType(_INT32, LANES), [(i + half) % LANES for i in range(LANES)]
        )
        vector = builder.fadd(vector, builder.shuffle_vector(vector, vector, upper))
        half //= 2
    return builder.extract_element(vector, ir.Constant(_INT32, 0))


def _mask(builder, count):
    """The mask of the first ``count`` lanes."""
    places = ir.Constant(ir.VectorType(_INDEX, LANES), list(range(LANES)))
    single = builder.insert_element(
        ir.Constant(places.type, ir.Undefined), count, ir.Constant(_INT32, 0)
    )
    counts = builder.shuffle_vector(
        single, single, ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
    )
    return builder.icmp_signed("<", places, counts)


def _load(builder, pointer, mask=None):
    """A vector from memory at any alignment; zeros outside of the mask."""
    pointer = builder.bitcast(pointer, _VECTOR.as_pointer())
    if mask is None:
        return builder.load(pointer, align=8)
    kind = ir.FunctionType(_VECTOR, [pointer.type, _INT32, _MASK, _VECTOR])
    function = cgutils.get_or_insert_function(
        builder.module, kind, f"llvm.masked.load.v{LANES}f64.p0"
    )
    return builder.call(function, [pointer, ir.Constant(_INT32, 8), mask, _ZEROS])


def _store(builder, vector, pointer, mask=None):
    """A vector to memory at any alignment, only the lanes of the mask."""
    pointer = builder.bitcast(pointer, _VECTOR.as_pointer())
    if mask is None:
        builder.store(vector, pointer, align=8)
        return
    kind = ir.FunctionType(ir.VoidType(), [_VECTOR, pointer.type, _INT32, _MASK])
    function = cgutils.get_or_insert_function(
        builder.module, kind, f"llvm.masked.store.v{LANES}f64.p0"
    )
    builder.call(function, [vector, pointer, ir.Constant(_INT32, 8), mask])


def _data(context, builder, kind, array, at=0):
    """The address of element ``at`` of an array, counted as it lies in memory."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [at]) if at else data


def _either(builder, values):
    """The value that comes from the block that was left last; all of these blocks lead here."""
    phi = builder.phi(next(iter(values.values())).type)
    for block, value in values.items():
        phi.add_incoming(value, block)
    return phi


def _tile(builder, given, rows, vectors, edge):
    """Emit C + A B for one tile of C; ``given`` is what a function made by ``_tiles`` takes."""
    a, a_step, b, b_step, c, c_step, length, filled, first, fresh = given
    mask = _mask(builder, filled) if edge else None
    lines = [builder.gep(a, [builder.mul(a_step, _number(row))]) for row in range(rows)]
    places = [
        builder.gep(c, [builder.add(builder.mul(c_step, _number(row)), _number(LANES * vector))])
        for row in range(rows)
        for vector in range(vectors)
    ]
    old, new, before, loop, after = (builder.append_basic_block() for _ in range(5))
    builder.cbranch(builder.icmp_signed("!=", fresh, _number(0)), new, old)
    builder.position_at_end(old)
    loaded = [_load(builder, position, mask) for position in places]
    builder.branch(before)
    builder.position_at_end(new)
    firsts = [
        _splat(builder, builder.load(builder.gep(first, [_number(row)]))) for row in range(rows)
    ]
    builder.branch(before)
    builder.position_at_end(before)
    starts = [
        _either(builder, {old: item, new: firsts[i // vectors]}) for i, item in enumerate(loaded)
    ]
    builder.branch(loop)

    builder.position_at_end(loop)
    k, sums = builder.phi(_INDEX), [builder.phi(_VECTOR) for _ in starts]
    row_of_b = builder.gep(b, [builder.mul(k, b_step)])
    right = [
        _load(builder, builder.gep(row_of_b, [_number(LANES * vector)]), mask)
        for vector in range(vectors)
    ]
    grown: list[ir.Value] = []
    for line in lines:
        left = _splat(builder, builder.load(builder.gep(line, [k])))
        grown += [
            _multiply_add(builder, left, vector, sums[len(grown) + i])
            for i, vector in enumerate(right)
        ]
    following = builder.add(k, _number(1))
    for phi, start, more in zip(
        [k, *sums], [_number(0), *starts], [following, *grown], strict=True
    ):
        phi.add_incoming(start, before)
        phi.add_incoming(more, loop)
    builder.cbranch(builder.icmp_signed("<", following, length), loop, after)

    builder.position_at_end(after)
    for index, total in zip(places, grown, strict=True):
        _store(builder, total, index, mask)


def _tiles(heights, vectors, edge):
    """A function that adds A B to a tile of C, of any of these numbers of rows.

    It takes: the number of rows; where A begins, and the distance of its rows; the same of B and C; the length k; how
    many lanes are filled (looked at in an edge tile only); where the numbers lie that the rows of C start from, and
    whether they are to be used.
    """

    @intrinsic
    def tile(typing, rows, a, a_step, b, b_step, c, c_step, length, filled, first, fresh):
        def emit(context, builder, signature, given):
            finished = builder.append_basic_block("done")
            choice = builder.switch(given[0], finished)
            for height in heights:
                block = builder.append_basic_block(f"rows{height}")
                choice.add_case(_number(height), block)
                builder.position_at_end(block)
                _tile(builder, given[1:], height, vectors, edge)
                builder.branch(finished)
            builder.position_at_end(finished)
            return context.get_dummy_value()

        return types.void(_WHOLE, *(_NUMBERS, _WHOLE) * 3, _WHOLE, _WHOLE, _NUMBERS, _WHOLE), emit

    return tile


@intrinsic
def _from(typing, numbers, at):
    """The address of number ``at``."""
    return _NUMBERS(_NUMBERS, _WHOLE), lambda context, builder, signature, given: builder.gep(
        given[0], [given[1]]
    )


_HEIGHTS = tuple(range(1, ROWS + 1))
_wide_tile = _tiles(_HEIGHTS, WIDE, False)
_narrow_tile = _tiles(sorted({*_HEIGHTS, TALL}), 1, False)
_edge_tile = _tiles(_HEIGHTS, 1, True)

_PRODUCT = (
    _NUMBERS,
    _WHOLE,
    _NUMBERS,
    _WHOLE,
    _WHOLE,
    _NUMBERS,
    _WHOLE,
    _WHOLE,
    _WHOLE,
    _WHOLE,
    _WHOLE,
    _NUMBERS,
    _WHOLE,
    _WHOLE,
)
_SYMBOL = "benchbook_add_product"  # by which other compiled code finds it


@cfunc(types.void(*_PRODUCT), cache=True, error_model="numpy")
def _product(a, a_at, b, b_at, b_step, c, c_at, c_step, m, k, n, first, first_at, fresh):
    """Cover C with tiles; see ``add_product``."""
    column = 0
    while column < n:
        left, row = n - column, 0
        width = WIDE * LANES if left >= WIDE * LANES else LANES
        while row < m:
            tiles = (m - row + ROWS - 1) // ROWS
            rows = (m - row + tiles - 1) // tiles  # so that the tiles are of nearly equal height
            if width == LANES and left >= LANES and m - row >= TALL:
                rows = TALL
            A, B, S = (
                _from(a, a_at + row * k),
                _from(b, b_at + column),
                _from(first, first_at + row),
            )
            C = _from(c, c_at + row * c_step + column)
            if width > LANES:
                _wide_tile(rows, A, k, B, b_step, C, c_step, k, LANES, S, fresh)
            elif left >= LANES:
                _narrow_tile(rows, A, k, B, b_step, C, c_step, k, LANES, S, fresh)
            else:
                _edge_tile(rows, A, k, B, b_step, C, c_step, k, left, S, fresh)
            row += rows
        column += width


binding.add_symbol(_SYMBOL, _product.address)


@intrinsic
def add_product(typing, a, a_at, b, b_at, b_step, c, c_at, c_step, m, k, n, first, first_at, fresh):
    """C <- C + A B, or S + A B where ``fresh``; A [m, k], B [k, n], C [m, n], S [m, n] with row i all s_i.

    A call of ``_product``, which is machine code by then: a function that multiplies matrices need not be compiled
    together with all the tiles.

    Args:
        a, b, c: arrays in which A, B and C lie by rows.
        a_at, b_at, c_at: where their first numbers are, counted as they lie in memory.
        b_step, c_step: how far apart two rows of B and C are; those of A are k apart.
        m, k, n: sizes, 1 or more.
        first, first_at: an array in which s lies, and where; not looked at unless ``fresh``.
        fresh: 1 when C's old numbers are to be forgotten, else 0.
    """

    def emit(context, builder, signature, given):
        passed = [
            _data(context, builder, kind, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, given, strict=True)
        ]
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in passed])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, _SYMBOL), passed)
        return context.get_dummy_value()

    arrays = {0: a, 2: b, 5: c, 11: first}
    return types.void(*(arrays.get(i, _WHOLE) for i in range(len(_PRODUCT)))), emit


def _along(builder, length, starts, step):
    """A loop over vectors 0, 1, ... of ``length`` numbers, the last under a mask.

    ``step(at, sums, mask)`` emits one turn and returns the new sums; returned are the sums at the end.
    """
    whole = builder.and_(length, _number(-LANES))
    before = builder.block
    test, turn, after = (builder.append_basic_block(name) for name in ("test", "turn", "after"))
    builder.branch(test)
    builder.position_at_end(test)
    at = builder.phi(_INDEX)
    sums = [builder.phi(start.type) for start in starts]
    builder.cbranch(builder.icmp_signed("<", at, whole), turn, after)
    builder.position_at_end(turn)
    grown = step(at, sums, None)
    for phi, first, more in zip(
        [at, *sums], [_number(0), *starts], [builder.add(at, _number(LANES)), *grown], strict=True
    ):
        phi.add_incoming(first, before)
        phi.add_incoming(more, builder.block)
    builder.branch(test)
    builder.position_at_end(after)
    rest, finished = builder.append_basic_block("rest"), builder.append_basic_block("done")
    builder.cbranch(builder.icmp_signed("<", whole, length), rest, finished)
    builder.position_at_end(rest)
    last = step(whole, sums, _mask(builder, builder.sub(length, whole)))
    builder.branch(finished)
    end = builder.block
    builder.position_at_end(finished)
    return [
        _either(builder, {after: total, end: more}) for total, more in zip(sums, last, strict=True)
    ]


@intrinsic
def inner(typing, a, a_at, b, b_at, length):
    """sum_i a_i b_i of ``length`` numbers from ``a_at`` and ``b_at`` on."""

    def emit(context, builder, signature, given):
        left, right = (
            _data(context, builder, signature.args[i], given[i], given[i + 1]) for i in (0, 2)
        )

        def step(at, sums, mask):
            x, y = (_load(builder, builder.gep(pointer, [at]), mask) for pointer in (left, right))
            return [_multiply_add(builder, x, y, sums[0])]

        return _sum(builder, _along(builder, given[4], [_ZEROS], step)[0])

    return types.float64(a, types.int64, b, types.int64, types.int64), emit


@intrinsic
def back_through_tanh(typing, values, at, residuals, residuals_at, weight, length):
    """delta_c = r_c v (1 - y_c^2) in the place of the values y_c of a unit; returns sum_c delta_c and sum_c r_c y_c."""

    def emit(context, builder, signature, given):
        index, errors = (
            _data(context, builder, signature.args[i], given[i], given[i + 1]) for i in (0, 2)
        )
        factor, ones = _splat(builder, given[4]), ir.Constant(_VECTOR, [1.0] * LANES)

        def step(at, sums, mask):
            here = builder.gep(index, [at])
            value, error = (
                _load(builder, here, mask),
                _load(builder, builder.gep(errors, [at]), mask),
            )
            slope = _multiply_add(builder, builder.fsub(_ZEROS, value), value, ones)
            delta = builder.fmul(builder.fmul(error, factor), slope)
            _store(builder, delta, here, mask)
            return [builder.fadd(sums[0], delta), _multiply_add(builder, error, value, sums[1])]

        sums = [_sum(builder, total) for total in _along(builder, given[5], [_ZEROS, _ZEROS], step)]
        return context.make_tuple(builder, signature.return_type, sums)

    whole, double = types.int64, types.float64
    return types.UniTuple(double, 2)(values, whole, residuals, whole, double, whole), emit


@intrinsic
def multiply_add(typing, a, b, c):
    """a b + c of three numbers, rounded once where the processor can."""

    def emit(context, builder, signature, given):
        return _multiply_add(builder, *given)

    return types.float64(types.float64, types.float64, types.float64), emit
