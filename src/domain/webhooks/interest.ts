/** Which events a webhook receives (docs/spec/webhooks.md, Additional webhooks). */
import { spellingsOf } from '../chats/recipient.ts';
import type { AnyKind, DeviceEvent } from '../event.ts';
import { type Jid, phoneJid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';
import type { Webhook } from './webhook.ts';

export interface WebhookInterest {
  readonly id: number;
  readonly deviceId: number | null;
  readonly kinds: ReadonlySet<AnyKind>;
  readonly only: ReadonlySet<Jid> | null;
  readonly except: ReadonlySet<Jid> | null;
  readonly ordered: boolean;
  readonly settleSeconds: number | null;
}

export const interestOf = (
  webhook: Pick<Webhook, 'id' | 'deviceId' | 'events' | 'chats' | 'ordered' | 'settleSeconds'>,
): WebhookInterest => {
  const { id, deviceId, events, chats, ordered, settleSeconds } = webhook;
  return {
    id,
    deviceId,
    kinds: new Set(events),
    only: chats !== null && 'only' in chats ? new Set(chats.only.flatMap(spellingsOf)) : null,
    except: chats !== null && 'except' in chats ? new Set(chats.except.flatMap(spellingsOf)) : null,
    ordered,
    settleSeconds,
  };
};

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

export const chatAddresses = (event: DeviceEvent): readonly (Jid | null)[] => {
  switch (event.type) {
    case 'message.received':
    case 'message.sent':
      return addressing(event.data.message);
    case 'message.updated':
    case 'message.deleted':
    case 'chat.settled':
    case 'chat.updated':
    case 'chat.cleared':
    case 'chat.deleted':
      return addressing(event.data);
    case 'contact.updated':
      return ofPerson(event.data);
    case 'call': {
      const { from, fromNumber, fromLid } = event.data;
      return [from, fromNumber === null ? null : phoneJid(fromNumber), fromLid];
    }
    case 'status.received': {
      const { from, fromNumber, fromLid } = event.data.status;
      return [from, fromNumber === null ? null : phoneJid(fromNumber), fromLid];
    }
    case 'status.deleted':
    case 'status.viewed':
      return ofPerson(event.data.by);
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
    case 'channel.message':
    case 'channel.message.updated':
    case 'channel.updated':
      return [event.data.channel];
    default:
      return [];
  }
};

/** Events without a chat pass every filter. */
export const isInterestedIn = (
  { deviceId: own, kinds, only, except }: WebhookInterest,
  deviceId: number,
  kind: AnyKind,
  event: DeviceEvent,
): boolean => {
  if ((own !== null && own !== deviceId) || !kinds.has(kind)) return false;
  if (only === null && except === null) return true;
  const addresses = chatAddresses(event).filter((address) => address !== null);
  if (addresses.length === 0) return true;
  return only === null ? !addresses.some((each) => except!.has(each)) : addresses.some((each) => only.has(each));
};

export const isWanted = (interest: WebhookInterest, deviceId: number, event: DeviceEvent): boolean =>
  (event.type !== 'chat.settled' || event.data.settleSeconds === interest.settleSeconds) &&
  isInterestedIn(interest, deviceId, event.type, event);
