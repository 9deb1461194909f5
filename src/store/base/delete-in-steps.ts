/** Deletes in small transactions, so that other work runs in between. */
import { type RawBuilder, sql as text } from 'kysely';
import type { Context } from './context.ts';
import { all } from './unit.ts';

const stepSize = 500;

type Growing =
  | 'deliveries'
  | 'attempts'
  | 'delivery_queues'
  | 'chat_turns'
  | 'events'
  | 'messages'
  | 'annotations'
  | 'inbox'
  | 'idempotency'
  | 'creations'
  | 'statuses'
  | 'chats'
  | 'contacts'
  | 'label_marks';

export const deleteInSteps = async (
  { sql, database }: Pick<Context, 'sql' | 'database'>,
  table: Growing,
  matching: RawBuilder<unknown>,
): Promise<number> => {
  const of = text`from ${text.table(table)} where ${matching} limit ${text.lit(stepSize)}`;
  const these = database.shared ? text`ctid = any(array(select ctid ${of}))` : text`rowid in (select rowid ${of})`;
  const query = text`delete from ${text.table(table)} where ${these} returning 1 as gone`.compile(sql);
  let count = 0;
  for (;;) {
    const gone = (await database.write(() => all({ compile: () => query }))).length;
    count += gone;
    if (gone < stepSize) return count;
  }
};
