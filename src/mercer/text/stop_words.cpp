#include <fmt/format.h>

#include <sstream>

#include "mercer/base/error.h"
#include "mercer/base/readers_text.h"
#include "mercer/text/tokeniser.h"

namespace mercer {
namespace {

struct word_list {
    const char* language;
    const char* words;
};

// Articles, pronouns, prepositions, conjunctions and the verbs that help others; without apostrophes, as words are cut.
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
    fail(errc::invalid_argument, fmt::format("there are stop words of {}, got {}", names, detail::quoted(language)));
}

}  // namespace mercer
