/** Keys the engine reads one by one at every login: read together in advance, while connecting. */
import { jidDecode } from '../library/jid.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { KeyName, SessionChanges } from '../../domain/changes.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import { addressOf, sessionId } from '../signal/addresses.ts';

/** How often a login reads each; afterwards it is dropped. */
interface Expected extends KeyName {
  readonly times: number;
}

/** The device's own list, address pair and sessions, its newest prekey, and the index of privacy tokens. */
const expectedOf = ({ me, nextPreKeyId }: AuthenticationCreds): readonly Expected[] => {
  const phone = jidDecode(me?.id);
  const lid = jidDecode(me?.lid);
  if (me === undefined || phone === undefined || lid === undefined) return [];
  const own = addressOf(me.id);
  return [
    { type: 'tctoken', id: '__index', times: 2 },
    { type: 'lid-mapping', id: phone.user, times: 1 },
    { type: 'lid-mapping', id: `${lid.user}_reverse`, times: 1 },
    { type: 'device-list', id: phone.user, times: 2 },
    { type: 'session', id: sessionId({ ...own, device: 0 }), times: 1 },
    { type: 'session', id: sessionId(own), times: 1 },
    { type: 'pre-key', id: String(nextPreKeyId - 1), times: 1 },
  ];
};

const nameOf = ({ type, id }: KeyName): string => `${type}/${id}`;

type Values = ReadonlyMap<string, Uint8Array>;

export class LoginKeys {
  readonly #store: Pick<SessionCredentials, 'readKeys' | 'readTogether'>;
  readonly #left = new Map<string, { value: Uint8Array | null; times: number }>();
  #reading: Promise<void> | null = null;
  isOpen = false;

  constructor(store: Pick<SessionCredentials, 'readKeys' | 'readTogether'>) {
    this.#store = store;
  }

  begin(deviceId: number, creds: AuthenticationCreds): void {
    const expected = expectedOf(creds);
    if (expected.length === 0) return;
    this.isOpen = true;
    for (const { times, ...name } of expected) this.#left.set(nameOf(name), { value: null, times });
    this.#reading = this.#fill(deviceId, expected);
  }

  async read(deviceId: number, type: string, ids: readonly string[]): Promise<Values> {
    const isExpected = (): boolean => ids.every((id) => this.#left.has(nameOf({ type, id })));
    if (this.#left.size > 0 && isExpected() && this.#reading !== null) await this.#reading;
    if (this.#left.size === 0 || !isExpected()) return this.#store.readKeys(deviceId, type, ids);
    return new Map(
      [...new Set(ids)].flatMap((id) => {
        const value = this.#take(nameOf({ type, id }));
        return value === null ? [] : [[id, value] as const];
      }),
    );
  }

  /** Only this session writes the keys, so the store is current from now on. Once messages arrive, the login has read its keys. */
  written({ keys = [], inbox }: SessionChanges): void {
    if (inbox !== undefined) return this.forget();
    for (const { type, id } of keys) this.#left.delete(`${type}/${id}`);
  }

  forget(): void {
    this.isOpen = false;
    this.#left.clear();
    this.#reading = null;
  }

  async #fill(deviceId: number, expected: readonly Expected[]): Promise<void> {
    try {
      const values = await this.#store.readTogether(deviceId, expected);
      for (const [index, name] of expected.entries()) {
        const entry = this.#left.get(nameOf(name));
        if (entry !== undefined) entry.value = values[index] ?? null;
      }
      this.#reading = null;
    } catch {
      // Then each is read by itself.
      this.forget();
    }
  }

  #take(name: string): Uint8Array | null {
    const entry = this.#left.get(name)!;
    entry.times -= 1;
    if (entry.times === 0) this.#left.delete(name);
    return entry.value;
  }
}
