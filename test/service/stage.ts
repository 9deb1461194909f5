/** The use cases on the real SQLite store, with a scripted network and a clock that the test moves. */
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { Clock } from '../../src/domain/clock.ts';
import type { DeviceEvent } from '../../src/domain/event.ts';
import type { Outbound } from '../../src/domain/outbound.ts';
import type { User } from '../../src/domain/user.ts';
import { HandsetError, invalidRequest } from '../../src/errors.ts';
import type { ServiceOptions } from '../../src/service/parts.ts';
import type { DeviceScope } from '../../src/service/sessions/runtimes.ts';
import { theService } from '../../src/domain/audit.ts';
import { type Service, makeService } from '../../src/service/service.ts';
import { makeOutbound } from '../../src/outbound.ts';
import { type ManualClock, manualClock } from '../support/clock.ts';
import { openTestStore, type TestStore } from '../support/store.ts';
import { eventually } from '../support/wait.ts';
import { ScriptedNetwork, type ScriptedSession } from './scripted-network.ts';
import { logOf } from '../support/event-log.ts';

export const aPng = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** Knows three URLs. */
const outbound: Outbound = {
  async check(url, member) {
    if (!url.startsWith('https://')) throw invalidRequest(`${member} must be an https:// URL`);
  },
  checkProxy: makeOutbound({ allowPrivateUrls: true, userAgent: '' }).checkProxy,
  post: () => Promise.reject(new Error('nobody posts here')),
  async download(url, { maxBytes }) {
    if (url === 'https://example.com/cat.png') return aPng;
    if (url === 'https://example.com/huge.png' && maxBytes === 10_485_760) {
      throw new HandsetError('PayloadTooLarge', 'Request payload too large');
    }
    throw invalidRequest('mediaUrl could not be downloaded');
  },
  async *stream(url, limits) {
    yield this.download(url, limits);
  },
};

export interface Stage {
  readonly store: TestStore;
  readonly clock: ManualClock;
  readonly user: User;
  /** A device of the user. */
  scope(deviceId: number): DeviceScope;
  network: ScriptedNetwork;
  service: Service;
  /** How often a QR was drawn. */
  drawn: number;
  /** A new process on the same data: without a word (`crash`), or after a graceful stop. */
  restart(how: 'crash' | 'graceful'): Promise<void>;
  /** The newest session of a device, once there is one that is live. */
  session(deviceId: number): Promise<ScriptedSession>;
  /** A device that is linked and open. */
  connected(): Promise<{ id: number; session: ScriptedSession }>;
  /** The device's events, in short: `open`, `closed lost true`, `auth ref-1`, `logout requested`, … */
  events(deviceId: number): Promise<string[]>;
}

const short = (event: DeviceEvent): string => {
  if (event.type === 'connection.closed') return `closed ${event.data.reason} ${event.data.willReconnect}`;
  if (event.type === 'connection.logout') return `logout ${event.data.reason}`;
  if (event.type === 'connection.auth') return `auth ${event.data.qrText} ${event.data.pairingCode}`;
  return event.type.replace('connection.', '');
};

const options: ServiceOptions = {
  requestTimeoutMs: 30_000,
  maxMediaBytes: 1_048_576,
  connectConcurrency: 4,
  eventRetentionMs: 7 * 86_400_000,
  messageRetentionMs: 30 * 86_400_000,
};

/** Everything is closed and removed with the test. */
export const setStage = async (t: TestContext, given: Partial<ServiceOptions> = {}): Promise<Stage> => {
  const clock = manualClock();
  // Without flushes, which take time that no manual clock measures.
  const store = await openTestStore({ clock, durability: 'process' });
  const user = await store.stores.users.create('ada', 10, clock.now());
  let processes = 0;
  const start = (): { network: ScriptedNetwork; service: Service } => {
    processes += 1;
    const me = processes;
    // The timers of a process end with it.
    const own: Clock = { now: clock.now, after: (ms, run) => clock.after(ms, () => me === processes && run()) };
    const network = new ScriptedNetwork(store.stores.changes, clock);
    const service = makeService({
      stores: store.stores,
      network,
      outbound,
      qr: async (text) => {
        stage.drawn += 1;
        return `data:image/png;base64,${Buffer.from(text).toString('base64')}`;
      },
      clock: own,
      log: pino({ level: 'silent' }),
      options: { ...options, ...given },
    });
    return { network, service };
  };
  const stage: Stage = {
    store,
    clock,
    user,
    scope: (id) => stage.service.scopes.of({ id, userId: user.id }, theService),
    drawn: 0,
    network: undefined as unknown as ScriptedNetwork,
    service: undefined as unknown as Service,
    async restart(how) {
      if (how === 'graceful') await stage.service.supervisor.stop();
      else for (const session of stage.network.live()) session.ended = true;
      await store.reopen();
      Object.assign(stage, start());
      await stage.service.supervisor.start();
    },
    session: (deviceId) => eventually('a live session', () => stage.network.live(deviceId).at(-1)),
    async connected() {
      const creating = stage.service.devices.create(user.id, {});
      const session = await eventually('a session that pairs', () =>
        stage.network.live().find((one) => !known.has(one)),
      );
      known.add(session);
      session.offer('ref-1');
      const { id } = (await creating).device;
      await session.link();
      session.open();
      await eventually('the device', async () => (await stage.store.stores.devices.find(id))?.announcedOpen);
      return { id, session };
    },
    async events(deviceId) {
      const events = await logOf(store.stores.events, deviceId);
      return events.map(({ event }) => short(event));
    },
  };
  const known = new WeakSet<ScriptedSession>();
  Object.assign(stage, start());
  t.after(async () => {
    const stopped = stage.service.supervisor.stop();
    await clock.advance(20_000);
    await stopped;
    await store.close();
  });
  return stage;
};
