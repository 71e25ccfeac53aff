#include "mercer/text/tokeniser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/text/unicode_tables.h"

namespace mercer {
namespace {

// For every byte: the letter (a small one if `lower`) or digit that it is; 0 for a byte that ends a word; 1 for a byte
// of a longer UTF-8 sequence.
constexpr std::array<char, 256> byte_table(bool lower) {
    std::array<char, 256> out{};
    for (std::size_t c = 0; c < 256; ++c) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
            out[c] = static_cast<char>(capital && lower ? c + 32 : c);
        if (c >= 0x80) out[c] = 1;
    }
    return out;
}
constexpr auto lower_bytes = byte_table(true), same_bytes = byte_table(false);

constexpr char32_t capital_sigma = 0x3a3, last_sigma = 0x3c2, capital_dotted_i = 0x130, dot_above = 0x307;

char32_t first_of(std::string_view text) { return unicode::take_character(text); }

void append_lower(std::string& to, char32_t c) {
    if (c == capital_dotted_i) {  // the only capital whose small letter consists of two characters
        to.push_back('i');
        return unicode::append(to, dot_above);
    }
    unicode::append(to, unicode::to_lower(c));
}

// Replaces the last letter by ς, the small letter of Σ at the end of a word of at least two letters.
void end_with_sigma(std::string& letters) {
    letters.resize(letters.size() - 2);
    unicode::append(letters, last_sigma);
}

}  // namespace

tokeniser::tokeniser(token_options options) : options_(std::move(options)), stop_(options_.stop) {
    const auto need = [](bool ok, const char* condition, index value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("terms of texts must satisfy {}, got {}", condition, value));
    };
    need(options_.ngram_min >= 1, "1 <= ngram_min", options_.ngram_min);
    need(options_.ngram_max >= options_.ngram_min, "ngram_min <= ngram_max", options_.ngram_max);
    need(options_.min_length >= 1, "1 <= min_length", options_.min_length);
    if (!stop_.empty() && options_.unit == text_unit::characters)
        fail(errc::invalid_argument, "stop words need terms that are words, but the terms are characters");
    std::ranges::sort(stop_);
}

bool tokeniser::is_stop(std::string_view word) const { return std::ranges::binary_search(stop_, word, std::less<>()); }

void tokeniser::cut(std::string_view text, scratch& at) const {
    at.letters.clear();
    at.pieces.clear();
    at.places.clear();
    if (options_.unit == text_unit::words)
        cut_words(text, at);
    else
        cut_characters(text, at);
}

void tokeniser::cut_words(std::string_view text, scratch& at) const {
    const auto& bytes = options_.lower ? lower_bytes : same_bytes;
    std::string& out = at.letters;
    const std::size_t all = text.size();
    std::size_t begin = 0, first = 0;  // begin of the current word in `out` and in the text
    index length = 0;                  // number of characters of the current word
    bool sigma = false;                // its last character so far is a capital Σ
    const auto end_word = [&](std::size_t end) {
        if (sigma && options_.lower && length > 1) end_with_sigma(out);
        const bool keep =
            length >= options_.min_length && (stop_.empty() || !is_stop(std::string_view(out).substr(begin)));
        if (keep) {
            at.pieces.emplace_back(begin, out.size());
            if (at.with_places) at.places.emplace_back(first, end);
            out.push_back(' ');
        } else {
            out.resize(begin);
        }
        begin = out.size();
        length = 0;
        sigma = false;
    };
    while (!text.empty()) {
        const std::size_t here = all - text.size();
        if (length == 0) first = here;
        const char known = bytes[static_cast<unsigned char>(text.front())];
        if (known > 1) {
            out.push_back(known);
            ++length;
            sigma = false;
            text.remove_prefix(1);
            continue;
        }
        char32_t c = 0;
        if (known == 1)
            c = unicode::take_character(text);
        else
            text.remove_prefix(1);
        if (c != 0 && (unicode::is_letter(c) || (length > 0 && unicode::is_mark(c)))) {
            if (options_.lower)
                append_lower(out, c);
            else
                unicode::append(out, c);
            ++length;
            sigma = c == capital_sigma;
        } else if (length > 0) {
            end_word(here);
        }
    }
    if (length > 0) end_word(all);
}

// Consecutive white space becomes one blank.
void tokeniser::cut_characters(std::string_view text, scratch& at) const {
    std::string& out = at.letters;
    const std::size_t all = text.size();
    bool blank = false, in_word = false;
    // A Σ that follows a letter and precedes none ends a word.
    const auto ends_word = [&] { return in_word && (text.empty() || !unicode::is_letter(first_of(text))); };
    while (!text.empty()) {
        const std::size_t here = all - text.size();
        const char32_t c = unicode::take_character(text);
        const bool was_blank = std::exchange(blank, unicode::is_blank(c));
        if (blank && was_blank) continue;
        const std::size_t begin = out.size();
        if (blank)
            out.push_back(' ');
        else if (options_.lower && c == capital_sigma && ends_word())
            unicode::append(out, last_sigma);
        else if (options_.lower)
            append_lower(out, c);
        else
            unicode::append(out, c);
        in_word = unicode::is_letter(c);
        at.pieces.emplace_back(begin, out.size());
        if (at.with_places) at.places.emplace_back(here, all - text.size());
    }
}

