#include "mercer/base/error.h"

namespace mercer {

const char* name(errc code) noexcept {
    switch (code) {
        case errc::invalid_argument: return "invalid argument";
        case errc::parse: return "parse error";
        case errc::io: return "i/o error";
        case errc::data: return "bad data";
        case errc::not_psd: return "not positive semidefinite";
        case errc::infeasible: return "infeasible";
        case errc::memory: return "memory budget";
        case errc::unsupported: return "unsupported";
        case errc::cancelled: return "cancelled";
    }
    return "error";
}

}  // namespace mercer
