/**
 * Statuses of contacts and the own phone, and reactions to own ones; acked and dropped unless the setting asks for them (`receive/inbound.ts`).
 * Each is acked with its own class, whatever happens: a refused one held back all that waited. Then a delivery receipt, never `inactive`,
 * with `context="status"` (whatsapp-rust `receipt.rs`, 2026-08). An undecryptable one is requested again: its sender key may have been
 * dropped while the setting was off.
 */
import { Mutex } from 'async-mutex';
import type { SessionChanges, Report } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import type { StatusStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { statusJid, type StatusChange } from '../../domain/messages/statuses.ts';
import type { Line } from '../socket/line.ts';
import { type BinaryNode, buildAckStanza } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Earlier } from '../socket/socket.ts';
import { meOf, isMe, jidsIn, maxReaders, type Me, type Peek, personOf } from '../identity/people.ts';
import { type DecryptParts, decryptAll, encsIn } from '../receive/ciphertexts.ts';
import { keptOf } from '../receive/message-reader.ts';
import type { RetryRequests } from '../receive/retry-requests.ts';
import type { OnPlaintext } from '../signal/inbox.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { decodeMessage, unpadded } from '../translate/parts/decode.ts';
import { Budget } from '../translate/parts/limits.ts';
import { contentBytes, plainId, timeOf } from '../translate/parts/envelope.ts';
import { maxIds } from '../translate/receipt.ts';
import { type StatusContext, translateStatus } from './translate.ts';

export interface StatusIntakeParts extends DecryptParts {
  readonly deviceId: number;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly creds: AuthenticationCreds;
  readonly statuses: Pick<StatusStore, 'find'>;
  readonly lidMapping: LidMapping;
  readonly retries: Pick<RetryRequests, 'requestFor'>;
  readonly settings: Pick<DeviceSettings, 'statuses'>;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
}

const maxRetries = 2;
/** Beyond this many waiting ones they are dropped: statuses last a day, and chats come first. */
const maxWaiting = 2_000;
const maxWaitingBytes = 16 * 1_048_576;

export class StatusIntake {
  readonly #parts: StatusIntakeParts;
  readonly #turn = new Mutex();
  readonly #asked = boundedCache<number>(2_000);
  #waiting = 0;
  #waitingBytes = 0;
  isWanted: boolean;

  constructor(parts: StatusIntakeParts) {
    this.#parts = parts;
    this.isWanted = parts.settings.statuses === 'received';
  }

  /** False if the caller must ack it. `earlier`: messages before it, which may carry the sender key. */
  take(node: BinaryNode, earlier: Earlier): boolean {
    if (!this.isWanted || node.attrs.from !== statusJid) return false;
    if (this.#waiting >= maxWaiting || this.#waitingBytes >= maxWaitingBytes) return false;
    const bytes = contentBytes(node);
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    const before = earlier();
    void this.#turn
      .runExclusive(async () => {
        await before;
        if (this.#parts.sock.isOpen) await this.#read(node);
      })
      .catch((error: unknown) => this.#parts.onStoreFailure(error))
      .finally(() => {
        this.#waiting -= 1;
        this.#waitingBytes -= bytes;
      });
    return true;
  }

  /** Not acked if the connection ends meanwhile, as it does if the store fails. */
  async #read(node: BinaryNode): Promise<void> {
    const { sock, line, creds, retries } = this.#parts;
    const { id, participant, type } = node.attrs;
    const answers: BinaryNode[] = [buildAckStanza(node, undefined, creds.me?.id)];
    if (id !== undefined && participant !== undefined) {
      const isRead = await this.#decrypt({ ...node, tag: 'message' }, participant);
      if (!sock.isOpen) return;
      const fromMe = isMe(meOf(creds), participant);
      const receipt = { id, to: statusJid, participant, context: 'status' };
      if (isRead && !fromMe && type !== 'reaction') answers.push({ tag: 'receipt', attrs: receipt });
      const count = isRead ? null : this.#nextTry(`${id} ${participant}`);
      if (count !== null) answers.push(await retries.requestFor(node, count));
    }
    if (sock.isOpen) line.sendInPassing(answers);
  }

  #nextTry(name: string): number | null {
    const count = (this.#asked.get(name) ?? 0) + 1;
    this.#asked.set(name, count);
    return count <= maxRetries ? count : null;
  }

  /** True if all of it was decrypted. */
  async #decrypt(stanza: BinaryNode, authorJid: string): Promise<boolean> {
    const { lidMapping } = this.#parts;
    for (const jid of jidsIn(stanza)) if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
    const origin = { author: authorJid, group: statusJid };
    return (await decryptAll(this.#parts, encsIn(stanza), origin, this.#reader(stanza))) !== null;
  }

  readonly #find: StatusContext['find'] = async (id) => {
    const { deviceId, statuses, onStoreFailure } = this.#parts;
    try {
      return await statuses.find(deviceId, id);
    } catch (error) {
      // Ends the connection, so that the stanza is redelivered.
      onStoreFailure(error);
      throw error;
    }
  };

  #reader(stanza: BinaryNode): OnPlaintext {
    const { creds, lidMapping, clock, log } = this.#parts;
    return async ({ plaintext }) => {
      const bytes = unpadded(plaintext);
      const context = { me: meOf(creds), peek: lidMapping.peek, now: clock.now(), find: this.#find };
      let changes: SessionChanges = {};
      try {
        const budget = new Budget(bytes.length);
        const decoded = budget.run(() => decodeMessage(bytes));
        const message = decoded.deviceSentMessage?.message ?? decoded;
        changes = await translateStatus(stanza, message, bytes, { ...context, budget });
      } catch (error) {
        log.error({ kind: 'status', error: messageOf(error) }, 'failed to translate a stanza');
      }
      return { ...changes, keys: lidMapping.changesOf(stanza), instead: keptOf(bytes) };
    };
  }
}

const childrenOf = ({ content }: BinaryNode, tag: string): readonly BinaryNode[] =>
  Array.isArray(content) ? content.filter((child) => child.tag === tag) : [];

interface Context {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  readonly find: (id: string) => ReturnType<StatusStore['find']>;
  readonly isTold: boolean;
}

/** One receipt reports many people, with the status in `message_id` and each one's step (whatsmeow #1270, 2026-09-20, live). */
export const viewersIn = async (receipts: readonly BinaryNode[], context: Context): Promise<SessionChanges> => {
  const { me, peek, now, find, isTold } = context;
  const statuses: StatusChange[] = [];
  const facts: Report[] = [];
  for (const receipt of receipts) {
    if (receipt.attrs.class !== 'status') continue;
    for (const list of childrenOf(receipt, 'participants').slice(0, maxIds)) {
      const id = plainId(list.attrs['message_id'] ?? '');
      if ((await find(id))?.message.direction !== 'out') continue;
      for (const user of childrenOf(list, 'user').slice(0, maxReaders)) {
        const { jid, type } = user.attrs;
        if (jid === undefined || isMe(me, jid)) continue;
        const [person, at] = [personOf(peek, jid), timeOf(user, now)];
        if (type !== 'read') {
          statuses.push({ kind: 'seen', id, person, deliveredAt: at });
          continue;
        }
        statuses.push({ kind: 'seen', id, person, viewedAt: at });
        if (isTold) facts.push({ event: { type: 'status.viewed', data: { statusId: id, by: person } }, at });
      }
    }
  }
  return { statuses, facts };
};
