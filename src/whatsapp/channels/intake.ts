/**
 * Channel posts and notices, acked and dropped unless the device's setting asks for them. Posts get no receipt, as nobody is told of it.
 * Thousands may come a day: waiting posts are committed together, with turns for chats in between, and dropped beyond a bound, as the
 * network keeps them (`GET …/channels/{channel}/messages`).
 */
import { setImmediate } from 'node:timers/promises';
import type { Channel, ChannelRole, ChannelUpdate } from '../../domain/channels/channel.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Report } from '../../domain/changes.ts';
import type { Jid } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { type BinaryNode, buildAckStanza, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import type { Line } from '../socket/line.ts';
import { mexData } from '../socket/mex.ts';
import type { SessionStore } from '../state/session-store.ts';
import { contentBytes, timeOf } from '../translate/parts/envelope.ts';
import type { LiveCounters } from './live-counters.ts';
import { jidIn, stateIn, wordsIn, countersOf, postOf, serverIdIn } from './read-channel.ts';

export interface ChannelIntakeParts {
  readonly deviceId: number;
  readonly sock: Pick<Socket, 'isOpen'>;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly creds: Pick<AuthenticationCreds, 'me'>;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly settings: Pick<DeviceSettings, 'channels'>;
  readonly list: () => Promise<readonly Pick<Channel, 'jid' | 'role'>[]>;
  readonly counters: Pick<LiveCounters, 'set' | 'renew'>;
  readonly onStoreFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxTogether = 64;
/** Posts whose counters are told together; the network tells those of the newest few. */
const maxCounted = 1_000;
const maxWaiting = 5_000;
const maxWaitingBytes = 16 * 1_048_576;
const maxRoles = 2_000;
const rolesLastMs = 3_600_000;

const channelServer = '@newsletter';
const maxJid = 64;

const EDIT = '3';
const REVOKE = '8';

export class ChannelIntake {
  readonly #parts: ChannelIntakeParts;
  readonly #roles = boundedCache<ChannelRole>(maxRoles, rolesLastMs);
  #listedAt = Number.NEGATIVE_INFINITY;
  #waiting: BinaryNode[] = [];
  #waitingBytes = 0;
  #running = false;
  #dropped = 0;
  wanted: DeviceSettings['channels'];

  constructor(parts: ChannelIntakeParts) {
    this.#parts = parts;
    this.wanted = parts.settings.channels;
  }

  want(wanted: DeviceSettings['channels']): void {
    this.wanted = wanted;
    this.#parts.counters.set(wanted);
  }

  made(): void {
    this.#parts.counters.renew();
  }

  /** False if the caller must ack it. */
  take(node: BinaryNode): boolean {
    if (this.wanted === 'none') return false;
    if (this.#waiting.length >= maxWaiting || this.#waitingBytes >= maxWaitingBytes) {
      this.#dropped += 1;
      return false;
    }
    this.#waiting.push(node);
    this.#waitingBytes += contentBytes(node);
    if (!this.#running) void this.#run();
    return true;
  }

  async #run(): Promise<void> {
    const { sock, onStoreFailure, log, deviceId } = this.#parts;
    this.#running = true;
    // Stanzas of one packet are delivered within one turn.
    await setImmediate();
    while (this.#waiting.length > 0 && sock.isOpen) {
      const next = this.#waiting.splice(0, maxTogether);
      for (const node of next) this.#waitingBytes -= contentBytes(node);
      try {
        await this.#together(next);
      } catch (error) {
        onStoreFailure(error);
        break;
      }
      await setImmediate();
    }
    // Unacknowledged posts are redelivered.
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#running = false;
    if (this.#dropped > 0)
      log.warn({ deviceId, posts: this.#dropped }, 'posts of channels came too fast, and were dropped');
    this.#dropped = 0;
  }

  /** Rejects if the store fails. */
  async #together(nodes: readonly BinaryNode[]): Promise<void> {
    const { deviceId, store, sock, line, creds } = this.#parts;
    await this.#learnRoles(nodes);
    const facts = nodes.flatMap((each) => this.#readable(each) ?? []);
    if (facts.length > 0) await store.commit(deviceId, { facts });
    if (sock.isOpen) line.sendInPassing(nodes.map((each) => buildAckStanza(each, undefined, creds.me?.id)));
  }

  async #learnRoles(nodes: readonly BinaryNode[]): Promise<void> {
    const { list, clock, log } = this.#parts;
    const isKnown = nodes.every(({ attrs }) => this.#roles.get(attrs.from ?? '') !== undefined);
    if (isKnown || clock.now() - this.#listedAt < rolesLastMs) return;
    this.#listedAt = clock.now();
    try {
      for (const { jid, role } of await list()) this.#roles.set(jid, role);
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'which channels the account has is not known');
    }
  }

  #isOwn({ attrs }: BinaryNode): boolean {
    const role = this.#roles.get(attrs.from ?? '');
    return attrs['is_sender'] === 'true' || role === 'owner' || role === 'admin';
  }

  /** An unreadable post is acked, too: otherwise it would be redelivered again and again. */
  #readable(node: BinaryNode): Report | null {
    try {
      return this.#factOf(node);
    } catch (error) {
      this.#parts.log.debug({ error: messageOf(error) }, 'a post of a channel could not be read');
      return null;
    }
  }

  #factOf(node: BinaryNode): Report | null {
    const { from: channel = '', edit, id = '' } = node.attrs;
    const serverId = serverIdIn(node);
    if (serverId === null || channel.length > maxJid) return null;
    const own = this.#isOwn(node);
    if (this.wanted === 'own' && !own) return null;
    const { clock } = this.#parts;
    const post = postOf(node, serverId, clock.now());
    if (edit === EDIT || edit === REVOKE) {
      const update: ChannelUpdate = edit === REVOKE ? { deleted: true } : { text: post.text };
      const event = { type: 'channel.message.updated', data: { channel, serverId, update } } as const;
      const editedAt = getBinaryNodeChild(node, 'meta')?.attrs['msg_edit_t'] ?? node.attrs.t ?? '';
      return { event, at: timeOf(node, clock.now()), id: `${edit} ${editedAt}` };
    }
    const event = { type: 'channel.message', data: { channel, own, message: post } } as const;
    return { event, at: post.timestamp, id };
  }

  /** Counters of posts; sent to devices that asked for them. */
  async counters(node: BinaryNode): Promise<void> {
    const { deviceId, store, clock } = this.#parts;
    const { from: channel = '', id = '' } = node.attrs;
    if (this.wanted === 'none' || !channel.endsWith(channelServer) || channel.length > maxJid) return;
    const list = getBinaryNodeChild(getBinaryNodeChild(node, 'live_updates'), 'messages');
    const at = timeOf(node, clock.now());
    const counted = getBinaryNodeChildren(list, 'message').slice(0, maxCounted);
    for (let from = 0; from < counted.length; from += maxTogether) {
      const facts = counted.slice(from, from + maxTogether).flatMap((each) => {
        const serverId = serverIdIn(each);
        if (serverId === null) return [];
        const data = { channel, serverId, update: countersOf(each) };
        return [{ event: { type: 'channel.message.updated', data }, at, id } as const];
      });
      if (facts.length > 0) await store.commit(deviceId, { facts });
    }
  }

  /** Acts on the account's other devices change its roles. */
  async notice(node: BinaryNode): Promise<void> {
    const { deviceId, store, clock } = this.#parts;
    const change = changeIn(getBinaryNodeChild(node, 'update'));
    if (change === null) return;
    const { channel, ...told } = change;
    if (told.change.following !== undefined || told.change.state !== undefined) {
      this.#roles.delete(channel);
      this.#listedAt = Number.NEGATIVE_INFINITY;
    }
    if (this.wanted === 'none') return;
    if (this.wanted === 'own') {
      await this.#learnRoles([{ tag: 'message', attrs: { from: channel } }]);
      const role = this.#roles.get(channel);
      if (role !== 'owner' && role !== 'admin') return;
    }
    const event = { type: 'channel.updated', data: { channel, ...told } } as const;
    const at = timeOf(node, clock.now());
    await store.commit(deviceId, { facts: [{ event, at, id: node.attrs.id }] });
  }
}

type Change = { readonly channel: Jid } & Pick<
  Extract<DeviceEvent, { readonly type: 'channel.updated' }>['data'],
  'change'
>;

/** Members of the notices (whatsmeow `notification.go`, 33cfac51, 2026-08). */
const changeIn = (update: BinaryNode | undefined): Change | null => {
  for (const [member, changeOf] of changes) {
    const described = mexData(update, member);
    const channel = jidIn(described);
    if (channel !== null) return { channel, change: changeOf(described) };
  }
  return null;
};

const changes: readonly (readonly [string, (described: unknown) => Change['change']])[] = [
  ['xwa2_notify_newsletter_on_join', () => ({ following: true })],
  ['xwa2_notify_newsletter_on_leave', () => ({ following: false })],
  ['xwa2_notify_newsletter_on_metadata_update', wordsIn],
  ['xwa2_notify_newsletter_on_admin_metadata_update', wordsIn],
  ['xwa2_notify_newsletter_on_state_change', (described) => ({ state: stateIn(described) })],
];
