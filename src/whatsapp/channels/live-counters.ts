/**
 * Counters of channels the account administers, sent to clients that ask, for as long as the answer says (30 to 600 s; whatsmeow
 * `NewsletterSubscribeLiveUpdates`, 33cfac51, 2026-08). Followed channels are left out: there may be hundreds.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import type { Jid } from '../../domain/jid.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { getBinaryNodeChild } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';

export interface LiveCountersParts {
  readonly sock: Pick<Socket, 'query' | 'isOpen'>;
  readonly list: () => Promise<readonly Pick<Channel, 'jid' | 'role'>[]>;
  readonly log: Logger;
}

const maxChannels = 20;
const shortestS = 30;
const longestS = 600;
const renewedAfter = 0.8;

export class LiveCounters {
  readonly #parts: LiveCountersParts;
  #timer: NodeJS.Timeout | null = null;
  #wanted: DeviceSettings['channels'] = 'none';

  constructor(parts: LiveCountersParts) {
    this.#parts = parts;
  }

  begin(wanted: DeviceSettings['channels']): void {
    this.#wanted = wanted;
    if (wanted !== 'none') void this.#ask();
  }

  set(wanted: DeviceSettings['channels']): void {
    const wasOn = this.#wanted !== 'none';
    this.#wanted = wanted;
    if (wanted === 'none') this.end();
    else if (!wasOn && this.#parts.sock.isOpen) void this.#ask();
  }

  renew(): void {
    if (this.#wanted !== 'none' && this.#parts.sock.isOpen) void this.#ask();
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #ask(): Promise<void> {
    const { sock, list, log } = this.#parts;
    let seconds = longestS;
    try {
      const own = (await list()).filter(({ role }) => role === 'owner' || role === 'admin').slice(0, maxChannels);
      for (const { jid } of own) seconds = Math.min(seconds, await this.#askOf(jid));
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'the counters of channels could not be asked for');
    }
    if (!sock.isOpen || this.#wanted === 'none') return;
    this.end();
    this.#timer = setTimeout(() => void this.#ask(), seconds * renewedAfter * 1000).unref();
  }

  async #askOf(jid: Jid): Promise<number> {
    const attrs = { to: jid, xmlns: 'newsletter', type: 'set' };
    const answer = await this.#parts.sock.query({ tag: 'iq', attrs, content: [{ tag: 'live_updates', attrs: {} }] });
    const seconds = Number(getBinaryNodeChild(answer, 'live_updates')?.attrs['duration']);
    return Number.isFinite(seconds) ? Math.min(Math.max(seconds, shortestS), longestS) : shortestS;
  }
}
