/** The canonical name of a chat or contact under either address (decision 4). */
import { spellingsOf } from '../../domain/chats/recipient.ts';
import { type Jid, jidKind, jidUser, lidJid, phoneJid } from '../../domain/jid.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { Context } from '../base/context.ts';
import { keyReader } from '../sealing/keys.ts';
import type { Name } from '../sealing/rows.ts';
import type { Unit } from '../base/unit.ts';

/** Keys of pairs as the driver writes them: `<phone user>` holds the LID's user, `<LID user>_reverse` the phone's. */
export const pairKeys = 'lid-mapping';
const reverse = '_reverse';

const decoder = new TextDecoder();

export interface Pair {
  readonly phone: Jid;
  readonly lid: Jid;
}

export const pairsIn = (keys: readonly KeyChange[]): readonly Pair[] => {
  let pairs: Pair[] | null = null;
  for (const { type, id, value } of keys) {
    if (type !== pairKeys || value === null || id.endsWith(reverse)) continue;
    (pairs ??= []).push({ phone: phoneJid(id), lid: lidJid(decoder.decode(value)) });
  }
  return pairs ?? [];
};

export interface Told {
  readonly jid: Jid;
  readonly lid?: Jid | null;
}

export const makeResolve = (context: Context) => {
  const readKeys = keyReader(context);
  function* values(deviceId: number, ids: readonly string[]): Unit<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    if (ids.length === 0) return found;
    const read = yield* readKeys(
      deviceId,
      ids.map((id) => ({ type: pairKeys, id })),
    );
    for (const [index, value] of read.entries()) if (value !== null) found.set(ids[index]!, decoder.decode(value));
    return found;
  }
  return function* resolve(deviceId: number, told: readonly Told[]): Unit<readonly Name[]> {
    const lidOf = ({ jid, lid }: Told): Jid | null => (jidKind(jid) === 'lid' ? jid : (lid ?? null));
    const unpaired = told.filter((each) => jidKind(each.jid) === 'phone' && lidOf(each) === null);
    const lids = yield* values(deviceId, [...new Set(unpaired.map(({ jid }) => jidUser(jid)))]);
    const wanted = [...told.map(lidOf), ...[...lids.values()].map(lidJid)].filter((lid) => lid !== null);
    const phones = yield* values(deviceId, [...new Set(wanted.map((lid) => `${jidUser(lid)}${reverse}`))]);
    return told.map((each): Name => {
      const { jid } = each;
      if (jidKind(jid) === 'group') return { jid, lid: null };
      const given = lidOf(each) ?? (lids.has(jidUser(jid)) ? lidJid(lids.get(jidUser(jid))!) : null);
      const phone = given === null ? undefined : phones.get(`${jidUser(given)}${reverse}`);
      if (jidKind(jid) === 'lid') return phone === undefined ? { jid, lid: null } : { jid: phoneJid(phone), lid: jid };
      // A LID that now belongs to another number is ignored.
      return { jid, lid: phone === undefined || phone === jidUser(jid) ? given : null };
    });
  };
};

export type Resolve = ReturnType<typeof makeResolve>;

/** All JIDs under which a person may be stored, likeliest first: the number in each spelling, and the LID. */
export const makeGiven = (context: Context) => {
  const resolve = makeResolve(context);
  return function* given(deviceId: number, jid: Jid): Unit<readonly Jid[]> {
    const names = yield* resolve(
      deviceId,
      spellingsOf(jid).map((each) => ({ jid: each })),
    );
    const jids = [...names.map((name) => name.jid), jid, ...names.map(({ lid }) => lid)];
    return [...new Set(jids.filter((each) => each !== null))];
  };
};
