/** Retry receipts: requests for undecryptable messages, and the answers. */
import { type BinaryNode, encodeBigEndian, getBinaryNodeChild } from 'baileys';
import {
  readGroupMessage,
  readMessage,
  readSetup,
  addPreKey,
  publicSignedPreKey,
  rawKey,
} from '../signal/signal-state.ts';
import { RecentMap } from '../context/recent-map.ts';
import { base64, element } from '../../base/nodes.ts';
import { type Addressee, isGroup, resolve } from '../context/address.ts';
import type { PhoneContext, SentMessage } from '../context/context.ts';
import { STATUS } from '../context/statuses.ts';
import { forgetHolder, senderKeyMessage } from '../sending/groups.ts';
import { askBundles, idNode, readBundle, signedPreKeyNode, valueNode } from '../context/requests.ts';
import { copyForOwn, encAttributes, merged, padded, stanzaTypeOf } from '../sending/plaintext.ts';

/** Keys remembered per sender. A sender that went back to an earlier ratchet state reuses its most recent keys. */
const remembered = 2_000;

/** The last block of CBC depends on all of the plaintext. */
const digestBytes = 16;

interface Use {
  readonly key: string;
  readonly ciphertext: Uint8Array;
}

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

  /** Counts keys in the stanza that already encrypted something else. `sender`: the device, and the group if there is one. */
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

const maxAsked = 5;
const maxAnswered = 5;

const bundleNode = (phone: PhoneContext): BinaryNode => {
  const { state } = phone.keys;
  const preKey = addPreKey(state);
  return {
    tag: 'keys',
    attrs: {},
    content: [
      { tag: 'type', attrs: {}, content: Buffer.from([5]) },
      element('identity', {}, rawKey(state.identity.pubKey)),
      { tag: 'key', attrs: {}, content: [idNode(preKey.id), valueNode(preKey.publicKey)] },
      signedPreKeyNode(publicSignedPreKey(state)),
    ],
  };
};

export class Retries {
  readonly #phone: PhoneContext;
  readonly #asked = new RecentMap<number>(10_000);
  readonly #answered = new RecentMap<number>(10_000);

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  ask(message: BinaryNode): void {
    const phone = this.#phone;
    const { id, from, participant, recipient, t } = message.attrs;
    if (id === undefined || from === undefined) return;
    const key = `${id}/${participant ?? from}`;
    const count = (this.#asked.get(key) ?? 0) + 1;
    if (count > maxAsked) return;
    this.#asked.set(key, count);
    phone.counters.retriesAsked += 1;
    phone.line.tell({
      tag: 'receipt',
      attrs: { id, type: 'retry', to: from, ...(participant && { participant }), ...(recipient && { recipient }) },
      content: [
        element('retry', { count: String(count), id, t: t ?? '0', v: '1', error: '0' }),
        element('registration', {}, encodeBigEndian(phone.keys.state.registrationId)),
        bundleNode(phone),
      ],
    });
    phone.changed();
  }

  async answer(receipt: BinaryNode): Promise<void> {
    const phone = this.#phone;
    const { id, from, participant } = receipt.attrs;
    const sent = id === undefined ? undefined : phone.sent.get(id);
    const asking = resolve(phone.hub, participant ?? from ?? '');
    if (id === undefined || sent === undefined || asking === null) return;
    const key = `${id}/${asking.address}`;
    const answered = (this.#answered.get(key) ?? 0) + 1;
    if (answered > maxAnswered) return;
    this.#answered.set(key, answered);
    if (!(await this.#renewSession(receipt, asking))) return;
    const count = getBinaryNodeChild(receipt, 'retry')?.attrs['count'] ?? '1';
    await this.#resend(id, sent, asking, count);
    phone.counters.retriesAnswered += 1;
  }

  async #renewSession(receipt: BinaryNode, asking: Addressee): Promise<boolean> {
    const { keys, line } = this.#phone;
    const bundle =
      readBundle(getBinaryNodeChild(receipt, 'keys'), receipt) ??
      (await askBundles(line, [asking.jid])).get(asking.jid);
    if (bundle === undefined) return false;
    await keys.peer.open(asking.address, bundle);
    return true;
  }

  async #resend(id: string, sent: SentMessage, asking: Addressee, count: string): Promise<void> {
    const phone = this.#phone;
    const own = asking.account === phone.account;
    const encAttrs = encAttributes(stanzaTypeOf(sent.bytes));
    let { bytes } = sent;
    const isShared = isGroup(sent.to) || sent.to === STATUS;
    if (isShared) {
      forgetHolder(phone, sent.to, asking.address);
      bytes = merged(await senderKeyMessage(phone, sent.to), bytes);
    } else if (own && !sent.peer) {
      bytes = copyForOwn(sent.to, bytes);
    }
    const { type, body } = await phone.keys.peer.encrypt(asking.address, padded(bytes));
    const addressing: Record<string, string> = isShared
      ? { to: sent.to, participant: asking.jid }
      : {
          to: phone.hub.wireJid(phone.account, asking.jid),
          device_fanout: 'false',
          ...(own && !sent.peer && { recipient: sent.to }),
        };
    phone.line.tell({
      tag: 'message',
      attrs: {
        id,
        ...addressing,
        type: sent.type,
        ...(sent.edit !== null && { edit: sent.edit }),
        ...(sent.peer && { category: 'peer' }),
        ...(sent.withheld && { withheld: sent.withheld }),
      },
      content: [{ tag: 'enc', attrs: { v: '2', type, count, ...encAttrs }, content: body }],
    });
    phone.changed();
  }
}
