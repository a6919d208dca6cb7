"""Whether a turn only asks that something be forgotten: then what was said before it is meant."""

from __future__ import annotations

import re
import unicodedata

_FORGETTING = """
forget erase delete remove strike scratch disregard ignore drop unsay
olvida olvide olvidar olvídalo olvídelo olvídate olvidalo olvidelo borra borre borrar bórralo bórrelo
elimina elimine
vergiss vergessen vergesst lösche lösch löschen streiche streich streichen ignoriere ignorieren
oublie oubliez oublier efface effacez effacer supprime supprimez supprimer ignorez ignora ignore
dimentica dimentichi dimenticare dimenticalo cancella cancelli cancellare esqueça esquece esquecer apague
apaga apagar
"""
_KEEPING = """
remember keep save store record note memorize memorise write
guardes guarde recuerdes recuerde anotes anote merk merke merken merkt speicher speichere speichern notiere
notieren
retiens retenez note notez enregistre enregistrez ricordare ricordi salvare salva guarde grave lembre
"""
_NOT = "not don't dont never no nicht kein pas ne non não nunca jamais nie"
_AROUND = """
please pls oh wait sorry actually and so well okay ok hey just now can could would will you i want like need
to let's lets
it that this all of everything what said told you mentioned the my last thing part bit sentence message word
words one
heard again thanks thank for me from in your memory record records notes off ever have i've you've i'd about
down then
things statement do did was is say saying my
por favor oye oiga mejor perdón perdon espera espere puede puedes podría podrías quiero que ay y eso esto
todo lo último
ultimo dije he dicho acabo de decir decirte decirle te le gracias ahora ya la última frase cosa
bitte ach moment entschuldigung können kannst könnten könntest sie du doch und das es was ich gerade eben
zuletzt
gesagt habe hab sagte alles meinen letzten satz wieder danke mal einfach letzte dir ihnen
s'il s'il-vous-plaît vous te plaît plait pardon attendez attends pouvez peux pourriez tu je veux et ça ca
cela tout ce viens
dire j'ai dit ai la dernière derniere chose phrase dite merci le ma
favore scusi scusa può puoi questo quello tutto ciò che ho appena detto grazie per mi desculpe pode isso
tudo o eu acabei
dizer disse obrigado obrigada um a
"""
_ZH = re.compile(
    r"[请麻烦你您把我刚才说的话那句都给忘了掉记删除吧谢好吗别不要用能可以这个些内容住，。！？ ]+"
)

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for words in lists for word in words.split())


_FORGET, _KEEP, _NO = _words(_FORGETTING), _words(_KEEPING), _words(_NOT)
_ALL = _words(_FORGETTING, _KEEPING, _NOT, _AROUND)


def only_asks_to_forget(text: str) -> bool:
    """Whether the words ask for something to be forgotten ("please forget what I just said") and no more."""
    text = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    if _ZH.fullmatch(text):
        kept = re.search(r"别|不要|不用", text) is not None
        return (re.search(r"忘|删", text) is not None and not kept) or ("记" in text and kept)
    said = list(_WORD.finditer(text))
    if not all(word[0] in _ALL for word in said):
        return False
    for at, word in enumerate(said):
        denied = _denied(text, said[max(0, at - 2) : at], word.start())
        if (word[0] in _FORGET and not denied) or (word[0] in _KEEP and denied):
            return True
    return False


def _denied(text: str, before: list[re.Match[str]], at: int) -> bool:
    """Whether the words before a verb deny it; a "no" that a comma follows denies what came before it."""
    return any(word[0] in _NO and "," not in text[word.end() : at] for word in before)
