/** Presence of an account on a connection, and with it the type of its delivery receipts. */
import type { WASocket } from '../engine/types.ts';

export class Presence {
  readonly #sock: Pick<WASocket, 'ev' | 'sendPresenceUpdate'>;
  #wanted: boolean;
  #open = false;
  /**
   * As the network was told; while the account has no name it is told nothing. Senders see a second tick for receipts of an account that is
   * online, and none for those of type `inactive`.
   */
  isOnline = false;

  /** `online`: what Baileys announces when the connection is open (`markOnlineOnConnect`). */
  constructor(sock: Pick<WASocket, 'ev' | 'sendPresenceUpdate'>, online: boolean) {
    this.#sock = sock;
    this.#wanted = online;
    sock.ev.on('connection.update', ({ connection, isOnline }) => {
      if (isOnline !== undefined) this.isOnline = isOnline;
      if (connection === undefined) return;
      this.#open = connection === 'open';
      // It was set while the connection was being made.
      if (this.#open && this.#wanted !== online) void this.tell();
    });
  }

  set(online: boolean): void {
    if (online === this.#wanted) return;
    this.#wanted = online;
    if (this.#open) void this.tell();
  }

  /** A connection that ends meanwhile says it when it is back. */
  async tell(): Promise<void> {
    await this.#sock.sendPresenceUpdate(this.#wanted ? 'available' : 'unavailable').catch(() => {});
  }
}
