// Numbers as decimal text, independent of the locale and fast enough for files of millions of them.
#pragma once

namespace mercer {

inline constexpr int longest_decimal = 32;  // characters any of these may write

// Each writes at `to`, without a terminating zero, and returns the end.
// As printf's %.<digits>g.
char* write_general(char* to, double value, int digits);
// The shortest text that reads back as the same number; where at most 8 digits do (of a number that is not denormal),
// exactly as printf's %.8g below 1e8.
char* write_shortest(char* to, double value);
char* write_whole(char* to, long long value);

}  // namespace mercer
