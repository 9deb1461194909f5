/** All operations below `/v1`, in the order of the documentation. */
import type { Operation } from '../server/operation.ts';
import { listAttempts } from './webhooks/deliveries-attempts.ts';
import { retryDelivery } from './webhooks/deliveries-retry.ts';
import { retryFailedDeliveries } from './webhooks/deliveries-retry-failed.ts';
import { listDeliveries } from './webhooks/deliveries-list.ts';
import { createDevice } from './devices/devices-create.ts';
import { deleteDevice } from './devices/devices-delete.ts';
import { disconnectDevice } from './devices/devices-disconnect.ts';
import { getDevice } from './devices/devices-get.ts';
import { listDevices } from './devices/devices-list.ts';
import { getQr } from './devices/devices-qr.ts';
import { restartDevice } from './devices/devices-restart.ts';
import { getSession } from './devices/devices-session.ts';
import { updateDevice } from './devices/devices-update.ts';
import { getEvent } from './events/events-get.ts';
import { listEvents } from './events/events-list.ts';
import { streamEvents } from './events/events-stream.ts';
import { createKey } from './keys/keys-create.ts';
import { listKeys } from './keys/keys-list.ts';
import { updateKey } from './keys/keys-update.ts';
import { revokeKey } from './keys/keys-revoke.ts';
import { getMe } from './me.ts';
import { getMessage } from './messages/messages-get.ts';
import { listMessages } from './messages/messages-list.ts';
import { getMessageMedia } from './messages/messages-media.ts';
import { sendMedia } from './messages/messages-send-media.ts';
import { sendText } from './messages/messages-send-text.ts';
import { getOpenApi } from './openapi-get.ts';
import { confirmPasskey } from './devices/passkey-confirm.ts';
import { getPasskey } from './devices/passkey-get.ts';
import { respondToPasskey } from './devices/passkey-response.ts';
import { getWebhook } from './webhooks/webhook-get.ts';
import { rotateWebhookSecret } from './webhooks/webhook-rotate.ts';
import { testWebhook } from './webhooks/webhook-test.ts';

export const operations: readonly Operation[] = [
  createDevice,
  listDevices,
  getDevice,
  updateDevice,
  restartDevice,
  disconnectDevice,
  deleteDevice,
  getQr,
  getSession,
  getPasskey,
  respondToPasskey,
  confirmPasskey,
  sendText,
  sendMedia,
  listMessages,
  getMessage,
  getMessageMedia,
  listEvents,
  getEvent,
  streamEvents,
  getWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  listAttempts,
  retryDelivery,
  retryFailedDeliveries,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  getMe,
  getOpenApi,
];
