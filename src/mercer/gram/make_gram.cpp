#include "mercer/gram/make_gram.h"

#include "mercer/gram/computed.h"

namespace mercer {

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory) {
    return std::make_unique<computed<T>>(k, std::move(x), memory);
}

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory) {
    return std::make_unique<computed<T>>(k, std::move(x), std::move(z), memory);
}

template std::unique_ptr<kernel_gram<float>> make_gram(const kernel&, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<double>> make_gram(const kernel&, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<float>> make_gram(const kernel&, dataset, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<double>> make_gram(const kernel&, dataset, dataset, evaluator_memory);

}  // namespace mercer
