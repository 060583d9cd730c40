"""Which sentence of which rule page each rule comes from.

Pages: 000 kafadinle.com, 001 oyna.app, 003 Tavlino, 004 a site that does not name itself. Sentences
are the pages' own, word for word. Where a page is silent, the project's default holds.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Source(NamedTuple):
    """A sentence of a rule page; ``page`` is its number, None where the page is silent."""

    page: str | None
    sentence: str


def _k(sentence: str) -> Source:
    return Source("000", sentence)


def _o(sentence: str) -> Source:
    return Source("001", sentence)


def _t(sentence: str) -> Source:
    return Source("003", sentence)


def _j(sentence: str) -> Source:
    return Source("004", sentence)


SILENT: Final = Source(None, "silent, default")

_MARS_K = _k("Rakip hiç pul toplayamadan oyun biterse mars olur: 2 puan.")
_LENGTHS_O = _o("oyna.app’te “Maç uzunluğu” seçenekleri tek oyun, 2, 3 ve 5 puandır; varsayılan 5.")
_OPENING_O = _o("Maçın her eli yeni dizilişle ve yeni bir açılış zarıyla başlar.")
_EQUAL_O = _o("Zarlar eşit gelirse yeniden atılır.")
_BOTH_O = _o(
    "İki zarı da oynamak zorundasınız. Yalnızca biri oynanabiliyorsa onu oynarsınız. "
    "İkisi ayrı ayrı oynanabiliyor ama ikisi birlikte oynanamıyorsa büyük zarı oynarsınız."
)
_DOUBLES_O = _o("Dört hamlenin hepsi oynanamıyorsa oynanabildiği kadarını oynarsınız.")
_BEAR_O = _o(
    "O hanede pulunuz yoksa ve daha yüksek bir hanede pulunuz varsa o zarı ev içinde oynarsınız."
)
_INSIDE_O = _o("Toplayabilecekken pulu ev içinde ilerletmek de serbesttir.")
_RUN_O = _o("oyna.app’te bu kendi evinizde de serbesttir")
_BEST_O = _o("Bazı anlatımlarda tavla 5 el oynanır ve en az 3 eli kazanan oyunu alır.")
_END_O = _o("Skor seçilen puanı geçebilir; maç yine o el biter.")
_LEAVE_O = _o("Maçı bırak: Rakibiniz kabul ederse maçı o kazanır.")
_AUTO_O = _o(
    "Ek süre de biterse sıranız sizin yerinize kendiliğinden oynanır: "
    "zarınız atılır ya da basit bir hamle seçilir."
)
_GONE_O = _o("Dönmezseniz maçı kaybetmiş sayılırsınız.")
_AGAIN_O = _o("Reddederse oyun sürer ve o tur bitene kadar yeniden teklif edemezsiniz.")

SOURCES: Final[Mapping[str, tuple[Source, Source, Source, Source, Source]]] = {
    "lengths": (
        _k("Seçilen puana (1, 3, 5 ya da 7) ilk ulaşan maçı kazanır."),
        _LENGTHS_O,
        _LENGTHS_O,
        _t("Bir maç 3, 5 ya da 7 gibi belli bir puana kadar oynanır."),
        _j("Bu kurallar sadece maç opsiyona aittir"),
    ),
    "opening_roll": (
        _k("Zarlar eşitse yeniden atılır."),
        _EQUAL_O,
        _EQUAL_O,
        _t("Sayılar eşitse ikisi de yeniden atar."),
        _j("Zarlar aynı gelirse, farklı zar gelene kadar atılır."),
    ),
    "opening_every_game": (
        _k("Sonraki oyunlara, maç bitene kadar, bir önceki oyunu kazanan başlar."),
        _OPENING_O,
        _OPENING_O,
        SILENT,
        _j(
            "Tavla oyunu, her oyuncunun, kimin önce başlayacağını belirlemek amacıyla tek zar "
            "atılarak başlar."
        ),
    ),
    "starter_rerolls": (
        _k("büyük atan iki zarı yeniden atarak oyuna başlar."),
        _o("Türk tavlasında başlayan oyuncu iki zarı yeniden atar ve gelen zarı oynar."),
        _o(
            "Backgammon’da başlayan oyuncu açılışta atılan iki zarı oynar: siz 6, rakibiniz 3 "
            "attıysa 6-3 oynarsınız."
        ),
        _t("Büyük sayıyı atan önce oynar ve az önce atılan iki sayıyı oynar."),
        _j("Büyük zar atan oyuncu oyuna başlar ve gelen zara göre de pullarını oynar"),
    ),
    "closed_out_rolls": (
        _k(
            "Barda pulunuz varken rakibin evindeki altı kapının hepsi kapalıysa zar atılmaz, sıra "
            "doğrudan rakibe geçer."
        ),
        _o("Rakibin evinin altı hanesi de kapıysa Türk tavlasında zar atılmaz"),
        _o("Backgammon’da zar yine atılır, giremeyince sıra geçer."),
        SILENT,
        SILENT,
    ),
    "both_dice": (
        _k(
            "Zarların ikisi de oynanabiliyorsa ikisini de oynamak zorunludur. Yalnızca biri "
            "oynanabiliyorsa ve zarlar farklıysa büyük olan oynanır."
        ),
        _BOTH_O,
        _BOTH_O,
        _t(
            "Mümkün olduğunda iki zarı da kullanmak zorundasın. Yalnızca biri oynanabiliyorsa onu "
            "oyna; ikisi ayrı ayrı oynanabiliyor ama ikisi birden oynanamıyorsa büyük olanı oyna."
        ),
        SILENT,
    ),
    "doubles": (
        _k("Çift atılırsa (ör. 4-4) o zar dört kez oynanır."),
        _DOUBLES_O,
        _DOUBLES_O,
        _t("Çift zarlar iki kez oynanır: 4-4 atarsan dört kez 4 oynarsın."),
        _j("Böylece, altı altı atan oyuncu pullarını dört kez altı oynayabilir."),
    ),
    "loose_bearing_off": (
        _k(
            "Zar pulun hanesinden büyükse o pul da toplanabilir; daha yüksek hanelerde pulunuz "
            "olması buna engel değildir"
        ),
        _BEAR_O,
        _BEAR_O,
        _t("Zarın gösterdiği hanede pul yoksa, daha yüksek bir haneden bir pul oynaman gerekir."),
        SILENT,
    ),
    "moving_inside": (
        _k("İsterseniz pullarınızı ev içinde ilerletmeye de devam edebilirsiniz."),
        _INSIDE_O,
        _INSIDE_O,
        _t("İstersen bunun yerine iç sahanın içinde bir pul da oynayabilirsin."),
        SILENT,
    ),
    "no_hit_and_run_at_home": (
        SILENT,
        _RUN_O,
        _RUN_O,
        SILENT,
        SILENT,
    ),
    "single": (
        _k("Oyunu kazanan 1 puan alır."),
        _o("Pullarını ilk toplayan eli kazanır ve 1 puan yazar."),
        _o("Elin sonunda kazanılan puan küple çarpılır"),
        _t("Bir oyun bir puan değerinde başlar."),
        _j(
            "1 puan: oyunu kaybedenin en az bir pul toplamış ama tamamını toplayamadığı zaman, "
            "kazanan ise tüm pullarını toplamıştır;"
        ),
    ),
    "gammon": (
        _MARS_K,
        _o("Türk tavlasında mars 2 puan yazar, normal kazanılan el 1 puandır"),
        _o("Backgammon’daki 2 puanlık bitişe İngilizcede gammon, 3 puanlık bitişe backgammon"),
        _t("Kaybeden tek bir pul bile toplamamıştır."),
        _j("2 puan: oyuncu oyunu kaybeder ve hiç pul toplayamamış olursa (buna gammon denir);"),
    ),
    "backgammon": (
        _MARS_K,
        _o("Türk tavlasında bundan büyük bitiş yoktur."),
        _o("3 puanlık bitişe backgammon denir."),
        _t(
            "Kaybeden hiç pul toplamamıştır ve hâlâ barda ya da kazananın iç sahasında bir pulu "
            "vardır."
        ),
        _j(
            "3 puan: oyuncu oyunu kaybeder, hiç pul toplayamamışsa ve toplama hanesinde kırık pulu "
            "varsa (buna backgammon denir)."
        ),
    ),
    "cube": (
        _k("Bu sürümde katlama küpü yoktur."),
        _o("Küplü tavlanın, yani backgammon’un farkları ayrı bir bölümde"),
        _o("Küp ortadaysa ya da sizdeyse katlayabilirsiniz; küp rakibinizdeyse katlayamazsınız."),
        _t("Tavlino üzerinde 3, 5 ve 7 puanlık maçlarda katlama zarı kullanılır"),
        _j(
            "Katlama modu (kontra) - Oyun sırasında, yeterli avantaja sahip olduğunu düşünen "
            "oyuncu, katlama teklif edebilir."
        ),
    ),
    "cube_limit": (
        _k("Bu sürümde katlama küpü yoktur."),
        SILENT,
        _o("Küp en fazla 64’e çıkar."),
        _t("Üzerinde 2, 4, 8, 16, 32 ve 64 yazan büyük zar katlama zarıdır."),
        _j("Katlama işlemi, ana bahsin 64 katına kadar yükselebilir."),
    ),
    "drop": (
        SILENT,
        SILENT,
        _o(
            "Rakibiniz “Pas” derse eli kaybeder ve küpün katlanmadan önceki değeri kadar puan "
            "yazılır"
        ),
        _t("Ret: oyun hemen biter ve reddeden oyuncu, katlamadan önceki değeri kaybeder."),
        SILENT,
    ),
    "crawford": (
        SILENT,
        SILENT,
        _o(
            "Oyunculardan biri maçı kazanmaya 1 puan kalınca (5 puanlık maçta 4’e gelince) sonraki "
            "el küpsüz oynanır"
        ),
        _t(
            "Bu kural olmasaydı geride olan oyuncu, kaybedecek bir şeyi olmadığı için her oyunda "
            "hemen katlardı."
        ),
        _j(
            "Crawford kuralı: eğer bir oyuncunun maçı kazanmasına 1 puan kalmış ise, sonraki oyun "
            "Crawford kuralına göre oynanır."
        ),
    ),
    "jacoby": (
        SILENT,
        SILENT,
        _o("Küp hiç katlanmamış olsa da mars ve katmerli mars sayılır."),
        SILENT,
        _j(
            "Jacoby kuralına göre oyunculardan bir katlama teklif ettiğinde ve diğeri tarafından "
            "kabul edildiğinde gammon ve backgammon geçerli sayılır."
        ),
    ),
    "best_of_games": (
        SILENT,
        _BEST_O,
        _BEST_O,
        SILENT,
        SILENT,
    ),
    "match_end": (
        _k("Seçilen puana (1, 3, 5 ya da 7) ilk ulaşan maçı kazanır."),
        _END_O,
        _END_O,
        _t("Oyunlar, bir oyuncu bu puana ulaşana kadar sürer."),
        SILENT,
    ),
    "resign": (
        SILENT,
        _o("Hiç pul toplamadıysanız 2 puan (mars), en az bir pul topladıysanız 1 puan yazılır."),
        _o(
            "Backgammon’da pul topladıysanız 1 × küp; toplamadıysanız kırık pulunuz varsa ya da "
            "rakibin evinde pulunuz kaldıysa 3 × küp, yoksa 2 × küp yazılır."
        ),
        SILENT,
        SILENT,
    ),
    "resign_again": (
        SILENT,
        _AGAIN_O,
        _AGAIN_O,
        SILENT,
        SILENT,
    ),
    "resign_match": (
        SILENT,
        _LEAVE_O,
        _LEAVE_O,
        SILENT,
        SILENT,
    ),
    "early_end": (
        _k("bağlantının 3 dakikadan uzun kesilmesi, hamle süresinin dolması"),
        _GONE_O,
        _GONE_O,
        SILENT,
        SILENT,
    ),
    "auto": (
        SILENT,
        _AUTO_O,
        _AUTO_O,
        SILENT,
        SILENT,
    ),
}
"""For each rule, where `rulesets.RULE_SETS` have it from, in their order."""
