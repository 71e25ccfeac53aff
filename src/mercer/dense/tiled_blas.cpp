#include "mercer/dense/tiled_blas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/lapack.h"

extern "C" {
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void strsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const float* alpha, const float* a, const int* lda, float* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc, std::size_t,
            std::size_t);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy, std::size_t);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info, std::size_t);
}

namespace mercer::blas {
namespace {

// What is so small that products are none of its time is left to BLAS and LAPACK.
template <class T>
struct routines;
template <>
struct routines<double> {
    static constexpr auto trsm = dtrsm_;
    static constexpr auto potrf = dpotrf_;
};
template <>
struct routines<float> {
    static constexpr auto trsm = strsm_;
    static constexpr auto potrf = spotrf_;
};

// Columns of a panel of a factorisation: its own factor is one thread's work, and the products with it want depth.
int panel_of(int n) { return std::clamp(n / 12 / 48 * 48, 192, 480); }

// Some tiles for each thread, for packing one costs as much however large it is; no more than stays in L2. What an
// entry is does not depend on it: tiles are whole micro-tiles of every instruction set, so that only the edges of the
// matrix are edges.
constexpr int unit = 96;
int in_units(double size, int least, int most) {
    return std::clamp((static_cast<int>(size) + unit - 1) / unit * unit, least, most);
}
int tile_of(double entries) { return in_units(std::sqrt(entries / (6.0 * threads())), unit, 480); }
int chunk_of(int count) { return in_units(count / (3.0 * threads()), unit, 288); }
// Of what BLAS does, whose last bits may depend on how it is divided.
int fixed_chunk(int count) { return std::clamp((count / 16 + 23) / 24 * 24, 24, 240); }
index parts(int size, int tile) { return (size + tile - 1) / tile; }

bool is(const char* option, char letter) { return option[0] == letter; }
template <class T>
T* at(T* a, int lda, std::ptrdiff_t i, std::ptrdiff_t j) {
    return a + i + j * lda;
}

constexpr int small = 48;  // rows of a triangle that is not divided any more
// Half of a triangle, in whole micro-tiles.
int first_half(int n) { return (n / 2 + 47) / 48 * 48; }

// By one thread, as those of tiled_blas.h: a triangle is two smaller ones and the square between them.
template <class T>
void tile_syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc) {
    const bool plain = is(op, 'N'), lower = is(half, 'L');
    const char* other = plain ? "T" : "N";
    if (n <= small) {
        T square[small * small];
        tile_product<T>(op, other, n, n, k, alpha, a, lda, a, lda, T(0), square, small);
        for (int j = 0; j < n; ++j)
            for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) *at(c, ldc, i, j) += square[i + j * small];
        return;
    }
    const int top = first_half(n), rest = n - top;
    const T* below = plain ? at(a, lda, top, 0) : at(a, lda, 0, top);
    tile_syrk(half, op, top, k, alpha, a, lda, c, ldc);
    tile_syrk(half, op, rest, k, alpha, below, lda, at(c, ldc, top, top), ldc);
    if (lower)
        tile_product<T>(op, other, rest, top, k, alpha, below, lda, a, lda, T(1), at(c, ldc, top, 0), ldc);
    else
        tile_product<T>(op, other, top, rest, k, alpha, a, lda, below, lda, T(1), at(c, ldc, 0, top), ldc);
}

template <class T>
void tile_trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb) {
    const bool left = is(side, 'L'), plain = is(op, 'N'), lower = is(half, 'L') == plain;  // op(A) is
    const int size = left ? m : n;
    const T one = 1;
    if (size <= small) return routines<T>::trsm(side, half, op, "N", &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
    const int top = first_half(size), rest = size - top;
    // The square of op(A) beside the two triangles: below the first, or above the second.
    const T* square = is(half, 'L') ? at(a, lda, top, 0) : at(a, lda, 0, top);
    T* second = left ? at(b, ldb, top, 0) : at(b, ldb, 0, top);
    const auto solve = [&](bool of_first) {
        const int part = of_first ? top : rest;
        tile_trsm(side, half, op, left ? part : m, left ? n : part, of_first ? a : at(a, lda, top, top), lda,
                  of_first ? b : second, ldb);
    };
    const bool first = lower == left;  // what is solved first
    solve(first);
    T *known = first ? b : second, *next = first ? second : b;
    const int known_size = first ? top : rest, next_size = first ? rest : top;
    if (left)
        tile_product<T>(op, "N", next_size, n, known_size, T(-1), square, lda, known, ldb, T(1), next, ldb);
    else
        tile_product<T>("N", op, m, next_size, known_size, T(-1), known, ldb, square, lda, T(1), next, ldb);
    solve(!first);
}

template <class T>
int tile_potrf(const char* half, int n, T* a, int lda) {
    int info = 0;
    if (n <= small) {
        routines<T>::potrf(half, &n, a, &lda, &info, 1);
        return info;
    }
    const bool lower = is(half, 'L');
    const int top = first_half(n), rest = n - top;
    if ((info = tile_potrf(half, top, a, lda)) != 0) return info;
    T* square = lower ? at(a, lda, top, 0) : at(a, lda, 0, top);
    tile_trsm<T>(lower ? "R" : "L", half, "T", lower ? rest : top, lower ? top : rest, a, lda, square, lda);
    tile_syrk<T>(half, lower ? "N" : "T", rest, top, T(-1), square, lda, at(a, lda, top, top), lda);
    info = tile_potrf(half, rest, at(a, lda, top, top), lda);
    return info == 0 ? 0 : top + info;
}

}  // namespace

