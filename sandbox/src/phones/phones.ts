/** All phones of the sandbox. */
import type { Account, Hub } from '../base/types.ts';
import { type MediaLocation, addCounters, newCounters, type PhoneCounters } from './context/context.ts';
import { Phone } from './phone.ts';
import type { PhoneSnapshot } from './snapshot.ts';

export interface PhonesOptions {
  readonly hub: Hub;
  readonly media: MediaLocation;
  readonly changed: (number: string) => void;
  readonly report: (error: unknown) => void;
}

export class Phones {
  readonly #options: PhonesOptions;
  readonly #phones = new Map<string, Phone>();

  constructor(options: PhonesOptions) {
    this.#options = options;
  }

  create(number: string, name: string): Phone {
    const phone = this.#add(this.#options.hub.createAccount(number, name), null);
    this.#options.changed(number);
    return phone;
  }

  restore(from: PhoneSnapshot): Phone {
    const account = this.#options.hub.findAccount(from.number);
    if (account === null) throw new Error(`the account of phone ${from.number} is gone`);
    return this.#add(account, from);
  }

  find(address: string): Phone | null {
    const account = this.#options.hub.findAccount(address);
    return account === null ? null : (this.#phones.get(account.number) ?? null);
  }

  all(): readonly Phone[] {
    return [...this.#phones.values()];
  }

  counters(): PhoneCounters {
    return this.all().reduce((sum, { counters }) => addCounters(sum, counters), newCounters());
  }

  async idle(): Promise<void> {
    await Promise.all(this.all().map((phone) => phone.idle()));
  }

  close(): void {
    for (const phone of this.#phones.values()) phone.close();
  }

  #add(account: Account, from: PhoneSnapshot | null): Phone {
    const { hub, media, changed, report } = this.#options;
    const phone = new Phone({ hub, account, media, from, changed: () => changed(account.number), report });
    this.#phones.set(account.number, phone);
    return phone;
  }
}
