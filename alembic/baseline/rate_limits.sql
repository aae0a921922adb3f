-- Counts events for the rate limits of `comicsdb/ratelimit`. All times are microseconds since 1970.
-- A row of `rate_limit` has the times of events, and in `sums` the total number of events before the first and
-- after each of them. So the number of events between two times is a difference, and several events can share one
-- time. Each limit counts an event in one statement, which locks its row until the end of the transaction.

-- Undo the counting of the event of a moment, if it still counts. Returns the number of events without it, and the
-- time when the next one will be admitted.
CREATE FUNCTION give_back_limit(of_client text, of_name text, size bigint, period bigint, moment bigint)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    stored rate_limit;
    place integer;
    events integer;
    alone integer;  -- 1 if the event has a time of its own
    total integer;
BEGIN
    SELECT * INTO stored FROM rate_limit WHERE client = of_client AND name = of_name FOR UPDATE;
    IF NOT FOUND THEN
        RETURN ARRAY[0, moment + period];
    END IF;
    place := width_bucket(moment - 1, stored.times) + 1;
    events := stored.sums[place + 1] - stored.sums[place];
    IF stored.times[place] = moment OR events > 1 AND stored.times[place] / (period / 96) = moment / (period / 96) THEN
        alone := (events = 1)::integer;
        stored.times := stored.times[:place - alone] || stored.times[place + 1:];
        stored.sums := stored.sums[:place] || ARRAY(SELECT sum - 1 FROM unnest(stored.sums[place + 1 + alone:]) AS sum);
        UPDATE rate_limit SET times = stored.times, sums = stored.sums WHERE client = of_client AND name = of_name;
    END IF;
    total := stored.sums[cardinality(stored.sums)];
    RETURN ARRAY[
        total - stored.sums[1],
        coalesce(stored.times[greatest(1, width_bucket((total - size)::integer, stored.sums))], moment) + period
    ];
END
$$;

-- Check one event of a client against several limits, and count it for those that admit it. `arguments`: whether
-- all of them have to admit it for any to count it; then for each limit its size, its period, and whether it counts
-- at all (1 or 0). Returns for each limit the time of the event, whether it was rejected, whether it was counted,
-- the current number of events, and the time when the next one will be admitted; NULL, having counted nothing, if
-- the epoch is no longer current. If the clock is set back, it stands still until it has caught up; but if it was set
-- back by more than the period, it was wrong before, and the events of that time no longer count.
CREATE FUNCTION take_limits(of_client text, names text[], arguments bigint[], clock bigint, known_epoch bigint)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    size bigint;
    period bigint;
    moment bigint;
    used integer;
    free bigint;
    number integer;
    answer bigint[] := '{}';
    is_long boolean := false;
    none boolean := false;  -- whether the event is not to be counted at all
BEGIN
    IF known_epoch <> (SELECT sum(value) FROM epoch) THEN
        RETURN NULL;
    END IF;

    FOR i IN 1 .. cardinality(names) LOOP
        size := arguments[3 * i - 1];
        period := arguments[3 * i];
        IF arguments[3 * i + 1] = 1 AND NOT none THEN
            DELETE FROM rate_limit
            WHERE client = of_client AND name = names[i] AND times[cardinality(times)] > clock + period;
            INSERT INTO rate_limit AS kept VALUES (of_client, names[i], ARRAY[clock], '{0, 1}', clock + period)
            ON CONFLICT (client, name) DO UPDATE SET
                times = kept.times[width_bucket(clock - period, kept.times) + 1:]
                    || ARRAY[greatest(clock, kept.times[cardinality(kept.times)])],
                sums = kept.sums[width_bucket(clock - period, kept.times) + 1:]
                    || ARRAY[kept.sums[cardinality(kept.sums)] + 1],
                expires = greatest(kept.expires, excluded.expires)
            WHERE kept.sums[cardinality(kept.sums)] - kept.sums[width_bucket(clock - period, kept.times) + 1] < size
            RETURNING times[cardinality(times)], sums[cardinality(sums)] - sums[1], times[1], cardinality(times)
            INTO moment, used, free, number;
            IF FOUND THEN
                answer := answer || ARRAY[moment, 0, 1, used, free + period];
                is_long := is_long OR number > 150;
                CONTINUE;
            END IF;
        END IF;

        -- Where the limit was lowered, more than the oldest event has to leave before the next is admitted.
        SELECT
            greatest(clock, times[cardinality(times)]),
            sums[cardinality(sums)] - sums[gone + 1],
            times[greatest(gone + 1, width_bucket((sums[cardinality(sums)] - size)::integer, sums))]
        INTO moment, used, free
        FROM (
            SELECT times, sums, width_bucket(clock - period, times) AS gone
            FROM rate_limit
            WHERE client = of_client AND name = names[i] AND times[cardinality(times)] <= clock + period
        ) AS stored;
        moment := coalesce(moment, clock);
        used := coalesce(used, 0);
        answer := answer || ARRAY[moment, (used >= size)::integer, 0, used, coalesce(free, moment) + period];
        none := none OR used >= size AND arguments[1] = 1;
    END LOOP;

    IF none THEN
        FOR i IN 1 .. cardinality(names) LOOP
            IF answer[5 * i - 2] = 1 THEN
                answer[5 * i - 2] := 0;
                answer[5 * i - 1:5 * i] := give_back_limit(
                    of_client, names[i], arguments[3 * i - 1], arguments[3 * i], answer[5 * i - 4]
                );
            END IF;
        END LOOP;
    ELSIF is_long THEN
        FOR i IN 1 .. cardinality(names) LOOP
            period := arguments[3 * i];
            UPDATE rate_limit SET (times, sums) = (
                SELECT array_agg(last ORDER BY last), 0 || array_agg(sum ORDER BY last)
                FROM (
                    SELECT max(at) AS last, max(sum) - rate_limit.sums[1] AS sum
                    FROM unnest(rate_limit.times, rate_limit.sums[2:]) AS event (at, sum)
                    GROUP BY at / (period / 96)
                ) AS step
            )
            WHERE client = of_client AND name = names[i] AND cardinality(times) > 150
            RETURNING times[1] INTO free;
            IF FOUND THEN
                answer[5 * i] := free + period;
            END IF;
        END LOOP;
    END IF;
    RETURN answer;
END
$$;
