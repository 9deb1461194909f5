/** One `<receipt>` per author: `read` informs the author, `read-self` only own devices, also where read receipts are off (whatsmeow `MarkRead`). */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Session } from '../session.ts';
import { asked, noAnswer } from '../socket/query.ts';

/** Per receipt; the network's apps send about a hundred. */
const maxIds = 256;
const ackMs = 10_000;

/** Resolves with the network's ack of a receipt; rejects on timeout. */
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
  const hear = ({ attrs }: BinaryNode): void => {
    if (attrs['id'] === id && attrs['type'] === type) finish(resolve);
  };
  const fail = (): void => finish(() => reject(noAnswer()));
  const timer = clock.after(ackMs, fail);
  const finish = (settle: () => void): void => {
    timer.cancel();
    whenEnded.delete(fail);
    stop();
    settle();
  };
  const stop = sock.stanzas.on('ack', hear, { class: 'receipt' });
  whenEnded.add(fail);
  promise.catch(() => {});
  return { done: promise };
};

const participantOf = async (session: Session, { chat, from, fromLid }: MessageRecord): Promise<Jid> => {
  const group = await session.storedGroups.current(chat).catch(() => null);
  return group?.addressing === 'phone' ? from : (fromLid ?? from);
};

const byWriter = async (
  session: Session,
  messages: readonly MessageRecord[],
): Promise<ReadonlyMap<Jid | undefined, string[]>> => {
  const writers = new Map<Jid | undefined, string[]>();
  for (const message of messages) {
    const writer = message.isGroup ? await participantOf(session, message) : undefined;
    const ids = writers.get(writer) ?? [];
    writers.set(writer, ids);
    ids.push(message.id);
  }
  return writers;
};

const privacyQuestion: BinaryNode = {
  tag: 'iq',
  attrs: { xmlns: 'privacy', to: S_WHATSAPP_NET, type: 'get' },
  content: [{ tag: 'privacy', attrs: {} }],
};

const shown = new WeakMap<Asking, Promise<boolean>>();
type Asking = Pick<Session['sock'], 'query'>;

const askIfShown = async (sock: Asking): Promise<boolean> => {
  const settings = getBinaryNodeChildren(getBinaryNodeChild(await sock.query(privacyQuestion), 'privacy'), 'category');
  return settings.find(({ attrs }) => attrs['name'] === 'readreceipts')?.attrs['value'] !== 'none';
};

/** As the privacy settings were at the first read receipt of the connection. */
const showsReadReceipts = (sock: Asking): Promise<boolean> => {
  const known = shown.get(sock);
  if (known !== undefined) return known;
  const asking = askIfShown(sock);
  shown.set(sock, asking);
  asking.catch(() => shown.delete(sock));
  return asking;
};

const readMark = (
  to: Jid,
  participant: Jid | undefined,
  [first = '', ...others]: readonly string[],
  type: string,
  now: number,
): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: first, t: String(Math.floor(now / 1_000)), to, ...(participant && { participant }), type },
  ...(others.length > 0 && {
    content: [{ tag: 'list', attrs: {}, content: others.map((id) => ({ tag: 'item', attrs: { id } })) }],
  }),
});

/** `tell`: inform the authors, if privacy settings allow it. */
export const markRead = async (
  session: Session,
  addressOf: (chat: Jid) => Promise<Jid>,
  messages: readonly MessageRecord[],
  tell: boolean,
): Promise<void> => {
  const [first] = messages;
  if (first === undefined) return;
  const { sock, deviceId, store, clock } = session;
  await asked(deviceId, {}, async () => {
    const shows = tell && (await showsReadReceipts(sock));
    const type = shows ? 'read' : 'read-self';
    const to = first.isGroup ? first.chat : await addressOf(first.chat);
    for (const [writer, ids] of await byWriter(session, messages)) {
      for (let from = 0; from < ids.length; from += maxIds) {
        const some = ids.slice(from, from + maxIds);
        const ack = acknowledged(session, some[0]!, type);
        await sock.sendNode(readMark(to, writer, some, type, clock.now()));
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
