"""Currencies of ISO 4217, in use and withdrawn, and the decimals that their amounts have.

Left out are funds, units of account (CLF and UYW among them, which have four decimals), metals and test
codes: no comic is priced in them. In the database, `currency_digits` has the same digits, and `is_currency`
the same codes: a new currency needs a migration as well.
"""

from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

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

# ISO 4217 gives no decimals to ADP, BEF, ESP, GRD, ITL, LUF, MGF, PTE, TPE and TRL either: their hundredths
# were out of use in the end. Older covers have them (1,50 pesetas, 2$50), so they have two here.
_WITHOUT_DECIMALS = frozenset(
    "BIF BYB BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split()
)
_THREE_DECIMALS = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
# Cover prices in these are rounded, as Metron's clients know them; in others, too many decimals are an error.
ROUNDED = frozenset({Currency.USD, Currency.GBP, Currency.EUR, Currency.ITL})
# Nothing costs millions in these: a greater amount is a slip. Others have up to nine digits before the point.
_SMALL_AMOUNTS = frozenset({Currency.USD, Currency.GBP, Currency.EUR})
MAX_WHOLE_DIGITS, MAX_DECIMALS = 9, 3
# The columns of amounts, each with that of its currency.
CURRENCY_COLUMNS = {"price": "currency", "purchase_price": "purchase_currency", "max_price": "max_currency"}


def decimals_of(currency: str) -> int:
    """How many decimals amounts in a currency have: 0, 2 or 3."""
    return 0 if currency in _WITHOUT_DECIMALS else 3 if currency in _THREE_DECIMALS else 2


def max_whole_digits(currency: str, whole: int) -> int:
    """How many digits before the point amounts have, where dollars, pounds and euros have `whole`."""
    return whole if currency in _SMALL_AMOUNTS else MAX_WHOLE_DIGITS


def round_to_decimals(currency: str, amount: Decimal) -> Decimal:
    """An amount with exactly the decimals of its currency, rounded half up."""
    return amount.quantize(Decimal(1).scaleb(-decimals_of(currency)), ROUND_HALF_UP)


def fits_decimals(currency: str, amount: Decimal) -> bool:
    """Whether an amount has no more decimals than its currency; zeros at the end do not count."""
    return amount == round_to_decimals(currency, amount)
