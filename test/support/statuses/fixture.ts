/** Statuses on a network that accepts every act, and a call of every operation on them. */
import type { ChangeStore } from '../../../src/domain/stores.ts';
import { type Statuses, type StatusRecord, statusJid, statusLifeMs } from '../../../src/domain/messages/statuses.ts';
import { jidUser } from '../../../src/domain/jid.ts';

const taken = async (): Promise<void> => {};

export const quietStatuses: Statuses = {
  privacy: async () => ({ kind: 'contacts' }),
  post: async ({ audience }) => audience.length,
  remove: taken,
  view: taken,
  react: taken,
};

/** A text; `direction` out: of the account itself. */
export const statusOf = (
  id: string,
  direction: 'in' | 'out',
  { from = '4915112345678@s.whatsapp.net', at = Date.now(), text = 'hello' } = {},
): StatusRecord => ({
  message: {
    id,
    chat: statusJid,
    chatNumber: null,
    chatLid: null,
    direction,
    isGroup: true,
    pushName: null,
    from,
    fromNumber: jidUser(from),
    fromLid: null,
    type: 'text',
    text,
    quotedMessageId: null,
    media: null,
    content: Buffer.from(text),
    state: 'accepted',
    timestamp: at,
    acceptedAt: at,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  },
  background: '#1f7aec',
  font: 2,
  expiresAt: at + statusLifeMs,
  acceptedAt: direction === 'out' ? at : null,
  deletedAt: null,
  recipients: direction === 'out' ? 2 : null,
});

/** One own status that was seen, one of a contact, and that contact in the address book. */
export const statusesFor = async (changes: ChangeStore, device: number, person: string): Promise<void> => {
  const lid = '123456789012345@lid';
  await changes.commit(device, {
    appState: [{ kind: 'contact', jid: person, value: { name: 'Bob', firstName: null, lid } }],
    statuses: [
      { kind: 'new', status: statusOf('OWN', 'out'), audience: [lid] },
      { kind: 'new', status: statusOf('THEIRS', 'in', { from: person }), audience: null },
      { kind: 'seen', id: 'OWN', person: { jid: person, number: jidUser(person), lid }, viewedAt: Date.now() },
    ],
  });
};

/** Calls of every operation that answers in JSON, on what `statusesFor` has made. */
export const statusCalls = (id: number) =>
  ({
    postStatus: [id, { text: 'x', audience: 'contacts' }],
    listStatuses: [id],
    listStatusViewers: [id, undefined, 'OWN'],
    viewStatus: [id, undefined, 'THEIRS'],
    setStatusReaction: [id, { reaction: '💚' }, 'THEIRS'],
    deleteStatus: [id, undefined, 'OWN'],
  }) as const;