template <class T>
void gemm(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc) {
    const int tile = tile_of(1.0 * m * n);
    const index down = parts(m, tile), across = parts(n, tile);
    side_by_side(down * across, [&](index item) {
        const int i = static_cast<int>(item % down) * tile, j = static_cast<int>(item / down) * tile,
                  height = std::min(tile, m - i), width = std::min(tile, n - j);
        const T* left = is(op_a, 'N') ? at(a, lda, i, 0) : at(a, lda, 0, i);
        const T* right = is(op_b, 'N') ? at(b, ldb, 0, j) : at(b, ldb, j, 0);
        tile_product(op_a, op_b, height, width, k, alpha, left, lda, right, ldb, beta, at(c, ldc, i, j), ldc);
    });
}

template <class T>
void syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc) {
    const int tile = tile_of(0.5 * n * n);
    const index bands = parts(n, tile);
    const char* other = is(op, 'N') ? "T" : "N";
    side_by_side(bands * (bands + 1) / 2, [&](index item) {
        // Tile (row, col) of the lower half, counted along its rows.
        index row = 0;
        while ((row + 1) * (row + 2) / 2 <= item) ++row;
        const int i = static_cast<int>(row) * tile, j = static_cast<int>(item - row * (row + 1) / 2) * tile,
                  height = std::min(tile, n - i), width = std::min(tile, n - j);
        const auto rows_from = [&](int first) { return is(op, 'N') ? at(a, lda, first, 0) : at(a, lda, 0, first); };
        if (i == j)
            tile_syrk(half, op, height, k, alpha, rows_from(i), lda, at(c, ldc, i, i), ldc);
        else if (is(half, 'L'))
            tile_product(op, other, height, width, k, alpha, rows_from(i), lda, rows_from(j), lda, T(1),
                         at(c, ldc, i, j), ldc);
        else
            tile_product(op, other, width, height, k, alpha, rows_from(j), lda, rows_from(i), lda, T(1),
                         at(c, ldc, j, i), ldc);
    });
}

template <class T>
void trsm(const char* side, const char* half, const char* op, int m, int n, const T* a, int lda, T* b, int ldb) {
    const bool left = is(side, 'L');
    const int count = left ? n : m, chunk = chunk_of(count);
    side_by_side(parts(count, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, count - first), rows = left ? m : some,
                  cols = left ? some : n;
        tile_trsm(side, half, op, rows, cols, a, lda, left ? at(b, ldb, 0, first) : at(b, ldb, first, 0), ldb);
    });
}

void symm(int n, int m, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
    const int chunk = fixed_chunk(n);
    const double one = 1, zero = 0;
    side_by_side(parts(n, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, n - first), next = first + some,
                  rest = n - next;
        double* out = at(c, ldc, first, 0);
        dsymm_("L", "L", &some, &m, &one, at(a, lda, first, first), &lda, at(b, ldb, first, 0), &ldb, &zero, out, &ldc,
               1, 1);
        if (first > 0) tile_product("N", "N", some, m, first, 1.0, at(a, lda, first, 0), lda, b, ldb, 1.0, out, ldc);
        if (rest > 0)
            tile_product("T", "N", some, m, rest, 1.0, at(a, lda, next, first), lda, at(b, ldb, next, 0), ldb, 1.0, out,
                         ldc);
    });
}

void gemv(const char* op, int m, int n, double alpha, const double* a, int lda, const double* x, double* y) {
    const bool plain = is(op, 'N');
    const int count = plain ? m : n, chunk = fixed_chunk(count), step = 1;
    const double one = 1;
    side_by_side(parts(count, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, count - first),
                  rows = plain ? some : m, cols = plain ? n : some;
        dgemv_(op, &rows, &cols, &alpha, plain ? at(a, lda, first, 0) : at(a, lda, 0, first), &lda, x, &step, &one,
               y + first, &step, 1);
    });
}

template <class T>
int potrf(const char* half, int n, T* a, int lda) {
    const bool lower = is(half, 'L');
    const int panel = panel_of(n);
    for (int k = 0; k < n; k += panel) {
        const int depth = std::min(panel, n - k), next = k + depth, rest = n - next;
        int info = 0;
        side_by_side(1, [&](index) { info = tile_potrf(half, depth, at(a, lda, k, k), lda); });
        if (info != 0) return k + info;
        if (rest == 0) break;
        T* below = lower ? at(a, lda, next, k) : at(a, lda, k, next);
        trsm<T>(lower ? "R" : "L", half, "T", lower ? rest : depth, lower ? depth : rest, at(a, lda, k, k), lda, below,
                lda);
        syrk<T>(half, lower ? "N" : "T", rest, depth, T(-1), below, lda, at(a, lda, next, next), lda);
    }
    return 0;
}

template void gemm(const char*, const char*, int, int, int, double, const double*, int, const double*, int, double,
                   double*, int);
template void gemm(const char*, const char*, int, int, int, float, const float*, int, const float*, int, float, float*,
                   int);
template void syrk(const char*, const char*, int, int, double, const double*, int, double*, int);
template void syrk(const char*, const char*, int, int, float, const float*, int, float*, int);
template void trsm(const char*, const char*, const char*, int, int, const double*, int, double*, int);
template void trsm(const char*, const char*, const char*, int, int, const float*, int, float*, int);
template int potrf(const char*, int, double*, int);
template int potrf(const char*, int, float*, int);

}  // namespace mercer::blas
