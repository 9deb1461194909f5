/** Usernames as the driver stores them, by LID. */
import { type Jid, jidUser } from '../../domain/jid.ts';
import { keptUsernameOf, usernameKeys } from '../../domain/chats/usernames.ts';
import type { UsernameStore } from '../../domain/stores.ts';
import type { Context } from '../base/context.ts';
import type { Unit } from '../base/unit.ts';
import { keyReader } from '../sealing/keys.ts';
import { addressesIn, type Name } from '../sealing/rows.ts';

/** Undefined: the network has told nothing; null: it has told that there is none. */
type Told = string | null | undefined;

export const usernameReader = (context: Context) => {
  const readKeys = keyReader(context);
  return function* usernames(deviceId: number, lids: readonly (Jid | null)[]): Unit<readonly Told[]> {
    const known = [...new Set(lids.filter((lid) => lid !== null))];
    if (known.length === 0) return lids.map(() => undefined);
    const values = yield* readKeys(
      deviceId,
      known.map((lid) => ({ type: usernameKeys, id: jidUser(lid) })),
    );
    const found = new Map(
      values.map((value, n) => [known[n]!, value === null ? undefined : keptUsernameOf(value).username]),
    );
    return lids.map((lid) => (lid === null ? undefined : found.get(lid)));
  };
};

export const lidOfName = (name: Name): Jid | null => addressesIn(name).lid;

export const usernameStore = (context: Context): UsernameStore => {
  const read = usernameReader(context);
  return {
    of: async (deviceId, lids) =>
      (await context.database.read(() => read(deviceId, lids))).map((username) => username ?? null),
  };
};
