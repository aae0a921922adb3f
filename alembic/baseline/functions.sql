-- Functions that columns and indexes call.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;

-- Text without case and accents. NFKC comes first, so that a letter and a separate accent fold like one character.
CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT lower(public.unaccent('public.unaccent'::regdictionary, normalize($1, NFKC))) $$;

-- A pattern that finds a user's words literally, folded: LIKE's wildcards are escaped.
CREATE FUNCTION fold_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT '%' || replace(replace(replace(fold($1), '\', '\\'), '%', '\%'), '_', '\_') || '%' $$;

-- Alternative names as one text; array_to_string itself is only stable, not immutable.
CREATE FUNCTION joined(varchar[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT array_to_string($1, ' ') $$;

-- A timestamp in the API's format: UTC, with microseconds unless the fraction is zero.
CREATE FUNCTION iso_instant(timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT replace(to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '.000000Z', 'Z') $$;

-- A folded name without its leading article, in the languages of most comics.
CREATE FUNCTION without_article(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace($1,
    '^((the|an?|il|lo|la|gli|le|i|les|der|die|das|el|los|las) +|l'' *)(?=[^ ])', '') $$;
