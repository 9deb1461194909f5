/**
 * Presence of others in the chats named by the settings. Rule: the network reports a person only after `<presence type="subscribe">` on the
 * same connection, with their token, and only while the account is online (whatsmeow presence.go `SubscribePresence`, 2026-08).
 */
import type { BinaryNode } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { DeviceEvent, PresenceState } from '../../domain/event.ts';
import type { Report } from '../../domain/changes.ts';
import { spellingsOf } from '../../domain/chats/recipient.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import type { Logger } from '../../log.ts';
import { messageOf } from '../../errors.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import {
  type ChatRef,
  groupChat,
  isMe,
  type Me,
  type Peek,
  personChat,
  personOf,
  plainJid,
} from '../identity/people.ts';

type Presence = Extract<DeviceEvent, { type: 'chat.presence' }>['data'];

export interface PresenceParts {
  readonly sock: Pick<Socket, 'nextId' | 'on' | 'sendNode' | 'stanzas'>;
  readonly lidMapping: Pick<LidMapping, 'peek' | 'addressesOf'>;
  readonly me: () => Me;
  readonly addressOf: (chat: Jid) => Promise<Jid>;
  readonly tokenFor: (jid: Jid) => Promise<BinaryNode | null>;
  readonly write: (presence: Report) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Apps treat writing as ended if it is not repeated for this long (mautrix-whatsapp: 15 s; here with a margin for slow networks). */
const staleMs = 25_000;

const stateOf = ({ tag, attrs, content }: BinaryNode): PresenceState | null => {
  if (tag === 'presence')
    return attrs['type'] === 'unavailable'
      ? 'offline'
      : attrs['type'] === undefined || attrs['type'] === 'available'
        ? 'online'
        : null;
  const child = Array.isArray(content) ? content[0] : undefined;
  if (child?.tag === 'paused') return 'none';
  if (child?.tag !== 'composing') return null;
  return child.attrs['media'] === 'audio' ? 'voice' : 'text';
};

const lastSeenIn = ({ attrs }: BinaryNode): number | null => {
  const seconds = Number(attrs['last']);
  return Number.isInteger(seconds) && seconds > 0 && seconds < 1e11 ? seconds * 1_000 : null;
};

const placeOf = (peek: Peek, { attrs }: BinaryNode): { readonly chat: ChatRef; readonly who: Jid } => {
  const { from = '', participant } = attrs;
  const who = plainJid(participant ?? from);
  return { chat: from.endsWith('@g.us') ? groupChat(from) : personChat(personOf(peek, from)), who };
};

export class FollowedPresence {
  readonly #parts: PresenceParts;
  #followed: readonly Jid[];
  #open = false;
  /** Last state of each person in each chat; repetitions are not reported. */
  readonly #told = boundedCache<PresenceState>(1_000);
  readonly #ends = new Map<string, Timer>();

  constructor(parts: PresenceParts, followed: readonly Jid[]) {
    this.#parts = parts;
    this.#followed = followed;
    const { sock } = parts;
    sock.on('open', () => {
      this.#open = true;
      void this.#subscribe(this.#followed);
    });
    sock.on('end', () => {
      this.#open = false;
      for (const key of this.#ends.keys()) this.#cancelEnd(key);
    });
    for (const tag of ['presence', 'chatstate']) sock.stanzas.on(tag, (node) => void this.#hear(node));
  }

  set(followed: readonly Jid[]): void {
    const added = followed.filter((chat) => !this.#followed.includes(chat));
    this.#followed = followed;
    if (this.#open) void this.#subscribe(added);
  }

  async #subscribe(chats: readonly Jid[]): Promise<void> {
    const { addressOf, log } = this.#parts;
    for (const chat of chats) {
      try {
        await this.#subscribeTo(await addressOf(chat));
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'failed to follow the presence of a chat');
      }
    }
  }

  async #subscribeTo(to: Jid): Promise<void> {
    const { sock, tokenFor } = this.#parts;
    const token = jidKind(to) === 'group' ? null : await tokenFor(to);
    const attrs = { to, id: sock.nextId(), type: 'subscribe' };
    await sock.sendNode({ tag: 'presence', attrs, ...(token?.tag === 'tctoken' && { content: [token] }) });
  }

  async #hear(node: BinaryNode): Promise<void> {
    const { lidMapping, me, log } = this.#parts;
    try {
      const state = stateOf(node);
      if (state === null || this.#followed.length === 0) return;
      const { from = '', participant } = node.attrs;
      if (isMe(me(), participant ?? from)) return;
      for (const jid of [from, participant]) if (jid !== undefined) await lidMapping.addressesOf(plainJid(jid));
      const peek = (jid: Jid) => lidMapping.peek(jid);
      const { chat, who } = placeOf(peek, node);
      if (!this.#isFollowed(chat)) return;
      const person = personOf(peek, who);
      await this.#tell({ chat: chat.chat, person, state, lastSeenAt: state === 'offline' ? lastSeenIn(node) : null });
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'a presence was not reported');
    }
  }

  #isFollowed({ chat, chatLid }: ChatRef): boolean {
    return this.#followed.some((jid) => jid === chatLid || spellingsOf(jid).includes(chat));
  }

  async #tell(data: Presence): Promise<void> {
    const { clock, write } = this.#parts;
    const key = `${data.chat} ${data.person.jid}`;
    this.#cancelEnd(key);
    if (data.state === 'text' || data.state === 'voice') {
      const over = () => void this.#tell({ ...data, state: 'none' }).catch(() => {});
      this.#ends.set(key, clock.after(staleMs, over));
    }
    if (this.#told.get(key) === data.state) return;
    this.#told.set(key, data.state);
    await write({ event: { type: 'chat.presence', data }, at: clock.now() });
  }

  #cancelEnd(key: string): void {
    this.#ends.get(key)?.cancel();
    this.#ends.delete(key);
  }
}