namespace {

struct word_list {
    const char* language;
    const char* words;
};

// Articles, pronouns, prepositions, conjunctions and auxiliary verbs, without apostrophes, because the tokeniser splits
// words there.
constexpr word_list lists[] = {
    {"english",
     "a about above across after again against all almost also although always am among an and another any anybody "
     "anyone anything are aren around as at be became because been before behind being below between both but by can "
     "cannot could couldn did didn do does doesn doing don done down during each either else ever every everyone "
     "everything few for from further had hadn has hasn have haven having he hence her here hers herself him himself "
     "his how however i if in indeed into is isn it its itself just ll may me might mine more most much must my myself "
     "neither never no nobody none nor not nothing now of off often on once one only onto or other others otherwise "
     "ought our ours ourselves out over own perhaps quite rather re same shall she should shouldn since so some "
     "somebody someone something still such than that the their theirs them themselves then there therefore these "
     "they this those though through thus to together too toward towards under until up upon us ve very via was wasn "
     "we were weren what whatever when whenever where whereas whether which while who whoever whole whom whose why "
     "will with within without won would wouldn yet you your yours yourself yourselves"},
    {"french",
     "à afin ai aie ainsi alors as au aucun aucune aura aurait aussi autre autres aux avaient avais avait avant avec "
     "avez avoir avons ayant c ce ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment contre "
     "d "
     "dans de depuis des donc dont du elle elles en encore entre est et étaient étais était étant été être eu eux fait "
     "il ils j je jusqu l la là le les leur leurs lors lui m ma mais me même mêmes mes moi moins mon n ne ni non nos "
     "notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi puis qu quand que quel quelle quelles "
     "quels qui s sa sans se sera serait ses si soi soit son sont sous sur t ta te tes toi ton tous tout toute toutes "
     "très tu un une vers vos votre vous y"},
    {"german",
     "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei "
     "beim bin bis bist da dabei dadurch dafür damit dann daran darauf daraus darin das dass daß davon dazu dein deine "
     "dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein "
     "eine "
     "einem einen einer eines einige er es etwas euch euer eure für gegen gewesen hab habe haben hat hatte hatten hier "
     "hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes "
     "jene jetzt kann kein keine keinem keinen keiner können könnte machen man manche mehr mein meine mich mir mit "
     "muss "
     "muß müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so "
     "solche soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor während war waren warum was "
     "weg weil welche wenn wer werde werden wie wieder will wir wird wo wollen worden wurde wurden würde zu zum zur "
     "zwischen"},
    {"spanish",
     "a al algo algunas algunos ante antes aquel aquella aquellas aquellos aquí así aún aunque bajo bien cada como "
     "cómo "
     "con contra cual cuál cuales cuando cuándo cuanto de del desde donde dónde dos durante e el él ella ellas ellos "
     "en "
     "entonces entre era eran eres es esa esas ese eso esos esta está están estaba estaban estar estas este esto estos "
     "fue fueron ha había habían han hasta hay he la las le les lo los más me mi mí mientras mis muchos muy nada ni no "
     "nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué quien quién se "
     "sea "
     "según ser si sí sido sin sobre son su sus también tan tanto te tener tiene tienen toda todas todo todos tu tú un "
     "una unas uno unos y ya yo"},
};

}  // namespace

std::vector<std::string> stop_words(std::string_view language) {
    std::string names;
    for (const word_list& each : lists) {
        if (language == each.language) {
            std::istringstream words(each.words);
            std::vector<std::string> out;
            for (std::string word; words >> word;) out.push_back(word);
            return out;
        }
        names += (names.empty() ? "" : ", ") + std::string(each.language);
    }
    fail(errc::invalid_argument,
         fmt::format("stop words must be a list of {}, got {}", names, detail::quoted(language)));
}

namespace unicode {
namespace {

// The entry of a sorted table whose range contains c; null if there is none.
template <class Entry, std::size_t n>
const Entry* entry_with(const Entry (&table)[n], char32_t c) {
    const Entry* found = std::ranges::lower_bound(table, c, {}, &Entry::last);
    return found != std::end(table) && found->first <= c ? found : nullptr;
}

}  // namespace

char32_t take_character(std::string_view& text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
    char32_t c = lead;
    bool good = length > 1 && length <= text.size();
    if (good) {
        c = lead & (0x7fu >> length);
        for (std::size_t i = 1; i < length; ++i) {
            good = good && (byte(i) & 0xc0) == 0x80;
            c = c << 6 | (byte(i) & 0x3f);
        }
        constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
        good = good && c >= smallest[length] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    }
    text.remove_prefix(good ? length : 1);
    return good ? c : lead;
}

void append(std::string& to, char32_t c) {
    const auto put = [&](char32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

bool is_letter(char32_t c) {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    return entry_with(letters, c) != nullptr;
}

bool is_mark(char32_t c) { return c >= 0x300 && entry_with(marks, c) != nullptr; }

bool is_blank(char32_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

char32_t to_lower(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    const capital_run* run = entry_with(capitals, c);
    if (!run || (c - run->first) % run->step != 0) return c;
    return static_cast<char32_t>(static_cast<int>(c) + run->difference);
}

}  // namespace unicode
}  // namespace mercer
