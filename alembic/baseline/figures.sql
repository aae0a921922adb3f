-- The number of objects of each kind is stored with the version of its lists, as counting a million rows is slow.
-- Writers of the catalogue are serialised anyway, so locking the rows of `version` causes no additional waiting.
CREATE FUNCTION count_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE version
    SET number = number + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * (SELECT count(*) FROM touched)
    WHERE kind = TG_TABLE_NAME;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT kind, event, changed
        FROM unnest('{arc, character, creator, imprint, issue, publisher, series, team, universe}'::text[]) AS kind,
            (VALUES ('insert', 'NEW'), ('delete', 'OLD')) AS events (event, changed)
    LOOP
        EXECUTE format(
            'CREATE TRIGGER %I AFTER %s ON %I REFERENCING %s TABLE AS touched'
            ' FOR EACH STATEMENT EXECUTE FUNCTION count_objects()',
            made.kind || '_counted_' || made.event, made.event, made.kind, made.changed);
    END LOOP;
END
$$;

-- The number of issues of a series, and the cover date of the last one, are stored with the series, as lists are
-- sorted by them. PL/pgSQL keeps the plan; a function in SQL would be planned at every call.
CREATE FUNCTION figure_series(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE series s SET issue_count = f.number, last_cover_date = f.latest
    FROM (
        SELECT u.id, count(i.id) AS number, coalesce(max(i.cover_date), DATE '0001-01-01') AS latest
        FROM unnest(ids) u (id) LEFT JOIN issue i ON i.series_id = u.id
        GROUP BY u.id
    ) f
    WHERE s.id = f.id AND (s.issue_count, s.last_cover_date) IS DISTINCT FROM (f.number, f.latest);
END
$$;

CREATE FUNCTION issues_came_or_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM figure_series(array_agg(DISTINCT series_id)) FROM touched;
    RETURN NULL;
END
$$;
CREATE TRIGGER issue_figures_delete AFTER DELETE ON issue
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION issues_came_or_went();
CREATE TRIGGER issue_figures_insert AFTER INSERT ON issue
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION issues_came_or_went();

CREATE FUNCTION issue_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM figure_series(ARRAY[OLD.series_id, NEW.series_id]);
    RETURN NULL;
END
$$;
-- If only the precision or the store date is written, another trigger may change the cover date.
CREATE TRIGGER issue_figures_update
    AFTER UPDATE OF series_id, cover_date, cover_date_precision, store_date ON issue FOR EACH ROW
    WHEN ((OLD.series_id, OLD.cover_date) IS DISTINCT FROM (NEW.series_id, NEW.cover_date))
    EXECUTE FUNCTION issue_moved();
