/** Current subjects of group chats, which may have changed since their last message. */
import { useMemo, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Chat } from '../../api/chat.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Device } from '../../api/types.ts';
import { useLoad } from '../../api/hooks.ts';

/** Loads the groups once, and only if a group chat has no name. */
export const useSubjects = (device: Device, chats: readonly Chat[]): readonly Chat[] => {
  const { client } = useAccount();
  const [told, setTold] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = chats.some(({ isGroup, name, chat }) => isGroup && name === null && !told.has(chat));
  const path = `/v1/devices/${device.id}/groups?limit=1000`;
  const groups = useLoad(async () => (await client.get<Answer<'listGroups'>>(path)).groups, wanted ? path : null);
  useEvents(device.id, ({ data }) => {
    if (!('subject' in data) || data.subject === null) return;
    const { group, subject } = data;
    setTold((old) => new Map(old).set(group, subject));
  });
  return useMemo(() => {
    const subjects = new Map([...(groups.value ?? []).map(({ jid, subject }) => [jid, subject] as const), ...told]);
    return chats.map((one) => {
      const name = told.get(one.chat) ?? one.name ?? subjects.get(one.chat) ?? null;
      return name === one.name ? one : { ...one, name };
    });
  }, [chats, groups.value, told]);
};
