-- The roles of a credit repeat its issue and creator, so that a single index covers queries by issue, creator and
-- role.
CREATE FUNCTION fill_credit_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT issue_id, creator_id INTO NEW.issue_id, NEW.creator_id FROM credit WHERE id = NEW.credit_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER credit_role_fill BEFORE INSERT OR UPDATE OF credit_id ON credit_role FOR EACH ROW
    EXECUTE FUNCTION fill_credit_role();

-- An issue with an unknown cover date is ordered by a substitute: the store date, or the first day of the year in
-- which its series began.
CREATE FUNCTION place_undated_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.cover_date_precision := 'none';
    NEW.cover_date := coalesce(NEW.store_date, make_date(
        greatest((SELECT s.year_began::integer FROM series s WHERE s.id = NEW.series_id), 1900), 1, 1));
    RETURN NEW;
END
$$;
CREATE TRIGGER issue_undated BEFORE INSERT OR UPDATE ON issue FOR EACH ROW
    WHEN (NEW.cover_date IS NULL OR NEW.cover_date_precision = 'none')
    EXECUTE FUNCTION place_undated_issue();

-- If the series gets another first year, its undated issues are ordered again.
CREATE FUNCTION place_undated_issues() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE issue SET cover_date = NULL
    WHERE series_id = NEW.id AND cover_date_precision = 'none' AND store_date IS NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER series_undated AFTER UPDATE OF year_began ON series FOR EACH ROW
    WHEN (OLD.year_began <> NEW.year_began) EXECUTE FUNCTION place_undated_issues();
