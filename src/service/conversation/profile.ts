/** The account's own profile (docs/spec/conversation.md, Profile). */
import type { ProfileChange } from '../../domain/chats/conversation.ts';
import { jidUser } from '../../domain/jid.ts';
import { deviceNotConnected, invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';
import type { FileIntake, RequestedFile, Requester } from '../sending/files.ts';
import { onSession } from './act.ts';

export interface Profile {
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
      if ('url' in source) await openSession(await scope.runtime(), adviceToConnect, clock, waitOf(parts));
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
