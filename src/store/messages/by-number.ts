/** Reads messages and their sizes by number. */
import { type Compilable, sql as text } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Prepared, type Unit, prepare } from '../base/unit.ts';

export const messageColumns = [
  'n',
  'device_id',
  'chat_hash',
  'lid_hash',
  'id',
  'timestamp',
  'state',
  'accepted_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'deleted_at',
  'data',
  'content',
] as const;

/** Known to the database without reading the values. */
export const messageBytes = text<number>`octet_length(data) + coalesce(octet_length(content), 0)`.as('bytes');

interface Numbers extends Readonly<Record<string, unknown>> {
  readonly [name: `n${number}`]: number;
}

const maxMessages = 128;

/** Prepared for 1, 2, 4, … 128 numbers. */
const byNumber = <Row extends { readonly n: number }>(
  query: (numbers: readonly number[]) => Compilable<Row>,
): ((numbers: readonly number[]) => Unit<ReadonlyMap<number, Row>>) => {
  const prepared = new Map<number, Prepared<Numbers, Row>>();
  return function* read(numbers) {
    const found = new Map<number, Row>();
    for (let start = 0; start < numbers.length; start += maxMessages) {
      const part = numbers.slice(start, start + maxMessages);
      const count = 2 ** Math.ceil(Math.log2(part.length));
      const places = Array.from({ length: count }, (_, place) => place);
      const those = prepared.get(count) ?? prepare((p: Numbers) => query(places.map((place) => p[`n${place}`]!)));
      prepared.set(count, those);
      // Unused places repeat the first number.
      const params = Object.fromEntries(places.map((place) => [`n${place}`, part[place] ?? part[0]!]));
      for (const row of yield* those.all(params)) found.set(row.n, row);
    }
    return found;
  };
};

export const messagesReader = ({ sql }: Context) =>
  byNumber((numbers) => sql.selectFrom('messages').select(messageColumns).where('n', 'in', numbers));

export const messageBytesReader = ({ sql }: Context) =>
  byNumber((numbers) => sql.selectFrom('messages').select('n').select(messageBytes).where('n', 'in', numbers));
