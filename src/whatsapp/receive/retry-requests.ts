/** Retry receipts: request an undecryptable message from its sender again. */
import { encodeBigEndian, KEY_BUNDLE_TYPE, xmppSignedPreKey } from '../library/protocol.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { deviceIdentity } from '../send/message-stanza.ts';
import { makePreKeys, type PreKeyParts } from '../signal/credentials.ts';
import type { Repository } from '../signal/repository.ts';

const hourMs = 3_600_000;

export interface RetryRequestsParts extends PreKeyParts {
  readonly repository: Pick<Repository, 'deleteSession'>;
}

export class RetryRequests {
  readonly #parts: RetryRequestsParts;
  readonly #dropped = boundedCache<true>(500, hourMs);

  constructor(parts: RetryRequestsParts) {
    this.#parts = parts;
  }

  /** From retry 2 on it includes keys, for a new session begun by the sender. */
  async requestFor({ attrs }: BinaryNode, count: number): Promise<BinaryNode> {
    const { creds } = this.#parts;
    const { id = '', from = '', t, recipient, participant } = attrs;
    const again = { count: String(count), id, ...(t === undefined ? {} : { t }), v: '1', error: '0' };
    return {
      tag: 'receipt',
      attrs: {
        id,
        type: 'retry',
        to: from,
        ...(recipient === undefined ? {} : { recipient }),
        ...(participant === undefined ? {} : { participant }),
      },
      content: [
        { tag: 'retry', attrs: again },
        { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
        ...(count > 1 ? [await this.#keysFor(from, participant === undefined)] : []),
      ],
    };
  }

  async #keysFor(from: string, isPerson: boolean): Promise<BinaryNode> {
    const { creds, repository } = this.#parts;
    if (isPerson && this.#dropped.get(from) === undefined) {
      this.#dropped.set(from, true);
      await repository.deleteSession([from]);
    }
    const [preKey] = await makePreKeys(this.#parts, 1);
    return {
      tag: 'keys',
      attrs: {},
      content: [
        { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
        { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
        preKey!,
        xmppSignedPreKey(creds.signedPreKey),
        ...deviceIdentity(creds),
      ],
    };
  }
}
