/** Which events an additional webhook wants (docs/spec/webhooks.md, Additional webhooks). */
import { spellingsOf } from '../chats/number-variants.ts';
import type { AnyKind, DeviceEvent } from '../event.ts';
import { type Jid, phoneJid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';
import type { AdditionalWebhook } from './additional.ts';

/** The part of a webhook that decides about an event. */
export interface WebhookInterest {
  readonly id: number;
  readonly deviceId: number | null;
  readonly kinds: ReadonlySet<AnyKind>;
  readonly only: ReadonlySet<Jid> | null;
  readonly except: ReadonlySet<Jid> | null;
  readonly ordered: boolean;
  readonly settleSeconds: number | null;
}

/** `null` filters: all chats. */
export const interestOf = ({
  id,
  deviceId,
  events,
  chats,
  ordered,
  settleSeconds,
}: AdditionalWebhook): WebhookInterest => ({
  id,
  deviceId,
  kinds: new Set(events),
  only: chats !== null && 'only' in chats ? new Set(chats.only.flatMap(spellingsOf)) : null,
  except: chats !== null && 'except' in chats ? new Set(chats.except.flatMap(spellingsOf)) : null,
  ordered,
  settleSeconds,
});

const ofPerson = ({ jid, number, lid }: Person): (Jid | null)[] => [
  jid,
  number === null ? null : phoneJid(number),
  lid,
];

const addressing = (data: {
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
}): (Jid | null)[] => [data.chat, data.chatNumber === null ? null : phoneJid(data.chatNumber), data.chatLid];

/** All addresses of the chat that an event is about; empty when it is about none. */
export const chatAddresses = (event: DeviceEvent): readonly (Jid | null)[] => {
  switch (event.type) {
    case 'message.received':
    case 'message.sent':
      return addressing(event.data.message);
    case 'message.updated':
    case 'message.deleted':
    case 'chat.settled':
    case 'chat.updated':
      return addressing(event.data);
    case 'contact.updated':
      return ofPerson(event.data);
    case 'call': {
      const { from, fromNumber, fromLid } = event.data;
      return [from, fromNumber === null ? null : phoneJid(fromNumber), fromLid];
    }
    case 'chat.presence': {
      const { chat, person } = event.data;
      return chat.endsWith('@g.us') ? [chat] : [chat, ...ofPerson(person)];
    }
    case 'history.loaded':
      return [event.data.chat];
    case 'group.updated':
    case 'group.joined':
    case 'group.left':
      return [event.data.group];
    default:
      return [];
  }
};

/** Events about no chat pass every filter. */
const passesFilter = (
  { only, except }: Pick<WebhookInterest, 'only' | 'except'>,
  addresses: readonly (Jid | null)[],
): boolean => {
  if (addresses.every((address) => address === null)) return true;
  const isIn = (list: ReadonlySet<Jid>): boolean => addresses.some((address) => address !== null && list.has(address));
  return only === null ? except === null || !isIn(except) : isIn(only);
};

/** Whether it wants events of a kind from the chat of this event. */
export const isInterestedIn = (
  interest: WebhookInterest,
  deviceId: number,
  kind: AnyKind,
  event: DeviceEvent,
): boolean =>
  (interest.deviceId === null || interest.deviceId === deviceId) &&
  interest.kinds.has(kind) &&
  passesFilter(interest, chatAddresses(event));

export const isWanted = (interest: WebhookInterest, deviceId: number, event: DeviceEvent): boolean =>
  (event.type !== 'chat.settled' || event.data.settleSeconds === interest.settleSeconds) &&
  isInterestedIn(interest, deviceId, event.type, event);
