/** Builds the use cases from the ports. */
import { type Devices, makeDevices } from './devices/devices.ts';
import { type Communities, makeCommunities } from './groups/communities.ts';
import { type GroupService, makeGroups } from './groups/groups.ts';
import { type Conversations, makeConversations } from './conversation/conversations.ts';
import { makeLabels, type Labels } from './conversation/labels.ts';
import { type ChannelService, makeChannels } from './conversation/channels.ts';
import { makePeople, type People, makeProfiles, type Profiles } from './conversation/people.ts';
import { makeStatuses, type StatusService } from './conversation/statuses.ts';
import { MediaFetcher } from './media/fetcher.ts';
import { Uploads } from './media/uploads.ts';
import { Ownership } from './cluster/ownership.ts';
import type { ServiceParts } from './parts.ts';
import { makePruner } from './retention.ts';
import { Runtimes, type DeviceScopes, makeScopes } from './sessions/runtimes.ts';
import { type Sending, makeSending } from './sending/sending.ts';
import { makeSchedule, type Schedule } from './scheduling/schedule.ts';
import { Scheduler } from './scheduling/scheduler.ts';
import { makeWriteAppState, type WriteAppState } from './sending/readiness.ts';
import { FileIntake, makeImageLimit } from './sending/files.ts';
import { type Supervisor, completePair, makeSupervisor } from './sessions/supervisor.ts';
import type { ConcurrencyLimit } from './users/admission.ts';
import { type Users, makeUsers } from './users/users.ts';
import { connectSlots } from './sessions/slots.ts';

export interface Service {
  readonly scopes: DeviceScopes;
  readonly devices: Devices;
  readonly sending: Sending;
  readonly schedule: Schedule;
  readonly writeAppState: WriteAppState;
  readonly conversations: Conversations;
  readonly groups: GroupService;
  readonly communities: Communities;
  readonly labels: Labels;
  readonly channels: ChannelService;
  readonly people: People;
  readonly profiles: Profiles;
  readonly statuses: StatusService;
  readonly users: Users;
  readonly imageLimit: ConcurrencyLimit;
  readonly mediaFetcher: MediaFetcher;
  readonly uploads: Uploads;
  readonly supervisor: Supervisor;
  readonly ownership: Ownership | null;
}

const ownershipOf = ({ stores, node, clock, log }: ServiceParts): Ownership | null => {
  if (stores.cluster === null || node === undefined) return null;
  const { devices, cluster } = stores;
  const complete = async (deviceId: number): Promise<void> => {
    const record = await devices.find(deviceId);
    if (record !== null) await completePair({ stores, clock }, record);
  };
  return new Ownership({ leases: cluster.leases, devices, ...node, clock, log, complete });
};

export const makeService = (parts: ServiceParts): Service => {
  const { stores, network, qr, clock, log, options } = parts;
  const slots = connectSlots(options.connectConcurrency);
  const ownership = ownershipOf(parts);
  const runtimes = new Runtimes({ stores, network, qr, slots, clock, log, random: Math.random, holder: ownership });
  const mediaFetcher = new MediaFetcher({ stores, files: parts.keptFiles ?? null, runtimes, clock, log });
  const uploads = new Uploads(parts);
  const scopes = makeScopes({ stores, runtimes });
  const live = { ...parts, runtimes, scopes, ownership, mediaFetcher, uploads };
  const imageLimit = makeImageLimit();
  const files = new FileIntake(live, imageLimit);
  const sending = makeSending(live, files);
  const scheduler = new Scheduler(live, sending);
  runtimes.onNew = (runtime) => {
    mediaFetcher.meet(runtime);
    scheduler.look(runtime.id);
  };
  runtimes.onGone = (deviceId) => uploads.forgetDevice(deviceId);
  const users = makeUsers({ users: stores.users, devices: stores.devices, clock, log });
  const pruner = makePruner({ retention: stores.retention, clock, log, times: options });
  const sessions = makeSupervisor({ stores, runtimes, ownership, clock, log });
  return {
    scopes,
    devices: makeDevices(live),
    conversations: makeConversations(live),
    groups: makeGroups(live, sending, files),
    communities: makeCommunities(live),
    sending,
    schedule: makeSchedule(live, { files, changed: (deviceId) => scheduler.look(deviceId) }),
    labels: makeLabels(live),
    channels: makeChannels(live, files),
    people: makePeople(live),
    profiles: makeProfiles(live, files),
    statuses: makeStatuses(live, files),
    writeAppState: makeWriteAppState(live),
    imageLimit,
    mediaFetcher,
    uploads,
    users,
    ownership,
    supervisor: {
      async start() {
        await sessions.start();
        pruner.start();
        mediaFetcher.start();
        scheduler.start();
      },
      async stop() {
        uploads.stop();
        await Promise.all([mediaFetcher.stop(), scheduler.stop(), sessions.stop(), pruner.stop(), users.flush()]);
      },
      stats: () => sessions.stats(),
    },
  };
};
