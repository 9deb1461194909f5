/** People: look-ups within limits, the address book, blocks, texts and pictures (docs/spec/conversation.md, People). */
import { LRUCache } from 'lru-cache';
import { parsePerson } from '../../domain/chats/address.ts';
import { spellingsOf } from '../../domain/chats/number-variants.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { FoundAccount, PictureFile } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import { ownedDevice } from '../devices/access.ts';
import type { LiveParts } from '../parts.ts';
import { makeWriteAppState } from '../sending/app-state.ts';
import { onSession } from './act.ts';

/** Looking numbers up in masses gets accounts restricted. */
export const mostNumbers = 20;
export const mostNewNumbers = 200;
const mostFacts = 500;
const dayMs = 86_400_000;
/** How long what was asked about a person counts. */
const factsLiveMs = dayMs;
const mostRemembered = 10_000;

export interface ContactPatch {
  readonly blocked?: boolean | undefined;
  /** Null removes the person from the address book. */
  readonly name?: string | null | undefined;
}

/** `person`: a JID or a phone number, as the caller wrote it. */
export interface People {
  /** In the order of the numbers. Throws RateLimited once too many new ones were asked for on the day. */
  lookUp(userId: number, deviceId: number, numbers: readonly string[]): Promise<readonly FoundAccount[]>;
  /** With text and picture asked for anew, where that is due and allowed. Throws NotFound for somebody of whom nothing is known. */
  contact(userId: number, deviceId: number, person: string): Promise<Contact>;
  change(userId: number, deviceId: number, person: string, patch: ContactPatch): Promise<Contact>;
  /** Throws NotFound where there is none, or it is hidden. */
  picture(userId: number, deviceId: number, person: string): Promise<PictureFile>;
}

const tooMany = (now: number): HandsetError =>
  new HandsetError(
    'RateLimited',
    `At most ${mostNewNumbers} new numbers are looked up for a device and day: looking numbers up in masses gets accounts restricted`,
    { retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / 1_000), reason: 'lookup_limit_reached' },
  );

/** Somebody of whom only the address is known. */
const stranger = (jid: Jid): Contact => {
  const isPhone = jidKind(jid) === 'phone';
  const names = { name: null, pushName: null, businessName: null, about: null, blocked: false, picture: null };
  return { jid, number: isPhone ? jidUser(jid) : null, lid: isPhone ? null : jid, ...names };
};

const lookUp = async (parts: LiveParts, userId: number, deviceId: number, numbers: readonly string[]) => {
  const { stores, clock } = parts;
  return onSession(parts, userId, deviceId, async (acts) => {
    const wanted = [...new Set(numbers)];
    const known = await acts.knownNumbers(wanted);
    const unknown = wanted.filter((number) => !known.some((each) => each.number === number));
    const now = clock.now();
    const limit = { count: unknown.length, most: mostNewNumbers, now };
    if (unknown.length > 0 && !(await stores.lookUps.take(deviceId, 'numbers', limit))) throw tooMany(now);
    const found = unknown.length === 0 ? known : [...known, ...(await acts.lookUpNumbers(unknown))];
    return wanted.flatMap((number) => found.find((each) => each.number === number) ?? []);
  });
};

/** Asks for text and picture, at most once a day for each person, within the limit for all people; a failure is ignored. */
const makeRefresh = (parts: LiveParts) => {
  const { stores, clock } = parts;
  const asked = new LRUCache<string, true>({ max: mostRemembered, ttl: factsLiveMs, ttlResolution: 0, perf: clock });
  return async (userId: number, deviceId: number, jid: Jid): Promise<void> => {
    const key = `${deviceId} ${jid}`;
    const now = clock.now();
    if (asked.has(key)) return;
    if (!(await stores.lookUps.take(deviceId, 'people', { count: 1, most: mostFacts, now }))) return;
    asked.set(key, true);
    await onSession(parts, userId, deviceId, (acts) => acts.factsOf(jid)).catch(() => asked.delete(key));
  };
};

const rename = (parts: LiveParts, deviceId: number, { jid, lid }: Contact, name: string | null): Promise<void> =>
  makeWriteAppState(parts)(deviceId, [{ kind: 'contact', jid, lid, name }]);

export const makePeople = (parts: LiveParts): People => {
  const { stores } = parts;
  const { contacts } = stores;
  const refresh = makeRefresh(parts);
  /** Asks the network only about a number that has two spellings. */
  const registered = async (userId: number, deviceId: number, jid: Jid): Promise<Jid> =>
    spellingsOf(jid).length === 1 ? jid : onSession(parts, userId, deviceId, (acts) => acts.registered(jid));
  return {
    lookUp: (userId, deviceId, numbers) => lookUp(parts, userId, deviceId, numbers),
    async contact(userId, deviceId, person) {
      const jid = parsePerson(person);
      const found = await contacts.find(deviceId, jid);
      if (found === null) throw notFound('Contact');
      await refresh(userId, deviceId, found.jid);
      return (await contacts.find(deviceId, jid)) ?? found;
    },
    async change(userId, deviceId, person, { blocked, name }) {
      const jid = parsePerson(person);
      const { account } = await ownedDevice(stores.devices, userId, deviceId);
      if (blocked === true && (jid === account?.jid || jid === account?.lid))
        throw invalidRequest('person must not be the account itself, which cannot block itself');
      const before = (await contacts.find(deviceId, jid)) ?? stranger(await registered(userId, deviceId, jid));
      if (name !== undefined) await rename(parts, deviceId, before, name);
      if (blocked !== undefined)
        await onSession(parts, userId, deviceId, (acts) =>
          acts.setBlocked(before.jid, blocked, before.pushName ?? before.name),
        );
      return (await contacts.find(deviceId, before.jid)) ?? before;
    },
    picture: (userId, deviceId, person) =>
      onSession(parts, userId, deviceId, (acts) => acts.pictureOf(parsePerson(person))),
  };
};
