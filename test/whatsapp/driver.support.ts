/** The driver against the sandbox, with a real store: what the driver's tests share. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../../src/clock.ts';
import type { AccountLimits } from '../../src/domain/account-limits.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { DeviceEvent, EventKind, StoredEvent } from '../../src/domain/event.ts';
import type { OutgoingContent, SentMessage } from '../../src/domain/messages/outgoing.ts';
import type { Network, NetworkSession } from '../../src/domain/network.ts';
import type { Passkey } from '../../src/domain/passkey.ts';
import { parseRecipient } from '../../src/domain/jid.ts';
import type { Account, DisconnectReason, PairingOffer } from '../../src/domain/sessions/state.ts';
import type { SessionCredentials, Stores } from '../../src/domain/stores.ts';
import type { Recorder } from '../../sandbox/src/base/recorder.ts';
import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { sandboxEndpoint } from '../../src/whatsapp/connection/endpoint.ts';
import { TemporaryFiles } from '../../src/whatsapp/media/temporary-files.ts';
import { makeWhatsApp } from '../../src/whatsapp/network.ts';
import { makeOutbound } from '../../src/outbound.ts';
import { assertNoReusedKeys, firstPreKeys, type Phones, phonesOf } from '../support/phones.ts';
import { makeDataFolder } from '../support/store.ts';
import { eventually } from '../support/wait.ts';
import { logOf } from '../support/event-log.ts';

/** A session and all that it told. */
export interface Watched {
  readonly session: NetworkSession;
  readonly calls: readonly string[];
  readonly offers: readonly PairingOffer[];
  readonly passkeys: readonly Passkey[];
  readonly limits: readonly AccountLimits[];
  readonly account: () => Account | null;
  readonly reason: () => DisconnectReason | null;
  opened(): Promise<Account>;
  closed(): Promise<DisconnectReason>;
}

const watch = (network: Network, deviceId: number, pairingNumber: string | null = null): Watched => {
  const calls: string[] = [];
  const offers: PairingOffer[] = [];
  const passkeys: Passkey[] = [];
  const limits: AccountLimits[] = [];
  let account: Account | null = null;
  let reason: DisconnectReason | null = null;
  const session = network.connect(
    { deviceId, pairingNumber },
    {
      pairing(offer) {
        calls.push('pairing');
        offers.push(offer);
      },
      passkey(passkey) {
        calls.push(`passkey ${passkey.step}`);
        passkeys.push(passkey);
      },
      linked: () => void calls.push('linked'),
      restricted(said) {
        calls.push('restricted');
        limits.push(said);
      },
      backlog: () => undefined,
      open(opened) {
        calls.push('open');
        account = opened;
      },
      closed(why) {
        calls.push('closed');
        reason = why;
      },
    },
  );
  return {
    session,
    calls,
    offers,
    passkeys,
    limits,
    account: () => account,
    reason: () => reason,
    opened: () =>
      eventually('the session to open', () => account ?? (reason && Promise.reject(new Error(reason.kind)))),
    closed: () => eventually('the session to close', () => reason),
  };
};

export interface Rig extends AsyncDisposable {
  readonly stores: Stores;
  /** What the driver reads and commits through; a test may let it fail. */
  readonly credentials: SessionCredentials;
  readonly sandbox: Sandbox;
  readonly phones: Phones;
  readonly network: Network;
  /** A stored device. */
  device(): Promise<number>;
  connect(deviceId: number, pairingNumber?: string | null): Watched;
  /** A new phone, and a session linked to it by QR. */
  linked(number: string, name: string): Promise<{ deviceId: number; watched: Watched; account: Account }>;
  events(deviceId: number): Promise<readonly StoredEvent[]>;
  /** The first event of a kind that passes. */
  event<K extends EventKind>(
    deviceId: number,
    type: K,
    passes?: (event: Extract<DeviceEvent, { type: K }>) => boolean,
  ): Promise<Extract<DeviceEvent, { type: K }>>;
  send(watched: Watched, to: string, content: OutgoingContent, id?: string): Promise<SentMessage>;
}

const isOf = <K extends EventKind>(event: DeviceEvent, type: K): event is Extract<DeviceEvent, { type: K }> =>
  event.type === type;

/** `clock`: the driver's own; the store and the sandbox keep the system's. `way`: where the driver finds the sandbox's socket. */
export const startRig = async (
  clock: Clock = systemClock,
  way: (socketUrl: string) => Promise<string> = (socketUrl) => Promise.resolve(socketUrl),
  record?: Recorder,
): Promise<Rig> => {
  const dataDir = await makeDataFolder('handset-driver-');
  const log = pino({ level: process.env.DRIVER_LOG ?? 'silent' }, pino.destination(2));
  const sandbox = await startSandbox({ port: 0, ...(record !== undefined && { record }) });
  const stores = await openStore({ dataDir, secret: null, clock: systemClock, log });
  const user = await stores.users.create('tester', 1000, Date.now());
  const phones = phonesOf(sandbox.controlUrl);
  // Tests watch what is committed.
  const commit: typeof stores.changes.commit = (...given) => stores.changes.commit(...given);
  const credentials = { ...stores.credentials, ...stores.changes, commit };
  const network = makeWhatsApp({
    credentials,
    messages: stores.messages,
    groups: stores.groups,
    statuses: stores.statuses,
    endpoint: sandboxEndpoint({ ...sandbox, socketUrl: await way(sandbox.socketUrl) }),
    tunnel: makeOutbound({ allowPrivateUrls: true, userAgent: '' }).tunnel,
    files: new TemporaryFiles(join(dataDir, 'uploads')),
    ffmpeg: null,
    maxBytes: 1_048_576,
    firstPreKeys,
    clock,
    log,
  });
  const sessions: NetworkSession[] = [];

  const connect = (deviceId: number, pairingNumber: string | null = null): Watched => {
    const watched = watch(network, deviceId, pairingNumber);
    sessions.push(watched.session);
    return watched;
  };
  const device = async (): Promise<number> => {
    const made = { userId: user.id, name: 'test', webhookUrl: null, webhookEvents: [] };
    return (await stores.devices.create(made, Date.now())).id;
  };
  const events = (deviceId: number) => logOf(stores.events, deviceId);

  return {
    stores,
    credentials,
    sandbox,
    phones,
    network,
    device,
    connect,
    events,
    async linked(number, name) {
      await phones.add(number, name);
      const deviceId = await device();
      const watched = connect(deviceId);
      const offer = await eventually('a QR', () => watched.offers[0]);
      await phones.scan(number, offer.qrText);
      return { deviceId, watched, account: await watched.opened() };
    },
    event: (deviceId, type, passes = () => true) =>
      eventually(`a ${type} event`, async () => {
        for (const { event } of await events(deviceId)) if (isOf(event, type) && passes(event)) return event;
        return null;
      }),
    send: ({ session }, to, content, id) =>
      session.send({
        id: id ?? network.newMessageId(),
        isRepeat: id !== undefined,
        recipient: to.includes('@') ? parseRecipient(to, undefined) : parseRecipient(undefined, to),
        content,
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      try {
        await assertNoReusedKeys(phones);
      } finally {
        await sandbox.close();
        await stores.close();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
};

/** An image as the service prepares it. */
export const imageOf = async (network: Network, bytes: Uint8Array, caption: string | null = null) =>
  network.prepareFile(await network.encipher(bytes, 'image'), { kind: 'image' }, caption, { userId: 1 });
