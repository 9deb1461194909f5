/** People: look-ups within limits, address book, blocks, about texts and pictures (docs/spec/conversation.md, People). */
import { LRUCache } from 'lru-cache';
import { parsePerson } from '../../domain/chats/address.ts';
import { spellingsOf } from '../../domain/chats/recipient.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { FoundAccount, FoundUsername, PictureFile } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { NamedByUsername } from '../../domain/chats/usernames.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { takeLookUps } from '../sending/look-up-limit.ts';
import { makeWriteAppState } from '../sending/readiness.ts';
import { onSession } from './act.ts';

const maxFacts = 500;
const dayMs = 86_400_000;
const factsLiveMs = dayMs;
const maxRemembered = 10_000;

export interface ContactPatch {
  readonly blocked?: boolean | undefined;
  /** Null removes the person from the address book. */
  readonly name?: string | null | undefined;
}

const stranger = (jid: Jid): Contact => {
  const isPhone = jidKind(jid) === 'phone';
  const names = {
    username: null,
    name: null,
    pushName: null,
    businessName: null,
    about: null,
    blocked: false,
    picture: null,
  };
  return { jid, number: isPhone ? jidUser(jid) : null, lid: isPhone ? null : jid, ...names };
};

const lookUp = async (parts: LiveParts, scope: DeviceScope, numbers: readonly string[]) => {
  const { stores, clock } = parts;
  return onSession(parts, scope, async (acts) => {
    const wanted = [...new Set(numbers)];
    const known = await acts.knownNumbers(wanted);
    const unknown = wanted.filter((number) => !known.some((each) => each.number === number));
    if (unknown.length > 0) await takeLookUps(stores, scope.id, unknown.length, clock.now());
    const found = unknown.length === 0 ? known : [...known, ...(await acts.lookUpNumbers(unknown))];
    return wanted.flatMap((number) => found.find((each) => each.number === number) ?? []);
  });
};

const lookUpUsernames = async (parts: LiveParts, scope: DeviceScope, names: readonly NamedByUsername[]) => {
  const { stores, clock } = parts;
  return onSession(parts, scope, async (acts) => {
    const found: FoundUsername[] = [];
    const known = await Promise.all(names.map((name) => acts.knownUsernames([name])));
    const unknown = known.filter(({ length }) => length === 0).length;
    if (unknown > 0) await takeLookUps(stores, scope.id, unknown, clock.now());
    for (const [index, name] of names.entries())
      found.push(...(known[index]!.length > 0 ? known[index]! : await acts.lookUpUsernames([name])));
    return found;
  });
};

/** Asks for about text and picture, at most daily per person and within a daily limit. Failures are ignored. */
const makeRefresh = (parts: LiveParts) => {
  const { stores, clock } = parts;
  const asked = new LRUCache<string, true>({ max: maxRemembered, ttl: factsLiveMs, ttlResolution: 0, perf: clock });
  return async (scope: DeviceScope, jid: Jid): Promise<void> => {
    const key = `${scope.id} ${jid}`;
    const now = clock.now();
    if (asked.has(key)) return;
    if (!(await stores.lookUps.take(scope.id, 'people', { count: 1, max: maxFacts, now }))) return;
    asked.set(key, true);
    await onSession(parts, scope, (acts) => acts.factsOf(jid)).catch(() => asked.delete(key));
  };
};

const rename = (parts: LiveParts, scope: DeviceScope, { jid, lid }: Contact, name: string | null): Promise<void> =>
  makeWriteAppState(parts)(scope, [{ kind: 'contact', jid, lid, name }]);

export const makePeople = (parts: LiveParts) => {
  const { contacts } = parts.stores;
  const refresh = makeRefresh(parts);
  /** Only a number with two spellings needs the network. */
  const registered = async (scope: DeviceScope, jid: Jid): Promise<Jid> =>
    spellingsOf(jid).length === 1 ? jid : onSession(parts, scope, (acts) => acts.registered(jid));
  return {
    /** In the order of the numbers. Throws RateLimited after too many new ones in a day. */
    lookUp: (scope: DeviceScope, numbers: readonly string[]): Promise<readonly FoundAccount[]> =>
      lookUp(parts, scope, numbers),
    /** In the order of the names. Throws as `lookUp`. */
    lookUpUsernames: (scope: DeviceScope, names: readonly NamedByUsername[]): Promise<readonly FoundUsername[]> =>
      lookUpUsernames(parts, scope, names),
    /** Refreshes about text and picture when due. Throws NotFound. */
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
    picture: (scope: DeviceScope, person: string): Promise<PictureFile> =>
      onSession(parts, scope, (acts) => acts.pictureOf(parsePerson(person))),
  };
};

export type People = ReturnType<typeof makePeople>;
