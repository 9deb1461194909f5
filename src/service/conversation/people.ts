/** People: look-ups within limits, address book, blocks, about texts and pictures (docs/spec/conversation.md, People). */
import { LRUCache } from 'lru-cache';
import { spellingsOf, parsePerson } from '../../domain/chats/recipient.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { FoundAccount, FoundUsername, PictureFile, ProfileChange } from '../../domain/chats/conversation.ts';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import type { NamedByUsername } from '../../domain/chats/usernames.ts';
import { invalidRequest, notFound, deviceNotConnected } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { FileIntake, RequestedFile, Requester } from '../sending/files.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { takeLookUps, makeWriteAppState, adviceToConnect, openSession, onSession } from '../sending/readiness.ts';
import { atMost } from '../../domain/at-most.ts';

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

/** Queries about text and picture, at most daily per person and within a daily limit. Failures are ignored. */
const makeRefresh = (parts: LiveParts) => {
  const { stores, clock } = parts;
  const asked = new LRUCache<string, true>({
    ...atMost(maxRemembered),
    ttl: factsLiveMs,
    ttlResolution: 0,
    perf: clock,
  });
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

interface Profile {
  readonly jid: string;
  readonly number: string;
  readonly lid: string | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly about: string | null;
  readonly aboutExpiresAt: string | null;
  readonly picture: string | null;
}

const yearMs = 366 * 86_400_000;

const assertEnd = ({ about, aboutExpiresAt = null }: ProfileChange, now: number): void => {
  if (aboutExpiresAt === null) return;
  if (about === undefined || about === '') throw invalidRequest('aboutExpiresAt needs about');
  if (aboutExpiresAt <= now) throw invalidRequest('aboutExpiresAt must be in the future');
  if (aboutExpiresAt > now + yearMs) throw invalidRequest('aboutExpiresAt must be within a year');
};

export const makeProfiles = (parts: LiveParts, files: FileIntake) => {
  const { clock } = parts;
  const get = async (scope: DeviceScope): Promise<Profile> => {
    const { username, ...facts } = await onSession(parts, scope, async (acts) => ({
      ...(await acts.factsOf(null)),
      username: await acts.ownUsername(),
    }));
    const { account } = await scope.record();
    if (account === null) throw deviceNotConnected(scope.id);
    const { jid, lid, name } = account;
    const { about, picture, aboutExpiresAt: end } = facts;
    const aboutExpiresAt = end === null ? null : new Date(end).toISOString();
    return { jid, number: jidUser(jid), lid, username, name, about, aboutExpiresAt, picture };
  };
  return {
    get,
    async change(scope: DeviceScope, change: ProfileChange): Promise<Profile> {
      assertEnd(change, clock.now());
      await onSession(parts, scope, (acts) => acts.changeProfile(change));
      const profile = await get(scope);
      return { ...profile, name: change.name ?? profile.name };
    },
    /** Also throws InvalidImage and PayloadTooLarge. */
    async setPicture(scope: DeviceScope, source: RequestedFile, requester: Requester): Promise<Profile> {
      await files.check(source, 'image');
      if ('url' in source) await openSession(parts, await scope.runtime(), adviceToConnect);
      await files.withSquare(source, requester, (jpeg) => onSession(parts, scope, (acts) => acts.setPicture(jpeg)));
      return get(scope);
    },
    async removePicture(scope: DeviceScope): Promise<Profile> {
      await onSession(parts, scope, (acts) => acts.setPicture(null));
      return get(scope);
    },
  };
};

export type Profiles = ReturnType<typeof makeProfiles>;
