/** The picture of a group (docs/spec/groups.md, Picture). */
import type { PictureFile } from '../../domain/chats/conversation.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import { onOpenSession } from '../conversation/act.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { ImageIntake, type ImageRequest, type ImageSource } from '../sending/image-source.ts';
import { adviceToConnect, openSession, waitOf } from '../sending/readiness.ts';
import type { ConcurrencyLimit } from '../users/concurrency-limit.ts';
import { parseGroup } from './parse.ts';

export const groupPictures = (parts: LiveParts, imageLimit: ConcurrencyLimit) => {
  const { network, outbound, clock } = parts;
  const images = new ImageIntake(network, outbound, imageLimit);
  const set = (scope: DeviceScope, group: string, jpeg: Uint8Array | null): Promise<KeptGroup> =>
    onOpenSession(parts, scope, ({ groups }) => groups.setPicture(group, jpeg));
  return {
    /** Throws NotFound where there is none. */
    async picture(scope: DeviceScope, text: string): Promise<PictureFile> {
      const group = parseGroup(text);
      return onOpenSession(parts, scope, ({ groups }) => groups.picture(group));
    },
    /** Throws InvalidImage and PayloadTooLarge too. */
    async setPicture(scope: DeviceScope, text: string, source: ImageSource, request: ImageRequest): Promise<KeptGroup> {
      const group = parseGroup(text);
      await images.check(source);
      if ('url' in source) await openSession(await scope.runtime(), adviceToConnect, clock, waitOf(parts));
      return images.withSquare(source, request, (jpeg) => set(scope, group, jpeg));
    },
    removePicture: async (scope: DeviceScope, text: string): Promise<KeptGroup> => set(scope, parseGroup(text), null),
  };
};
