"""Closed word classes, as tables: function words, irregular forms, numbers, months.

Written from grammar, not collected from any data. English irregulars are the common verbs and
nouns whose forms no suffix rule joins.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP: dict[str, frozenset[str]] = {
    "en": _words(
        "a an the and or but nor so if then than that this these those there here it its i im ive id"
        " ill me my mine myself you your yours youre youve he him his she her hers we us our ours they"
        " them their theirs is am are was were be been being do does did doing done have has had"
        " having will would shall should can could may might must of in on at to from by for with"
        " about into over under after before during as up down out off again what which who whom whose"
        " when where why how not no dont doesnt didnt isnt arent wasnt werent cant couldnt wont"
        " wouldnt yes yeah ok okay oh well just also too very really any some all both each few more"
        " most other such only own same s t d ll m re ve um uh lets get got"
    ),
    "es": _words(
        "el la los las un una unos unas y o u e ni pero si que qué como cómo cuando cuándo donde"
        " dónde quien quién cual cuál de del al a en con por para sin sobre entre es son era eran soy"
        " eres somos fue ser estar está están estoy ha han he hay mi mis tu tus su sus me te se nos le"
        " les lo yo tú él ella ellos usted ustedes este esta esto ese esa eso no sí ya muy más menos"
        " también porque"
    ),
    "fr": _words(
        "le la les un une des et ou mais si que qui quoi quel quelle quand où comment pourquoi de du"
        " au aux à en dans avec par pour sans sur entre est sont était suis es êtes être a ai as ont"
        " avoir mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs je tu il elle on nous"
        " vous ils elles me te se lui ce cet cette ces ne pas non oui très plus aussi c d j l m n s t"
        " qu"
    ),
    "de": _words(
        "der die das den dem des ein eine einen einem einer eines und oder aber wenn dass was wer wie"
        " wo wann warum welche welcher von vom zu zum zur in im an am auf aus bei mit nach für ohne"
        " über unter ist sind war waren bin bist sein hat habe haben hatte mein meine meinen dein"
        " deine seine ihr ihre ich du er sie es wir uns mich dich sich mir dir nicht kein keine ja"
        " nein auch noch schon sehr so"
    ),
    "it": _words(
        "il lo la i gli le un uno una e o ma se che chi cosa come quando dove perché quale di del"
        " della dei delle al alla ai a in nel nella con per senza su tra è sono era erano sei siamo"
        " essere ho hai ha hanno mio mia miei tuo tua suo sua io tu lui lei noi voi loro mi ti si ci"
        " vi non sì già molto più anche questo questa"
    ),
    "pt": _words(
        "o a os as um uma uns umas e ou mas se que quem qual como quando onde por porque de do da dos"
        " das ao à no na nos nas em com para sem sobre é são era eram sou ser estar está estou tem"
        " tenho meu minha meus minhas seu sua eu tu ele ela nós você vocês eles me te lhe não sim já"
        " muito mais também este esta isso"
    ),
    "nl": _words(
        "de het een en of maar als dat die wat wie hoe waar wanneer waarom welke van te tot in op aan"
        " uit bij met naar voor zonder over onder is zijn was waren ben bent heeft heb hebben had mijn"
        " jouw uw haar ik jij je hij zij ze wij we ons mij me niet geen ja nee ook nog al zeer er"
    ),
    "zh": frozenset(),
}

_FORMS = (
    "go went gone; be been; buy bought; bring brought; think thought; teach taught; catch caught;"
    " seek sought; fight fought; eat ate eaten; drink drank drunk; drive drove driven; write wrote"
    " written; ride rode ridden; rise rose risen; speak spoke spoken; break broke broken; choose chose"
    " chosen; wake woke woken; steal stole stolen; take took taken; mistake mistook mistaken; shake"
    " shook shaken; give gave given; forgive forgave forgiven; see saw seen; know knew known; grow"
    " grew grown; throw threw thrown; blow blew blown; fly flew flown; draw drew drawn; show showed"
    " shown; wear wore worn; tear tore torn; bear bore borne born; swear swore sworn; begin began"
    " begun; swim swam swum; sing sang sung; ring rang rung; sink sank sunk; run ran; come came;"
    " become became; win won; find found; hold held; tell told; sell sold; say said; pay paid; lay"
    " laid; make made; leave left; lose lost; mean meant; meet met; feel felt; keep kept; sleep slept;"
    " sweep swept; lead led; feed fed; read; send sent; spend spent; lend lent; build built; bend"
    " bent; stand stood; understand understood; sit sat; get gotten; forget forgot forgotten; hear"
    " heard; fall fell fallen; freeze froze frozen; hide hid hidden; bite bit bitten; do did done;"
    " have had has; light lit; shoot shot; stick stuck; strike struck; hang hung; dig dug; win won;"
    " shine shone; sew sewn; speed sped; deal dealt; dream dreamt; learn learnt; burn burnt; spell"
    " spelt; child children kid; man men; woman women; person people; foot feet; tooth teeth; mouse mice;"
    " goose geese; life lives; wife wives; knife knives; leaf leaves; shelf shelves; half halves; good"
    " better best; bad worse worst; mum mom mommy mummy mother; dad daddy father; grandma"
    " grandmother granny; grandpa grandfather; photo photograph picture pic; tv television; phone"
    " telephone; fridge refrigerator; bike bicycle; doc doctor"
)


def _forms(text: str) -> dict[str, str]:
    """Each form to the first of its group."""
    out: dict[str, str] = {}
    for group in text.split(";"):
        first, *others = group.split()
        for other in others:
            out.setdefault(other, first)
    return out


IRREGULAR = _forms(_FORMS)

NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "first": "1st", "second": "2nd", "third": "3rd"}
"""Spoken numbers as digits, so that a recogniser's spelling doesn't matter."""

_MONTHS = (
    "january jan enero janvier januar gennaio janeiro januari",
    "february feb febrero février februar febbraio fevereiro februari",
    "march mar marzo mars märz março maart",
    "april apr abril avril aprile",
    "may mayo mai maggio maio mei",
    "june jun junio juin juni giugno junho",
    "july jul julio juillet juli luglio julho",
    "august aug agosto août augustus",
    "september sep sept septiembre septembre settembre setembro",
    "october oct octubre octobre oktober ottobre outubro",
    "november nov noviembre novembre novembro",
    "december dec diciembre décembre dezember dicembre dezembro",
)
MONTHS = {word: f"month{number}" for number, names in enumerate(_MONTHS, 1) for word in names.split()}
"""Month names of the languages above. An English "may" is one only where written so."""

FIRST_PERSON: dict[str, frozenset[str]] = {
    "en": _words("i im ive id ill my mine me we our ours weve were us"),
    "es": _words("yo mi mis me mío mía nosotros nuestro nuestra nos"),
    "fr": _words("je j moi mon ma mes nous notre nos"),
    "de": _words("ich mein meine meinen meinem mir mich wir unser unsere"),
    "it": _words("io mio mia miei mie mi noi nostro nostra"),
    "pt": _words("eu meu minha meus minhas me nós nosso nossa"),
    "nl": _words("ik mijn mij me wij we ons onze"),
}
"""Words by which people speak of themselves; what they say so is what is asked about later."""

ASKING: dict[str, frozenset[str]] = {
    "en": _words("ask know mention recall remember say speak talk tell wonder said told spoke"),
    "es": _words(
        "preguntar saber sabe recordar recuerda recuerdas recordarme decir dije dijo dijiste hablar hablamos"
    ),
    "fr": _words("demander savoir sais rappeler rappelle souvenir souviens souvenez dire dit parler parlé"),
    "de": _words(
        "fragen weiss weisst wissen erinnern erinnerst sagen sagte gesagt gesprochen sprechen erzählt"
    ),
    "it": _words("chiedere sapere sai ricordare ricordi ricorda dire detto parlare parlato"),
    "pt": _words("perguntar saber sabe lembrar lembra lembras dizer disse falar falamos"),
    "nl": _words("vragen weten weet herinneren herinner zeggen zei gezegd praten gesproken verteld"),
}
"""Words by which people ask for what was said. They name no topic: "what did I say of the
heating". A "reminder" is one, and has the stem of "remind"."""
