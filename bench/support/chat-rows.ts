/** Chats and messages of one device for `bench/chats.ts`, written through the store. */
import type { SessionChanges } from '../../src/domain/changes.ts';
import type { MessageRecord } from '../../src/domain/message.ts';
import type { Stores } from '../../src/domain/stores.ts';

export interface Size {
  readonly chats: number;
  readonly messages: number;
}

/** Messages per transaction, and chats whose other data is. */
const messagesAtOnce = 5_000;
const chatsAtOnce = 500;
const began = Date.UTC(2026, 0, 1);

export const jidOf = (chat: number): string => `${4_915_700_000_000 + chat}@s.whatsapp.net`;
const lidOf = (chat: number): string => `${900_000_000_000 + chat}@lid`;

const messageOf = (chat: number, n: number): MessageRecord => {
  const from = { chat: jidOf(chat), chatNumber: jidOf(chat).split('@')[0]!, chatLid: lidOf(chat) };
  const at = began + n * 1_000;
  return {
    id: `3A${String(n).padStart(18, '0')}`,
    ...from,
    direction: 'in',
    from: from.chat,
    fromNumber: from.chatNumber,
    fromLid: from.chatLid,
    pushName: `Person ${chat}`,
    isGroup: false,
    type: 'text',
    text: `Message ${n}, as long as a message mostly is, about lunch or the invoice`,
    quotedMessageId: null,
    media: null,
    content: null,
    state: 'delivered',
    timestamp: at,
    acceptedAt: null,
    deliveredAt: at,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
};

/** Spreads neighbours in the chat list over everything ordered by name. */
const chatAt = (turn: number, { chats }: Size): number => (turn * 7_919) % chats;

/** Chat by chat, and the newest message of each at the end, so that index pages are written together. */
function* messagesOf(size: Size): Generator<MessageRecord> {
  const each = Math.floor(size.messages / size.chats);
  for (let turn = 0; turn < size.chats; turn += 1)
    for (let round = 0; round < each - 1; round += 1) yield messageOf(chatAt(turn, size), round * size.chats + turn);
  for (let turn = 0; turn < size.chats; turn += 1) yield messageOf(chatAt(turn, size), (each - 1) * size.chats + turn);
}

/** With shared databases application state is written under a lease. */
const epochOf = async ({ cluster }: Stores, deviceId: number): Promise<number | null> => {
  if (cluster === null) return null;
  await cluster.leases.renew({ id: 'bench', url: 'http://127.0.0.1:1', draining: false });
  const given = await cluster.leases.acquire('bench', deviceId);
  return given.kind === 'held' ? given.lease.epoch : null;
};

const fillChats = async (stores: Stores, id: number, { chats }: Size): Promise<void> => {
  const epoch = await epochOf(stores, id);
  for (let chat = 0; chat < chats; chat += chatsAtOnce) {
    const numbers = Array.from({ length: chatsAtOnce }, (_, index) => chat + index);
    const changes = {
      contacts: numbers.map((n) => ({ jid: jidOf(n), lid: lidOf(n), pushName: `Person ${n}` })),
      appState: numbers
        .filter((n) => n % 20 === 0)
        .map((n) => ({ kind: 'archive' as const, jid: jidOf(n), value: { archived: true as const } })),
    } satisfies SessionChanges;
    await stores.changes.commit(id, changes, epoch);
    // Nine of ten are read.
    await stores.changes.commit(id, {
      chats: numbers.filter((n) => n % 10 !== 0).map((n) => ({ chat: jidOf(n), chatLid: lidOf(n), unread: 0 })),
    });
  }
  await stores.cluster?.leases.leave('bench');
};

export const fillDevice = async (stores: Stores, id: number, size: Size): Promise<void> => {
  let batch: MessageRecord[] = [];
  const write = async (): Promise<void> => {
    await stores.changes.commit(id, { messages: batch });
    batch = [];
  };
  for (const message of messagesOf(size)) if (batch.push(message) >= messagesAtOnce) await write();
  await write();
  await fillChats(stores, id, size);
};
