/** Notices a message key that encrypts twice: what a sender does that has gone back to an earlier state of its ratchets. */
import type { BinaryNode } from 'baileys';
import { keyAt, readMessage, readSetup } from '../../signal/message.ts';
import { readGroupMessage } from '../../signal/sender-key.ts';
import { RecentMap } from '../recent.ts';

/** Keys remembered for each phone. A sender that has gone back reuses its most recent keys. */
const remembered = 2_000;

/** The last block of CBC depends on all of the plaintext. */
const digestBytes = 16;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

interface Use {
  /** The message key, by the names that sender and recipient have for it. */
  readonly key: string;
  readonly ciphertext: Uint8Array;
}

const useOf = (type: string | undefined, body: Uint8Array): Use => {
  if (type === 'skmsg') {
    const { id, number, ciphertext } = readGroupMessage(body);
    return { key: `group ${id}/${number}`, ciphertext };
  }
  const setup = type === 'pkmsg' ? readSetup(body) : null;
  const message = setup === null ? readMessage(body) : readMessage(body, setup.messageAt, setup.messageEnd);
  const { bytes, ratchetKeyAt, counter, ciphertextAt, ciphertextEnd } = message;
  const ciphertext = bytes.subarray(ciphertextAt, ciphertextEnd);
  return { key: `${textOf(keyAt(bytes, ratchetKeyAt))}/${counter}`, ciphertext };
};

export class KeyUses {
  readonly #uses = new RecentMap<string>(remembered);

  /** How many keys of the stanza have encrypted something else before. `sender`: its device, and the group where there is one. */
  reused(sender: string, { content }: BinaryNode): number {
    if (!Array.isArray(content)) return 0;
    return content.filter((enc) => enc.tag === 'enc' && this.#isReused(sender, enc)).length;
  }

  #isReused(sender: string, { attrs, content }: BinaryNode): boolean {
    if (!(content instanceof Uint8Array)) return false;
    let use: Use;
    try {
      use = useOf(attrs['type'], content);
    } catch {
      // Whoever reads it will say what is wrong with it.
      return false;
    }
    const name = `${sender} ${use.key}`;
    const digest = textOf(use.ciphertext.subarray(-digestBytes));
    const before = this.#uses.get(name);
    if (before === undefined) this.#uses.set(name, digest);
    return before !== undefined && before !== digest;
  }
}
