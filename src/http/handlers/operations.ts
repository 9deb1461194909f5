/** Every operation with its code. */
import * as declared from '../../contract/operations/all.ts';
import type { Operation } from '../wire/operation.ts';
import * as account from './account.ts';
import * as adminDevices from './admin-devices.ts';
import * as adminUsers from './admin-users.ts';
import * as admin from './admin.ts';
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
import * as media from './message-media.ts';
import * as messages from './messages.ts';
import * as channels from './channels.ts';
import * as profile from './profile.ts';
import * as scheduled from './scheduled.ts';
import * as sends from './sends.ts';
import * as sessions from './sessions.ts';
import * as statuses from './statuses.ts';
import * as suppressions from './suppressions.ts';
import * as webhooks from './webhooks.ts';

const bound = [
  account,
  adminDevices,
  adminUsers,
  admin,
  chats,
  communities,
  contacts,
  deliveries,
  devices,
  events,
  members,
  groups,
  keys,
  labels,
  changes,
  media,
  messages,
  profile,
  channels,
  scheduled,
  sends,
  sessions,
  statuses,
  suppressions,
  webhooks,
].flatMap((file) => Object.values<Operation | readonly Operation[]>(file).flat());

const byId = new Map(bound.map((operation) => [operation.id, operation]));

const withCode = ({ id }: { readonly id: string }): Operation => {
  const operation = byId.get(id);
  if (operation === undefined) throw new Error(`No handler for ${id}`);
  return operation;
};

export const operations = declared.operations.map(withCode);

export const adminOperations = declared.adminOperations.map(withCode);
