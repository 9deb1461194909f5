/** The picture of a group (docs/spec/groups.md, Picture). */
import type { PictureFile } from '../../domain/chats/conversation.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { onOpenSession } from '../conversation/act.ts';
import { ownedDevice } from '../devices/access.ts';
import type { LiveParts } from '../parts.ts';
import { ImageIntake, type ImageRequest, type ImageSource } from '../sending/image-source.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';
import type { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import { parseGroup } from './parse.ts';

export interface GroupPictures {
  /** Throws NotFound where there is none. */
  picture(userId: number, deviceId: number, group: string): Promise<PictureFile>;
  /** Throws InvalidImage and PayloadTooLarge too. */
  setPicture(
    userId: number,
    deviceId: number,
    group: string,
    source: ImageSource,
    request: ImageRequest,
  ): Promise<KeptGroup>;
  removePicture(userId: number, deviceId: number, group: string): Promise<KeptGroup>;
}

export const groupPictures = (parts: LiveParts, imageLimit: ConcurrencyLimit): GroupPictures => {
  const { stores, network, outbound, runtimes, clock } = parts;
  const images = new ImageIntake(network, outbound, imageLimit);
  const set = (userId: number, deviceId: number, group: string, jpeg: Uint8Array | null): Promise<KeptGroup> =>
    onOpenSession(parts, userId, deviceId, ({ groups }) => groups.setPicture(group, jpeg));
  return {
    async picture(userId, deviceId, text) {
      const group = parseGroup(text);
      return onOpenSession(parts, userId, deviceId, ({ groups }) => groups.picture(group));
    },
    async setPicture(userId, deviceId, text, source, request) {
      const group = parseGroup(text);
      const runtime = runtimes.of(await ownedDevice(stores.devices, userId, deviceId));
      await images.check(source);
      if ('url' in source) await openSession(runtime, adviceToConnect, clock, waitOf(parts));
      return images.withSquare(source, request, (jpeg) => set(userId, deviceId, group, jpeg));
    },
    async removePicture(userId, deviceId, text) {
      return set(userId, deviceId, parseGroup(text), null);
    },
  };
};
