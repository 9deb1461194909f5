/** Reading and changing devices (docs/spec/devices.md, Operations). */
import {
  type Device,
  type DevicePatch,
  type DeviceRecord,
  type DeviceSettings,
  withKnownCredentials,
} from '../../domain/device.ts';
import { handedOverNote } from '../../domain/changes.ts';
import type { DeviceEvent } from '../../domain/event.ts';
import type { Capture } from '../../domain/network.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { ClosedReason, SessionView } from '../../domain/sessions/state.ts';
import type { EventStore, Page, PageRequest } from '../../domain/stores.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { sessionsOf, type DeviceScope } from '../sessions/runtimes.ts';
import { type DownloadedMedia, downloadMedia } from './media.ts';
import { makePairing } from './pairing.ts';
import { makePasskeys } from './passkey.ts';
import { makeTransfers } from './transfer.ts';
import { makeUnlinking } from './unlink.ts';
import { deviceView, sessionView, limitsOf, type LimitsView } from './view.ts';

/** Synchronous without a QR: a list may have a thousand devices. */
const viewOf = (parts: LiveParts, record: DeviceRecord, session: Session): Device | Promise<Device> => {
  const { runtimes, clock, qr: draw } = parts;
  const { state } = session;
  if (state.kind !== 'pairing') return deviceView(record, session, null, clock.now());
  const { qrText } = state.offer;
  const drawn = runtimes.find(record.id)?.image.of(qrText) ?? draw(qrText);
  return drawn.then((qr) => deviceView(record, session, qr, clock.now()));
};

const sessionOf = async (parts: LiveParts, record: DeviceRecord): Promise<Session> =>
  (await sessionsOf(parts, [record]))[0]!;

const reasonByLogout = { requested: 'logged_out', removed_by_phone: 'removed_by_phone', banned: 'locked' } as const;

const reasonBy = (event: DeviceEvent | undefined): ClosedReason => {
  if (event?.type === 'connection.logout') return reasonByLogout[event.data.reason];
  return event?.type === 'connection.timeout' ? 'pairing_expired' : 'never_paired';
};

const withReason = async (
  events: Pick<EventStore, 'listBefore'>,
  deviceId: number,
  session: Session,
): Promise<Session> => {
  const { state } = session;
  if (state.kind !== 'closed' || state.reason !== 'never_paired') return session;
  const kinds = ['connection.logout', 'connection.timeout'] as const;
  const [last] = (await events.listBefore(deviceId, { limit: 1, cursor: null }, kinds)).items;
  return { ...session, state: { ...state, reason: reasonBy(last?.event) } };
};

const makeReading = (parts: LiveParts) => {
  const { stores, clock } = parts;
  return {
    async list(userId: number, page: PageRequest, only: readonly number[] | null = null): Promise<Page<Device>> {
      const { items, nextCursor } = await stores.devices.list(userId, page, only);
      const sessions = await sessionsOf(parts, items);
      const views: Device[] = [];
      for (const [n, record] of items.entries()) {
        const view = viewOf(parts, record, sessions[n]!);
        views.push(view instanceof Promise ? await view : view);
      }
      return { items: views, nextCursor };
    },
    async get(scope: DeviceScope): Promise<Device> {
      const record = await scope.record();
      return viewOf(parts, record, await sessionOf(parts, record));
    },
    async session(scope: DeviceScope): Promise<SessionView> {
      const record = await scope.record();
      const session = await withReason(stores.events, scope.id, await sessionOf(parts, record));
      return sessionView(record, session, clock.now());
    },
    async limits(scope: DeviceScope): Promise<LimitsView> {
      const record = await scope.record();
      return limitsOf(parts, record, await sessionOf(parts, record));
    },
    async qrText(scope: DeviceScope): Promise<string> {
      const { state } = await sessionOf(parts, await scope.record());
      if (state.kind !== 'pairing') throw notFound('QR');
      return state.offer.qrText;
    },
    downloadMedia: (scope: DeviceScope, messageId: string, chat?: string): Promise<DownloadedMedia> =>
      downloadMedia(parts, scope, messageId, chat),
  };
};

/** With the proxy in its stored form. Throws InvalidRequest. */
const checked = (
  { outbound, mediaFetcher }: LiveParts,
  settings: Partial<DeviceSettings>,
  before: DeviceSettings,
): Partial<DeviceSettings> => {
  if (settings.media === 'kept' && !mediaFetcher.isAble)
    throw invalidRequest(
      'media cannot be kept here: nodes that share a database need a place that they share, which the operator names in HANDSET_MEDIA_STORE',
    );
  if (typeof settings.proxy !== 'string') return settings;
  return { ...settings, proxy: withKnownCredentials(outbound.checkProxy(settings.proxy), before.proxy) };
};

