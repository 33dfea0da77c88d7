"""Words and letters of the eleven languages (and Chinese) in which replies name an option.

Each script lists, by position, what may stand for the first, second, ... fifth option: its letters in alphabetical
order, the other rows that exam papers of that language use, the names of the Latin letters, and its digits.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Rows by position. Names of Latin letters are apart: they stand for the label of that letter.
LETTER_ROWS: dict[str, tuple[str, ...]] = {
    "bengali": ("ক খ গ ঘ ঙ", "অ আ ই ঈ উ"),
    "devanagari": ("क ख ग घ ङ", "अ ब स द", "अ आ इ ई उ"),
    "gujarati": ("ક ખ ગ ઘ ઙ", "અ બ સ દ", "અ આ ઇ ઈ ઉ"),
    "gurmukhi": ("ਕ ਖ ਗ ਘ ਙ", "ੳ ਅ ੲ ਸ ਹ"),
    "kannada": ("ಕ ಖ ಗ ಘ ಙ", "ಅ ಆ ಇ ಈ ಉ"),
    "malayalam": ("ക ഖ ഗ ഘ ങ", "അ ആ ഇ ഈ ഉ"),
    "odia": ("କ ଖ ଗ ଘ ଙ", "ଅ ଆ ଇ ଈ ଉ"),
    "tamil": ("க ங ச ஞ ட", "அ ஆ இ ஈ உ"),
    "telugu": ("క ఖ గ ఘ ఙ", "అ ఆ ఇ ఈ ఉ"),
    "chinese": ("甲 乙 丙 丁 戊",),
}

LETTER_NAMES: dict[str, tuple[str, ...]] = {
    "bengali": ("এ", "বি বী", "সি সী", "ডি ডী", "ই ঈ"),
    "devanagari": ("ए ऐ", "बी बि", "सी सि", "डी डि", "ई इ"),
    "gujarati": ("એ", "બી બિ", "સી સિ", "ડી ડિ", "ઈ ઇ"),
    "gurmukhi": ("ਏ ਐ", "ਬੀ ਬਿ", "ਸੀ ਸਿ", "ਡੀ ਡਿ", "ਈ ਇ"),
    "kannada": ("ಎ ಏ", "ಬಿ ಬೀ", "ಸಿ ಸೀ", "ಡಿ ಡೀ", "ಇ ಈ"),
    "malayalam": ("എ ഏ", "ബി ബീ", "സി സീ", "ഡി ഡീ", "ഇ ഈ"),
    "odia": ("ଏ", "ବି ବୀ", "ସି ସୀ", "ଡି ଡୀ", "ଇ ଈ"),
    "tamil": ("ஏ எ", "பி பீ", "சி சீ", "டி டீ", "இ ஈ"),
    "telugu": ("ఎ ఏ", "బి బీ", "సి సీ", "డి డీ", "ఇ ఈ"),
}

DIGIT_ZEROS = "0০०૦੦೦൦୦௦౦０"

ANSWER_WORDS = _words(
    # Bengali, Hindi, Marathi, Gujarati, Punjabi
    "উত্তর জবাব সমাধান उत्तर उत्तरः जवाब समाधान જવાબ ઉત્તર ਉੱਤਰ ਉਤਰ ਜਵਾਬ "
    # Kannada, Malayalam, Odia, Tamil, Telugu
    "ಉತ್ತರ ಉತ್ತರವು ಜವಾಬು ഉത്തരം ശരിയുത്തരം ഉത്തര ଉତ୍ତର ଜବାବ பதில் விடை సమాధానం జవాబు "
    # Chinese, and languages that answer Latin-lettered papers
    "答案 正確答案 答 应选 故选 選 选择 选 答え 正解 정답"
)

OPTION_WORDS = _words(
    "বিকল্প অপশন विकल्प पर्याय ऑप्शन વિકલ્પ ઓપ્શન ਵਿਕਲਪ ਆਪਸ਼ਨ ವಿಕಲ್ಪ ಆಯ್ಕೆ ഓപ്ഷൻ ഓപ്ഷന്‍ വികൽപ്പം വികല്പം "
    "ବିକଳ୍ପ ଅପ୍ସନ விருப்பம் தேர்வு விருப்பத்தேர்வு ఎంపిక ఆప్షన్ ఐచ్ఛికం 选项 選項 选择项"
)

CORRECT_WORDS = _words(
    "সঠিক ঠিক सही योग्य बरोबर अचूक સાચો સાચું સાચી સાચો ਸਹੀ ਠੀਕ ಸರಿ ಸರಿಯಾದ ശരി ശരിയായ ସଠିକ ଠିକ சரி சரியான சரியானது "
    "సరైన సరైనది సరి 正确 正確 正确的"
)

COPULAS = _words(
    "হল হলো হয় হচ্ছে হবে है हैं होगा होगी यह आहे असेल છે હશે ਹੈ ਹੋਵੇਗਾ ಆಗಿದೆ ಆಗಿರುತ್ತದೆ ആണ് ആകുന്നു ആയിരിക്കും "
    "ହେଉଛି ଅଟେ ହେବ ஆகும் என்பது ఉంది అవుతుంది ఆగుతుంది 是 为 為 應為 应为 应该是"
)

SO_WORDS = _words(
    "তাই সুতরাং অতএব इसलिए अतः इसलिये म्हणून તેથી આથી ਇਸ ਲਈ ਇਸਲਈ ಆದ್ದರಿಂದ അതിനാൽ ତେଣୁ எனவே ஆகவே కాబట్టి 所以 因此 故 因而"
)

NEGATIONS = _words("নয় না नहीं नाही નથી નહીં ਨਹੀਂ ಅಲ್ಲ ಇಲ್ಲ അല്ല ନୁହେଁ ନାହିଁ இல்லை அல்ல కాదు లేదు 不 错误 錯誤")

# Every letter, sign and digit of the ten scripts but the full stops (danda): what may not touch a native label.
INDIC = "\u0900-\u0963\u0966-\u0df3\u200c\u200d"
