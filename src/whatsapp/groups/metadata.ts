/** A group's metadata, remembered or asked for. */
import type { GroupMetadata } from '../engine/types.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import { SendRefused, noSuchChat, notAMember } from '../send/server-ack.ts';

/** The network's answer for a group that does not exist, or not for this account: nothing was sent to it. */
const groupRefusal = (error: unknown): SendRefused | null => {
  const code = error instanceof Error && 'data' in error ? String(error.data) : '';
  return code === noSuchChat || code === notAMember ? new SendRefused(code) : null;
};

/** Throws SendRefused for a group that does not exist, or that the account is not in. */
export const groupMetadata =
  (memory: Pick<DeviceMemory, 'groups'>, fetch: (jid: string) => Promise<GroupMetadata>) =>
  async (jid: string): Promise<GroupMetadata> => {
    const known = memory.groups.get(jid);
    if (known !== undefined) return known;
    const metadata = await fetch(jid).catch((error: unknown) => {
      throw groupRefusal(error) ?? error;
    });
    memory.groups.set(jid, metadata);
    return metadata;
  };
