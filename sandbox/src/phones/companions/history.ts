/** The history a phone sends to a companion: newest chats and messages, old chats, LID mappings and privacy tokens. */
import { gzipSync } from 'node:zlib';
import { proto } from 'baileys';
import type { Account } from '../../base/types.ts';
import { addressee, isGroup } from '../context/address.ts';
import { type Message, type PhoneContext, type OldChats, messageId } from '../context/context.ts';
import { postToOwn } from '../sending/sending.ts';
import type { ViewMessage } from '../context/view.ts';

const peopleOf = ({ hub, account, view }: PhoneContext): ReadonlySet<Account> => {
  const people = new Set([account]);
  for (const chat of new Set(view.after(0).map((message) => message.chat))) {
    const person = hub.findAccount(chat);
    if (person !== null) people.add(person);
  }
  return people;
};

const user = (jid: string): number => Number(jid.split('@')[0]);

/** Gzipped, like real phones send it; whatsmeow and Baileys accept it uncompressed (both as of 2026-08). */
const mapping = (phone: PhoneContext): Message => ({
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC,
    lidMigrationMappingSyncMessage: {
      encodedMappingPayload: gzipSync(
        proto.LIDMigrationMappingSyncPayload.encode({
          pnToLidMappings: [...peopleOf(phone)].map(({ jid, lid }) => ({
            pn: user(jid),
            assignedLid: user(lid),
            latestLid: user(lid),
          })),
          chatDbMigrationTimestamp: Math.floor(Date.now() / 1000),
        }).finish(),
      ),
    },
  },
});

/** Sent to every companion when the phone migrates; later companions learn it from `pair-success`. */
export const tellMapping = async (phone: PhoneContext): Promise<void> => {
  const message = mapping(phone);
  for (const { id } of phone.account.devices.values()) {
    if (id !== 0) await postToOwn(phone, addressee(phone.account, id), messageId(), message);
  }
};

const maxChats = 20;
const maxMessages = 30;

const contentOf = (phone: PhoneContext, { id, text, type, edited }: ViewMessage): Message | null => {
  const bytes = edited ? undefined : (phone.content.get(id) ?? phone.sent.get(id)?.bytes);
  if (bytes !== undefined) return proto.Message.decode(bytes);
  return type === 'text' && text !== null ? { conversation: text } : null;
};

