"""Turns of phrase that say a sentence is no statement of the caller about the caller.

Small tables for English, German, Spanish, French, Chinese and the commonest words of others. They
only ever refuse or weaken what a model took from a turn; what they don't know passes unharmed.
"""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE


def _any(words: str, letters: str = "") -> re.Pattern[str]:
    """Whole words (or phrases) separated by `|`, and marks of scripts without spaces."""
    spaced = rf"(?<!\w)(?:{words})(?!\w)"
    return re.compile(f"{spaced}|{letters}" if letters else spaced, _FLAGS)


_ASKING = re.compile(
    r"^\W*(?:(?:and|so|but|okay|ok|well|um|uh|hey|und|y|et|also|oh)\W+)*(?:"
    r"(?:do|does|did|can|could|would|will|shall|should|may|is|are|was|were|am|has|have|had|isn't|aren't|don't|doesn't)"
    r" (?:i|you|we|he|she|it|they|there|this|that|the|my|your|anyone|any|a|an)\b"
    r"|(?:what|which|who|whom|whose|where|when|why|how)\b(?! (?:i|we) (?:need|want|like))"
    r"|(?:was|wer|wen|wem|wo|wann|warum|wieso|wie|welche[rsmn]?|woher|wohin)\b"
    r"|(?:kann|können|könnten|könnte|haben|hat|ist|sind|gibt|darf|muss|soll|habt|bin) (?:ich|sie|es|wir|das|der|die|mein|meine|du|ihr)\b"
    r"|(?:qué|cuál|cuáles|quién|dónde|cuándo|cómo|cuánto|cuántos|cuánta|por qué)\b|(?:puedo|puede|pueden|tienen|hay|es posible)\b"
    r"|(?:est-ce que?|qu'est-ce|quel|quelle|quels|quelles|qui|où|quand|pourquoi|comment|combien)\b|(?:avez|pouvez|puis|êtes|peut)-\w+"
    r")|(?:吗|呢|什么|怎么|哪里|哪儿|几点|多少|能不能|可不可以|是不是|有没有)",
    _FLAGS,
)
_TAG = _any(
    r"right|correct|isn't it|is that right|don't i|do i|am i|aren't i|wasn't it|oder|richtig|nicht wahr|stimmt's|stimmt das"
    r"|verdad|no es así|cierto|n'est-ce pas|c'est ça|non",
    "对吗|对吧|是吧|是吗",
)
_HYPOTHETICAL = _any(
    r"if (?:i|we|my|you|he|she|they|it|only|the)|what if|suppose|supposing|imagine|let's say|let us say|say i|pretend"
    r"|hypothetically|in theory|for example|for instance|as an example|i (?:would|could|might) (?:have|be|move|live|marry|become|eat|go|get)"
    r"|i'd (?:have|be|move|live|become|die)|i wish|wenn ich|falls|angenommen|nehmen wir an|stell dir vor|ich würde|ich wäre|ich hätte"
    r"|zum beispiel|si (?:yo|me|fuera|tuviera|viviera|estuviera)|supongamos|imagina|imagínese|por ejemplo|ojalá|si j'|si je|si j’"
    r"|supposons|imaginons|imaginez|par exemple|je serais|j'aurais|se io|mettiamo|als ik|stel dat|если бы|допустим",
    "如果|假如|要是|假设|比如说|万一|もし|例えば|اگر|فرض کن",
)
_HEDGED = _any(
    r"maybe|perhaps|possibly|i think|i guess|i believe|probably|not sure|i might|might|could be|kind of|sort of|or so"
    r"|vielleicht|ich glaube|wahrscheinlich|nicht sicher|quizás|quizá|tal vez|creo que|a lo mejor|no estoy segur[oa]"
    r"|peut-être|je crois|je pense|probablement|pas sûre?|forse|talvez|misschien|может быть|наверное",
    "也许|可能|大概|好像|不确定|たぶん|かもしれ|شاید",
)
_PROFESSIONAL = (
    r"doctor|dentist|nurse|gp|physician|pharmacist|arzt|ärztin|zahnarzt|médico|médica|médecin|docteur|medico"
)
_KIN = (
    r"friend|buddy|mate|brother|sister|mother|father|mom|mum|dad|wife|husband|partner|son|daughter|boss|colleague|neighbou?r"
    r"|roommate|flatmate|girlfriend|boyfriend|uncle|aunt|cousin|grandmother|grandfather|grandma|grandpa|kids?|child|children|parents"
    r"|freundin|freund|bruder|schwester|mutter|vater|frau|mann|sohn|tochter|chef|chefin|kollege|kollegin|nachbar|nachbarin|eltern"
    r"|amigo|amiga|hermano|hermana|madre|padre|esposa|esposo|marido|mujer|hijo|hija|jefe|jefa|vecino|vecina|novia|novio"
    r"|ami|amie|frère|sœur|soeur|mère|père|femme|mari|fils|fille|collègue|voisin|voisine|copain|copine"
)
_OTHER_SUBJECT = re.compile(
    rf"(?<!\w)(?:(?:my|our|a|the|his|her|meine?|unsere?|mi|un|una|mon|ma|notre|une) (?:best |old |good |little |big |young(?:er)? |older |beste[rn]? |gute[rn]? |mejor |meilleure? )?(?:{_KIN})"
    rf"(?: of mine)?|he|she|they|er|ella|él|ellos|elle|ils|elles)(?!\w)(?! (?:and i|und ich|y yo|et moi))"
    r"|我(?:的)?(?:朋友|哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|太太|老婆|先生|老公|儿子|女儿|老板|同事|邻居)(?!和我)|(?<!其)他(?!们和我)|她",
    _FLAGS,
)
_SELF = _any(
    r"i|i'm|i've|i'd|i'll|im|me|my|mine|myself|we|we're|we've|our|us|ich|mich|mir|mein|meine[rnms]?|wir|unser|unsere|uns|yo|me|mi|mis|soy|tengo|estoy"
    r"|vivo|nosotros|nuestro|je|j|moi|mon|ma|mes|nous|notre|io|sono|ho|mio|mia|eu|meu|minha|ik|mijn|я|мне|меня|мой|моя|у меня",
    "我|咱|俺|私|僕|俺|من|أنا|ben|나|저",
)
_REPORTED = _any(
    r"(?:he|she|they|people|everybody|everyone|someone|somebody|who) (?:says?|said|thinks?|told|tells|claims?|claimed|believes?|keeps? saying)"
    rf"|(?:my|our|the|a) (?:\w+ )?(?:{_KIN}) (?:says?|said|thinks?|told|tells|claims?|claimed|believes?|keeps? saying)"
    r"|according to|supposedly|allegedly|i(?:'ve)? (?:heard|read)(?: that)?|er sagt|sie sagt|sie sagen|hat gesagt|laut|angeblich"
    r"|mein \w+ (?:sagt|meint)|meine \w+ (?:sagt|meint)|dice que|dicen que|según|mi \w+ dice|il dit|elle dit|ils disent|selon|dit que|d'après",
    "他说|她说|他们说|听说|据说|朋友说",
)
_RECALLED = _any(
    r"(?:you|your \w+|the (?:system|website|app|computer|record|records|file|letter|email)|it|the last (?:agent|person|guy|lady)|somebody there) "
    r"(?:just )?(?:said|says|told me|told|wrote|mentioned|thought|think|thinks|claimed?|claims|have me|has me|had me|got me|keeps? saying|assume[sd]?)"
    r"|you(?:'ve| have) (?:got )?(?:me|noted|written)|as you (?:said|say)|did you say|sie (?:sagten|haben gesagt|meinten)|laut ihnen"
    r"|usted dijo|ustedes dijeron|dijiste|me dijeron|vous avez dit|vous m'avez dit|tu as dit",
    "你说|您说|你刚才说|你们说|系统说",
)
_JOKING = _any(
    r"just kidding|only kidding|i'm kidding|kidding|just joking|joking|i'm joking|joke|haha+|hahaha|lol|pulling your leg|not really though"
    r"|nur spaß|war ein scherz|scherz|kleiner scherz|es broma|era broma|estoy bromeando|jaja+|je plaisante|je rigole|c'est une blague|scherzo|brincadeira",
    "开玩笑|哈哈|逗你|冗談|شوخی",
)
_ABOUT_AGENT = re.compile(
    r"^\W*(?:you(?:'re| are| sound| seem| look| must| should| have)|sie (?:sind|klingen)|du (?:bist|klingst)|usted (?:es|suena)|eres|suenas|vous êtes|tu es|你(?:是|真|好|像)|您(?:是|真))",
    _FLAGS,
)
_INSTRUCTION = _any(
    r"ignore (?:all|any|your|the|my|previous|prior)|disregard (?:all|any|your|the|previous)|forget (?:your|all|the|previous) (?:rules|instructions|prompt)"
    r"|system prompt|your (?:rules|instructions|guidelines|prompt)|override|jailbreak|developer mode|act as|you are now|from now on you"
    r"|read (?:out|me) (?:the )?other|other (?:callers|customers|people)(?:'s|’s|s')?|reveal|grant me|admin(?:istrator)? (?:access|rights)|without (?:verification|verifying|authentication)"
    r"|always (?:give|grant|approve|refund|waive)|ignorier\w*|vergiss deine|ignora(?: tus| sus)?|ignore[zr]? (?:vos|tes|les)|oublie[zr]? (?:vos|tes)",
    "忽略|无视|忘记你的|系统提示|</|<memory|<system|\\[system|assistant:|system:",
)
_CORRECTS = _any(
    r"no|not|actually|instead|rather|i mean|i meant|correction|wrong|changed?|moved|now|any ?more|these days|sorry"
    r"|nein|nicht|doch|eigentlich|sondern|ich meine|falsch|jetzt|inzwischen|nicht mehr|umgezogen|mejor|perdón|quiero decir|ahora|ya no"
    r"|me mudé|en realidad|non|pas|plutôt|en fait|je veux dire|maintenant|désormais|ne plus|déménagé",
    "不是|不对|应该是|其实|现在|改成|换成|搬到|搬家|不再",
)
_NOT_ME = _any(
    r"not me|wasn't me|that (?:was|is) my|that's my|it (?:was|is|'s) my|isn't mine|not mine|nicht ich|das (?:war|ist) mein\w*|no (?:soy|era|fui) yo"
    r"|(?:ese|esa|eso|era|es) (?:era |es )?mi|pas moi|c'(?:était|est) (?:mon|ma)|non io|era mi[oa]",
    "不是我|那是我|是我(?:哥|弟|姐|妹|妈|爸|朋友|太太|先生|老)",
)
_YES = re.compile(
    r"^\W*(?:oh |ah |uh |um )?(?:yes|yeah|yep|yup|correct|right|exactly|that's right|that is right|that's correct|sure|of course|indeed|absolutely"
    r"|ja|genau|richtig|stimmt|jawohl|sí|si|claro|correcto|exacto|así es|oui|c'est ça|exact|tout à fait|exactement|sì|esatto|sim|isso|да|верно"
    r"|对|是的|是|没错|好的|嗯|はい|そうです|بله|آره|نعم|evet|네)(?!\w)|^\W*(?:对|是的|是啊|没错|嗯)",
    _FLAGS,
)
_BACK = _any(
    r"it|that|there|this|these|those|same|one|ones|him|her|them|both|either|neither|usual|again|too|either|das|dort|dasselbe|dieselbe|es|diese[rs]?|gleiche"
    r"|eso|esa|ese|ahí|allí|mismo|misma|lo|la|ça|cela|là|même|celui|celle|le",
    "那|这|它|他|她|一样|同样|それ|同じ|همان|آن",
)
NEGATION = _any(
    r"not|no|never|none|without|nor|neither|cannot|can't|cant|don't|dont|doesn't|didn't|won't|isn't|aren't|wasn't|weren't|haven't|hasn't|wouldn't|ain't|nothing|hardly"
    r"|nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne|nunca|jamás|sin|tampoco|ningún|ninguna|ne|n|pas|jamais|sans|aucune?|non|mai|senza|não|nem|sem"
    r"|niet|geen|nooit|не|нет|никогда|без|nie|değil|نه|نیست|ندارم|نمی\w*|لا|ليس|لست|لم|ما",
    "不|没|無|别|非|ない|ません|아니|안 ",
)
LIKING = _any(
    r"likes?|loves?|enjoys?|enjoy|adores?|fond|favou?rite|prefers?|keen|into|mag|liebe|lieber|gern|gerne|bevorzuge|gusta|gustan|encanta|encantan|prefiero|adoro"
    r"|aime|adore|préfère|amo|piace|gosto",
    "喜欢|爱|好き",
)
DISLIKING = _any(
    r"hates?|dislikes?|can't stand|cannot stand|can not stand|detests?|loathes?|avoids?|sick of|can't bear|allergic|hasse|verabscheue|nicht ausstehen|odio|detesto|no soporto"
    r"|déteste|hais|supporte pas|odeio|odia",
    "讨厌|恨|受不了|嫌い",
)


