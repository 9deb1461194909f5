/** Queries that read chats, each compiled once: rows with the number of their newest message and values from other tables. */
import { timerKey } from '../../domain/chats/chat.ts';
import { numberVariants } from '../../domain/chats/recipient.ts';
import { folded } from '../../domain/messages/letters.ts';
import type { ChatFilter } from '../../domain/stores.ts';
import type { ExpressionBuilder, InferResult } from 'kysely';
import type { Context } from '../base/context.ts';
import { keyReader } from '../sealing/keys.ts';
import type { Schema } from '../base/schema.ts';
import { isGroupName, type Name } from '../sealing/rows.ts';
import { type Unit, prepare } from '../base/unit.ts';

export type ChatKey = readonly [at: number, hash: string];

type OfChats = ExpressionBuilder<Schema & { c: Schema['chats'] }, 'c'>;

const newestUnder = (e: OfChats, name: 'c.jid_hash' | 'c.lid_hash') =>
  e
    .selectFrom('messages as m')
    .select('m.n')
    .whereRef('m.device_id', '=', 'c.device_id')
    .whereRef('m.chat_hash', '=', name)
    .where('m.state', '!=', 'action')
    .orderBy('m.timestamp', 'desc')
    .orderBy('m.n', 'desc')
    .limit((limit) => limit.lit(1));

const rowsOf = ({ sql }: Context) =>
  sql
    .selectFrom('chats as c')
    .leftJoin('contacts as p', (join) =>
      join.onRef('p.device_id', '=', 'c.device_id').onRef('p.jid_hash', '=', 'c.jid_hash'),
    )
    .select(['c.device_id', 'c.jid_hash', 'c.lid_hash', 'c.data', 'c.name', 'c.at', 'c.unread', 'c.archived'])
    .select(['c.pinned_at', 'c.muted_until', 'p.saved', 'p.push_name', 'p.business_name'])
    .select((e) => [newestUnder(e, 'c.jid_hash').as('own'), newestUnder(e, 'c.lid_hash').as('by_lid')]);

export type ChatRow = InferResult<ReturnType<typeof rowsOf>>[number];

interface PageParams extends Readonly<Record<string, unknown>> {
  readonly deviceId: number;
  readonly archived: number;
  readonly label: string;
  readonly at: number;
  readonly hash: string;
  readonly count: number;
}

type PageShape = Pick<ChatFilter, 'unread' | 'archived' | 'label'> & { readonly isFirst: boolean };

const hasLabel = (e: OfChats, label: string) =>
  e.exists(
    e
      .selectFrom('label_marks as lm')
      .select('lm.at')
      .whereRef('lm.device_id', '=', 'c.device_id')
      .where('lm.label_id', '=', label)
      .where('lm.message_id', '=', '')
      .where('lm.labeled', '=', 1)
      .where((m) => m.or([m('lm.chat_hash', '=', m.ref('c.jid_hash')), m('lm.chat_hash', '=', m.ref('c.lid_hash'))])),
  );

const pageQuery = (context: Context, { unread, archived, label, isFirst }: PageShape) =>
  prepare((p: PageParams) => {
    let query = rowsOf(context)
      .where('c.device_id', '=', p.deviceId)
      .orderBy('c.at', 'desc')
      .orderBy('c.jid_hash', 'desc')
      .limit(p.count);
    if (unread !== undefined) query = query.where('c.unread', unread ? '>' : '=', 0);
    if (archived !== undefined) query = query.where('c.archived', '=', p.archived);
    if (label !== undefined) query = query.where((e) => hasLabel(e, p.label));
    if (isFirst) return query;
    return query.where((e) => e(e.refTuple('c.at', 'c.jid_hash'), '<', e.tuple(p.at, p.hash)));
  });

export const pageReader = (context: Context) => {
  const prepared = new Map<string, ReturnType<typeof pageQuery>>();
  return (deviceId: number, filter: ChatFilter, after: ChatKey | null, count: number): Unit<ChatRow[]> => {
    const { unread, archived, label } = filter;
    const shape = `${unread} ${archived !== undefined} ${label !== undefined} ${after === null}`;
    const query = prepared.get(shape) ?? pageQuery(context, { ...filter, isFirst: after === null });
    prepared.set(shape, query);
    const [at, hash] = after ?? [0, ''];
    return query.all({ deviceId, archived: archived === true ? 1 : 0, label: label ?? '', at, hash, count });
  };
};

/** A chat has at most two spellings of its number, each with a LID. */
const maxNames = 4;

export const namedReader = (context: Context) => {
  const query = prepare((p: { deviceId: number; n0: string; n1: string; n2: string; n3: string }) =>
    rowsOf(context).where((e) => {
      // Both sides name the device: otherwise SQLite scans all chats of the device.
      const under = (name: 'c.jid_hash' | 'c.lid_hash') =>
        e.and([e('c.device_id', '=', p.deviceId), e(name, 'in', [p.n0, p.n1, p.n2, p.n3])]);
      return e.or([under('c.jid_hash'), under('c.lid_hash')]);
    }),
  );
  return (deviceId: number, hashes: readonly string[]): Unit<ChatRow[]> => {
    const [n0, n1, n2, n3] = Array.from({ length: maxNames }, (_, n) => hashes[n] ?? hashes[0]!);
    return query.all({ deviceId, n0: n0!, n1: n1!, n2: n2!, n3: n3! });
  };
};

const decoder = new TextDecoder();

/** Timers in seconds, as the driver stores them for sending; null: no timer, or a group. */
export const timerReader = (context: Context) => {
  const readKeys = keyReader(context);
  return function* timers(deviceId: number, names: readonly Name[]): Unit<readonly (number | null)[]> {
    const people = names.filter((name) => !isGroupName(name));
    if (people.length === 0) return names.map(() => null);
    const keys = people.map(({ jid, lid }) => ({ type: timerKey, id: lid ?? jid }));
    const values = yield* readKeys(deviceId, keys);
    const found = new Map(people.map((name, index) => [name, values[index] ?? null]));
    return names.map((name) => {
      const value = found.get(name) ?? null;
      return value === null ? null : Number(decoder.decode(value).split(' ')[0]) || null;
    });
  };
};

const betweenDigits = /[\s()+./-]/g;

export const matches = (q: string, name: string | null, number: string | null): boolean => {
  if (name !== null && folded(name).includes(folded(q))) return true;
  const digits = q.replaceAll(betweenDigits, '');
  return digits !== '' && number !== null && numberVariants(number).some((each) => each.includes(digits));
};

/** `q` may begin with `@`. */
export const matchesUsername = (q: string, username: string | null): boolean => {
  const wanted = q.trim().replace(/^@/, '').toLowerCase();
  return username !== null && wanted !== '' && username.toLowerCase().includes(wanted);
};
