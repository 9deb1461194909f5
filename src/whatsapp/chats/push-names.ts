/** Names chosen by people, repeated by each of their messages; written once per connection. */
import type { ContactChange } from '../../domain/chats/contact.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { Envelope } from '../translate/parts/envelope.ts';

const maxKnown = 5_000;

export class PushNames {
  readonly #known = boundedCache<string>(maxKnown);

  /** Empty if the name is known, or the account's own. */
  told({
    from: { jid, lid },
    fromMe,
    pushName,
  }: Pick<Envelope, 'from' | 'fromMe' | 'pushName'>): readonly ContactChange[] {
    if (pushName === null || fromMe || this.#known.get(jid) === pushName) return [];
    this.#known.set(jid, pushName);
    return [{ jid, lid, pushName }];
  }
}
