/** One WebSocket: handshake, then login or registration, then stanzas until it closes. */
import { type BinaryNode, proto } from 'baileys';
import type { WebSocket } from 'ws';
import { recorded } from '../../base/recorder.ts';
import type { Client, Device } from '../../base/types.ts';
import type { Candidate, Registration } from '../linking/candidate.ts';
import { revisionOf } from '../state/client-revision.ts';
import { decode, frameOf, makeFrameReader } from './frames.ts';
import type { ServerHub } from '../hub.ts';
import { element, uintOf } from '../../base/nodes.ts';
import { answerHello, type Finished, type ServerIdentity, type Transport } from './noise.ts';
import { makeClient, type Wire } from './wire.ts';

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

/** A linked device logs in, an unlinked one gets its QRs, anyone else is refused. */
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

/** The stanza, recorded. */
const told = ({ state }: ServerHub, device: Device | null, node: BinaryNode): BinaryNode => {
  state.record?.({ kind: 'stanza', from: 'client', number: device?.account.number ?? null, node });
  return node;
};

/** Takes one frame; answers the stage that the connection is in after it. */
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
      // A device that was replaced or unlinked meanwhile has nothing to say any more.
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

/** Serves a socket until it closes. */
export const serve = (hub: ServerHub, identity: ServerIdentity, socket: WebSocket): void => {
  const { counters, onError } = hub.state;
  const wire: Wire = { hub: hub.state, socket, silent: false, broken: false };
  let stage: Stage = { name: 'hello' };
  const read = makeFrameReader((frame) => {
    stage = take(hub, identity, wire, stage, frame);
  });
  counters.connections += 1;
  socket.on('message', (data: Buffer) => {
    const { halfOpen } = hub.state.faults;
    // A client that was not listened to for a while cannot be understood again: the ciphers have moved on.
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
