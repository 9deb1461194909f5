/** Log of logins: it shows whether a device was ever connected twice. */
import type { Device } from '../../base/types.ts';

export interface LoginRecord {
  readonly seq: number;
  readonly number: string;
  readonly device: number;
  /** ms */
  readonly at: number;
  /** The device was connected already: that connection has ended with this login. */
  readonly replaced: boolean;
}

/** The newest ones are kept. */
const kept = 50_000;

export class Logins {
  #records: LoginRecord[] = [];
  #seq = 0;

  add({ account, id }: Device, at: number, replaced: boolean): void {
    this.#seq += 1;
    this.#records.push({ seq: this.#seq, number: account.number, device: id, at, replaced });
    if (this.#records.length > 2 * kept) this.#records = this.#records.slice(-kept);
  }

  after(seq: number): readonly LoginRecord[] {
    return this.#records.filter((record) => record.seq > seq);
  }
}
