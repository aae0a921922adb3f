-- Names as searches compare them. All functions but the last two expect text without case and accents (`fold`).

-- A name with spaces instead of signs, and without dots and apostrophes, which join words: S.H.I.E.L.D., O'Neil. An L' is
-- an article, and so a word. The signs are ranges of Unicode, as [:punct:] would depend on the collation.
CREATE OR REPLACE FUNCTION plain_words(folded text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT regexp_replace(translate(replace(' ' || $1, ' l''', ' '), '.''’`´', ''),
    '[\u0001-/:-@[-`{-\u00bf\u00d7\u00f7\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3003\u3008-\u3020\u3030\u30fb]+', ' ', 'g') $$;

-- The words that count, separated by spaces: all but articles, and `and`. If nothing would be left, these count, or else
-- the signs. In plpgsql, as PostgreSQL would copy a function in SQL into all expressions of a search.
CREATE OR REPLACE FUNCTION name_words(folded text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce(
        nullif(btrim(regexp_replace(
            public.plain_words(CASE WHEN left($1, 2) IN ('a ', 'i ') THEN substr($1, 3) ELSE $1 END) || ' ',
            ' (?:the|an|il|lo|la|gli|le|les|der|die|das|el|los|las|un|una|une|uno|ein|eine|and|und|et)(?= )', '', 'g')), ''),
        nullif(btrim(public.plain_words($1)), ''),
        btrim($1));
END
$$;

-- The same without spaces: what makes two names equal.
CREATE OR REPLACE FUNCTION name_key(folded text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN replace(public.name_words($1), ' ', '');
END
$$;

-- A pattern that finds the key of a text, folded or not, in other keys.
CREATE OR REPLACE FUNCTION key_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT '%' || replace(replace(replace(name_key(fold($1)), '\', '\\'), '%', '\%'), '_', '\_') || '%' $$;

-- What two names have in common if they are equal or differ by one typing error: a letter that is missing, added,
-- wrong or exchanged with its neighbor. Short names (up to 8 letters) have what is left without any one letter. Of long
-- ones, a half is right, unless its last letter changes places with the next one; a text that is compared with them has
-- the halves of names that are a letter `longer`.
CREATE OR REPLACE FUNCTION near_keys(names varchar[], longer integer[] DEFAULT '{0}') RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    near text[] := '{}';
    folded text;
    key text;
    size integer;
BEGIN
    FOR at IN 1 .. cardinality(names) LOOP
        folded := public.fold(names[at] COLLATE "default");
        FOREACH key IN ARRAY ARRAY[public.name_key(folded), replace(public.plain_words(folded), ' ', '')] LOOP
            CONTINUE WHEN key = '' OR key = ANY(near);
            near := near || key;
            CONTINUE WHEN key ~ '^[0-9]+$';
            IF length(key) BETWEEN 3 AND 8 + cardinality(longer) / 2 THEN
                FOR place IN 1 .. length(key) LOOP
                    near := near || overlay(key PLACING '' FROM place FOR 1);
                END LOOP;
            END IF;
            FOR each IN 1 .. cardinality(longer) LOOP
                size := length(key) + longer[each];
                IF size > 8 THEN
                    near := near || (left(key, size / 2) || '>') || ('<' || right(key, size - size / 2));
                END IF;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN near;
END
$$;
