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

SELECT watch_library_table('reading_list_like', 'created_on');

-- Likes are no change of a list, nor is the deletion of the list that it was copied from.
DROP TRIGGER note_insert ON reading_list;
DROP TRIGGER note_delete ON reading_list;
DROP TRIGGER note_update ON reading_list;
SELECT watch_library_table(
    'reading_list', 'modified', 'modified_before', 'rated', 'rated_before', 'rating_count', 'rating_sum',
    'like_count', 'forked_from_id');
