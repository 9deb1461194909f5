/** The use cases, put together from the ports. */
import { type Devices, makeDevices } from './devices.ts';
import type { ServiceParts } from './parts.ts';
import { makePruner } from './retention.ts';
import { Runtimes } from './runtimes.ts';
import { type Sending, makeSending } from './sending.ts';
import { Slots } from './slots.ts';
import { type Supervisor, makeSupervisor } from './supervisor.ts';
import { type Users, makeUsers } from './users.ts';

export interface Service {
  readonly devices: Devices;
  readonly sending: Sending;
  readonly users: Users;
  readonly supervisor: Supervisor;
}

export const makeService = (parts: ServiceParts): Service => {
  const { stores, network, qr, clock, log, options } = parts;
  const slots = new Slots(options.connectConcurrency);
  const runtimes = new Runtimes({ stores, network, qr, slots, clock, log, random: Math.random });
  const live = { ...parts, runtimes };
  const users = makeUsers({ users: stores.users, devices: stores.devices, clock, log });
  const pruner = makePruner({ retention: stores.retention, clock, log, times: options });
  const sessions = makeSupervisor({ stores, runtimes, clock, log });
  return {
    devices: makeDevices(live),
    sending: makeSending(live),
    users,
    supervisor: {
      async start() {
        await sessions.start();
        pruner.start();
      },
      async stop() {
        await Promise.all([sessions.stop(), pruner.stop(), users.flush()]);
      },
      stats: () => sessions.stats(),
    },
  };
};