const status = ({ fromMe, state }: ViewMessage): proto.WebMessageInfo.Status => {
  const { SERVER_ACK, DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;
  if (!fromMe) return state === 'read' || state === 'played' ? READ : DELIVERY_ACK;
  if (state === 'played') return PLAYED;
  if (state === 'read') return READ;
  return state === 'delivered' ? DELIVERY_ACK : SERVER_ACK;
};

const infoOf = (phone: PhoneContext, shown: ViewMessage): proto.IWebMessageInfo | null => {
  const message = shown.revoked ? null : contentOf(phone, shown);
  if (message === null) return null;
  const { id, chat, fromMe, from, timestamp, pushName } = shown;
  return {
    key: { remoteJid: chat, fromMe, id, ...(isGroup(chat) && { participant: from }) },
    message,
    messageTimestamp: Math.floor(Date.parse(timestamp) / 1000),
    status: status(shown),
    ...(isGroup(chat) && { participant: from }),
    ...(pushName !== null && { pushName }),
  };
};

const unreadIn = (messages: readonly ViewMessage[]): number =>
  messages.filter(({ fromMe, state }) => !fromMe && state === 'received').length;

const conversationOf = (phone: PhoneContext, chat: string, messages: readonly ViewMessage[]): proto.IConversation => {
  const { lid, username } = phone.hub.findAccount(chat) ?? {};
  const timed = messages.findLast(({ system }) => system === 'timer');
  const newest = messages.toReversed().flatMap((message) => {
    const info = infoOf(phone, message);
    return info === null ? [] : [{ message: info }];
  });
  return {
    id: chat,
    messages: newest.slice(0, maxMessages),
    conversationTimestamp: Math.floor(Date.parse(messages.at(-1)!.timestamp) / 1000),
    unreadCount: unreadIn(messages),
    ...(lid !== undefined && { lidJid: lid, pnJid: chat }),
    ...(username && { username }),
    ...(timed !== undefined && {
      ephemeralExpiration: phone.timers.get(chat) ?? 0,
      ephemeralSettingTimestamp: Math.floor(Date.parse(timed.timestamp) / 1000),
    }),
  };
};

const chatsOf = ({ view }: PhoneContext): readonly (readonly [string, readonly ViewMessage[]])[] => {
  const chats = new Map<string, ViewMessage[]>();
  for (const message of view.after(0)) {
    const messages = chats.get(message.chat) ?? [];
    // Moves the chat to the end, as its newest message is later.
    chats.delete(message.chat);
    chats.set(message.chat, messages);
    messages.push(message);
    if (messages.length > maxMessages * 2) messages.splice(0, maxMessages);
  }
  return [...chats].toReversed().slice(0, maxChats);
};

/** The token given by the other side, and when this account gave its own. */
const tokenOf = ({ hub, account }: PhoneContext, other: Account): Partial<proto.IConversation> => {
  const given = hub.tokensOf(other).given.get(account);
  const own = hub.tokensOf(account).given.get(other);
  return {
    ...(given !== undefined && { tcToken: given.token, tcTokenTimestamp: given.at }),
    ...(own !== undefined && { tcTokenSenderTimestamp: own.at }),
  };
};

const oldMessage = (chat: string, n: number, at: number): proto.IHistorySyncMsg => ({
  message: {
    key: { remoteJid: chat, fromMe: n % 2 === 0, id: messageId() },
    message: { conversation: `Old message ${n}` },
    messageTimestamp: Math.floor(at / 1000),
    status: proto.WebMessageInfo.Status.READ,
  },
});

/** Migrated phones name chats by LID. */
const oldConversation = (phone: PhoneContext, { messages, at }: OldChats, other: Account): proto.IConversation => ({
  id: other.lid,
  pnJid: other.jid,
  messages: Array.from({ length: messages }, (_each, n) => oldMessage(other.lid, messages - n, at - n * 60_000)),
  conversationTimestamp: Math.floor(at / 1000),
  ...(other.username !== null && { username: other.username }),
  ...tokenOf(phone, other),
});

export interface Chunk {
  readonly kind: 'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL' | 'PUSH_NAME' | 'NON_BLOCKING_DATA' | 'ON_DEMAND';
  readonly chunkOrder: number;
  readonly progress: number;
  readonly conversations?: proto.IConversation[];
  readonly phoneNumberToLidMappings?: proto.IPhoneNumberToLIDMapping[];
  readonly pushnames?: proto.IPushname[];
  readonly nctSalt?: Uint8Array;
}

const maxChatsAChunk = 50;
/** Further chats are sent as `FULL`. */
const recentChats = 100;

interface OldChat {
  readonly past: OldChats;
  readonly other: Account;
}

/** One chunk at a time, as a long history does not fit into memory. */
function* chunked(phone: PhoneContext, kind: 'RECENT' | 'FULL', chats: readonly OldChat[]): Generator<Chunk> {
  const size = Math.min(maxChatsAChunk, ...chats.map(({ past }) => past.chatsAChunk ?? maxChatsAChunk));
  const count = Math.max(1, Math.ceil(chats.length / size));
  for (let n = 0; n < count; n += 1) {
    const part = chats.slice(n * size, (n + 1) * size);
    yield {
      kind,
      chunkOrder: n + 1,
      progress: Math.floor(((n + 1) * 100) / count),
      conversations: part.map(({ past, other }) => oldConversation(phone, past, other)),
    };
  }
}

const peopleIn = (phone: PhoneContext, chats: ReturnType<typeof chatsOf>): Set<Account> => {
  const people = new Set([phone.account]);
  for (const [, messages] of chats) {
    for (const { from, chat } of messages) {
      for (const jid of [from, chat]) {
        const account = isGroup(jid) ? null : phone.hub.findAccount(jid);
        if (account !== null) people.add(account);
      }
    }
  }
  return people;
};

const mappingOf = (accounts: Iterable<Account>): proto.IPhoneNumberToLIDMapping[] =>
  [...accounts].map(({ jid, lid }) => ({ pnJid: jid, lidJid: lid }));

/** Messages before the one a companion names, newest first, and whether there are more. */
export const chunkBefore = (
  phone: PhoneContext,
  { chatJid, oldestMsgId, onDemandMsgCount }: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): Chunk => {
  const chat = phone.hub.findAccount(chatJid ?? '')?.jid ?? chatJid ?? '';
  const shown = phone.view.after(0).filter((message) => message.chat === chat);
  const before = shown.slice(
    0,
    Math.max(
      0,
      shown.findIndex(({ id }) => id === oldestMsgId),
    ),
  );
  const wanted = before.slice(-(onDemandMsgCount || maxMessages));
  const { COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY: more, COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: end } =
    proto.Conversation.EndOfHistoryTransferType;
  const messages = wanted.toReversed().flatMap((message) => {
    const info = infoOf(phone, message);
    return info === null ? [] : [{ message: info }];
  });
  const conversation = { id: chat, messages, endOfHistoryTransferType: wanted.length < before.length ? more : end };
  return { kind: 'ON_DEMAND', chunkOrder: 1, progress: 100, conversations: [conversation] };
};

export function* chunksOf(phone: PhoneContext): Generator<Chunk> {
  const chats = chatsOf(phone);
  const people = peopleIn(phone, chats);
  const whole = { chunkOrder: 1, progress: 100 };
  const newest = chats.map(([chat, messages]) => {
    const other = isGroup(chat) ? null : phone.hub.findAccount(chat);
    return { ...conversationOf(phone, chat, messages), ...(other !== null && tokenOf(phone, other)) };
  });
  const old = phone.oldChats.flatMap((past): OldChat[] =>
    past.people.flatMap((number) => {
      const other = phone.hub.findAccount(number);
      return other === null ? [] : [{ past, other }];
    }),
  );
  const everybody = new Set([...people, ...old.map(({ other }) => other)]);
  const pushnames = [...everybody].map(({ jid, name }) => ({ id: jid, pushname: name }));
  const { nctSalt } = phone.appState;
  yield { kind: 'INITIAL_BOOTSTRAP', ...whole, conversations: newest, phoneNumberToLidMappings: mappingOf(people) };
  yield { kind: 'PUSH_NAME', ...whole, pushnames };
  yield { kind: 'NON_BLOCKING_DATA', ...whole, phoneNumberToLidMappings: mappingOf(everybody), nctSalt };
  yield* chunked(phone, 'RECENT', old.slice(0, recentChats));
  if (old.length > recentChats) yield* chunked(phone, 'FULL', old.slice(recentChats));
}
