/** The steps of a message (pending, accepted, delivered, read) and the statements for the usual ones. */
import { type Compilable, sql as text } from 'kysely';
import type { MessageChange, MessageState } from '../../domain/message.ts';
import type { Context } from '../base/context.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { type Unit, prepare, type Prepared } from '../base/unit.ts';

export const chatLookup = (sealer: Sealer, deviceId: number, chat: string): string =>
  sealer.lookup('chat', deviceId, chat);

/** Steps never go back. A failure may follow an acceptance, and a resend under the same id may be accepted after a failure. */
export const ranks: Readonly<Record<MessageState, number>> = {
  pending: 0,
  failed: 1,
  accepted: 1,
  delivered: 2,
  read: 3,
  action: 4,
};

export const stepColumns = {
  pending: null,
  accepted: 'accepted_at',
  delivered: 'delivered_at',
  read: 'read_at',
  failed: 'failed_at',
  action: null,
} as const;

type Advance = 'accepted' | 'delivered' | 'read';

const advances: readonly Advance[] = ['accepted', 'delivered', 'read'];

export interface Step extends MessageChange {
  readonly step: { readonly state: Advance; readonly at: number };
}

export const isStep = (change: MessageChange): change is Step => {
  const { step, text: edited, arrived, reread, content, isErased, media, deletedAt, author } = change;
  const hasMore = edited ?? arrived ?? reread ?? content ?? isErased ?? media ?? deletedAt ?? author;
  return step !== undefined && hasMore === undefined && stepColumns[step.state] !== null && step.state !== 'failed';
};

/** The usual steps of sent messages, one statement each. Other changes go through `changedColumns`, which has the same rules. */
const advanceQuery = ({ sql, database }: Context, state: Advance) => {
  const column = stepColumns[state];
  const behind = (['pending', 'failed', ...advances] as const).filter((other) => ranks[other] <= ranks[state]);
  const before = advances.slice(0, advances.indexOf(state)).map((other) => stepColumns[other]);
  return prepare((p: { deviceId: number; id: string; chatHash: string; at: number }) =>
    sql
      .updateTable('messages')
      .set((e) => {
        const at = e.cast<number>(e.val(p.at), 'bigint');
        const earliest = before.map((other) => e.fn.coalesce(other, e.lit(0)));
        return {
          state: e.case().when('state', 'in', behind).then(e.val(state)).else(e.ref('state')).end(),
          [column]: before.length === 0 ? at : e.fn<number>(database.shared ? 'greatest' : 'max', [at, ...earliest]),
        };
      })
      .where((e) => e.and({ device_id: p.deviceId, id: p.id, chat_hash: p.chatHash }))
      .where(column, 'is', null)
      .$if(database.shared, (query) => query.returning('n')),
  );
};

const takenQuery = ({ sql }: Context, state: Advance) =>
  prepare((p: { deviceId: number; id: string }) =>
    sql
      .selectFrom('messages')
      .select('n')
      .where((e) => e.and({ device_id: p.deviceId, id: p.id }))
      .where(stepColumns[state], 'is not', null),
  );

export interface MessageSteps {
  take(this: void, deviceId: number, step: Step): Unit<boolean>;
  /** Whether the message has taken this step before, under either address of the chat. */
  isTaken(this: void, deviceId: number, step: Step): Unit<boolean>;
}

export const messageSteps = (context: Context): MessageSteps => {
  const { sealer } = context;
  const each = <Q>(make: (context: Context, state: Advance) => Q) => ({
    accepted: make(context, 'accepted'),
    delivered: make(context, 'delivered'),
    read: make(context, 'read'),
  });
  const advance = each(advanceQuery);
  const taken = each(takenQuery);
  function* take(deviceId: number, { messageId: id, chat, step: { state, at } }: Step): Unit<boolean> {
    return yield* advance[state].changed({ deviceId, id, chatHash: sealer.lookup('chat', deviceId, chat), at });
  }
  return {
    take,
    *isTaken(deviceId, { messageId: id, step: { state } }) {
      return (yield* taken[state].first({ deviceId, id })) !== undefined;
    },
  };
};

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

/** Computed by the database without reading the values. */
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
