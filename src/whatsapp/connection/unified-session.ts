/** The id by which the network groups connections: milliseconds of the week, by its own clock. */
import type { Clock } from '../../domain/clock.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';

const dayMs = 86_400_000;

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

  /** Ignores a closed connection. */
  tell(): void {
    const id = (this.#clock.now() + this.#offsetMs + 3 * dayMs) % (7 * dayMs);
    const session = { tag: 'unified_session', attrs: { id: String(id) } };
    this.#sock.sendNode({ tag: 'ib', attrs: {}, content: [session] }).catch(() => {});
  }
}
