-- How many objects of a kind there are is kept beside the version of its lists: to count a million takes a while.
-- Writers of the catalogue come one after another, so the rows of `version` make nobody wait who does not anyway.
CREATE FUNCTION count_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE version
    SET number = number + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * (SELECT count(*) FROM touched)
    WHERE kind = TG_TABLE_NAME;
    RETURN NULL;
END
$$;
