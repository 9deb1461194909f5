/** Incoming status posts, revokes and likes, and who received and viewed the phone's own posts. */
import { type BinaryNode, getBinaryNodeChildren } from 'baileys';
import { chatName } from '../context/address.ts';
import type { Message, PhoneContext } from '../context/context.ts';
import { STATUS, type ViewStatus } from '../context/statuses.ts';
import { contentOf, decrypt, type Delivery, deliveryOf } from '../reading/decrypt.ts';
import { read } from '../reading/read.ts';
import { viewOf } from '../sending/statuses.ts';
import type { Retries } from './retries.ts';

const change = (phone: PhoneContext, id: string, made: (status: ViewStatus) => Partial<ViewStatus> | null): void => {
  const status = phone.statuses.get(id);
  const members = status === undefined ? null : made(status);
  if (status !== undefined && members !== null) phone.statuses.set(id, { ...status, ...members });
};

const show = async (phone: PhoneContext, { node, id, author, fromMe }: Delivery, message: Message): Promise<void> => {
  const { jid: from } = author.account;
  const reading = await read(message, phone);
  if (reading.kind === 'revoke')
    return change(phone, reading.id, (status) => (status.from === from ? { revoked: true } : null));
  if (reading.kind === 'reaction')
    return change(phone, reading.id, ({ likes }) => {
      const others = likes.filter((like) => like.from !== from);
      return { likes: reading.emoji === '' ? others : [...others, { from, emoji: reading.emoji }] };
    });
  if (reading.kind !== 'shown' || phone.statuses.has(id)) return;
  const at = Number(node.attrs['t']) * 1_000 || Date.now();
  phone.statuses.set(id, await viewOf(phone, message, { id, from, fromMe, at }));
};

export const takeStatus = async (phone: PhoneContext, node: BinaryNode, retries: Retries): Promise<void> => {
  const delivery = deliveryOf(phone, node);
  if (delivery === null) return;
  const { id, fromMe } = delivery;
  try {
    await show(phone, delivery, contentOf(await decrypt(phone, delivery)));
    phone.counters.received += 1;
  } catch {
    phone.counters.decryptFailures += 1;
    return retries.ask(node);
  }
  const { participant = '' } = node.attrs;
  if (phone.behaviour.deliverReceipts && !fromMe && node.attrs['type'] !== 'reaction')
    phone.line.tell({ tag: 'receipt', attrs: { id, to: STATUS, participant, context: 'status' } });
  phone.changed();
};

export const takeStatusReceipt = (phone: PhoneContext, node: BinaryNode): void => {
  for (const list of getBinaryNodeChildren(node, 'participants')) {
    for (const { attrs } of getBinaryNodeChildren(list, 'user')) {
      const from = chatName(phone.hub, attrs['jid'] ?? '');
      change(phone, list.attrs['message_id'] ?? '', ({ viewers }) => {
        const before = viewers.find((viewer) => viewer.from === from);
        const state = attrs['type'] === 'read' || before?.state === 'read' ? 'read' : 'delivered';
        return { viewers: [...viewers.filter((viewer) => viewer !== before), { from, state }] };
      });
    }
  }
  phone.changed();
};
