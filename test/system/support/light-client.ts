/** A client with nothing in it: it links, logs in, publishes keys, and acknowledges what comes. Thousands fit in a process. */
import { randomBytes } from 'node:crypto';
import {
  type AuthenticationCreds,
  type BinaryNode,
  Browsers,
  configureSuccessfulPairing,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  generateLoginNode,
  generateRegistrationNode,
  initAuthCreds,
  makeNoiseHandler,
  NOISE_WA_HEADER,
  proto,
  type SocketConfig,
} from 'baileys';
import { pino } from 'pino';
import { calculateSignature, encodeNode, verifySignature } from 'whatsapp-rust-bridge';
import { WebSocket } from 'ws';
import type { Place } from './settings.ts';

const server = '@s.whatsapp.net';
const logger = pino({ level: 'silent' });
const config: SocketConfig = { ...DEFAULT_CONNECTION_CONFIG, browser: Browsers.macOS('Chrome') };

const childrenOf = (node: BinaryNode | undefined): readonly BinaryNode[] =>
  Array.isArray(node?.content) ? node.content : [];
const childOf = (node: BinaryNode, tag: string): BinaryNode | undefined =>
  childrenOf(node).find((child) => child.tag === tag);

/** Signatures in WebAssembly: the JavaScript that Baileys brings for them would be most of what a light client does. */
Object.assign(Curve, {
  sign: (key: Uint8Array, data: Uint8Array) => calculateSignature(key, data),
  verify: (key: Uint8Array, data: Uint8Array, signature: Uint8Array) =>
    verifySignature(key.length === 32 ? Buffer.concat([Buffer.from([5]), key]) : key, data, signature),
});

/** As many as a first login publishes. The server does not look at them, so all clients may have the same. */
const preKeys = Array.from({ length: 812 }, (_, index): BinaryNode => ({
  tag: 'key',
  attrs: {},
  content: [
    { tag: 'id', attrs: {}, content: encodeBigEndian(index + 1, 3) },
    { tag: 'value', attrs: {}, content: randomBytes(32) },
  ],
}));

const keyBundle = ({ registrationId, signedIdentityKey, signedPreKey }: AuthenticationCreds): BinaryNode => ({
  tag: 'iq',
  attrs: { xmlns: 'encrypt', type: 'set', to: server, id: 'keys' },
  content: [
    { tag: 'registration', attrs: {}, content: encodeBigEndian(registrationId) },
    { tag: 'type', attrs: {}, content: Buffer.from([5]) },
    { tag: 'identity', attrs: {}, content: signedIdentityKey.public },
    { tag: 'list', attrs: {}, content: preKeys },
    {
      tag: 'skey',
      attrs: {},
      content: [
        { tag: 'id', attrs: {}, content: encodeBigEndian(signedPreKey.keyId, 3) },
        { tag: 'value', attrs: {}, content: signedPreKey.keyPair.public },
        { tag: 'signature', attrs: {}, content: signedPreKey.signature },
      ],
    },
  ],
});

interface Line {
  readonly socket: WebSocket;
  send(node: BinaryNode): void;
}

/** Does the handshake, then hands over each stanza. */
const openLine = (place: Place, creds: AuthenticationCreds, onNode: (node: BinaryNode, line: Line) => void): Line => {
  const keyPair = Curve.generateKeyPair();
  const noise = makeNoiseHandler({ keyPair, NOISE_HEADER: NOISE_WA_HEADER, logger });
  const socket = new WebSocket(place.socketUrl, { perMessageDeflate: false });
  const put = (bytes: Uint8Array): void => socket.send(noise.encodeFrame(bytes));
  const line: Line = { socket, send: (node) => put(encodeNode(node)) };
  let greeted = false;
  const finish = async (hello: Uint8Array): Promise<void> => {
    greeted = true;
    const handshake = proto.HandshakeMessage.decode(hello);
    const key = noise.processHandshake(handshake, creds.noiseKey);
    const payload = creds.me ? generateLoginNode(creds.me.id, config) : generateRegistrationNode(creds, config);
    const sealed = noise.encrypt(proto.ClientPayload.encode(payload).finish());
    put(proto.HandshakeMessage.encode({ clientFinish: { static: key, payload: sealed } }).finish());
    await noise.finishInit();
  };
  socket.on('open', () => put(proto.HandshakeMessage.encode({ clientHello: { ephemeral: keyPair.public } }).finish()));
  socket.on('error', () => socket.terminate());
  socket.on('message', (data: Buffer) => {
    void noise.decodeFrame(data, (frame: Uint8Array | BinaryNode) => {
      if (!(frame instanceof Uint8Array)) onNode(frame, line);
      else if (!greeted) void finish(frame);
    });
  });
  return line;
};

const scan = async ({ controlUrl }: Place, number: string, qr: string): Promise<void> => {
  const answer = await fetch(`${controlUrl}/phones/${number}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ qr }),
  });
  if (!answer.ok) throw new Error(`scan: ${answer.status} ${await answer.text()}`);
};

/** Links to a phone of the sandbox; the credentials to log in with. */
export const link = (place: Place, number: string): Promise<AuthenticationCreds> => {
  const creds = initAuthCreds();
  const { promise, resolve, reject } = Promise.withResolvers<AuthenticationCreds>();
  const line = openLine(place, creds, (node, { send }) => {
    const [child] = childrenOf(node);
    if (child?.tag === 'pair-device') {
      const ref = Buffer.from(childrenOf(child)[0]!.content as Uint8Array).toString();
      const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
        Buffer.from(key).toString('base64'),
      );
      scan(place, number, [ref, ...keys, creds.advSecretKey, '1'].join(',')).catch(reject);
    } else if (child?.tag === 'pair-success') {
      const { creds: confirmed, reply } = configureSuccessfulPairing(node, creds);
      Object.assign(creds, confirmed);
      send(reply);
    }
  });
  line.socket.once('close', () => (creds.me === undefined ? reject(new Error('not linked')) : resolve(creds)));
  return promise;
};

/** Acknowledges a stanza that asks for it, so that nothing waits. */
const acknowledge = ({ tag, attrs }: BinaryNode, send: Line['send']): void => {
  const { id = '', from = '', participant, type } = attrs;
  if (tag === 'message') {
    const kind: BinaryNode['attrs'] = attrs.category === 'peer' ? { type: 'peer_msg' } : {};
    send({ tag: 'receipt', attrs: { id, to: from, ...(participant && { participant }), ...kind } });
  } else if (tag === 'notification' || tag === 'receipt' || tag === 'call') {
    const more: BinaryNode['attrs'] = { ...(participant && { participant }), ...(type && { type }) };
    send({ tag: 'ack', attrs: { id, to: from, class: tag, ...more } });
  }
};

/** Logs in, publishes keys and stays. Resolves when it is active. */
export const logIn = (place: Place, creds: AuthenticationCreds): Promise<Line> => {
  const { promise, resolve, reject } = Promise.withResolvers<Line>();
  const line = openLine(place, creds, (node, { send }) => {
    acknowledge(node, send);
    if (node.tag === 'success') send(keyBundle(creds));
    else if (node.tag === 'iq' && node.attrs.id === 'keys') {
      const content = [{ tag: 'active', attrs: {} }];
      send({ tag: 'iq', attrs: { xmlns: 'passive', type: 'set', to: server, id: 'active' }, content });
    } else if (node.tag === 'iq' && node.attrs.id === 'active') resolve(line);
    else if (node.tag === 'failure' || childOf(node, 'conflict')) reject(new Error('the login was refused'));
  });
  line.socket.once('close', () => reject(new Error('the connection has ended')));
  return promise;
};
