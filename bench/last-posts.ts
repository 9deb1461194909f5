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
    readonly key?: { readonly id: string; readonly remoteJid: string; readonly fromMe?: boolean };
    readonly status?: string | number;
    /** Of Baileys: members of a group, each in a post of its own or with the text. */
    readonly receipt?: Receipt;
    readonly userReceipt?: readonly Receipt[];
  };
}

/** Baileys' SERVER_ACK and DELIVERY_ACK, as it says them in updates and in messages. */
const accepted: ReadonlySet<unknown> = new Set([2, 3, 'SERVER_ACK', 'DELIVERY_ACK']);
const come = new Count();
const members = new Set<string>();
const told = new Set<string>();

/**
 * Baileys tells what has become of its own message once or twice, and merges what comes together: of a receipt and a later acknowledgement, the
 * acknowledgement alone. So the first of them counts as its last, in its favour.
 */
const isFirstOf = ({ id, remoteJid }: { readonly id: string; readonly remoteJid: string }): boolean => {
  if (remoteJid.endsWith('@g.us') || told.has(id)) return false;
  told.add(id);
  return true;
};

const isLast = ({ type, data: { update, key, status } }: Body): boolean => {
  if (key === undefined) return type === 'message.received' || update?.status === 'delivered';
  if (type === 'messages.upsert' && key.fromMe === false) return true;
  const isAccepted =
    type === 'messages.upsert' ? typeof status === 'string' && accepted.has(status) : accepted.has(update?.status);
  return isAccepted && isFirstOf(key);
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
