/** A light client that writes: it opens its sessions once, and sends texts as fast as the network acknowledges them. */
import {
  type AuthenticationCreds,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  encodeWAMessage,
  type proto,
} from 'baileys';
import { readBundle } from '../../sandbox/src/phones/requests.ts';
import { SignalPeer } from '../../sandbox/src/phones/signal/signal-peer.ts';
import { newSignalState, typedKey } from '../../sandbox/src/phones/signal/signal-state.ts';
import { childOf, childrenOf, type Line } from './client.ts';

/** Answers of the network by the id of the question, or of the message. */
export type Answers = Map<string, (node: BinaryNode) => void>;

const addressOf = (lid: string): string => `${lid.split('@')[0]}_1.0`;

export class Sender {
  readonly #line: Line;
  readonly #answers: Answers;
  readonly #peer: SignalPeer;
  readonly #identity: Uint8Array;
  readonly #own: string;
  #last = 0;

  constructor(creds: AuthenticationCreds, line: Line, answers: Answers) {
    const { public: publicKey, private: privateKey } = creds.signedIdentityKey;
    this.#line = line;
    this.#answers = answers;
    this.#peer = new SignalPeer({
      ...newSignalState(),
      identity: { pubKey: typedKey(publicKey), privKey: privateKey },
      registrationId: creds.registrationId,
    });
    this.#identity = Buffer.from(encodeSignedDeviceIdentity(creds.account!, true));
    this.#own = creds.me!.lid!.replace(/:\d+@/, '@');
  }

  /** Opens sessions with a person's phone and with the own one. */
  async open(lid: string): Promise<void> {
    const users = [lid, this.#own].map((jid): BinaryNode => ({ tag: 'user', attrs: { jid } }));
    const answer = await this.#ask({
      tag: 'iq',
      attrs: { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net', id: `open ${(this.#last += 1)}` },
      content: [{ tag: 'key', attrs: {}, content: users }],
    });
    for (const user of childrenOf(childOf(answer, 'list'))) {
      const bundle = readBundle(user, user);
      if (bundle === null) throw new Error('a phone without keys');
      await this.#peer.open(addressOf(user.attrs['jid']!), bundle);
    }
  }

  /** Writes one text, for the phone of the other person and for the own; resolves when the network has it. */
  async send(lid: string, text: string): Promise<void> {
    const message: proto.IMessage = { conversation: text };
    const enc = [
      await this.#encrypt(lid, message),
      await this.#encrypt(this.#own, { deviceSentMessage: { destinationJid: lid, message } }),
    ];
    await this.#ask({
      tag: 'message',
      attrs: { id: `3EB0${this.#own.slice(0, 15)}${(this.#last += 1)}`, to: lid, type: 'text' },
      content: [
        { tag: 'participants', attrs: {}, content: enc },
        { tag: 'device-identity', attrs: {}, content: this.#identity },
      ],
    });
  }

  async #encrypt(jid: string, message: proto.IMessage): Promise<BinaryNode> {
    const { type, body } = await this.#peer.encrypt(addressOf(jid), encodeWAMessage(message));
    return { tag: 'to', attrs: { jid }, content: [{ tag: 'enc', attrs: { v: '2', type }, content: body }] };
  }

  #ask(node: BinaryNode): Promise<BinaryNode> {
    const { promise, resolve } = Promise.withResolvers<BinaryNode>();
    this.#answers.set(node.attrs['id']!, resolve);
    this.#line.send(node);
    return promise;
  }
}
