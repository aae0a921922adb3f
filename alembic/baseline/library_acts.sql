-- The journal of accounts' changes to their own lists. If a transaction sets `comicsdb.account` to the id of an
-- account, all its changes to the tables below are recorded as one act of the account. The settings end with the
-- transaction; one that also sets `comicsdb.act` continues that act.

-- Adds counts to others, key by key.
CREATE FUNCTION add_counts(counts jsonb, more jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT counts || jsonb_object_agg(key, coalesce((counts ->> key)::integer, 0) + value::integer)
    FROM jsonb_each_text(more)
$$;

-- Records the rows changed by a statement. The arguments are derived columns and stamps, which alone do not count
-- as changes; nor do positions in reading lists that change because rows are deleted. Changes made by other
-- triggers, such as cascades, are recorded but not counted.
CREATE FUNCTION note_library_change() RETURNS trigger LANGUAGE plpgsql
-- The plan is cached when there are few rows, and then used for many.
SET enable_nestloop = off AS $$
DECLARE
    act bigint := nullif(current_setting('comicsdb.act', true), '');
    is_list boolean := TG_TABLE_NAME = 'reading_list';
    direct boolean := pg_trigger_depth() = 1;
    derived text[] := CASE WHEN direct THEN TG_ARGV ELSE TG_ARGV || '{order}'::text[] END;
    written integer;
    counted jsonb := '{}';
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT count(*) INTO written FROM new_rows;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT count(*) INTO written FROM old_rows;
    ELSE
        SELECT count(*) INTO written FROM old_rows o JOIN new_rows n USING (id)
        WHERE to_jsonb(o) - derived <> to_jsonb(n) - derived;
    END IF;
    IF written = 0 THEN
        RETURN NULL;
    END IF;
    IF direct THEN
        counted := jsonb_build_object(TG_TABLE_NAME || '.' || lower(TG_OP), written);
    END IF;
    IF act IS NULL THEN
        INSERT INTO library_act (user_id, counts)
        VALUES (current_setting('comicsdb.account')::integer, counted) RETURNING id INTO act;
        PERFORM set_config('comicsdb.act', act::text, true);
    ELSIF direct THEN
        UPDATE library_act SET counts = add_counts(counts, counted) WHERE id = act;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO library_change (act_id, table_name, row_id, before, after, issue_id, series_id, list_id)
        SELECT act, TG_TABLE_NAME, id, was, now,
            (now ->> 'issue_id')::integer, (now ->> 'series_id')::integer,
            CASE WHEN is_list THEN id ELSE (now ->> 'reading_list_id')::integer END
        FROM (
            SELECT id, to_jsonb(o) - derived AS was, to_jsonb(n) - derived AS now
            FROM old_rows o JOIN new_rows n USING (id) OFFSET 0
        ) pair
        WHERE was <> now;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO library_change (act_id, table_name, row_id, after, issue_id, series_id, list_id)
        SELECT act, TG_TABLE_NAME, id, now,
            (now ->> 'issue_id')::integer, (now ->> 'series_id')::integer,
            CASE WHEN is_list THEN id ELSE (now ->> 'reading_list_id')::integer END
        FROM (SELECT id, to_jsonb(n) AS now FROM new_rows n OFFSET 0) made;
    ELSE
        INSERT INTO library_change (act_id, table_name, row_id, before, issue_id, series_id, list_id)
        SELECT act, TG_TABLE_NAME, id, was,
            (was ->> 'issue_id')::integer, (was ->> 'series_id')::integer,
            CASE WHEN is_list THEN id ELSE (was ->> 'reading_list_id')::integer END
        FROM (SELECT id, to_jsonb(o) AS was FROM old_rows o OFFSET 0) gone;
    END IF;
    RETURN NULL;
END
$$;

-- Records the changes to a table; `derived` are its derived columns.
CREATE FUNCTION watch_library_table(name text, VARIADIC derived text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(quote_literal(each), ', ') FROM unnest(derived) AS each);
    noted text := format(
        'FOR EACH STATEMENT WHEN (current_setting(''comicsdb.account'', true) <> '''')'
        ' EXECUTE FUNCTION note_library_change(%s)', columns);
BEGIN
    EXECUTE format('CREATE TRIGGER note_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows ', name) || noted;
    EXECUTE format('CREATE TRIGGER note_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows ', name) || noted;
    EXECUTE format(
        'CREATE TRIGGER note_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ',
        name) || noted;
END
$$;

SELECT watch_library_table('collection_item', 'modified', 'modified_before', 'is_read', 'date_read', 'rating');
SELECT watch_library_table('read_date', 'modified');
SELECT watch_library_table('issue_rating', 'modified', 'counted');
SELECT watch_library_table('wish_list_item', 'modified', 'modified_before');
SELECT watch_library_table('pull_list_series', 'modified');
-- Ratings and likes are not changes of a list, nor is the deletion of the list from which it was copied.
SELECT watch_library_table(
    'reading_list', 'modified', 'modified_before', 'rated', 'rated_before', 'rating_count', 'rating_sum',
    'like_count', 'forked_from_id');
SELECT watch_library_table('reading_list_item', 'modified');
SELECT watch_library_table('reading_list_like', 'created_on');
SELECT watch_library_table('reading_list_rating', 'modified');
