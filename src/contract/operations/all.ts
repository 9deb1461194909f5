/** Every operation, in documentation order. */
import type { TSchema } from 'typebox';
import type { Declaration, WebhookDeclarations } from '../operation.ts';
import * as account from './account.ts';
import * as adminDevices from './admin/devices.ts';
import * as adminUsers from './admin/users.ts';
import * as admin from './admin/admin.ts';
import * as chats from './chats.ts';
import * as communities from './communities.ts';
import * as contacts from './contacts.ts';
import * as deliveries from './deliveries.ts';
import * as devices from './devices.ts';
import * as events from './events.ts';
import * as members from './group-members.ts';
import * as groups from './groups.ts';
import * as keys from './keys.ts';
import * as labels from './labels.ts';
import * as changes from './message-changes.ts';
import * as messages from './messages.ts';
import * as channels from './channels.ts';
import * as profile from './profile.ts';
import * as scheduled from './scheduled.ts';
import * as sends from './sends.ts';
import * as sessions from './sessions.ts';
import * as statuses from './statuses.ts';
import * as suppressions from './suppressions.ts';
import * as webhooks from './webhooks.ts';

const order = ['GET', 'POST', 'PUT', 'DELETE'];

const declaredIn = (exported: unknown): readonly Declaration[] => {
  if (typeof exported !== 'object' || exported === null) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only declarations have an `id`
  if ('id' in exported) return [exported as Declaration];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `declareOfWebhooks` gives `primary`
  const { device, account: wide, primary } = exported as WebhookDeclarations<string, TSchema, TSchema, TSchema>;
  return 'primary' in exported ? [device, wide, ...(primary === null ? [] : [primary])] : [];
};

/** By path, and at a path as one works with a thing: list, create, change, delete. */
const inOrder = (modules: readonly object[]): readonly Declaration[] =>
  modules.flatMap((module) =>
    Object.values(module)
      .flatMap(declaredIn)
      .toSorted((a, b) =>
        a.path === b.path ? order.indexOf(a.method) - order.indexOf(b.method) : a.path < b.path ? -1 : 1,
      ),
  );

export const operations = inOrder([
  devices,
  sessions,
  sends,
  scheduled,
  messages,
  changes,
  chats,
  labels,
  contacts,
  profile,
  groups,
  members,
  communities,
  statuses,
  channels,
  events,
  webhooks,
  deliveries,
  suppressions,
  keys,
  account,
]);

export const adminOperations = inOrder([adminUsers, adminDevices, admin]);
