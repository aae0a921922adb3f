-- The epoch is the sum of a few rows. Every commit that changes an account or anything that caches depend on
-- increments one row that no other transaction holds, so that such commits do not wait for one another. (If all are
-- held, it waits for the first.) Values come from the clock, so that no sum ever recurs, even after a backup is
-- restored. A second call in a transaction does nothing. PL/pgSQL keeps the plan; a function in SQL would be
-- planned at every call.
CREATE FUNCTION begin_epoch() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE epoch
    SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE id = coalesce((SELECT id FROM epoch LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), 1)
    AND NOT EXISTS (SELECT FROM epoch WHERE xmin = pg_current_xact_id()::xid);
END
$$;

-- Changes to the identity or rights of an account begin a new epoch: at the commit, so that this row is the last
-- one that a transaction locks.
CREATE FUNCTION begin_epoch_of_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_epoch();
    RETURN NULL;
END
$$;
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

-- The same goes for readers' data that cached pages show.
CREATE CONSTRAINT TRIGGER public_profile_epoch AFTER INSERT OR DELETE OR UPDATE ON public_profile
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
CREATE CONSTRAINT TRIGGER review_epoch AFTER INSERT OR DELETE OR UPDATE ON review
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts();
