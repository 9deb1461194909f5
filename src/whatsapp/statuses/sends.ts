/**
 * The account's statuses: encrypted once with its sender key of `status@broadcast`, and sent with the list of everybody who may see them.
 *
 * Rules (docs/real-network.md; not tried on the real network):
 * - `<message>`, not `<status>`, without `addressing_mode` and `phash`. Source: whatsapp-rust `send/status.rs`, after WhatsApp Web's
 *   `WAWebEncryptAndSendStatusMsg` (2026-08), zapo the same; contested: whatsmeow (2026-08-21) sends `phash`.
 * - People by LID only, and those without one are left out; by number only own devices get it (479, live). Devices
 *   without the sender key get it; people whose devices all have it are listed without a ciphertext (whatsapp-rust).
 * - The own LID is listed, or the own phone does not show the post (whatsmeow #1254, #698, WAHA #320).
 * - At most 5,000 people per stanza: further chunks have the same id and an ack each (WAHA #858, whatsmeow #800). The first has the own account.
 * - `<meta status_setting>` on posts only: with a revoke it is 479 (whatsapp-rust #569, live).
 */
import { Mutex } from 'async-mutex';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Jid } from '../../domain/jid.ts';
import { type StatusPrivacy, statusJid } from '../../domain/messages/statuses.ts';
import { invalidRequest } from '../../errors.ts';
import { getMessageReportingToken } from '../library/protocol.ts';
import type { Line } from '../socket/line.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { proto, writeRandomPadMax16 } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { deviceJid, type DeviceLists } from '../identity/addressing.ts';
import { meOf, plainJid } from '../identity/people.ts';
import { deviceIdentity, encNode, shapeOf } from '../send/message-stanza.ts';
import {
  type HandedOver,
  type Sealed,
  SenderKeys,
  type SenderKeysParts,
  takesSenderKeys,
} from '../send/sender-keys.ts';
import type { Acks } from '../send/server-ack.ts';

export interface StatusSendsParts extends SenderKeysParts {
  readonly creds: AuthenticationCreds;
  readonly line: Pick<Line, 'send'>;
  readonly devices: Pick<DeviceLists, 'of'>;
  readonly acks: Pick<Acks, 'wait'>;
}

export interface OutgoingStatus {
  readonly id: string;
  readonly message: proto.IMessage;
  /** Null: a revoke. */
  readonly privacy: StatusPrivacy['kind'] | null;
  /** LIDs, without the own one. */
  readonly audience: readonly Jid[];
}

const maxPeople = 5_000;
const listsTogether = 500;

const settings = { contacts: 'contacts', only: 'allowlist', except: 'denylist' } as const;

interface Chunk {
  /** LIDs; those of the first chunk include the own one. */
  readonly people: readonly Jid[];
  readonly recipients: number;
}

const chunksOf = (own: Jid, audience: readonly Jid[]): readonly Chunk[] => {
  const chunks: Chunk[] = [];
  for (let at = 0; at < audience.length || at === 0;) {
    const others = audience.slice(at, at + maxPeople - (at === 0 ? 1 : 0));
    chunks.push({ people: at === 0 ? [own, ...others] : others, recipients: others.length });
    at += Math.max(others.length, 1);
  }
  return chunks;
};

export class StatusSends {
  readonly #parts: StatusSendsParts;
  readonly #keys: SenderKeys;
  readonly #oneByOne = new Mutex();

  constructor(parts: StatusSendsParts) {
    this.#parts = parts;
    this.#keys = new SenderKeys(parts);
  }

  /** The device could not read a status, so the next one carries the sender key again. */
  forget(device: string): Promise<void> {
    return this.#keys.forget(statusJid, device);
  }

  /** Commits `changes` first. Resolves with the number of recipients the network accepted; rejects if it refuses the first chunk. */
  send(status: OutgoingStatus, changes: SessionChanges): Promise<number> {
    return this.#oneByOne.runExclusive(() => this.#send(status, changes));
  }

  async #send(status: OutgoingStatus, changes: SessionChanges): Promise<number> {
    const { creds } = this.#parts;
    const { lid } = meOf(creds);
    const meId = creds.me?.lid;
    if (lid === null || meId === undefined)
      throw invalidRequest(
        'The account has no LID yet, by which statuses are sent: open the app on its phone, and try again',
      );
    const bytes = proto.Message.encode(status.message).finish();
    const data = writeRandomPadMax16(bytes);
    const members = [lid, ...status.audience];
    const sealed = await this.#keys.turn.runExclusive(() =>
      this.#keys.seal(statusJid, { members, meId, data }, changes),
    );
    let reached = 0;
    for (const [index, chunk] of chunksOf(lid, status.audience).entries()) {
      try {
        await this.#sendChunk(status, chunk, sealed, bytes);
        reached += chunk.recipients;
      } catch (error) {
        if (index === 0) throw error;
        return reached;
      }
    }
    return reached;
  }

  async #sendChunk(status: OutgoingStatus, { people }: Chunk, sealed: Sealed, bytes: Uint8Array): Promise<void> {
    const devices = await this.#devicesOf(people);
    const handed = await this.#keys.turn.runExclusive(() => this.#keys.handOver(statusJid, sealed, devices));
    const stanza = await this.#stanza(status, people, sealed, handed, bytes);
    this.#parts.line.send([stanza]);
    try {
      await this.#parts.acks.wait(status.id, Promise.resolve());
    } catch (error) {
      this.#keys.refused(handed.distribution);
      throw error;
    }
    await this.#keys.taken(statusJid, handed.distribution);
  }

  async #devicesOf(people: readonly Jid[]): Promise<readonly string[]> {
    const devices: string[] = [];
    for (let at = 0; at < people.length; at += listsTogether) {
      const lists = await this.#parts.devices.of(people.slice(at, at + listsTogether));
      for (const list of lists) for (const device of list) if (takesSenderKeys(device)) devices.push(deviceJid(device));
    }
    return devices;
  }

  async #stanza(
    { id, message, privacy }: OutgoingStatus,
    people: readonly Jid[],
    { ciphertext }: Sealed,
    { keys }: HandedOver,
    bytes: Uint8Array,
  ): Promise<BinaryNode> {
    const { creds } = this.#parts;
    const { type, enc, edit } = shapeOf(message);
    const participants: BinaryNode[] = [];
    const named = new Set<Jid>();
    let begins = false;
    for (const { jid, payload } of keys) {
      participants.push({ tag: 'to', attrs: { jid }, content: [encNode(payload, enc)] });
      named.add(plainJid(jid));
      begins ||= payload.type === 'pkmsg';
    }
    for (const jid of people) if (!named.has(jid)) participants.push({ tag: 'to', attrs: { jid } });
    const key = { id, fromMe: true, remoteJid: meOf(creds).lid!, participant: statusJid };
    const reporting = privacy === null ? null : await getMessageReportingToken(Buffer.from(bytes), message, key);
    const content: BinaryNode[] = [
      { tag: 'participants', attrs: {}, content: participants },
      { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...enc }, content: ciphertext },
      ...(begins ? deviceIdentity(creds) : []),
      ...(privacy === null ? [] : [{ tag: 'meta', attrs: { status_setting: settings[privacy] } }]),
      ...(reporting === null ? [] : [reporting]),
    ];
    return { tag: 'message', attrs: { id, to: statusJid, type, ...edit }, content };
  }
}
