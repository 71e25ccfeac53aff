// The offset b of Pegasos, which is not penalised.
//
// A b that is set where J is least for the last w comes to rest above the optimum: the margin vectors of both classes
// hold it where they are. So it descends with w, as the weight of a coordinate of value s, penalised by its distance
// from a centre c:
//
//     min ½‖w‖² + (b - c)²/(2s²) + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),
//     b ← c + (1 - 1/t)(b - c) + (s²n/(kt)) Σ_{violated} Cᵢyᵢ.
//
// After 1, 2, 4, 8, … epochs c moves to the mean of b since it last moved: the proximal point method (Rockafellar
// 1976), whose limit is a minimum of J without the penalty. s² is half the mean of k(x, x): a larger one makes b
// noisier, a smaller one takes more moves of c.
#pragma once

#include <cstdint>

namespace mercer {

class descended_offset {
public:
    // mean_square: of ‖φ(x)‖ over the examples.
    descended_offset(double start, double mean_square) : square_(mean_square / 2), centre_(start), b_(start) {}

    double value() const { return b_; }
    // Step t with the sum of (n/k)·Cᵢyᵢ over the examples it found violated.
    void step(double t, double violated) {
        b_ += (square_ * violated - (b_ - centre_)) / t;
        sum_ += t * b_, total_ += t;
    }
    // After that many epochs.
    void end_epoch(std::int64_t epochs) {
        if ((epochs & (epochs - 1)) != 0) return;
        if (total_ > 0) centre_ = sum_ / total_;
        sum_ = total_ = 0;
    }

private:
    double square_, centre_, b_;
    double sum_ = 0, total_ = 0;  // of b since the centre moved, step t weighing t
};

}  // namespace mercer
