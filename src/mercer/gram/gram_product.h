// out = K·v for many columns at once, sums in double whatever K is made of: tiles of K are asked for and multiplied by
// the micro-kernel of dense/vector_ops. Each row of out is one thread's own and its sum runs over the columns of K in
// ascending order, so the bits do not depend on the number of threads. About ten times as fast as gram::multiply from
// sixteen columns on.
#pragma once

#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
void gram_product(const gram<T>& k, matrix_view<const double> v, matrix_view<double> out);

extern template void gram_product(const gram<float>&, matrix_view<const double>, matrix_view<double>);
extern template void gram_product(const gram<double>&, matrix_view<const double>, matrix_view<double>);

}  // namespace mercer
