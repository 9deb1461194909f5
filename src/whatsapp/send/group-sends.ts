/**
 * Group messages: encrypted once with the account's sender key, which each member device gets with the first message after it joins. After a device
 * has left, the next message uses a new sender key, which all that remain get (`sender-keys.ts`).
 *
 * `phash`: whatsmeow `sendGroup`, zapo. The network answers with its own if the lists differ, and both are queried again.
 */
import { memberJids } from '../../domain/groups/changes.ts';
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { HandsetError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { type proto, writeRandomPadMax16 } from '../library/proto.ts';
import { getMessageReportingToken } from '../library/protocol.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { deviceJid, type DeviceLists, type FanOut } from '../identity/addressing.ts';
import { participantHash } from '../identity/hashes.ts';
import { meOf } from '../identity/people.ts';
import { deviceIdentity, encNode, shapeOf } from './message-stanza.ts';
import {
  type Distribution,
  type EncryptedForDevice,
  SenderKeys,
  type SenderKeysParts,
  takesSenderKeys,
} from './sender-keys.ts';

export interface GroupSendsParts extends SenderKeysParts {
  readonly creds: AuthenticationCreds;
  readonly devices: Pick<DeviceLists, 'of'>;
  readonly groupOf: (group: Jid) => Promise<KeptGroup>;
  readonly log: Logger;
}

export interface GroupMessage {
  readonly to: Jid;
  readonly message: proto.IMessage;
  readonly record: MessageRecord & { readonly content: Uint8Array };
  stored: boolean;
  sentTo?: FanOut;
  distribution?: Distribution;
}

interface Encrypted {
  readonly ciphertext: Uint8Array;
  readonly keys: readonly EncryptedForDevice[];
}

const communityWords = 'to is a community, which has no messages: its announcement group has them';

export class GroupSends {
  readonly #parts: GroupSendsParts;
  readonly #keys: SenderKeys;

  constructor(parts: GroupSendsParts) {
    this.#parts = parts;
    this.#keys = new SenderKeys(parts);
  }

  /** Returns the stanza once everything it promises is stored. */
  async prepare(outbound: GroupMessage): Promise<BinaryNode> {
    const { creds, groupOf, devices: lists } = this.#parts;
    const group = await groupOf(outbound.to);
    if (group.isCommunity) throw new HandsetError('InvalidRequest', communityWords, { reason: 'group_not_writable' });
    const members = memberJids(group);
    const devices = (await lists.of(members)).flat().filter(takesSenderKeys).map(deviceJid);
    const { phone, lid } = meOf(creds);
    const byLid = group.addressing === 'lid' && lid !== null;
    const meId = (byLid ? creds.me?.lid : creds.me?.id) ?? phone;
    outbound.sentTo = {
      wire: { to: outbound.to, peerPhone: null, own: byLid ? lid : phone },
      own: [],
      recipients: devices,
    };
    const encrypted = await this.#keys.turn.runExclusive(() => this.#encrypt(outbound, meId, members, devices));
    return this.#stanza(outbound, group, encrypted, participantHash(devices, meId));
  }

  /** The network has accepted it: its devices hold the sender key. */
  async taken({ to, distribution }: GroupMessage): Promise<void> {
    if (distribution !== undefined) await this.#keys.taken(to, distribution);
  }

  refused({ distribution }: GroupMessage): void {
    if (distribution !== undefined) this.#keys.refused(distribution);
  }

  /** A device could not read a message: the next one carries the sender key again. */
  forget(group: Jid, device: string): Promise<void> {
    return this.#keys.forget(group, device);
  }

  async #encrypt(
    outbound: GroupMessage,
    meId: string,
    members: readonly Jid[],
    devices: readonly string[],
  ): Promise<Encrypted> {
    const { deviceId, log } = this.#parts;
    const { to: group, record } = outbound;
    const changes = outbound.stored ? {} : { messages: [record] };
    const data = writeRandomPadMax16(record.content);
    const sealed = await this.#keys.seal(group, { members, meId, data }, changes);
    outbound.stored = true;
    const { keys, lacking, distribution } = await this.#keys.handOver(group, sealed, devices);
    if (lacking.length > 0 && keys.length === 0 && lacking.length === devices.length) {
      throw new Error('the message could be encrypted for no member of the group');
    }
    if (keys.length < lacking.length)
      log.warn({ deviceId, devices: lacking.length - keys.length }, 'a message to a group leaves without some devices');
    if (keys.length > 0) outbound.distribution = distribution;
    return { ciphertext: sealed.ciphertext, keys };
  }

  async #stanza(
    { to, message, record, sentTo }: GroupMessage,
    { addressing, expiresInSeconds }: KeptGroup,
    { ciphertext, keys }: Encrypted,
    phash: string,
  ): Promise<BinaryNode> {
    const { creds } = this.#parts;
    const { id } = record;
    const { type, enc, edit, meta } = shapeOf(message);
    const content: BinaryNode[] = [{ tag: 'enc', attrs: { v: '2', type: 'skmsg', ...enc }, content: ciphertext }];
    const participants = keys.map(({ jid, payload }) => ({
      tag: 'to',
      attrs: { jid },
      content: [encNode(payload, enc)],
    }));
    if (participants.length > 0) content.push({ tag: 'participants', attrs: {}, content: participants });
    if (keys.some(({ payload }) => payload.type === 'pkmsg')) content.push(...deviceIdentity(creds));
    const names = { fromMe: true, remoteJid: sentTo!.wire.own, participant: to };
    const reporting = await getMessageReportingToken(Buffer.from(record.content), message, { id, ...names });
    if (reporting !== null) content.push(reporting);
    content.push(...meta);
    const timer = expiresInSeconds === null ? {} : { expiration: String(expiresInSeconds) };
    const mode = { addressing_mode: addressing === 'lid' ? 'lid' : 'pn' };
    return { tag: 'message', attrs: { id, to, type, ...edit, ...timer, phash, ...mode }, content };
  }
}
