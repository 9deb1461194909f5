/** Queries the LIDs of phone numbers. */
import { boundedCache } from '../library/bounded-cache.ts';
import { isHostedLidUser, isHostedPnUser, isLidUser, isPnUser } from '../library/jid.ts';
import type { LIDMapping } from '../library/types.ts';
import { phoneJid } from '../../domain/jid.ts';
import { type LidPair, pairOf } from '../identity/people.ts';

export type AskNetwork = (phoneJids: string[]) => Promise<LIDMapping[] | undefined>;

/** A number without a known LID is not queried again within this time. */
const unknownFor = 60_000;
const maxUnknown = 1_000;

export const isPhone = (jid: string): boolean => Boolean(isPnUser(jid) || isHostedPnUser(jid));
export const isLid = (jid: string): boolean => Boolean(isLidUser(jid) || isHostedLidUser(jid));

interface KeptPairs {
  keep(pairs: readonly LidPair[]): Promise<void>;
  forget(phoneUser: string): Promise<void>;
}

/** Queries each number once at a time, and not again soon if it has no LID. */
export const makeInquiry = (pairs: KeptPairs, now: () => number) => {
  const running = new Map<string, Promise<void>>();
  const unknownSince = boundedCache<number>(maxUnknown);

  const fetch = async (ask: AskNetwork, users: readonly string[]): Promise<void> => {
    const answer = (await ask(users.map((user) => phoneJid(user)))) ?? [];
    const found = answer.map(({ lid, pn }) => pairOf(lid, pn)).filter((pair) => pair !== null);
    await pairs.keep(found);
    const known = new Set(found.map(({ phoneUser }) => phoneUser));
    for (const user of users) {
      if (known.has(user)) continue;
      unknownSince.set(user, now());
      await pairs.forget(user);
    }
  };

  return async (ask: AskNetwork, users: readonly string[]): Promise<void> => {
    const due = users.filter(
      (user) => !running.has(user) && now() - (unknownSince.get(user) ?? -Infinity) >= unknownFor,
    );
    if (due.length > 0) {
      const answered = fetch(ask, due).finally(() => {
        for (const user of due) running.delete(user);
      });
      for (const user of due) running.set(user, answered);
      answered.catch(() => {});
    }
    for (const user of users) await running.get(user);
  };
};