/** Restarts a session so that nothing continues through the former proxy. A ban is still waited out. */
const reconnect = (runtime: DeviceRuntime): void => {
  const { state } = runtime.session;
  const isBanned = state.kind === 'reconnecting' && state.ban !== undefined;
  if (state.kind !== 'closed' && !isBanned) runtime.handle({ kind: 'restart' }, true);
};

/** Starting a device keeps its link here, even if it was handed over to another program. */
const takeBack = async ({ stores }: LiveParts, id: number, { epoch }: DeviceRuntime): Promise<void> => {
  const { type, id: name } = handedOverNote;
  if ((await stores.credentials.readKeys(id, type, [name])).size > 0)
    await stores.changes.commit(id, { keys: [{ ...handedOverNote, value: null }] }, epoch);
};

const makeChanges = (parts: LiveParts) => ({
  async update(scope: DeviceScope, patch: DevicePatch): Promise<Device> {
    const record = await scope.operate(async (runtime, before) => {
      if (typeof patch.webhookUrl === 'string') await parts.outbound.check(patch.webhookUrl, 'webhookUrl');
      if (Object.keys(patch).length === 0) return before;
      const { webhookEvents } = patch;
      const kinds = webhookEvents === undefined ? {} : { webhookEvents: [...new Set(webhookEvents)] };
      const after = await parts.stores.devices.update(scope.id, { ...patch, ...kinds }, scope.actor);
      if (after.subscriptionStatus !== before.subscriptionStatus) {
        if (after.subscriptionStatus === 'active') await takeBack(parts, scope.id, runtime);
        runtime.handle({ kind: after.subscriptionStatus === 'inactive' ? 'deactivate' : 'activate' }, true);
        await runtime.writes.settled;
      }
      return after;
    });
    return viewOf(parts, record, await sessionOf(parts, record));
  },
  /** Applies to an open session at once. */
  updateSettings: (scope: DeviceScope, settings: Partial<DeviceSettings>): Promise<DeviceSettings> =>
    scope.operate(async (runtime, before) => {
      if (Object.keys(settings).length === 0) return before.settings;
      const change = { settings: checked(parts, settings, before.settings) };
      const after = await parts.stores.devices.update(scope.id, change, scope.actor);
      runtime.applySettings(after.settings);
      if (after.settings.proxy !== before.settings.proxy) reconnect(runtime);
      if (settings.media !== undefined) parts.mediaFetcher.look();
      return after.settings;
    }),
});

const found = (capture: Capture | null): Capture => {
  if (capture === null) throw notFound('Capture');
  return capture;
};

/** Captures of stanza shapes (docs/internals/wire.md, Capture). `read` and `stop` throw NotFound if there is none. */
const makeCaptures = ({ stores, network: { captures } }: LiveParts) => ({
  start: (scope: DeviceScope, seconds: number): Promise<Capture> =>
    scope.operate(async () => {
      const { id, userId, actor } = scope;
      await stores.audit.append(actor, 'device.captured', { userId, deviceId: id });
      return captures.start(id, seconds * 1000);
    }),
  read: ({ id }: DeviceScope): Capture => found(captures.read(id)),
  stop: ({ id }: DeviceScope): Capture => found(captures.stop(id)),
});

const rereadPage = 200;

interface Reread {
  readonly unknown: number;
  readonly translated: number;
  readonly nextCursor: string | null;
}

const makeOperating = (parts: LiveParts) => ({
  captures: makeCaptures(parts),
  /** Re-reads stored messages of unknown kind, after an upgrade (docs/spec/messages.md, Message log). */
  async reread({ id }: DeviceScope, cursor: string | null): Promise<Reread> {
    const { stores, network } = parts;
    const { items, nextCursor } = await stores.messages.list(id, { limit: rereadPage, cursor });
    const unknown = items.filter(({ type, content }) => type === 'unknown' && content !== null);
    const changes = await network.reread(id, unknown);
    const translated = changes.messageChanges?.length ?? 0;
    if (translated > 0) await stores.changes.commit(id, changes);
    return { unknown: unknown.length, translated, nextCursor };
  },
});

export const makeDevices = (parts: LiveParts) => ({
  ...makeReading(parts),
  ...makeChanges(parts),
  ...makePairing(parts),
  ...makeUnlinking(parts),
  ...makeTransfers(parts),
  ...makeOperating(parts),
  passkeys: makePasskeys(parts),
});

export type Devices = ReturnType<typeof makeDevices>;
