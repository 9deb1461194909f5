/** The account's presence on a connection, which determines the type of delivery receipts. */
import type { Clock } from '../../domain/clock.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';

const dayMs = 86_400_000;

/** The id by which the network groups connections: milliseconds of the week, by its own clock. */
export class UnifiedSession {
  readonly #sock: Pick<Socket, 'sendNode'>;
  readonly #clock: Pick<Clock, 'now'>;
  #offsetMs = 0;

  constructor(sock: Pick<Socket, 'sendNode'>, clock: Pick<Clock, 'now'>) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /** `success` carries the network's time. */
  learn(success: BinaryNode): void {
    const seconds = Number(success.attrs['t']);
    if (Number.isSafeInteger(seconds) && seconds > 0) this.#offsetMs = seconds * 1_000 - this.#clock.now();
  }

  tell(): void {
    const id = (this.#clock.now() + this.#offsetMs + 3 * dayMs) % (7 * dayMs);
    const session = { tag: 'unified_session', attrs: { id: String(id) } };
    this.#sock.sendNode({ tag: 'ib', attrs: {}, content: [session] }).catch(() => {});
  }
}

export class Presence {
  readonly #sock: Pick<Socket, 'creds' | 'isOpen' | 'on' | 'sendNode'>;
  readonly #session: Pick<UnifiedSession, 'tell'>;
  #wanted: boolean;
  #open = false;
  /** Announcing presence takes a name. Senders see a second tick for receipts of an online account, none for type `inactive`. */
  isOnline = false;

  /** `online`: announced when the connection opens. */
  constructor(
    sock: Pick<Socket, 'creds' | 'isOpen' | 'on' | 'sendNode'>,
    session: Pick<UnifiedSession, 'tell'>,
    online: boolean,
  ) {
    this.#sock = sock;
    this.#session = session;
    this.#wanted = online;
    sock.on('open', () => {
      this.#open = true;
      void this.tell();
    });
    sock.on('end', () => (this.#open = false));
  }

  set(online: boolean): void {
    if (online === this.#wanted) return;
    this.#wanted = online;
    if (this.#open) void this.tell();
  }

  /** If the connection ends meanwhile, the next one announces it. */
  async tell(): Promise<void> {
    const name = this.#sock.creds.me?.name;
    if (!name) return;
    this.isOnline = this.#wanted;
    if (this.#wanted) this.#session.tell();
    const attrs = { name: name.replaceAll('@', ''), type: this.#wanted ? 'available' : 'unavailable' };
    await this.#sock.sendNode({ tag: 'presence', attrs }).catch(() => {});
  }
}
