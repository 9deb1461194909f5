/** Notices a message key that encrypts twice: what a sender does that has gone back to an earlier state of its ratchets. */
import type { BinaryNode } from 'baileys';
import { readGroupMessage, readMessage, readSetup } from '../signal/signal-message.ts';
import { RecentMap } from '../context/recent-map.ts';
import { base64 } from '../../base/bytes.ts';

/** Keys remembered for each phone. A sender that has gone back reuses its most recent keys. */
const remembered = 2_000;

/** The last block of CBC depends on all of the plaintext. */
const digestBytes = 16;

interface Use {
  /** The message key, by the names that sender and recipient have for it. */
  readonly key: string;
  readonly ciphertext: Uint8Array;
}

/** Null for what is no message: its reader reports what is wrong with it. */
const useOf = (type: string | undefined, body: Uint8Array): Use | null => {
  try {
    if (type === 'skmsg') {
      const { id, iteration, ciphertext } = readGroupMessage(body);
      return ciphertext ? { key: `group ${id}/${iteration}`, ciphertext } : null;
    }
    const inner = type === 'pkmsg' ? readSetup(body).message : body;
    if (!inner) return null;
    const { ratchetKey, counter, ciphertext } = readMessage(inner);
    return ratchetKey && ciphertext ? { key: `${base64(ratchetKey)}/${counter}`, ciphertext } : null;
  } catch {
    return null;
  }
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
    const use = useOf(attrs['type'], content);
    if (use === null) return false;
    const name = `${sender} ${use.key}`;
    const digest = base64(use.ciphertext.subarray(-digestBytes));
    const before = this.#uses.get(name);
    if (before === undefined) this.#uses.set(name, digest);
    return before !== undefined && before !== digest;
  }
}
