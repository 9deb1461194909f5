/** Saves changes shortly after they happen and when the sandbox closes. */
import { Mutex } from 'async-mutex';
import type { DataDirectory } from './data-directory.ts';
import type { Phones } from '../phones/phones.ts';
import type { ServerHub } from '../server/hub.ts';

const intervalMs = 1_000;

export interface AutosaveOptions {
  readonly data: DataDirectory;
  readonly hub: ServerHub;
  readonly phones: Phones;
  readonly changed: Set<string>;
  readonly report: (error: unknown) => void;
}

/** Changes whenever the server's state may have changed: all changes increment some counter. */
const fingerprint = (hub: ServerHub): string => {
  const parts: (number | string | boolean)[] = Object.values(hub.state.counters);
  for (const account of hub.accounts.values()) {
    parts.push(account.lid, account.migrated, account.migrationTold.join('+'), account.business, account.hidesNumber);
    parts.push(account.username ?? '', account.usernameKey ?? '');
    for (const { id, keys, queue } of account.devices.values()) parts.push(id, keys?.preKeys.size ?? -1, queue.size);
    for (const patches of hub.state.registry.stateOf(account).appState.values()) parts.push(patches.length);
  }
  for (const { members, mode } of hub.state.groups.values()) parts.push(members.size, mode);
  return parts.join();
};

export class Autosave {
  readonly #options: AutosaveOptions;
  #saved = '';
  readonly #mutex = new Mutex();
  readonly #timer: NodeJS.Timeout;

  constructor(options: AutosaveOptions) {
    this.#options = options;
    let busy = false;
    this.#timer = setInterval(() => {
      if (busy) return;
      busy = true;
      // The disk may have space again at the next attempt.
      this.save()
        .catch(options.report)
        .finally(() => (busy = false));
    }, intervalMs);
    this.#timer.unref();
  }

  save(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#saveNow());
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.save();
  }

  async #saveNow(): Promise<void> {
    const { data, hub, phones, changed } = this.#options;
    const now = fingerprint(hub);
    const numbers = [...changed];
    if (now === this.#saved && numbers.length === 0) return;
    changed.clear();
    const saved = numbers.flatMap((number) => {
      const phone = phones.find(number);
      return phone === null ? [] : [{ number, json: JSON.stringify(phone.snapshot()) }];
    });
    try {
      await data.saveState(JSON.stringify(hub.snapshot()), saved);
      this.#saved = now;
    } catch (error) {
      for (const number of numbers) changed.add(number);
      throw error;
    }
  }
}
