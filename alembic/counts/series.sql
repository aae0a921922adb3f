-- How many issues a series has and the cover date of the last one are kept with the series, as lists are sorted by them.
CREATE FUNCTION figure_series(ids integer[]) RETURNS void LANGUAGE sql AS $$
    UPDATE series s SET issue_count = f.number, last_cover_date = f.latest
    FROM (
        SELECT u.id, count(i.id) AS number, coalesce(max(i.cover_date), DATE '0001-01-01') AS latest
        FROM unnest(ids) u (id) LEFT JOIN issue i ON i.series_id = u.id
        GROUP BY u.id
    ) f
    WHERE s.id = f.id AND (s.issue_count, s.last_cover_date) IS DISTINCT FROM (f.number, f.latest)
$$;

CREATE FUNCTION issues_came_or_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM figure_series(array_agg(DISTINCT series_id)) FROM touched;
    RETURN NULL;
END
$$;

CREATE FUNCTION issue_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM figure_series(ARRAY[OLD.series_id, NEW.series_id]);
    RETURN NULL;
END
$$;
