"""Spellings of units -> the names pint knows them by. Symbols are case-bearing, words are not."""

from __future__ import annotations

PREFIXES = {
    "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1,
    "d": -1, "c": -2, "m": -3, "μ": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
}  # fmt: skip

# Symbol -> pint's name. The first table takes SI prefixes.
WITH_PREFIX = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "cd": "candela",
    "Hz": "hertz", "N": "newton", "Pa": "pascal", "J": "joule", "W": "watt", "V": "volt", "C": "coulomb", "F": "farad",
    "Ω": "ohm", "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry", "lm": "lumen", "lx": "lux",
    "Bq": "becquerel", "Gy": "gray", "Sv": "sievert", "L": "liter", "l": "liter", "bar": "bar", "eV": "electron_volt",
    "cal": "calorie", "rad": "radian", "sr": "steradian", "pc": "parsec", "u": "unified_atomic_mass_unit",
    "Da": "dalton", "b": "barn", "G": "si_gauss", "ohm": "ohm", "Ohm": "ohm", "Wh": "watt_hour", "t": "metric_ton",
    "sec": "second", "yr": "year", "Ci": "curie", "P": "poise", "bit": "bit", "B": "byte", "dyn": "dyne",
}  # fmt: skip
ALONE = {
    "min": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day", "day": "day", "°": "degree",
    "deg": "degree", "°C": "degree_Celsius", "degC": "degree_Celsius", "°F": "degree_Fahrenheit",
    "degF": "degree_Fahrenheit", "°K": "kelvin", "Å": "angstrom", "AU": "astronomical_unit", "au": "astronomical_unit",
    "ly": "light_year", "atm": "atmosphere", "torr": "torr", "Torr": "torr", "mmHg": "millimeter_Hg", "psi": "psi",
    "ft": "foot", "lb": "pound", "lbs": "pound", "mi": "mile", "mph": "mile_per_hour", "kph": "kilometer_per_hour",
    "km/h": "kilometer_per_hour", "rpm": "rpm", "RPM": "rpm", "rev": "turn", "erg": "erg", "hp": "horsepower",
    "ppm": "ppm", "yd": "yard", "oz": "ounce", "lbf": "force_pound", "ha": "hectare", "kgf": "kilogram_force",
    "cc": "centimeter**3", "amu": "unified_atomic_mass_unit", "gal": "gallon",
    "M_sun": "solar_mass", "R_sun": "solar_radius", "L_sun": "solar_luminosity", "M_earth": "earth_mass",
    "R_earth": "earth_radius", "inch": "inch", "in": "inch", "permille": "permille", "Gs": "si_gauss",
}  # fmt: skip
WORDS = {
    "metre": "meter", "meter": "meter", "gram": "gram", "gramme": "gram", "second": "second", "ampere": "ampere",
    "amp": "ampere", "kelvin": "kelvin", "mole": "mole", "candela": "candela", "hertz": "hertz", "newton": "newton",
    "pascal": "pascal", "joule": "joule", "watt": "watt", "volt": "volt", "coulomb": "coulomb", "farad": "farad",
    "ohm": "ohm", "siemens": "siemens", "weber": "weber", "tesla": "tesla", "henry": "henry", "henries": "henry",
    "lumen": "lumen", "lux": "lux", "becquerel": "becquerel", "gray": "gray", "sievert": "sievert", "litre": "liter",
    "liter": "liter", "electronvolt": "electron_volt", "calorie": "calorie", "radian": "radian",
    "steradian": "steradian", "parsec": "parsec", "gauss": "si_gauss", "tonne": "metric_ton", "dyne": "dyne",
}  # fmt: skip
WORDS_ALONE = {
    "minute": "minute", "hour": "hour", "day": "day", "week": "week", "month": "month", "year": "year", "yr": "year",
    "degree": "degree", "degree celsius": "degree_Celsius", "degrees celsius": "degree_Celsius",
    "celsius": "degree_Celsius", "fahrenheit": "degree_Fahrenheit", "degree fahrenheit": "degree_Fahrenheit",
    "degrees fahrenheit": "degree_Fahrenheit", "angstrom": "angstrom", "atmosphere": "atmosphere",
    "revolution": "turn", "turn": "turn", "cycle": "turn", "foot": "foot", "feet": "foot", "pound": "pound",
    "mile": "mile", "inch": "inch", "inches": "inch", "yard": "yard", "electron volt": "electron_volt",
    "electron volts": "electron_volt", "light year": "light_year", "light years": "light_year",
    "light-year": "light_year", "light-years": "light_year", "solar mass": "solar_mass",
    "solar masses": "solar_mass", "solar radius": "solar_radius", "solar radii": "solar_radius",
    "earth masses": "earth_mass", "knot": "knot", "horsepower": "horsepower", "arcmin": "arcminute",
    "arcsec": "arcsecond", "arcminute": "arcminute", "arcsecond": "arcsecond", "astronomical unit": "astronomical_unit",
    "astronomical units": "astronomical_unit", "ton": "metric_ton", "decade": "decade", "century": "century",
    "centuries": "century", "hectare": "hectare", "mmhg": "millimeter_Hg",
}  # fmt: skip
PREFIX_WORDS = {
    "giga": 9, "mega": 6, "kilo": 3, "hecto": 2, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9,
    "pico": -12, "femto": -15, "tera": 12,
}  # fmt: skip
CHINESE = {
    "米": "meter", "千米": "kilometer", "公里": "kilometer", "分米": "decimeter", "厘米": "centimeter",
    "毫米": "millimeter", "微米": "micrometer", "纳米": "nanometer", "秒": "second", "毫秒": "millisecond",
    "分钟": "minute", "小时": "hour", "时": "hour", "天": "day", "日": "day", "年": "year", "千克": "kilogram",
    "公斤": "kilogram", "克": "gram", "毫克": "milligram", "吨": "metric_ton", "牛": "newton", "牛顿": "newton",
    "千牛": "kilonewton", "焦": "joule", "焦耳": "joule", "千焦": "kilojoule", "瓦": "watt", "瓦特": "watt",
    "千瓦": "kilowatt", "伏": "volt", "伏特": "volt", "安": "ampere", "安培": "ampere", "欧": "ohm", "欧姆": "ohm",
    "赫兹": "hertz", "赫": "hertz", "帕": "pascal", "帕斯卡": "pascal", "开": "kelvin", "开尔文": "kelvin",
    "摄氏度": "degree_Celsius", "度": "degree", "弧度": "radian", "电子伏": "electron_volt",
    "电子伏特": "electron_volt", "特斯拉": "tesla", "库仑": "coulomb", "法拉": "farad", "亨利": "henry",
    "摩尔": "mole", "升": "liter", "毫升": "milliliter", "大气压": "atmosphere", "光年": "light_year",
}  # fmt: skip

# Products written without a sign: the power behind them belongs to the second.
JOINED = {
    "Nm": "N", "kNm": "kN", "Ns": "N", "Js": "J", "Ws": "W", "Vs": "V", "As": "A", "Ah": "A", "mAh": "mA", "kgm": "kg",
}  # fmt: skip
