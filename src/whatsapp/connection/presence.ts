/** The account's presence on a connection, which determines the type of delivery receipts. */
import type { Socket } from '../socket/socket.ts';
import type { UnifiedSession } from './unified-session.ts';

export class Presence {
  readonly #sock: Pick<Socket, 'creds' | 'isOpen' | 'on' | 'sendNode'>;
  readonly #session: Pick<UnifiedSession, 'tell'>;
  #wanted: boolean;
  #open = false;
  /** As announced, which takes a name. Senders see a second tick for receipts of an online account, none for type `inactive`. */
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
