-- Triggers that keep copied values, positions and stamps of readers' lists consistent, regardless of who writes.
-- Rows are locked in the order of their ids, so that two transactions cannot deadlock.

-- Positions in a list have no gaps, even after issues are deleted. Every writer of a list locks its row, so the
-- second statement sees the items that others have added.
CREATE FUNCTION close_reading_list_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (SELECT reading_list_id FROM touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE reading_list_item item SET "order" = dense.place
    FROM (
        SELECT id, row_number() OVER (PARTITION BY reading_list_id ORDER BY "order", id) AS place
        FROM reading_list_item
        WHERE reading_list_id IN (SELECT reading_list_id FROM touched)
    ) dense
    WHERE item.id = dense.id AND item."order" <> dense.place;
    RETURN NULL;
END
$$;
CREATE TRIGGER close_reading_list_gaps AFTER DELETE ON reading_list_item
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION close_reading_list_gaps();

-- Any change to the items of a reading list, wish list or pull list updates the stamp of the list. A change to a
-- reading list also updates its neighbours in a reading order, as they show its figures.
CREATE FUNCTION reading_list_item_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (
        SELECT reading_list_id FROM touched
        UNION
        SELECT neighbour.id
        FROM reading_list neighbour JOIN reading_list list ON neighbour.id IN (list.previous_id, list.next_id)
        WHERE list.id IN (SELECT reading_list_id FROM touched)
    ) ORDER BY id FOR NO KEY UPDATE;
    UPDATE reading_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE id IN (
        SELECT reading_list_id FROM touched
        UNION
        SELECT neighbour.id
        FROM reading_list neighbour JOIN reading_list list ON neighbour.id IN (list.previous_id, list.next_id)
        WHERE list.id IN (SELECT reading_list_id FROM touched)
    );
    RETURN NULL;
END
$$;
CREATE TRIGGER reading_list_item_moves_owner_delete AFTER DELETE ON reading_list_item
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_item_moves_owner();
CREATE TRIGGER reading_list_item_moves_owner_insert AFTER INSERT ON reading_list_item
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_item_moves_owner();
CREATE TRIGGER reading_list_item_moves_owner_update AFTER UPDATE ON reading_list_item
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_item_moves_owner();

CREATE FUNCTION wish_list_item_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM wish_list WHERE id IN (SELECT wish_list_id FROM touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE wish_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE id IN (SELECT wish_list_id FROM touched);
    RETURN NULL;
END
$$;
CREATE TRIGGER wish_list_item_moves_owner_delete AFTER DELETE ON wish_list_item
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION wish_list_item_moves_owner();
CREATE TRIGGER wish_list_item_moves_owner_insert AFTER INSERT ON wish_list_item
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION wish_list_item_moves_owner();
CREATE TRIGGER wish_list_item_moves_owner_update AFTER UPDATE ON wish_list_item
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION wish_list_item_moves_owner();

CREATE FUNCTION pull_list_series_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM pull_list WHERE id IN (SELECT pull_list_id FROM touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE pull_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE id IN (SELECT pull_list_id FROM touched);
    RETURN NULL;
END
$$;
CREATE TRIGGER pull_list_series_moves_owner_delete AFTER DELETE ON pull_list_series
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION pull_list_series_moves_owner();
CREATE TRIGGER pull_list_series_moves_owner_insert AFTER INSERT ON pull_list_series
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION pull_list_series_moves_owner();
CREATE TRIGGER pull_list_series_moves_owner_update AFTER UPDATE ON pull_list_series
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION pull_list_series_moves_owner();

-- The number and sum of a list's ratings are stored with the list, and its second stamp, `rated`, is updated.
CREATE FUNCTION reading_list_is_rated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (SELECT reading_list_id FROM touched)
    ORDER BY id FOR NO KEY UPDATE;
    UPDATE reading_list list
    SET rating_count = figures.number,
        rating_sum = figures.total,
        rated_before = rated,
        rated = greatest(clock_timestamp(), rated + interval '1 microsecond')
    FROM (
        SELECT rated.id, count(stars.id) AS number, coalesce(sum(stars.rating), 0) AS total
        FROM reading_list rated LEFT JOIN reading_list_rating stars ON stars.reading_list_id = rated.id
        WHERE rated.id IN (SELECT reading_list_id FROM touched)
        GROUP BY rated.id
    ) figures
    WHERE list.id = figures.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER reading_list_is_rated_delete AFTER DELETE ON reading_list_rating
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_is_rated();
CREATE TRIGGER reading_list_is_rated_insert AFTER INSERT ON reading_list_rating
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_is_rated();
CREATE TRIGGER reading_list_is_rated_update AFTER UPDATE ON reading_list_rating
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_is_rated();

-- The number of likes of a reading list.
CREATE FUNCTION reading_list_is_liked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (SELECT reading_list_id FROM touched)
    ORDER BY id FOR NO KEY UPDATE;
    UPDATE reading_list list
    SET like_count = (SELECT count(*) FROM reading_list_like WHERE reading_list_id = list.id)
    WHERE id IN (SELECT reading_list_id FROM touched);
    RETURN NULL;
END
$$;
CREATE TRIGGER reading_list_is_liked_delete AFTER DELETE ON reading_list_like
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_is_liked();
CREATE TRIGGER reading_list_is_liked_insert AFTER INSERT ON reading_list_like
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION reading_list_is_liked();

-- A list also changes if its neighbours change, for example because one of them is deleted.
CREATE FUNCTION reading_list_has_new_neighbour() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.modified = OLD.modified AND (NEW.previous_id, NEW.next_id)
        IS DISTINCT FROM (OLD.previous_id, OLD.next_id) THEN
        NEW.modified_before := OLD.modified;
        NEW.modified := greatest(clock_timestamp(), OLD.modified + interval '1 microsecond');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER reading_list_has_new_neighbour BEFORE UPDATE ON reading_list FOR EACH ROW
    EXECUTE FUNCTION reading_list_has_new_neighbour();

-- Lists and collection items show the name of their owner.
CREATE FUNCTION reader_is_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE user_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
    UPDATE reading_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE user_id = NEW.id;
    UPDATE collection_item
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE user_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER reader_is_renamed AFTER UPDATE OF username ON user_account
    FOR EACH ROW WHEN (OLD.username <> NEW.username) EXECUTE FUNCTION reader_is_renamed();

-- Items repeat whether and when their issue was read, for filters and sorting.
CREATE FUNCTION collection_item_is_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) > 0, max(read_on) INTO NEW.is_read, NEW.date_read
    FROM read_date WHERE user_id = NEW.user_id AND issue_id = NEW.issue_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER collection_item_is_read BEFORE INSERT OR UPDATE OF user_id, issue_id ON collection_item
    FOR EACH ROW EXECUTE FUNCTION collection_item_is_read();

-- An item shows the reads of its issue, so it changes with them.
CREATE FUNCTION read_date_moves_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE collection_item item
    SET is_read = reads.number > 0,
        date_read = reads.latest,
        modified_before = item.modified,
        modified = greatest(clock_timestamp(), item.modified + interval '1 microsecond')
    FROM (
        SELECT changed.user_id, changed.issue_id, count(r.id) AS number, max(r.read_on) AS latest
        FROM (SELECT DISTINCT user_id, issue_id FROM touched) changed
        LEFT JOIN read_date r ON r.user_id = changed.user_id AND r.issue_id = changed.issue_id
        GROUP BY changed.user_id, changed.issue_id
    ) reads
    WHERE item.user_id = reads.user_id AND item.issue_id = reads.issue_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER read_date_moves_items_delete AFTER DELETE ON read_date
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();
CREATE TRIGGER read_date_moves_items_insert AFTER INSERT ON read_date
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();
CREATE TRIGGER read_date_moves_items_update AFTER UPDATE ON read_date
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();

-- A wish for a deleted variant becomes one for the issue, unless that already exists. A foreign key can set the
-- variant to null, but not with this exception.
CREATE FUNCTION unwish_variant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE wish_list_item w SET variant_id = NULL WHERE variant_id = OLD.id AND NOT EXISTS (
        SELECT FROM wish_list_item o
        WHERE o.wish_list_id = w.wish_list_id AND o.issue_id = w.issue_id AND o.variant_id IS NULL
    );
    DELETE FROM wish_list_item WHERE variant_id = OLD.id;
    RETURN OLD;
END
$$;
CREATE TRIGGER unwish_variant BEFORE DELETE ON variant FOR EACH ROW EXECUTE FUNCTION unwish_variant();
