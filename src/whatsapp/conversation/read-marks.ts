/**
 * Read marks: one `<receipt>` for each writer, as stock Baileys sends them (`sendReceipts`). Type `read` tells the writer and the own devices,
 * `read-self` the own devices alone; the latter is also what an account that shows no read receipts sends (Baileys `readMessages`, whatsmeow `MarkRead`).
 */
import type { BinaryNode } from '../engine/nodes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Session } from '../session.ts';
import { asked, noAnswer } from '../engine/asked.ts';

/** Ids in one receipt; the network's apps send some hundred. */
const maxIds = 256;
const ackMs = 10_000;

/** Resolves with the network's acknowledgement of a receipt; rejects when none comes in time. */
const acknowledged = (
  {
    sock,
    clock,
    whenEnded,
  }: { readonly sock: Session['sock']; readonly clock: Clock; readonly whenEnded: Session['whenEnded'] },
  id: string,
  type: string,
): { readonly done: Promise<void> } => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const event = `CB:ack,class:receipt`;
  const hear = ({ attrs }: BinaryNode): void => {
    if (attrs['id'] === id && attrs['type'] === type) finish(resolve);
  };
  const fail = (): void => finish(() => reject(noAnswer()));
  const timer = clock.after(ackMs, fail);
  const finish = (settle: () => void): void => {
    timer.cancel();
    whenEnded.delete(fail);
    sock.ws.off(event, hear);
    settle();
  };
  sock.ws.on(event, hear);
  whenEnded.add(fail);
  promise.catch(() => {});
  return { done: promise };
};

/** The writer as the group's stanzas name them. */
const participantOf = async (link: Session, { chat, from, fromLid }: MessageRecord): Promise<Jid> => {
  const group = await link.groupKeeper.current(chat).catch(() => null);
  return group?.addressing === 'phone' ? from : (fromLid ?? from);
};

const byWriter = async (
  link: Session,
  messages: readonly MessageRecord[],
): Promise<ReadonlyMap<Jid | undefined, string[]>> => {
  const writers = new Map<Jid | undefined, string[]>();
  for (const message of messages) {
    const writer = message.isGroup ? await participantOf(link, message) : undefined;
    const ids = writers.get(writer) ?? [];
    writers.set(writer, ids);
    ids.push(message.id);
  }
  return writers;
};

/** `tell`: the writers, too, if the account's own privacy settings show read receipts. */
export const markRead = async (
  link: Session,
  addressOf: (chat: Jid) => Promise<Jid>,
  messages: readonly MessageRecord[],
  tell: boolean,
): Promise<void> => {
  const [first] = messages;
  if (first === undefined) return;
  const { sock, deviceId, store, clock } = link;
  await asked(deviceId, {}, async () => {
    const shows = tell && (await sock.fetchPrivacySettings())['readreceipts'] !== 'none';
    const type = shows ? 'read' : 'read-self';
    const to = first.isGroup ? first.chat : await addressOf(first.chat);
    for (const [writer, ids] of await byWriter(link, messages)) {
      for (let from = 0; from < ids.length; from += maxIds) {
        const some = ids.slice(from, from + maxIds);
        const ack = acknowledged(link, some[0]!, type);
        await sock.sendReceipt(to, writer, some, type);
        await ack.done;
      }
    }
  });
  const step = { state: 'read', at: clock.now() } as const;
  const newestFirst = messages.toSorted((one, other) => other.timestamp - one.timestamp);
  await store.commit(deviceId, {
    messageChanges: messages.map(({ id, chat }) => ({ messageId: id, chat, step })),
    // The chat counts what came after the newest of them.
    chats: [{ chat: first.chat, read: newestFirst.map(({ id }) => id) }],
  });
};
