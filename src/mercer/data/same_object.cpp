#include "mercer/data/same_object.h"

#include <algorithm>

namespace mercer {
namespace {

// The coordinates of a vector that are not zero, one after another.
template <class T>
class nonzeros {
public:
    nonzeros(const dense<T>& x, index i) : value_(x.row(i)), count_(x.dims()) { skip(); }
    nonzeros(const sparse<T>& x, index i)
        : value_(x.values(i).data()), col_(x.cols(i).data()), count_(static_cast<index>(x.cols(i).size())) {
        skip();
    }
    bool ended() const { return at_ == count_; }
    index col() const { return col_ ? col_[at_] : at_; }
    double value() const { return static_cast<double>(value_[at_]); }
    void next() { ++at_, skip(); }

private:
    void skip() {
        while (at_ < count_ && value_[at_] == 0) ++at_;
    }

    const T* value_;
    const std::int32_t* col_ = nullptr;
    index count_, at_ = 0;
};
template <class T>
nonzeros(const dense<T>&, index) -> nonzeros<T>;
template <class T>
nonzeros(const sparse<T>&, index) -> nonzeros<T>;

template <class A, class B>
bool same(const A& a, index i, const B& b, index j) {
    constexpr bool a_vectors = requires { a.dims(); }
    , b_vectors = requires { b.dims(); };
    if constexpr (a_vectors && b_vectors) {
        nonzeros x(a, i);
        nonzeros z(b, j);
        for (; !x.ended() && !z.ended(); x.next(), z.next())
            if (x.col() != z.col() || x.value() != z.value()) return false;
        return x.ended() && z.ended();
    } else if constexpr (std::is_same_v<A, B>) {
        return a.where() == b.where() && a.compare(i, b, j) == 0;
    } else {
        return false;
    }
}

}  // namespace

bool same_object(const dataset& a, index i, const dataset& b, index j) {
    return std::visit([&](const auto& x, const auto& z) { return same(x, i, z, j); }, a.items(), b.items());
}

}  // namespace mercer
