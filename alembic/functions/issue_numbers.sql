-- Numbers of issues. `comicsdb/issue_numbers.py` has the same key and order in Python, with the same steps.

-- What makes two numbers the same.
CREATE FUNCTION number_key(printed text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    plain text;
    key text;
BEGIN
    IF printed ~ '^[1-9][0-9]*$' THEN
        RETURN printed;
    END IF;
    plain := lower(translate(printed,
        '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ'
        || '［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～'
        || U&'\2010\2011\2012\2013\2014\2212\0009\000A\000D\00A0\2007\2009\202F\3000\2044',
        '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~'
        || '------        /') COLLATE "default");
    key := replace(replace(replace(replace(replace(replace(replace(replace(replace(plain,
        '½', ' 1/2'), '¼', ' 1/4'), '¾', ' 3/4'), '⅓', ' 1/3'), '⅔', ' 2/3'),
        '⅛', ' 1/8'), '⅜', ' 3/8'), '⅝', ' 5/8'), '⅞', ' 7/8');
    IF btrim(key, ' #') ~ '^-?[0-9]{1,3}(,[0-9]{3})+$' THEN
        key := replace(key, ',', '');
    END IF;
    key := regexp_replace(key, '^[ #]+| +$', '', 'g');
    key := regexp_replace(key, ' +', ' ', 'g');
    key := regexp_replace(key, '^(-?)[.](?=[0-9])', '\10.');
    key := regexp_replace(key, ' (?![0-9])|(?<![0-9]) ', '', 'g');
    key := regexp_replace(key, '([0-9])[.-](?=[^ -`{-\x7f])', '\1', 'g');
    key := regexp_replace(key, '([^ -`{-\x7f])[.-](?=[0-9])', '\1', 'g');
    key := regexp_replace(key, '(?<![0-9.])0+(?=[0-9])', '', 'g');
    key := regexp_replace(key, '^(-?[0-9]+)[.]0+(?![0-9.])', '\1');
    key := regexp_replace(key, '^(-?[0-9]+[.](?!10(?![0-9]))[0-9]*[1-9])0+(?![0-9.])', '\1');
    key := regexp_replace(key, '^(-?)(?=(?:1/2|1/4|3/4)(?![0-9/]))', '\10 ');
    key := regexp_replace(key, '^(-?[0-9]+) 1/2(?![0-9/])', '\1.5');
    key := regexp_replace(key, '^(-?[0-9]+) 1/4(?![0-9/])', '\1.25');
    key := regexp_replace(key, '^(-?[0-9]+) 3/4(?![0-9/])', '\1.75');
    RETURN coalesce(nullif(key, ''), plain);
END
$$;

-- A text with each number in it at full length, so that it sorts as people count.
CREATE FUNCTION pad_numbers(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 ~ '[0-9]' THEN regexp_replace(
        regexp_replace($1, '([0-9]+)', repeat('0', 24) || '\1', 'g'),
        '[0-9]*([0-9]{25})(?![0-9])', '\1', 'g') ELSE $1 END
$$;

-- A text by which numbers sort: first by whether they count (4: below zero, 5: others, 6: words).
CREATE FUNCTION number_order(printed text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    key text := number_key(printed);
    parts text[];
    whole text;
    continued text;
    digits text;
BEGIN
    IF key ~ '^[0-9]+$' THEN
        RETURN '5' || lpad(length(key)::text, 2, '0') || key || ' ';
    END IF;
    parts := regexp_match(key, '^(-?)([0-9]+)([.][0-9]+)?(.*)$');
    IF parts IS NULL THEN
        RETURN '6' || pad_numbers(key);
    END IF;
    whole := parts[2];
    continued := substring(parts[4] FROM '\[([0-9]+)\]$');
    IF parts[1] = '' AND (length(continued) > length(whole)
        OR length(continued) = length(whole) AND continued COLLATE "C" > whole COLLATE "C") THEN
        whole := continued;
    END IF;
    digits := lpad(length(whole)::text, 2, '0') || whole
        || CASE WHEN parts[3] = '.10' THEN '.9~' ELSE coalesce(parts[3], '') END;
    IF parts[1] = '' THEN
        RETURN '5' || digits || ' ' || pad_numbers(parts[4]);
    END IF;
    RETURN '4' || translate(digits, '0123456789', '9876543210') || '~' || pad_numbers(parts[4]);
END
$$;

-- The key of an issue. It stays as long as series and number do. As all triggers here, also in a copy, whose
-- other triggers do not fire: it may follow a version that has no keys.
CREATE FUNCTION key_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR NEW.number_key IS NULL THEN
        NEW.number_key := number_key(NEW.number);
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER issue_keyed_insert BEFORE INSERT ON issue FOR EACH ROW EXECUTE FUNCTION key_issue();
CREATE TRIGGER issue_keyed_update BEFORE UPDATE OF series_id, number ON issue FOR EACH ROW
    WHEN ((OLD.series_id, OLD.number) IS DISTINCT FROM (NEW.series_id, NEW.number))
    EXECUTE FUNCTION key_issue();

-- The place of issues in the order of their series: the run, and the number's order within it. In the order of
-- dates, a new run begins where the number falls by ten or more (numbering begins again), at numbers below one that
-- are not from the beginning (½, -1), which come after others of the same date, and where words follow numbers or
-- numbers words: there, only the dates tell the order. Issues without a date join the run of the issue before them by
-- number.
CREATE FUNCTION order_issues(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE issue i SET series_order = placed.series_order
    FROM (
        SELECT filled.id, lpad(coalesce(first_value(filled.run) OVER (
            PARTITION BY filled.series_id, filled.step ORDER BY filled.place, filled.id), 0)::text, 5, '0')
            || filled.place AS series_order
        FROM (
            SELECT runs.*,
                count(runs.run) OVER (PARTITION BY runs.series_id ORDER BY runs.place, runs.id) AS step
            FROM (
                SELECT stepped.id, stepped.series_id, stepped.place, CASE WHEN stepped.is_dated THEN
                    count(*) FILTER (WHERE stepped.breaks) OVER (PARTITION BY stepped.series_id, stepped.is_dated
                        ORDER BY stepped.cover_date, stepped.store_date, stepped.is_between, stepped.place,
                            stepped.id) END AS run
                FROM (
                    SELECT valued.*, coalesce(
                        valued.word <> lag(valued.word) OVER dates
                        OR valued.value < lag(valued.value) OVER dates AND valued.is_between
                        OR valued.value <= lag(valued.value) OVER dates - 10
                        AND (valued.cover_date > lag(valued.until) OVER dates
                            OR valued.cover_date = lag(valued.cover_date) OVER dates
                            AND valued.store_date > lag(valued.store_date) OVER dates), false) AS breaks
                    FROM (
                        SELECT listed.*,
                            place < '5011' AND cover_date > min(cover_date) OVER (PARTITION BY series_id, is_dated)
                                AS is_between,
                            CASE WHEN place < '6' THEN '' ELSE substring(place FROM '^6[^0-9]*') END AS word,
                            CASE WHEN place >= '6' THEN substring(substr(place, 2) FROM '[0-9]+')::numeric
                                WHEN place >= '5' THEN substring(place FROM '^5..([0-9]+(?:[.][0-9]+)?)')::numeric
                                ELSE -1 END AS value
                        FROM (
                            SELECT id, series_id, number_order(number) COLLATE "C" AS place, cover_date, store_date,
                                cover_date_precision <> 'none' OR store_date IS NOT NULL AS is_dated,
                                (CASE cover_date_precision
                                    WHEN 'year' THEN cover_date + interval '1 year' - interval '1 day'
                                    WHEN 'month' THEN cover_date + interval '1 month' - interval '1 day'
                                    ELSE cover_date END)::date AS until
                            FROM issue WHERE series_id = ANY(ids)
                            OFFSET 0  -- number_order once for each
                        ) listed
                    ) valued
                    WINDOW dates AS (PARTITION BY valued.series_id, valued.is_dated
                        ORDER BY valued.cover_date, valued.store_date, valued.is_between, valued.place, valued.id)
                ) stepped
            ) runs
        ) filled
    ) placed
    WHERE i.id = placed.id AND i.series_order IS DISTINCT FROM placed.series_order;
END
$$;

CREATE FUNCTION reorder_series() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM touched) THEN
        PERFORM order_issues(array_agg(DISTINCT series_id)) FROM touched;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER issue_order_insert AFTER INSERT ON issue
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reorder_series();
CREATE TRIGGER issue_order_delete AFTER DELETE ON issue
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reorder_series();

CREATE FUNCTION reorder_changed_series() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed integer[];
BEGIN
    SELECT array_agg(DISTINCT moved.series_id) INTO changed
    FROM was JOIN touched USING (id)
    CROSS JOIN LATERAL unnest(ARRAY[was.series_id, touched.series_id]) moved (series_id)
    WHERE (was.series_id, was.number, was.cover_date, was.cover_date_precision, was.store_date)
        IS DISTINCT FROM (touched.series_id, touched.number, touched.cover_date, touched.cover_date_precision,
            touched.store_date);
    IF changed IS NOT NULL THEN
        PERFORM order_issues(changed);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER issue_order_update AFTER UPDATE ON issue
    REFERENCING OLD TABLE AS was NEW TABLE AS touched FOR EACH STATEMENT
    EXECUTE FUNCTION reorder_changed_series();

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY '{keyed_insert, keyed_update, order_insert, order_update, order_delete}'::text[] LOOP
        EXECUTE format('ALTER TABLE issue ENABLE ALWAYS TRIGGER issue_%s', made);
    END LOOP;
END
$$;
