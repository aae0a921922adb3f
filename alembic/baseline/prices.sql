-- Amounts are rounded to the decimals of their currency, as the columns themselves accept any number of decimals.

-- The number of decimals in a currency, as in `comicsdb.models.currencies`.
CREATE FUNCTION currency_digits(code text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN code IN ('BIF', 'BYB', 'BYR', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF',
            'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') THEN 0
        WHEN code IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3 ELSE 2 END
$$;

CREATE FUNCTION round_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.price := round(NEW.price, currency_digits(NEW.currency));
    RETURN NEW;
END
$$;
CREATE TRIGGER issue_round_price BEFORE INSERT OR UPDATE OF price, currency ON issue
    FOR EACH ROW WHEN (NEW.price IS NOT NULL) EXECUTE FUNCTION round_price();
CREATE TRIGGER variant_round_price BEFORE INSERT OR UPDATE OF price, currency ON variant
    FOR EACH ROW WHEN (NEW.price IS NOT NULL) EXECUTE FUNCTION round_price();

CREATE FUNCTION round_purchase_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.purchase_price := round(NEW.purchase_price, currency_digits(NEW.purchase_currency));
    RETURN NEW;
END
$$;
CREATE TRIGGER collection_item_round_purchase_price
    BEFORE INSERT OR UPDATE OF purchase_price, purchase_currency ON collection_item FOR EACH ROW
    WHEN (NEW.purchase_price IS NOT NULL) EXECUTE FUNCTION round_purchase_price();

CREATE FUNCTION round_max_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.max_price := round(NEW.max_price, currency_digits(NEW.max_currency));
    RETURN NEW;
END
$$;
CREATE TRIGGER wish_list_item_round_max_price BEFORE INSERT OR UPDATE OF max_price, max_currency ON wish_list_item
    FOR EACH ROW WHEN (NEW.max_price IS NOT NULL) EXECUTE FUNCTION round_max_price();

-- These triggers run even where others do not: a mirror reads amounts as JSON numbers.
ALTER TABLE issue ENABLE ALWAYS TRIGGER issue_round_price;
ALTER TABLE variant ENABLE ALWAYS TRIGGER variant_round_price;
ALTER TABLE collection_item ENABLE ALWAYS TRIGGER collection_item_round_purchase_price;
ALTER TABLE wish_list_item ENABLE ALWAYS TRIGGER wish_list_item_round_max_price;
