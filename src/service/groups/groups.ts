/** Groups as callers read and change them (docs/spec/groups.md). */
import { parseGroup, parsePerson } from '../../domain/chats/recipient.ts';
import type { PictureFile } from '../../domain/chats/conversation.ts';
import { type GroupPreview, groupsListed, isFreshGroup, type KeptGroup } from '../../domain/groups/group.ts';
import type { Groups, GroupRequest, JoinRequest } from '../../domain/groups/port.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { FileIntake, RequestedFile, Requester } from '../sending/files.ts';
import { adviceToConnect, openSession, onOpenSession } from '../sending/readiness.ts';
import type { Sending } from '../sending/sending.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { makeMembers } from './members.ts';

const inviteRule = /^(?:https:\/\/chat\.whatsapp\.com\/(?:invite\/)?)?([A-Za-z0-9_-]{8,64})(?:\?.*)?$/;

const parseInvite = (text: string): string => {
  const code = inviteRule.exec(text.trim())?.[1];
  if (code === undefined) {
    throw invalidRequest('invite must be the link of a group (https://chat.whatsapp.com/…), or its code');
  }
  return code;
};

const isOffline = (error: unknown): boolean =>
  error instanceof HandsetError && ['DeviceNotConnected', 'DeviceNotAuthenticated'].includes(error.name);

type On = <T>(scope: DeviceScope, act: (groups: Groups) => Promise<T>) => Promise<T>;

const onSession =
  (parts: LiveParts): On =>
  (scope, act) =>
    onOpenSession(parts, scope, ({ groups }) => act(groups));

const listedAt = async ({ stores }: LiveParts, deviceId: number): Promise<number> => {
  const { type, id } = groupsListed;
  const value = (await stores.credentials.readKeys(deviceId, type, [id])).get(id);
  return value === undefined ? 0 : Number(Buffer.from(value).toString());
};

const reading = (parts: LiveParts, on: On) => ({
  /** Asks the network only if the stored list is not fresh. */
  async list(scope: DeviceScope, page: PageRequest): Promise<Page<KeptGroup>> {
    const at = await listedAt(parts, scope.id);
    if (!isFreshGroup(at, parts.clock.now())) {
      try {
        await on(scope, (groups) => groups.list());
      } catch (error) {
        // While the device is offline, the stored list is returned.
        if (at === 0 || !isOffline(error)) throw error;
      }
    }
    return parts.stores.groups.list(scope.id, page);
  },
  async get(scope: DeviceScope, text: string): Promise<KeptGroup> {
    const jid = parseGroup(text);
    const kept = await parts.stores.groups.find(scope.id, jid);
    if (kept?.isMember === true && isFreshGroup(kept.checkedAt, parts.clock.now())) return kept;
    try {
      return await on(scope, (groups) => groups.current(jid));
    } catch (error) {
      if (kept?.isMember === true && isOffline(error)) return kept;
      throw error;
    }
  },
});

const groupPictures = (parts: LiveParts, files: FileIntake) => {
  const set = (scope: DeviceScope, group: string, jpeg: Uint8Array | null): Promise<KeptGroup> =>
    onOpenSession(parts, scope, ({ groups }) => groups.setPicture(group, jpeg));
  return {
    async picture(scope: DeviceScope, text: string): Promise<PictureFile> {
      const group = parseGroup(text);
      return onOpenSession(parts, scope, ({ groups }) => groups.picture(group));
    },
    async setPicture(
      scope: DeviceScope,
      text: string,
      source: RequestedFile,
      requester: Requester,
    ): Promise<KeptGroup> {
      const group = parseGroup(text);
      await files.check(source, 'image');
      if ('url' in source) await openSession(parts, await scope.runtime(), adviceToConnect);
      return files.withSquare(source, requester, (jpeg) => set(scope, group, jpeg));
    },
    removePicture: async (scope: DeviceScope, text: string): Promise<KeptGroup> => set(scope, parseGroup(text), null),
  };
};

/** Names as callers wrote them. All throw InvalidRequest, NotFound, DeviceNotConnected, DeviceNotAuthenticated and RequestTimeout. */
export const makeGroups = (parts: LiveParts, sending: Sending, files: FileIntake) => {
  const on = onSession(parts);
  const onGroup = async <T>(
    scope: DeviceScope,
    text: string,
    act: (groups: Groups, group: Jid) => Promise<T>,
  ): Promise<T> => {
    const jid = parseGroup(text);
    return on(scope, (groups) => act(groups, jid));
  };
  return {
    ...reading(parts, on),
    ...groupPictures(parts, files),
    ...makeMembers(parts, sending),
    change: (scope: DeviceScope, group: string, patch: GroupRequest): Promise<KeptGroup> =>
      onGroup(scope, group, (groups, jid) => groups.change(jid, patch)),
    invite: (scope: DeviceScope, group: string, anew: boolean): Promise<string> =>
      onGroup(scope, group, (groups, jid) => groups.invite(jid, anew)),
    async preview(scope: DeviceScope, invite: string): Promise<GroupPreview> {
      const code = parseInvite(invite);
      return on(scope, (groups) => groups.preview(code));
    },
    async join(scope: DeviceScope, invite: string): Promise<{ group: Jid; waits: boolean }> {
      const code = parseInvite(invite);
      return on(scope, (groups) => groups.join(code));
    },
    requests: (scope: DeviceScope, group: string): Promise<readonly JoinRequest[]> =>
      onGroup(scope, group, (groups, jid) => groups.requests(jid)),
    async decide(scope: DeviceScope, group: string, who: string, approved: boolean): Promise<void> {
      const person = parsePerson(who, 'person');
      await onGroup(scope, group, (groups, jid) => groups.decide(jid, person, approved));
    },
    leave: (scope: DeviceScope, group: string): Promise<void> =>
      onGroup(scope, group, (groups, jid) => groups.leave(jid)),
  };
};

export type GroupService = ReturnType<typeof makeGroups>;
