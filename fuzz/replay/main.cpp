// Runs the seeds of a fuzz target, and some thousands of inputs derived from them, without libFuzzer; `make test` runs
// it in the ordinary build.
//
//   fuzz_csv_replay fuzz/corpus/fuzz_csv
//
// The inputs are the same in every run. The program writes each input to the file last-input beside it before the call,
// so that an input that crashes the program is kept.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mercer/base/random_generator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int rounds = 300;             // number of inputs derived from every seed
constexpr std::size_t longest = 20000;  // largest number of bytes of a derived input

using bytes = std::string;

std::vector<bytes> seeds_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<bytes> out;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return out;
}

// Returns the text with one to four changes: flips a bit, replaces a byte, removes a piece, repeats a piece, or inserts
// a piece of another seed.
bytes changed(bytes text, const std::vector<bytes>& seeds, mercer::random_generator& random) {
    const auto below = [&](std::size_t n) {
        return n == 0 ? 0 : static_cast<std::size_t>(random.below(static_cast<mercer::index>(n)));
    };
    static constexpr char telling[] = {'\0', '\n', '\r', ',', ':', '"', '(',  ')',    '-',
                                       '.',  '0',  '9',  'e', 'n', ' ', '\t', '\x7f', '\xff'};
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(text.size() + 1), length = 1 + below(std::max<std::size_t>(1, text.size() / 4));
        switch (below(5)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 1: text.insert(at, 1, telling[below(sizeof telling)]); break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, text.substr(below(text.size() + 1), length)); break;
            default: {
                const bytes& other = seeds[below(seeds.size())];
                text.insert(at, other.substr(below(other.size() + 1), length));
            }
        }
        if (text.size() > longest) text.resize(longest);
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "%s FOLDER-OF-SEEDS\n", argv[0]), 2;
    const std::vector<bytes> seeds = seeds_of(argv[1]);
    if (seeds.empty()) return std::fprintf(stderr, "%s: no seeds in %s\n", argv[0], argv[1]), 1;
    const std::string last = std::string(argv[0]) + ".last-input";
    std::size_t count = 0;
    const auto run = [&](const bytes& input) {
        if (std::ofstream(last, std::ios::binary)
                .write(input.data(), static_cast<std::streamsize>(input.size()))
                .fail())
            std::perror(last.c_str());
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
        ++count;
    };
    mercer::random_generator random(1);
    for (const bytes& seed : seeds) {
        run(seed);
        if (seed.size() <= longest)
            for (int i = 0; i < rounds; ++i) run(changed(seed, seeds, random));
    }
    std::filesystem::remove(last);
    std::printf("%zu inputs from %zu seeds\n", count, seeds.size());
}
