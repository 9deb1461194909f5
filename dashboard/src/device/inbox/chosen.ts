/** The conversation on display, which the address of the page names: `#/devices/3/chat/<JID, number or "new">`. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Chat } from '../../api/chat.ts';
import { ApiError } from '../../api/client.ts';
import type { Device } from '../../api/types.ts';
import { useLoad } from '../../api/hooks.ts';
import { go, useRoute } from '../../base/route.ts';
import { begun, type Conversation, conversationsOf, isWith } from '../shown/conversations.ts';

/** A JID or a number; null for a new conversation, undefined for none. */
export type Choice = string | null | undefined;

const fresh = 'new';

const choiceOf = (segment: string | undefined): Choice => {
  if (segment === undefined) return undefined;
  return segment === fresh ? null : decodeURIComponent(segment);
};

/** A chat that is not loaded or that the search does not find; null if there is none. */
const useOther = (device: Device, wanted: string | null): Chat | null => {
  const { client } = useAccount();
  const path = wanted === null ? null : `/v1/devices/${device.id}/chats/${encodeURIComponent(wanted)}`;
  const loaded = useLoad(async () => {
    try {
      return await client.get<{ chat: Chat | null }>(path ?? '');
    } catch (error) {
      if (error instanceof ApiError && (error.code === 404 || error.code === 400)) return { chat: null };
      throw error;
    }
  }, path);
  const chat = loaded.value?.chat ?? null;
  return chat !== null && wanted !== null && isWith(chat, wanted) ? chat : null;
};

export interface Chosen {
  readonly chosen: Choice;
  readonly current: Conversation | null;
  /** `instead`: the same conversation under another address. */
  readonly choose: (choice: Choice, instead?: boolean) => void;
}

/**
 * Messages from others never change it, because that would change the recipient of a draft. `isWhole`: the conversations are all chats, so
 * no other one has to be loaded.
 */
export const useChosen = (device: Device, conversations: readonly Conversation[], isWhole: boolean): Chosen => {
  const [, , , segment] = useRoute();
  const chosen = choiceOf(segment);
  /** Stays open while a search does not find it. */
  const [last, setLast] = useState<Conversation | null>(null);
  const found = chosen == null ? undefined : conversations.find((one) => isWith(one, chosen));
  if (found !== undefined && found !== last) setLast(found);
  const kept = chosen != null && last !== null && isWith(last, chosen) ? last : null;
  const isElsewhere = !isWhole && chosen != null && found === undefined && kept === null;
  const other = useOther(device, isElsewhere ? chosen : null);
  const [known] = other === null ? [] : conversationsOf([other], []);
  const choose: Chosen['choose'] = (choice, instead) => {
    const name = choice === undefined ? '' : `/${choice === null ? fresh : encodeURIComponent(choice)}`;
    go(`/devices/${device.id}/chat${name}`, instead);
  };
  const current = found ?? kept ?? known ?? (chosen == null ? null : begun(chosen, []));
  return { chosen, current, choose };
};
