/** People: look-ups within limits, the address book, blocks, texts and pictures (docs/spec/conversation.md, People). */
import { LRUCache } from 'lru-cache';
import { parsePerson } from '../../domain/chats/address.ts';
import { spellingsOf } from '../../domain/chats/number-variants.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { FoundAccount, PictureFile } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { makeWriteAppState } from '../sending/readiness.ts';
import { onSession } from './act.ts';

/** Looking up numbers in bulk gets accounts restricted. */
export const maxNumbers = 20;
export const maxNewNumbers = 200;
const maxFacts = 500;
const dayMs = 86_400_000;
const factsLiveMs = dayMs;
const maxRemembered = 10_000;

export interface ContactPatch {
  readonly blocked?: boolean | undefined;
  /** Null removes the person from the address book. */
  readonly name?: string | null | undefined;
}

const tooMany = (now: number): HandsetError =>
  new HandsetError(
    'RateLimited',
    `At most ${maxNewNumbers} new numbers are looked up for a device and day: looking numbers up in masses gets accounts restricted`,
    { retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / 1_000), reason: 'lookup_limit_reached' },
  );

const stranger = (jid: Jid): Contact => {
  const isPhone = jidKind(jid) === 'phone';
  const names = { name: null, pushName: null, businessName: null, about: null, blocked: false, picture: null };
  return { jid, number: isPhone ? jidUser(jid) : null, lid: isPhone ? null : jid, ...names };
};

const lookUp = async (parts: LiveParts, scope: DeviceScope, numbers: readonly string[]) => {
  const { stores, clock } = parts;
  return onSession(parts, scope, async (acts) => {
    const wanted = [...new Set(numbers)];
    const known = await acts.knownNumbers(wanted);
    const unknown = wanted.filter((number) => !known.some((each) => each.number === number));
    const now = clock.now();
    const limit = { count: unknown.length, most: maxNewNumbers, now };
    if (unknown.length > 0 && !(await stores.lookUps.take(scope.id, 'numbers', limit))) throw tooMany(now);
    const found = unknown.length === 0 ? known : [...known, ...(await acts.lookUpNumbers(unknown))];
    return wanted.flatMap((number) => found.find((each) => each.number === number) ?? []);
  });
};

/** Asks for text and picture, at most once a day for each person and within a daily limit; a failure is ignored. */
const makeRefresh = (parts: LiveParts) => {
  const { stores, clock } = parts;
  const asked = new LRUCache<string, true>({ max: maxRemembered, ttl: factsLiveMs, ttlResolution: 0, perf: clock });
  return async (scope: DeviceScope, jid: Jid): Promise<void> => {
    const key = `${scope.id} ${jid}`;
    const now = clock.now();
    if (asked.has(key)) return;
    if (!(await stores.lookUps.take(scope.id, 'people', { count: 1, most: maxFacts, now }))) return;
    asked.set(key, true);
    await onSession(parts, scope, (acts) => acts.factsOf(jid)).catch(() => asked.delete(key));
  };
};

const rename = (parts: LiveParts, scope: DeviceScope, { jid, lid }: Contact, name: string | null): Promise<void> =>
  makeWriteAppState(parts)(scope, [{ kind: 'contact', jid, lid, name }]);

/** `person`: a JID or phone number as the caller wrote it. */
export const makePeople = (parts: LiveParts) => {
  const { contacts } = parts.stores;
  const refresh = makeRefresh(parts);
  /** Only a number with two spellings needs the network. */
  const registered = async (scope: DeviceScope, jid: Jid): Promise<Jid> =>
    spellingsOf(jid).length === 1 ? jid : onSession(parts, scope, (acts) => acts.registered(jid));
  return {
    /** Answers in the order of the numbers. Throws RateLimited after too many new ones in a day. */
    lookUp: (scope: DeviceScope, numbers: readonly string[]): Promise<readonly FoundAccount[]> =>
      lookUp(parts, scope, numbers),
    /** Refreshes text and picture when due. Throws NotFound for an unknown person. */
    async contact(scope: DeviceScope, person: string): Promise<Contact> {
      const jid = parsePerson(person);
      const found = await contacts.find(scope.id, jid);
      if (found === null) throw notFound('Contact');
      await refresh(scope, found.jid);
      return (await contacts.find(scope.id, jid)) ?? found;
    },
    async change(scope: DeviceScope, person: string, { blocked, name }: ContactPatch): Promise<Contact> {
      const jid = parsePerson(person);
      const { account } = await scope.record();
      if (blocked === true && (jid === account?.jid || jid === account?.lid))
        throw invalidRequest('person must not be the account itself, which cannot block itself');
      const before = (await contacts.find(scope.id, jid)) ?? stranger(await registered(scope, jid));
      if (name !== undefined) await rename(parts, scope, before, name);
      if (blocked !== undefined)
        await onSession(parts, scope, (acts) => acts.setBlocked(before.jid, blocked, before.pushName ?? before.name));
      return (await contacts.find(scope.id, before.jid)) ?? before;
    },
    /** Throws NotFound if there is none, or it is hidden. */
    picture: (scope: DeviceScope, person: string): Promise<PictureFile> =>
      onSession(parts, scope, (acts) => acts.pictureOf(parsePerson(person))),
  };
};

export type People = ReturnType<typeof makePeople>;
