/** The ports over one database, SQLite or PostgreSQL. */
import type { Outbox, Stores } from '../domain/stores.ts';
import type { Context } from './base/context.ts';
import { attemptReader } from './webhooks/attempts.ts';
import { eventWriter } from './commit/event-writer.ts';
import { turnTeller } from './webhooks/settle.ts';
import { claims } from './webhooks/claim.ts';
import { freshOutbox } from './webhooks/fresh.ts';
import { deliveryReader } from './webhooks/deliveries.ts';
import { recorder } from './webhooks/record.ts';
import { recovery } from './webhooks/recovery.ts';
import { deliveryRetry } from './webhooks/retry.ts';
import { appStateStore } from './commit/app-state.ts';
import { auditStore } from './sealing/audit.ts';
import { chatStore } from './chats/chats.ts';
import { contactStore } from './chats/contacts.ts';
import { labelStore } from './chats/labels.ts';
import { groupStore } from './groups/groups.ts';
import { revisionStore } from './cluster/client-revision.ts';
import { changeStore, credentialStore } from './commit/changes.ts';
import { deviceStore, lookUpStore } from './devices/devices.ts';
import { eventStore } from './events/events.ts';
import { idempotencyStore, creationStore } from './messages/idempotency.ts';
import { newChatStore } from './chats/new-chats.ts';
import { usernameStore } from './chats/usernames.ts';
import { suppressionStore } from './chats/suppressions.ts';
import { keptMediaStore } from './messages/kept-media.ts';
import { messageStore } from './messages/messages.ts';
import { scheduledStore } from './messages/scheduled.ts';
import { statusStore } from './messages/statuses.ts';
import { retention } from './retention.ts';
import { all } from './base/unit.ts';
import { usageStore } from './usage.ts';
import { userStore } from './users/users.ts';
import { webhookStore } from './webhooks/webhooks.ts';

const outbox = (context: Context): Outbox => ({
  ...claims(context, turnTeller(context, eventWriter(context))),
  ...freshOutbox(context),
  record: recorder(context),
  ...deliveryReader(context),
  ...deliveryRetry(context),
  ...attemptReader(context),
  ...recovery(context),
});

export const portsOf = (context: Context): Omit<Stores, 'cluster' | 'onEvents' | 'onAway' | 'close'> => ({
  devices: deviceStore(context),
  changes: changeStore(context),
  credentials: credentialStore(context),
  messages: messageStore(context),
  keptMedia: keptMediaStore(context),
  appState: appStateStore(context),
  chats: chatStore(context),
  contacts: contactStore(context),
  labels: labelStore(context),
  usernames: usernameStore(context),
  groups: groupStore(context),
  lookUps: lookUpStore(context),
  newChats: newChatStore(context),
  suppressions: suppressionStore(context),
  usage: usageStore(context),
  events: eventStore(context),
  idempotency: idempotencyStore(context),
  creations: creationStore(context),
  scheduled: scheduledStore(context),
  statuses: statusStore(context),
  outbox: outbox(context),
  webhooks: webhookStore(context),
  users: userStore(context),
  retention: retention(context),
  audit: auditStore(context),
  clientRevisions: revisionStore(context),
  // A write, because a read-only database is useless.
  ping: () =>
    context.database
      .write(() => all(context.sql.updateTable('meta').set({ name: 'seal check' }).where('name', '=', 'seal check')))
      .then(
        () => true,
        () => false,
      ),
});
