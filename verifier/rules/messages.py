"""Every refusal of the rules: a stable code, and why and what to do, in English and in Turkish.

The codes are part of the interface; the sentences are not. What stands in braces is a parameter of
the refusal. Point numbers are the mover's own.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Language = Literal["en", "tr"]


class Message(NamedTuple):
    """One refusal's sentence in both languages."""

    en: str
    tr: str


MESSAGES: Final[Mapping[str, Message]] = {
    # the board
    "board_counts": Message(
        "A side is 25 whole numbers, points 1 to 24 and the bar, with at most 15 checkers in all.",
        "Bir taraf 25 tam sayıdır: 1–24. haneler ve bar; toplamı en çok 15 pul.",
    ),
    "board_shared_point": Message(
        "Both sides have checkers on point {point}; only one side can.",
        "{point}. hanede iki tarafın da pulu var; bir hanede yalnız bir taraf durabilir.",
    ),
    # the text of a play
    "notation_unreadable": Message(
        "'{moves}' is no move; write moves like 24/18 13/11, bar/20* or 6/off(2).",
        "'{moves}' bir hamle değil; hamleyi 24/18 13/11, bar/20* ya da 6/off(2) gibi yaz.",
    ),
    "notation_not_these_dice": Message(
        "'{moves}' cannot be made with the dice {dice}.",
        "'{moves}' hamlesi {dice} zarıyla oynanamaz.",
    ),
    "notation_not_canonical": Message(
        "'{moves}' is not written in the one canonical way; with its marks it reads '{canonical}'.",
        "'{moves}' tek geçerli yazımla yazılmamış; o işaretlerle doğrusu '{canonical}'.",
    ),
    "notation_ambiguous": Message(
        "'{moves}' can mean '{first}' or '{second}'; write the one you mean.",
        "'{moves}' hem '{first}' hem '{second}' olabilir; hangisini istediğini yaz.",
    ),
    # a play
    "play_bar_first": Message(
        "Enter your checker from the bar first.",
        "Önce kırık pulunu içeri sok.",
    ),
    "play_bar_empty": Message(
        "You have no (more) checker on the bar; move another one.",
        "Barda (başka) pulun yok; başka bir pul oyna.",
    ),
    "play_no_checker": Message(
        "You have no checker to move on point {point}; choose another point.",
        "{point}. hanede oynayacak pulun yok; başka bir hane seç.",
    ),
    "play_entry_blocked": Message(
        "Your opponent holds point {point}: enter with the other die, or pass if that fails too.",
        "{point}. hane rakibinin kapısı: öteki zarla gir, o da olmuyorsa sıran geçer.",
    ),
    "play_point_blocked": Message(
        "Your opponent holds point {point}: you cannot land there, not even on the way.",
        "{point}. hane rakibinin kapısı: oraya, yol üstünde bile olsa, pul koyamazsın.",
    ),
    "play_not_home": Message(
        "A checker of yours is still on point {point}: bring all of them home before bearing off.",
        "{point}. hanede pulun var: toplamadan önce bütün pullarını evine getir.",
    ),
    "play_higher_first": Message(
        "A {die} takes a lower checker off only when none stands higher; play from point {point}.",
        "{die} ile daha aşağıdaki bir pulu toplayamazsın; {point}. hanede pulun var, onu oyna.",
    ),
    "play_hit_and_run": Message(
        "The checker that hit on point {point}, in your home, must stay there this turn.",
        "Evinde {point}. hanede kıran pul bu turda orada kalmalı; kendi evinde vur kaç yok.",
    ),
    "play_hit_unmarked": Message(
        "The move hits on point {point}; write '*' behind that point.",
        "Bu hamle {point}. hanede pul kırıyor; o hanenin ardına '*' yaz.",
    ),
    "play_nothing_hit": Message(
        "There is nothing to hit on point {point}; leave out the '*'.",
        "{point}. hanede kırılacak pul yok; '*' işaretini yazma.",
    ),
    "play_missing": Message(
        "This roll can be played, so it must be.",
        "Bu zarla oynanacak hamle var; oynamak zorundasın.",
    ),
    "play_dice_left": Message(
        "More of the dice can be played, so they must be; choose a play that uses them.",
        "Zarların daha fazlası oynanabiliyor; hepsini kullanan bir hamle seç.",
    ),
    "play_larger_die": Message(
        "Only one die can be played, and then it must be the larger, the {die}.",
        "Zarların yalnız biri oynanabiliyor; o zaman büyük olanı, {die}, oynamalısın.",
    ),
    "play_empty_auto": Message(
        "A turn without a move is never marked as played for someone; set auto to false.",
        "Hamlesiz geçen tur, biri adına oynanmış sayılmaz; auto false olmalı.",
    ),
    # what is due
    "due_opening_roll": Message(
        "The opening roll is due: one die for each player.",
        "Önce açılış zarı atılmalı: her oyuncuya bir zar.",
    ),
    "due_roll": Message(
        "Player {player} is to roll for the turn.",
        "Sıra oyuncu {player}’de: önce zar atmalı.",
    ),
    "due_play": Message(
        "Player {player} is to play the dice rolled.",
        "Oyuncu {player} önce attığı zarı oynamalı.",
    ),
    "due_pass_unrolled": Message(
        "Player {player} is closed out: the turn passes without a roll.",
        "Oyuncu {player} kapalı eve giremiyor: zar atılmadan sıra geçmeli.",
    ),
    "due_double_answer": Message(
        "Player {player} is to take or drop the double.",
        "Oyuncu {player} önce katlamaya cevap vermeli: Al ya da Pas.",
    ),
    "due_resign_answer": Message(
        "Player {player} is to accept or refuse the offer to resign.",
        "Oyuncu {player} önce teslim teklifini kabul ya da reddetmeli.",
    ),
    "due_from_other": Message(
        "It is player {player}'s turn to act; wait for that.",
        "Şimdi sıra oyuncu {player}’de; onu bekle.",
    ),
    "due_game_end": Message(
        "The game is over: its result comes next.",
        "El bitti: şimdi elin sonucu yazılmalı.",
    ),
    "due_match_end": Message(
        "The match is decided: its end comes next.",
        "Maç sonuçlandı: şimdi maç sonu yazılmalı.",
    ),
    "match_over": Message(
        "The match is over; nothing can follow.",
        "Maç bitti; artık hamle yapılamaz.",
    ),
    # the cube
    "cube_none": Message(
        "There is no cube in this match.",
        "Bu maçta küp yok; katlayamazsın.",
    ),
    "cube_after_roll": Message(
        "Double before you roll; now play the dice.",
        "Katlama zar atmadan önce yapılır; şimdi zarını oyna.",
    ),
    "cube_crawford": Message(
        "This is the Crawford game: no doubling until the next one.",
        "Bu, Crawford eli: bu elde katlanmaz, sonraki elde katlayabilirsin.",
    ),
    "cube_not_yours": Message(
        "Your opponent owns the cube; only its owner may double.",
        "Küp rakibinde; yalnız küpün sahibi katlayabilir.",
    ),
    "cube_limit": Message(
        "The cube stands at {limit}, its limit.",
        "Küp en yüksek değerinde: {limit}; daha fazla katlanmaz.",
    ),
    # resigning
    "resign_value": Message(
        "As the board stands the offer must be {value} times the cube.",
        "Tahtanın bu durumunda teklif {value} × küp olmalı.",
    ),
    "resign_again": Message(
        "Your offer was refused; you may offer again when this turn is over.",
        "Teklifin reddedildi; bu tur bitene kadar yeniden teklif edemezsin.",
    ),
    # ends
    "game_end_differs": Message(
        "The game's end does not follow from the game; it must say: {expected}.",
        "El sonu oyunla tutmuyor; şöyle olmalı: {expected}.",
    ),
    "match_end_differs": Message(
        "The match's end does not follow from the match; it must say: {expected}.",
        "Maç sonu maçla tutmuyor; şöyle olmalı: {expected}.",
    ),
    "match_end_needs_forfeit": Message(
        "Player {player} wins by forfeit: end the game first, as a forfeit.",
        "Maçı oyuncu {player} hükmen kazanıyor: önce el, hükmen biten el olarak kapanmalı.",
    ),
    # rule sets
    "rules_unknown": Message(
        "There is no rule set '{rules}'; choose one of: {known}.",
        "'{rules}' diye bir kural takımı yok; şunlardan birini seç: {known}.",
    ),
    "rules_length": Message(
        "'{rules}' is not played to {length} points; choose one of: {known}.",
        "'{rules}' kurallarıyla {length} puanlık maç oynanmaz; şunlardan birini seç: {known}.",
    ),
    "rules_length_missing": Message(
        "A match under '{rules}' needs a length in points, or the option best_of_games.",
        "'{rules}' kurallarıyla maç için puan olarak uzunluk ya da best_of_games seçeneği gerekir.",
    ),
    "option_unknown": Message(
        "'{option}' is no option that a match can change; these are: {known}.",
        "'{option}' maçta değiştirilebilen bir seçenek değil; olanlar: {known}.",
    ),
    "option_same": Message(
        "'{rules}' has this '{option}' already; leave it out.",
        "'{rules}' kurallarında '{option}' zaten böyle; yazma.",
    ),
    "option_value": Message(
        "Under '{rules}' the option '{option}' cannot be {value}.",
        "'{rules}' kurallarında '{option}' seçeneği {value} olamaz.",
    ),
    "options_inconsistent": Message(
        "'{first}' and '{second}' do not go together as they are; change or leave out one.",
        "'{first}' ile '{second}' bu halleriyle bir arada olmaz; birini değiştir ya da çıkar.",
    ),
}


class RuleError(Exception):
    """A refusal by the rules: what was asked for is not legal, or not due.

    ``code`` is a key of `MESSAGES`, ``params`` what its sentences mention.
    """

    def __init__(self, code: str, **params: str | int | None) -> None:
        super().__init__(code)
        self.code = code
        self.params = params

    def text(self, language: Language = "en") -> str:
        """The refusal as a sentence."""
        message = MESSAGES[self.code]
        return (message.tr if language == "tr" else message.en).format(**self.params)

    def __str__(self) -> str:
        return self.text()
