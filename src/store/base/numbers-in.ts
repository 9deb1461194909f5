/** A list of numbers as one parameter, so that one prepared query serves any length. */
import { type RawBuilder, sql as text } from 'kysely';
import type { Database } from './unit.ts';

export const numbersIn = ({ shared }: Pick<Database, 'shared'>, json: string): RawBuilder<unknown> =>
  shared
    ? text`(select value::bigint from jsonb_array_elements_text(${json}::jsonb))`
    : text`(select value from json_each(${json}))`;
