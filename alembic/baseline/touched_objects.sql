-- Objects whose public rows have changed, at most 500 ids per row: clients that follow the feed read these again.
CREATE FUNCTION touch(kind text, ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) <= 500 THEN
        INSERT INTO touched_object (kind, ids) VALUES (kind, ids);
    ELSE
        INSERT INTO touched_object (kind, ids)
        SELECT kind, array_agg(u.id ORDER BY u.number)
        FROM unnest(ids) WITH ORDINALITY u (id, number)
        GROUP BY (u.number - 1) / 500;
    END IF;
END
$$;

-- Rows in the table of a kind.
CREATE FUNCTION touch_objects() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found integer[] := ARRAY(SELECT id FROM changed);
BEGIN
    IF cardinality(found) > 0 THEN
        PERFORM touch(TG_TABLE_NAME, found);
    END IF;
    RETURN NULL;
END
$$;

-- Rows that belong to an issue.
CREATE FUNCTION touch_issues() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found integer[] := ARRAY(SELECT DISTINCT issue_id FROM changed);
BEGIN
    IF cardinality(found) > 0 THEN
        PERFORM touch('issue', found);
    END IF;
    RETURN NULL;
END
$$;

-- Rows that refer to an object by kind and id: tombstones and former slugs. A slug may move to another object.
CREATE FUNCTION touch_named_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM touch(kind, array_agg(DISTINCT object_id)) FROM changed GROUP BY kind;
    IF TG_OP = 'UPDATE' THEN
        PERFORM touch(kind, array_agg(DISTINCT object_id)) FROM was GROUP BY kind;
    END IF;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT watched, function, event, rows
        FROM (
            SELECT unnest('{age_rating, genre, role, series_type, arc, character, creator, imprint, issue, publisher,
                series, team, universe}'::text[]), 'touch_objects'
            UNION ALL
            VALUES ('variant', 'touch_issues'), ('tombstone', 'touch_named_objects'),
                ('former_slug', 'touch_named_objects')
        ) AS tables (watched, function),
        (VALUES
            ('insert', 'NEW TABLE AS changed'),
            ('update', 'NEW TABLE AS changed OLD TABLE AS was'),
            ('delete', 'OLD TABLE AS changed')
        ) AS events (event, rows)
    LOOP
        EXECUTE format(
            'CREATE TRIGGER %I AFTER %s ON %I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
            made.watched || '_touched_' || made.event, made.event, made.watched, made.rows, made.function);
    END LOOP;
END
$$;
