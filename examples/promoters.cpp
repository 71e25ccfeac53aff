// Computes two kernel principal components of DNA strings, with a kernel that counts substrings of four letters.
#include <mercer/mercer.h>

#include <cmath>
#include <cstdio>

int main(int count, char** words) {
    using namespace mercer;
    const table promoters = read(std::string(count > 1 ? words[1] : "data") + "/promoters.tsv");
    const model m = fit(kernel_pca{.kernel = normalise(spectrum{4}), .n_components = 2}, promoters);
    const api::columns z = transform(m, promoters);
    std::printf("%ld strings, %ld components\n", static_cast<long>(z.values.rows()),
                static_cast<long>(z.values.cols()));
    std::printf("first: %.4f %.4f\n", std::abs(z.values(0, 0)), std::abs(z.values(0, 1)));
}
