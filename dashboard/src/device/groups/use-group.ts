/** The group of a conversation, kept current by events, and the names of its members. */
import { useMemo } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Answer } from '../../api/schemas.ts';
import { ApiError } from '../../api/client.ts';
import type { Group } from '../../api/group.ts';
import type { Person } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { useLoad } from '../../api/hooks.ts';
import type { NameOf } from '../shown/people.ts';

export interface KnownGroup {
  readonly group: Group;
  /** Whether the linked account is an administrator. */
  readonly isAdmin: boolean;
  /** Replaces the group after a change. */
  readonly replace: (group: Group) => void;
  readonly reload: () => void;
}

/** `left`: the account is not in the group; null while unknown. */
export type GroupState = KnownGroup | 'left' | null;

export const groupPath = (device: Device, group: string): string =>
  `/v1/devices/${device.id}/groups/${encodeURIComponent(group)}`;

export const useGroup = (device: Device, chat: string | null, isOwn: (person: Person) => boolean): GroupState => {
  const { client } = useAccount();
  const loaded = useLoad(
    async (): Promise<{ readonly jid: string; readonly group: Group | null }> => {
      const jid = chat ?? '';
      try {
        return { jid, group: (await client.get<Answer<'getGroup'>>(groupPath(device, jid))).group };
      } catch (error) {
        if (error instanceof ApiError && error.code === 404) return { jid, group: null };
        throw error;
      }
    },
    chat === null ? null : `${device.id} ${device.status} ${chat}`,
  );
  useEvents(device.id, ({ type, data }) => {
    if (type.startsWith('group.') && 'group' in data && data.group === chat) loaded.reload();
  });
  if (chat === null || loaded.value?.jid !== chat) return null;
  const { group } = loaded.value;
  if (group === null) return 'left';
  const replace = (changed: Group): void => loaded.change((old) => ({ ...old, group: changed }));
  const isAdmin = group.members.some(({ person, admin }) => admin && isOwn(person));
  return { group, isAdmin, replace, reload: loaded.reload };
};

const most = 1000;

/** With names from the address book, also of people without messages here. */
export const useContactNames = (device: Device, nameOf: NameOf, wanted: boolean): NameOf => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/contacts?limit=${most}`;
  const contacts = useLoad(async () => (await client.get<Answer<'listContacts'>>(path)).contacts, wanted ? path : null);
  const names = useMemo(() => {
    const all = new Map<string, string>();
    for (const { jid, number, lid, name, businessName, pushName } of contacts.value ?? []) {
      const shown = name ?? businessName ?? pushName;
      if (shown === null) continue;
      for (const address of [jid, number, lid]) if (address !== null) all.set(address, shown);
    }
    return all;
  }, [contacts.value]);
  return (person) => {
    const usual = nameOf(person);
    // Anything but a number is a name already.
    if (!/^\+?[\d\u202f]+$/.test(usual)) return usual;
    return names.get(person.jid) ?? names.get(person.number ?? '') ?? names.get(person.lid ?? '') ?? usual;
  };
};
