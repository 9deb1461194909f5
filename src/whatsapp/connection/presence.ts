/** Presence of an account on a connection, which determines the type of its delivery receipts. */
import type { WASocket } from '../engine/types.ts';

export class Presence {
  readonly #sock: Pick<WASocket, 'ev' | 'sendPresenceUpdate'>;
  #wanted: boolean;
  #open = false;
  /**
   * As announced; without a name nothing is announced. Senders see a second tick for receipts of an online account, and none for those of
   * type `inactive`.
   */
  isOnline = false;

  /** `online`: announced by Baileys when the connection opens (`markOnlineOnConnect`). */
  constructor(sock: Pick<WASocket, 'ev' | 'sendPresenceUpdate'>, online: boolean) {
    this.#sock = sock;
    this.#wanted = online;
    sock.ev.on('connection.update', ({ connection, isOnline }) => {
      if (isOnline !== undefined) this.isOnline = isOnline;
      if (connection === undefined) return;
      this.#open = connection === 'open';
      // Changed while the connection was made.
      if (this.#open && this.#wanted !== online) void this.tell();
    });
  }

  set(online: boolean): void {
    if (online === this.#wanted) return;
    this.#wanted = online;
    if (this.#open) void this.tell();
  }

  /** If the connection ends meanwhile, the next one announces it. */
  async tell(): Promise<void> {
    await this.#sock.sendPresenceUpdate(this.#wanted ? 'available' : 'unavailable').catch(() => {});
  }
}
