/** Names chosen by people. Each message repeats its sender's; a name is written when it is new on this connection. */
import type { ContactChange } from '../../domain/chats/contact.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import type { Envelope } from '../translate/parts/envelope.ts';

const maxKnown = 5_000;

export class PushNames {
  readonly #known = boundedCache<string>(maxKnown);

  /** The change that stores the name; none if it is known, or the account's own. */
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
