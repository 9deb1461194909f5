/** The account's own profile (docs/spec/conversation.md, Profile). */
import type { ProfileChange } from '../../domain/chats/conversation.ts';
import { jidUser } from '../../domain/jid.ts';
import { deviceNotConnected, invalidRequest } from '../../errors.ts';
import { ownedDevice } from '../devices/access.ts';
import type { LiveParts } from '../parts.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';
import { ImageIntake, type ImageRequest, type ImageSource } from '../sending/image-source.ts';
import type { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import { onSession } from './act.ts';

export interface Profile {
  readonly jid: string;
  readonly number: string;
  readonly lid: string | null;
  readonly name: string | null;
  readonly about: string | null;
  /** When `about` ends; null: never, or there is none. */
  readonly aboutExpiresAt: string | null;
  /** Id of the picture; null where there is none. */
  readonly picture: string | null;
}

export interface Profiles {
  get(userId: number, deviceId: number): Promise<Profile>;
  change(userId: number, deviceId: number, change: ProfileChange): Promise<Profile>;
  /** Throws InvalidImage and PayloadTooLarge too. */
  setPicture(userId: number, deviceId: number, source: ImageSource, request: ImageRequest): Promise<Profile>;
  removePicture(userId: number, deviceId: number): Promise<Profile>;
}

const yearMs = 366 * 86_400_000;

const assertEnd = ({ about, aboutExpiresAt = null }: ProfileChange, now: number): void => {
  if (aboutExpiresAt === null) return;
  if (about === undefined || about === '') throw invalidRequest('aboutExpiresAt needs about');
  if (aboutExpiresAt <= now) throw invalidRequest('aboutExpiresAt must be in the future');
  if (aboutExpiresAt > now + yearMs) throw invalidRequest('aboutExpiresAt must be within a year');
};

export const makeProfiles = (parts: LiveParts, imageLimit: ConcurrencyLimit): Profiles => {
  const { stores, network, outbound, runtimes, clock } = parts;
  const images = new ImageIntake(network, outbound, imageLimit);
  const get = async (userId: number, deviceId: number): Promise<Profile> => {
    const facts = await onSession(parts, userId, deviceId, (acts) => acts.factsOf(null));
    const { account } = await ownedDevice(stores.devices, userId, deviceId);
    if (account === null) throw deviceNotConnected(deviceId);
    const { jid, lid, name } = account;
    const { about, picture, aboutExpiresAt: end } = facts;
    const aboutExpiresAt = end === null ? null : new Date(end).toISOString();
    return { jid, number: jidUser(jid), lid, name, about, aboutExpiresAt, picture };
  };
  return {
    get,
    async change(userId, deviceId, change) {
      assertEnd(change, clock.now());
      await onSession(parts, userId, deviceId, (acts) => acts.changeProfile(change));
      const profile = await get(userId, deviceId);
      return { ...profile, name: change.name ?? profile.name };
    },
    async setPicture(userId, deviceId, source, request) {
      const runtime = runtimes.of(await ownedDevice(stores.devices, userId, deviceId));
      await images.check(source);
      if ('url' in source) await openSession(runtime, adviceToConnect, clock, waitOf(parts));
      await images.withSquare(source, request, (jpeg) =>
        onSession(parts, userId, deviceId, (acts) => acts.setPicture(jpeg)),
      );
      return get(userId, deviceId);
    },
    async removePicture(userId, deviceId) {
      await onSession(parts, userId, deviceId, (acts) => acts.setPicture(null));
      return get(userId, deviceId);
    },
  };
};
