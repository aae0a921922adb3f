-- What readers write waits for nobody else's rows than it has to, and the epoch has several rows.

-- Places in a list have no gaps, also where issues are deleted. Who writes a list holds its row: the second
-- statement sees what they added.
CREATE OR REPLACE FUNCTION close_reading_list_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Whatever is listed in a reading list, a wish list or a pull list changes the list. A reading list also changes
-- its neighbours in a reading order, which show its figures.
CREATE OR REPLACE FUNCTION reading_list_item_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION wish_list_item_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM wish_list WHERE id IN (SELECT wish_list_id FROM touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE wish_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE id IN (SELECT wish_list_id FROM touched);
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION pull_list_series_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM id FROM pull_list WHERE id IN (SELECT pull_list_id FROM touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE pull_list
    SET modified_before = modified,
        modified = greatest(clock_timestamp(), modified + interval '1 microsecond')
    WHERE id IN (SELECT pull_list_id FROM touched);
    RETURN NULL;
END
$$;

-- The stars of a list: their number and sum are kept beside it, and its second stamp, `rated`, moves.
CREATE OR REPLACE FUNCTION reading_list_is_rated() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Lists and collection items show the name of their owner.
CREATE OR REPLACE FUNCTION reader_is_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- The epoch is the sum of a few rows; every commit that changes an account or what caches depend on raises one of
-- them, which nobody else holds, so that such commits do not wait for one another. (If all are held, it waits for
-- the first.) The clock makes sums that are never met again, also where a backup is restored. A second call in a
-- transaction does nothing.
CREATE OR REPLACE FUNCTION begin_epoch() RETURNS void LANGUAGE sql AS $$
    UPDATE epoch
    SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE id = coalesce((SELECT id FROM epoch LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), 1)
    AND NOT EXISTS (SELECT FROM epoch WHERE xmin = pg_current_xact_id()::xid)
$$;
