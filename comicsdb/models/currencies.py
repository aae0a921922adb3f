"""Currencies of ISO 4217, current and withdrawn, and the number of decimals of their amounts.

Funds, units of account (including CLF and UYW, which have four decimals), metals and test codes are left out,
as comics are not priced in them. The database functions `currency_digits` and `is_currency` have the same
digits and codes, so a new currency needs a migration as well.
"""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from babel.numbers import get_territory_currencies

IN_USE = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG
HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD
TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
""".split()
WITHDRAWN = """
ADP AFA ALK ANG AOK AON AOR ARA ARP ATS AZM BAD BEF BGL BGN BOP BRB BRC BRE BRN BRR BUK BYB BYR CSD CSK CUC
CYP DDM DEM ECS EEK ESP FIM FRF GEK GHC GNS GQE GRD GWE GWP HRD HRK IEP ILP ILR ISJ ITL LTL LTT LUF LVL LVR
MGF MLF MRO MTL MTP MXP MZE MZM NIC NLG PEI PES PLZ PTE RHD ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM
TPE TRL UAK UGS UYP VEB VEF YDD YUD YUM YUN ZMK ZRN ZRZ ZWD ZWL ZWR
""".split()

Currency = StrEnum("Currency", {code: code for code in sorted([*IN_USE, *WITHDRAWN])})

# ISO 4217 gives no decimals to ADP, BEF, ESP, GRD, ITL, LUF, MGF, PTE, TPE and TRL either, as their
# hundredths went out of use. Older covers have them (1,50 pesetas, 2$50), so they have two decimals here.
_WITHOUT_DECIMALS = frozenset(
    "BIF BYB BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split()
)
_THREE_DECIMALS = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
# Cover prices in these currencies are rounded, which Metron's clients expect; in others, too many decimals
# are an error.
ROUNDED = frozenset({Currency.USD, Currency.GBP, Currency.EUR, Currency.ITL})
# Comics do not cost millions in these currencies, so a greater amount is a typing error. Others may have nine
# digits before the point.
_SMALL_AMOUNTS = frozenset({Currency.USD, Currency.GBP, Currency.EUR})
WHOLE_DIGITS_MAX, DECIMALS_MAX = 9, 3
# The columns of amounts, each with the column of its currency.
CURRENCY_COLUMNS = {"price": "currency", "purchase_price": "purchase_currency", "max_price": "max_currency"}


def currency_of(country: str, day: date) -> Currency:
    """The currency of prices in a country on a day; US dollars if there is no country, or none is known.

    Of two that circulated side by side, it is the older one: until 2002, covers were priced in lire.
    """
    return next(iter(currencies_of(country, day)), Currency.USD)


def currencies_of(country: str, since: date = date.min) -> list[Currency]:
    """The currencies of a country since a day, oldest first."""
    codes = get_territory_currencies(country, since, date.max)
    return [Currency(code) for code in codes if code in Currency.__members__]


def decimals_of(currency: str) -> int:
    """The number of decimals of amounts in a currency: 0, 2 or 3."""
    return 0 if currency in _WITHOUT_DECIMALS else 3 if currency in _THREE_DECIMALS else 2


def max_whole_digits(currency: str, whole: int) -> int:
    """The maximum number of digits before the point; `whole` for dollars, pounds and euros."""
    return whole if currency in _SMALL_AMOUNTS else WHOLE_DIGITS_MAX


def round_to_decimals(currency: str, amount: Decimal) -> Decimal:
    """An amount with exactly as many decimals as its currency has, rounded half up."""
    return amount.quantize(Decimal(1).scaleb(-decimals_of(currency)), ROUND_HALF_UP)


def fits_decimals(currency: str, amount: Decimal) -> bool:
    """Whether an amount has no more decimals than its currency; trailing zeros do not count."""
    return amount == round_to_decimals(currency, amount)
