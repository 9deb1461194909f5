/** A receiver of webhooks in a process of its own, which counts the last one of each message: received, or delivered to the peer. */
import { serveCommands } from '../test/system/support/child.ts';
import { Count } from '../test/system/support/count.ts';
import { hearPosts } from '../test/system/support/posts.ts';

interface Receipt {
  readonly userJid: string;
  readonly receiptTimestamp?: unknown;
}

interface Body {
  readonly type: string;
  readonly data: {
    /** Of Handset's `message.updated`, and of Baileys' `messages.update`. */
    readonly update?: { readonly status?: string | number };
    readonly key?: { readonly id: string; readonly fromMe?: boolean };
    readonly status?: string | number;
    /** Of Baileys: members of a group, each in a post of its own or with the text. */
    readonly receipt?: Receipt;
    readonly userReceipt?: readonly Receipt[];
  };
}

/** Baileys' DELIVERY_ACK. */
const delivered = 3;
const come = new Count();
const members = new Set<string>();

const isLast = ({ type, data: { update, key, status } }: Body): boolean => {
  if (type === 'message.received') return true;
  // Baileys may tell a text of its own once, with what has become of it meanwhile.
  if (type === 'messages.upsert') return key?.fromMe === false || status === 'DELIVERY_ACK';
  return update?.status === 'delivered' || update?.status === delivered;
};

const hear = (body: Body): void => {
  const { key, receipt, userReceipt = receipt === undefined ? [] : [receipt] } = body.data;
  for (const { userJid, receiptTimestamp } of userReceipt) {
    const member = `${key?.id} ${userJid}`;
    if (receiptTimestamp === undefined || members.has(member)) continue;
    members.add(member);
    come.add();
  }
  if (userReceipt.length === 0 && isLast(body)) come.add();
};

serveCommands({
  start: () =>
    hearPosts((_, body) => {
      hear(JSON.parse(body) as Body);
      return true;
    }),
  heard: (more: number) => come.more(more),
});
