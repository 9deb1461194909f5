/** Those who write, as their stanzas name them: what follows from that is made out once, and not with each message. */
import type { BinaryNode } from '../engine/nodes.ts';
import { jidKind, jidUser } from '../../domain/jid.ts';
import { boundedCache } from '../engine/bounded-cache.ts';
import { type LidMapping, pairOf } from '../signal/lid-mapping.ts';
import type { LidPair } from '../signal/lid-pairs.ts';
import { isMe, type Me, plainJid } from '../translate/people.ts';

/** Conversations that go on at a time. */
const maxSenders = 64;

interface Sender {
  readonly me: Me;
  readonly pn: string | undefined;
  readonly lid: string | undefined;
  /** Another one than the own account. */
  readonly isPerson: boolean;
  /** Both addresses, where the stanza tells the other one; null where it has to be looked at more closely. */
  readonly pair: LidPair | null;
}

const pairIn = (from: string, pn: string | undefined, lid: string | undefined): LidPair | null => {
  if ((pn === undefined) === (lid === undefined)) return null;
  const jids = [plainJid(from), plainJid(pn ?? lid ?? '')];
  const pair = pairOf(jids[0]!, jids[1]!);
  const isUsual = pair !== null && jids.every((jid) => [pair.lidUser, pair.phoneUser].includes(jidUser(jid)));
  return isUsual ? pair : null;
};

const isPerson = (me: Me, from: string): boolean => {
  const kind = jidKind(plainJid(from));
  return (kind === 'phone' || kind === 'lid') && !isMe(me, from);
};

export class Senders {
  readonly #mapping: Pick<LidMapping, 'pairs'>;
  readonly #known = boundedCache<Sender>(maxSenders);

  constructor(mapping: Pick<LidMapping, 'pairs'>) {
    this.#mapping = mapping;
  }

  isPerson(me: Me, attrs: BinaryNode['attrs']): boolean {
    return this.#of(me, attrs).isPerson;
  }

  /** Whether nothing has to be looked up of who has sent it, and nothing is to be learned. */
  isSettled(me: Me, attrs: BinaryNode['attrs']): boolean {
    const { pair } = this.#of(me, attrs);
    return pair !== null && this.#mapping.pairs.changesFor(pair).length === 0;
  }

  #of(me: Me, { from = '', sender_pn: pn, sender_lid: lid }: BinaryNode['attrs']): Sender {
    const known = this.#known.get(from);
    if (known !== undefined && known.me === me && known.pn === pn && known.lid === lid) return known;
    const sender = { me, pn, lid, isPerson: isPerson(me, from), pair: pairIn(from, pn, lid) };
    this.#known.set(from, sender);
    return sender;
  }
}