def asks(clause: str) -> bool:
    """Whether a clause asks: by its mark or by how it begins."""
    return clause.rstrip().endswith(("?", "？", "؟")) or bool(_ASKING.search(clause))


def tag(clause: str) -> bool:
    """Whether a clause is only a tag ("right?") that asks for the statement before it."""
    return len(clause.split()) <= 4 and clause.rstrip().endswith(("?", "？")) and bool(_TAG.search(clause))


def supposes(clause: str) -> bool:
    return bool(_HYPOTHETICAL.search(clause))


def hedges(clause: str) -> bool:
    return bool(_HEDGED.search(clause))


def reports(clause: str) -> bool:
    """Whether a clause tells what somebody says; what a doctor said about the caller may stand."""
    return bool(_REPORTED.search(clause)) and not re.search(_PROFESSIONAL, clause, _FLAGS)


def recalls(clause: str) -> bool:
    """Whether the caller repeats what the agent or a record said."""
    return bool(_RECALLED.search(clause))


def jokes(text: str) -> bool:
    return bool(_JOKING.search(text))


def about_agent(clause: str) -> bool:
    return bool(_ABOUT_AGENT.search(clause)) and not _SELF.search(clause)


def commands(text: str) -> bool:
    """Whether a text tries to give the agent new rules."""
    return bool(_INSTRUCTION.search(text))


def other_subject(words: str) -> bool:
    """Whether, before what is said of somebody, that somebody turns out to be another person."""
    found = list(_OTHER_SUBJECT.finditer(words))
    return bool(found) and not re.search(
        r"(?<!\w)(?:i|i'm|i've|ich|yo|soy|tengo|je|j'ai)(?!\w)|我(?!的?[朋哥弟姐妹妈爸太老先儿女同邻])",
        words[found[-1].end() :],
        _FLAGS,
    )


def corrects(text: str) -> bool:
    return bool(_CORRECTS.search(text))


def not_me(text: str) -> bool:
    return bool(_NOT_ME.search(text))


def agrees(text: str) -> bool:
    return bool(_YES.search(text))


def points_back(text: str) -> bool:
    """Whether a text points at something said before ("the same", "there")."""
    return bool(_BACK.search(text))
