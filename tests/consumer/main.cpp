#include <mercer/data/dataset.h>

#include <iostream>

int main() {
    const double rows[] = {1, 2, 3, 4, 5, 6};
    const mercer::dataset points = mercer::dense<double>(mercer::matrix_view<const double>(rows, 3, 2));
    const mercer::dataset twice = mercer::concatenate(points, points);
    std::cout << twice.size() << " points of " << twice.dims() << " coordinates\n";
}
