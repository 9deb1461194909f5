/** The WebSocket server in front of a hub. */
import { type BinaryNode, proto } from 'baileys';
import { type WebSocket, WebSocketServer } from 'ws';
import { recorded } from '../../base/recorder.ts';
import type { Client, Device, KeyPair } from '../../base/types.ts';
import type { Candidate, Registration } from '../linking/candidate.ts';
import { revisionOf } from '../state/faults.ts';
import { decode, frameOf, makeFrameReader, makeClient, type Wire } from './wire.ts';
import type { ServerHub } from '../hub.ts';
import { element, uintOf } from '../../base/nodes.ts';
import {
  answerHello,
  type Finished,
  type ServerIdentity,
  type Transport,
  certify,
  makeKeyPair,
  makeServerIdentity,
} from './noise.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';

type Stage =
  | { readonly name: 'hello' }
  | { readonly name: 'finish'; readonly finish: (message: Uint8Array) => Finished }
  | {
      readonly name: 'linked';
      readonly device: Device;
      readonly client: Client;
      readonly transport: Transport;
      stanzas: number;
    }
  | { readonly name: 'unlinked'; readonly candidate: Candidate; readonly transport: Transport }
  | { readonly name: 'refused' };

const registrationOf = (payload: proto.IClientPayload, noiseKey: Uint8Array): Registration | null => {
  const pairing = payload.devicePairingData;
  if (!pairing?.eIdent || !pairing.eRegid || !pairing.eSkeyId || !pairing.eSkeyVal || !pairing.eSkeySig) return null;
  const props = pairing.deviceProps ? proto.DeviceProps.decode(pairing.deviceProps) : null;
  return {
    noiseKey,
    identity: pairing.eIdent,
    registrationId: uintOf(pairing.eRegid),
    signedPreKey: { id: uintOf(pairing.eSkeyId), publicKey: pairing.eSkeyVal, signature: pairing.eSkeySig },
    platform: props?.os ?? null,
    revision: revisionOf(payload),
  };
};

const enter = (hub: ServerHub, wire: Wire, { transport, clientKey, payload }: Finished): Stage => {
  hub.state.counters.handshakes += 1;
  const said = proto.ClientPayload.decode(payload);
  const number = said.username ? String(said.username) : null;
  hub.state.record?.({ kind: 'login', number, payload: said });
  const client = recorded(makeClient(wire, transport), number, hub.state.record);
  if (revisionOf(said) < hub.state.faults.clientRevision.accepted) {
    client.close(element('failure', { reason: '405', location: 'sandbox' }));
    return { name: 'refused' };
  }
  const { connectFailure, says } = hub.state.faults;
  if (connectFailure !== null) {
    const words = {
      ...(says.header !== null && { logout_message_header: says.header }),
      ...(says.text !== null && { logout_message_subtext: says.text }),
      ...((says.header ?? says.text) !== null && { logout_message_locale: 'en' }),
    };
    client.close(element('failure', { reason: String(connectFailure), location: 'sandbox', ...words }));
    return { name: 'refused' };
  }
  const registration = said.username ? null : registrationOf(said, clientKey);
  if (registration !== null) return { name: 'unlinked', candidate: hub.register(registration, client), transport };
  const login = {
    number: String(said.username ?? ''),
    deviceId: said.device ?? 0,
    noiseKey: clientKey,
    passive: said.passive === true,
  };
  const device = hub.login(login, client);
  if ('account' in device) return { name: 'linked', device, client, transport, stanzas: 0 };
  client.close(device);
  return { name: 'refused' };
};

const isDropped = ({ state }: ServerHub, count: number): boolean =>
  state.faults.dropEvery > 0 && count % state.faults.dropEvery === 0;

const told = ({ state }: ServerHub, device: Device | null, node: BinaryNode): BinaryNode => {
  state.record?.({ kind: 'stanza', from: 'client', number: device?.account.number ?? null, node });
  return node;
};

const take = (hub: ServerHub, identity: ServerIdentity, wire: Wire, stage: Stage, frame: Buffer): Stage => {
  switch (stage.name) {
    case 'hello': {
      const { reply, finish } = answerHello(identity, frame);
      wire.socket.send(frameOf(reply));
      return { name: 'finish', finish };
    }
    case 'finish':
      return enter(hub, wire, stage.finish(frame));
    case 'linked':
      stage.stanzas += 1;
      if (isDropped(hub, stage.stanzas)) {
        hub.detach(stage.device, stage.client);
        stage.client.close();
        return { name: 'refused' };
      }
      // The device was replaced or unlinked meanwhile.
      if (stage.device.client === stage.client) {
        hub.receive(stage.device, told(hub, stage.device, decode(stage.transport.open(frame))));
      }
      return stage;
    case 'unlinked':
      hub.receiveUnlinked(stage.candidate, told(hub, null, decode(stage.transport.open(frame))));
      return stage;
    case 'refused':
      return stage;
  }
};

const serve = (hub: ServerHub, identity: ServerIdentity, socket: WebSocket): void => {
  const { counters, onError } = hub.state;
  const wire: Wire = { hub: hub.state, socket, silent: false, broken: false };
  let stage: Stage = { name: 'hello' };
  const read = makeFrameReader((frame) => {
    stage = take(hub, identity, wire, stage, frame);
  });
  counters.connections += 1;
  socket.on('message', (data: Buffer) => {
    const { halfOpen } = hub.state.faults;
    // Frames were missed, so the ciphers are out of step for good.
    wire.broken ||= halfOpen;
    if (halfOpen || wire.silent || socket.readyState !== socket.OPEN) return;
    if (wire.broken) return socket.terminate();
    counters.bytesIn += data.length;
    try {
      read(data);
    } catch (error) {
      // Another protocol, or a wrong key.
      onError(error);
      socket.terminate();
    }
  });
  socket.on('error', onError);
  socket.on('close', () => {
    counters.connections -= 1;
    if (stage.name === 'unlinked') hub.unregister(stage.candidate);
    if (stage.name === 'linked') hub.detach(stage.device, stage.client);
  });
};

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  readonly rootKey?: KeyPair | undefined;
}

export interface Listener {
  readonly port: number;
  /** For `waWebSocketUrl`. */
  readonly url: string;
  readonly rootKey: KeyPair;
  /** Public half, 64 hex digits, for `WA_CERT_DETAILS.PUBLIC_KEY`. */
  readonly rootKeyHex: string;
  close(): Promise<void>;
}

export const listen = async (hub: ServerHub, options: ListenOptions = {}): Promise<Listener> => {
  const { port = 0, host = '127.0.0.1', rootKey = makeKeyPair() } = options;
  const noiseKey = makeKeyPair();
  const identity = makeServerIdentity(noiseKey, certify(rootKey, noiseKey.public));
  const http = createServer((_request, response) => {
    response.writeHead(426, { connection: 'close' }).end();
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  http.on('upgrade', (request, socket, head) => {
    if (hub.state.faults.refuseConnections) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (accepted) => serve(hub, identity, accepted));
  });
  http.listen(port, host);
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const bound = address.port;
  return {
    port: bound,
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${bound}/ws/chat`,
    rootKey,
    rootKeyHex: Buffer.from(rootKey.public).toString('hex'),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
};
