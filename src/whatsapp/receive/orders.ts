/**
 * The lines of orders, which must be queried (amounts are in thousandths): once per order, beside what
 * arrives. Pending queries are stored with the session.
 */
import { proto } from '../library/proto.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { KeyChange, SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Order, OrderLine } from '../../domain/messages/parts.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { NoAnswer, Refused } from '../socket/query.ts';
import type { Socket } from '../socket/socket.ts';
import { KeptValue } from '../state/kept-value.ts';
import type { SessionStore } from '../state/session-store.ts';
import { cutOrNull } from '../translate/parts/limits.ts';
import { unwrap, decodeStored } from '../translate/parts/decode.ts';

/** A pending query. */
interface Wanted {
  readonly messageId: string;
  readonly chat: Jid;
  readonly orderId: string;
  readonly token: string;
  readonly tries: number;
}

/** Bounded, as strangers send orders; the oldest are dropped. */
const perDevice = 32;
const maxTries = 3;
const maxToken = 4_096;
const maxLines = 200;
const maxBytes = 4_096;
/** By then the message is stored. */
const soonMs = 200;

export interface OrdersOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit' | 'broken'>;
  readonly messages: Pick<MessageStore, 'find'>;
  readonly sock: Pick<Socket, 'query'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onStoreFailure: (error: unknown) => void;
}

const textIn = (node: BinaryNode | undefined, tag: string): string | null => {
  const content = getBinaryNodeChild(node, tag)?.content;
  if (!(content instanceof Uint8Array) || content.length > maxBytes) return null;
  return cutOrNull(Buffer.from(content).toString());
};

const countIn = (node: BinaryNode | undefined, tag: string): number | null => {
  const text = textIn(node, tag);
  return text !== null && text.length <= 15 && /^\d+$/.test(text) ? Number(text) : null;
};

const amountIn = (node: BinaryNode | undefined, tag: string): number | null => {
  const count = countIn(node, tag);
  return count === null ? null : count / 1_000;
};

const lineOf = (product: BinaryNode): OrderLine => ({
  id: textIn(product, 'id'),
  name: textIn(product, 'name'),
  quantity: countIn(product, 'quantity'),
  price: amountIn(product, 'price'),
});

const detailsIn = (answer: BinaryNode, known: Order): Order => {
  const order = getBinaryNodeChild(answer, 'order');
  const [price, products] = [getBinaryNodeChild(order, 'price'), getBinaryNodeChildren(order, 'product')];
  const currency = textIn(price, 'currency');
  return {
    ...known,
    items: products.slice(0, maxLines).map(lineOf),
    total: amountIn(price, 'total') ?? known.total,
    currency: currency?.length === 3 ? currency : known.currency,
  };
};

const element = (tag: string, content: string): BinaryNode => ({ tag, attrs: {}, content: Buffer.from(content) });

const questionOf = ({ orderId, token }: Wanted): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'fb:thrift_iq', smax_id: '5' },
  content: [
    {
      tag: 'order',
      attrs: { op: 'get', id: orderId },
      content: [
        { tag: 'image_dimensions', attrs: {}, content: [element('width', '100'), element('height', '100')] },
        element('token', token),
      ],
    },
  ],
});

const wantedOf = ({ id: messageId, chat, parts, content }: MessageRecord): Wanted | null => {
  const message = parts?.order ? decodeStored(content) : null;
  const { orderId, token } = message === null ? {} : (unwrap(proto.Message.create(message)).orderMessage ?? {});
  if (!orderId || !token || orderId.length > maxToken || token.length > maxToken) return null;
  return { messageId, chat, orderId, token, tries: 0 };
};

export class Orders {
  readonly #options: OrdersOptions;
  readonly #kept: KeptValue<readonly Wanted[]>;
  #running = false;
  #isOpen = false;

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#kept = new KeptValue<readonly Wanted[]>(options, 'orders', []);
  }

  async keep(records: readonly MessageRecord[]): Promise<readonly KeyChange[]> {
    const wanted = records.map(wantedOf).filter((each) => each !== null);
    if (wanted.length === 0) return [];
    await this.#kept.load();
    const others = this.#kept.value.filter(({ messageId }) => !wanted.some((each) => each.messageId === messageId));
    this.#start();
    return [this.#kept.write([...others, ...wanted].slice(-perDevice))];
  }

  async begin(): Promise<void> {
    this.#isOpen = true;
    await this.#kept.load();
    this.#start();
  }

  end(): void {
    this.#isOpen = false;
  }

  #start(): void {
    if (this.#running || !this.#isOpen) return;
    this.#running = true;
    this.#options.clock.after(soonMs, () => {
      const done = (): void => void (this.#running = false);
      this.#askAll().catch(this.#options.onStoreFailure).finally(done);
    });
  }

  async #askAll(): Promise<void> {
    while (this.#isOpen) {
      const [first] = this.#kept.value;
      if (first === undefined) return;
      const changes = await this.#changesOf(first);
      if (!this.#isOpen || this.#options.store.broken) return;
      const others = this.#kept.value.filter(({ messageId }) => messageId !== first.messageId);
      const again = { ...first, tries: first.tries + 1 };
      const left = changes === null && again.tries < maxTries ? [...others, again] : others;
      const keys = [this.#kept.write(left, left.length === 0)];
      await this.#options.store.commit(this.#options.deviceId, { ...changes, keys });
    }
  }

  async #changesOf(wanted: Wanted): Promise<Pick<SessionChanges, 'messageChanges' | 'facts'> | null> {
    const { deviceId, messages, sock, clock, log } = this.#options;
    let answer: BinaryNode;
    try {
      answer = await sock.query(questionOf(wanted));
    } catch (error) {
      if (error instanceof NoAnswer || !(error instanceof Refused)) return null;
      log.info({ deviceId, error: messageOf(error) }, 'the network does not tell the lines of an order');
      return {};
    }
    const { messageId, chat } = wanted;
    const record = await messages.find(deviceId, messageId, chat);
    if (!record?.parts?.order || record.deletedAt !== null) return {};
    const order = detailsIn(answer, record.parts.order);
    const { chatNumber, chatLid } = record;
    const data = { messageId, chat: record.chat, chatNumber, chatLid, update: { order } };
    return {
      messageChanges: [{ messageId, chat: record.chat, parts: { order } }],
      facts: [{ event: { type: 'message.updated', data }, at: clock.now() }],
    };
  }
}
