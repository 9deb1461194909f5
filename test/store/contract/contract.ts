/** The whole contract of the store, to be run on every database. */
import { annotationsContract } from './annotations.ts';
import { appStateContract } from './app-state.ts';
import { auditContract } from './audit.ts';
import { chatsContract } from './chats.ts';
import { clientRevisionContract } from './client-revision.ts';
import { deliveriesContract } from './deliveries.ts';
import { devicesContract } from './devices.ts';
import type { OpenStore } from './fixture.ts';
import { idempotencyContract } from './idempotency.ts';
import { lookUpsContract } from './look-ups.ts';
import { messageContentContract } from './message-content.ts';
import { messageSearchContract } from './message-search.ts';
import { messagesContract } from './messages.ts';
import { outboxContract } from './outbox.ts';
import { outboxOrderContract } from './outbox-order.ts';
import { retentionContract } from './retention.ts';
import { sessionsContract } from './sessions.ts';
import { usersContract } from './users.ts';

export const storeContract = (open: OpenStore): void => {
  usersContract(open);
  devicesContract(open);
  sessionsContract(open);
  messagesContract(open);
  messageSearchContract(open);
  messageContentContract(open);
  annotationsContract(open);
  appStateContract(open);
  chatsContract(open);
  outboxContract(open);
  outboxOrderContract(open);
  deliveriesContract(open);
  idempotencyContract(open);
  retentionContract(open);
  auditContract(open);
  clientRevisionContract(open);
  lookUpsContract(open);
};
