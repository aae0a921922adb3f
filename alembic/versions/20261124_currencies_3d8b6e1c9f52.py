"""Prices in every currency of ISO 4217, each with its own decimals.

The columns keep amounts with the decimals that they are given, and triggers give them those of the currency. Amounts
that are there stay as they are.
"""

from alembic import op

revision = "3d8b6e1c9f52"
down_revision = "d3a91c6e5b08"
branch_labels = None
depends_on = None

CURRENCIES = """
ADP AED AFA AFN ALK ALL AMD ANG AOA AOK AON AOR ARA ARP ARS ATS AUD AWG AZM AZN BAD BAM BBD BDT BEF BGL BGN BHD
BIF BMD BND BOB BOP BRB BRC BRE BRL BRN BRR BSD BTN BUK BWP BYB BYN BYR BZD CAD CDF CHF CLP CNY COP CRC CSD CSK
CUC CUP CVE CYP CZK DDM DEM DJF DKK DOP DZD ECS EEK EGP ERN ESP ETB EUR FIM FJD FKP FRF GBP GEK GEL GHC GHS GIP
GMD GNF GNS GQE GRD GTQ GWE GWP GYD HKD HNL HRD HRK HTG HUF IDR IEP ILP ILR ILS INR IQD IRR ISJ ISK ITL JMD JOD
JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LTL LTT LUF LVL LVR LYD MAD MDL MGA MGF MKD MLF MMK
MNT MOP MRO MRU MTL MTP MUR MVR MWK MXN MXP MYR MZE MZM MZN NAD NGN NIC NIO NLG NOK NPR NZD OMR PAB PEI PEN PES
PGK PHP PKR PLN PLZ PTE PYG QAR RHD ROL RON RSD RUB RUR RWF SAR SBD SCR SDD SDG SDP SEK SGD SHP SIT SKK SLE SLL
SOS SRD SRG SSP STD STN SUR SVC SYP SZL THB TJR TJS TMM TMT TND TOP TPE TRL TRY TTD TWD TZS UAH UAK UGS UGX USD
UYP UYU UZS VEB VED VEF VES VND VUV WST XAF XCD XCG XOF XPF YDD YER YUD YUM YUN ZAR ZMK ZMW ZRN ZRZ ZWD ZWG ZWL
ZWR
""".split()
WITHOUT_DECIMALS = """
BIF BYB BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF
""".split()
THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND".split()
BEFORE = ("USD", "GBP", "EUR", "ITL")
# Tables with their amount, its currency, and the digits that the amount had.
AMOUNTS = (
    ("issue", "price", "currency", "8, 2"),
    ("variant", "price", "currency", "8, 2"),
    ("collection_item", "purchase_price", "purchase_currency", "10, 2"),
    ("wish_list_item", "max_price", "max_currency", "10, 2"),
)


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    op.execute(f"""
        CREATE FUNCTION currency_digits(code text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT CASE WHEN code IN ({_listed(WITHOUT_DECIMALS)}) THEN 0
                WHEN code IN ({_listed(THREE_DECIMALS)}) THEN 3 ELSE 2 END
        $$""")
    for amount, currency in {(amount, currency): None for _, amount, currency, _ in AMOUNTS}:
        op.execute(f"""
            CREATE FUNCTION round_{amount}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                NEW.{amount} := round(NEW.{amount}, currency_digits(NEW.{currency}));
                RETURN NEW;
            END
            $$""")
    for table, amount, currency, _digits in AMOUNTS:
        op.execute(f"ALTER TABLE {table} ALTER {amount} TYPE numeric")
        op.execute(
            f"CREATE TRIGGER {table}_round_{amount} BEFORE INSERT OR UPDATE OF {amount}, {currency} ON {table}"
            f" FOR EACH ROW WHEN (NEW.{amount} IS NOT NULL) EXECUTE FUNCTION round_{amount}()"
        )
        # Also where other triggers do not run: a mirror reads amounts as numbers of JSON.
        op.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_round_{amount}")
        _replace(
            table, f"{amount}_not_negative", f"{amount}_range", f"{amount} >= 0 AND {amount} < 1000000000"
        )
        choice = f"{currency}_choice"
        _replace(table, choice, choice, f"{currency} IN ({_listed(CURRENCIES)})")
    with op.get_context().autocommit_block():  # reads all rows, and nobody waits for that
        for table, amount, currency, _digits in AMOUNTS:
            for rule in (f"{amount}_range", f"{currency}_choice"):
                op.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT ck_{table}_{rule}")


def downgrade():
    """Remove the prices that the older version cannot show: those in other currencies and of millions."""
    for table, amount, currency, digits in AMOUNTS:
        whole, decimals = map(int, digits.split(", "))
        op.execute(f"DROP TRIGGER {table}_round_{amount} ON {table}")
        op.execute(
            f"UPDATE {table} SET {amount} = NULL, {currency} = 'USD'"
            f" WHERE {currency} NOT IN ({_listed(BEFORE)}) OR {amount} >= {10 ** (whole - decimals)}"
        )
        op.execute("SET CONSTRAINTS ALL IMMEDIATE")
        op.execute(f"ALTER TABLE {table} ALTER {amount} TYPE numeric({digits})")
        _replace(table, f"{amount}_range", f"{amount}_not_negative", f"{amount} >= 0")
        choice = f"{currency}_choice"
        _replace(table, choice, choice, f"{currency} IN ({_listed(BEFORE)})")
        for rule in (f"{amount}_not_negative", choice):
            op.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT ck_{table}_{rule}")
    for amount in {amount: None for _, amount, *_ in AMOUNTS}:
        op.execute(f"DROP FUNCTION round_{amount}")
    op.execute("DROP FUNCTION currency_digits")


def _listed(codes) -> str:
    return ", ".join(f"'{code}'" for code in codes)


def _replace(table: str, old: str, new: str, condition: str) -> None:
    """Put a check, which is not validated yet, in the place of another one."""
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT ck_{table}_{old}")
    op.execute(f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_{new} CHECK ({condition}) NOT VALID")
