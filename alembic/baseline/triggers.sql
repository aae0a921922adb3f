-- What keeps copied values, places and stamps true whoever writes.
-- Rows are locked in the order of their ids, so that two transactions cannot wait for each other.

-- A credit's roles repeat its issue and creator, so that one index answers who did what where.
CREATE FUNCTION fill_credit_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT issue_id, creator_id INTO NEW.issue_id, NEW.creator_id FROM credit WHERE id = NEW.credit_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER credit_role_fill BEFORE INSERT OR UPDATE OF credit_id ON credit_role FOR EACH ROW
    EXECUTE FUNCTION fill_credit_role();

-- Places in a list have no gaps, also where issues are deleted.
CREATE FUNCTION close_reading_list_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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

-- Whatever is listed in a reading list, a wish list or a pull list changes the list. A reading list also changes
-- its neighbours in a reading order, which show its figures.
CREATE FUNCTION reading_list_item_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (
        SELECT reading_list_id FROM touched
        UNION
        SELECT neighbour.id
        FROM reading_list neighbour JOIN reading_list list ON neighbour.id IN (list.previous_id, list.next_id)
        WHERE list.id IN (SELECT reading_list_id FROM touched)
    ) ORDER BY id FOR UPDATE;
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
    PERFORM id FROM wish_list WHERE id IN (SELECT wish_list_id FROM touched) ORDER BY id FOR UPDATE;
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
    PERFORM id FROM pull_list WHERE id IN (SELECT pull_list_id FROM touched) ORDER BY id FOR UPDATE;
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

-- The stars of a list: their number and sum are kept beside it, and its second stamp, `rated`, moves.
CREATE FUNCTION reading_list_is_rated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM reading_list WHERE id IN (SELECT reading_list_id FROM touched)
    ORDER BY id FOR UPDATE;
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

-- A list whose neighbours change, be it as one of them is deleted, has changed itself.
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
    PERFORM id FROM reading_list WHERE user_id = NEW.id ORDER BY id FOR UPDATE;
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

-- The one row that every commit moves which changes an account or what caches depend on. The clock makes a
-- value that is never met again, also where a backup is restored. A second call in a transaction does nothing.
CREATE FUNCTION begin_epoch() RETURNS void LANGUAGE sql AS $$
    UPDATE epoch
    SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE xmin <> pg_current_xact_id()::xid
$$;

CREATE FUNCTION begin_epoch_of_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_epoch();
    RETURN NULL;
END
$$;

-- What decides who an account is and what it may do begins a new epoch: at the commit, so that the row is the
-- last that a transaction locks.
CREATE CONSTRAINT TRIGGER api_token_epoch
    AFTER INSERT OR DELETE OR UPDATE OF digest, user_id, expiry, scope ON api_token
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
CREATE CONSTRAINT TRIGGER user_account_epoch
    AFTER DELETE OR UPDATE OF username, password, is_active, is_staff, is_superuser, supporter_until,
        supporter_tier, second_factor ON user_account
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
CREATE CONSTRAINT TRIGGER user_group_epoch AFTER UPDATE OF name ON user_group
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
CREATE CONSTRAINT TRIGGER user_group_member_epoch AFTER INSERT OR DELETE OR UPDATE ON user_group_member
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
