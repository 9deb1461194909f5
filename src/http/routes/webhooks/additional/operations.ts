/** Operations on the webhooks of a device, and on account-wide ones, in the order of the documentation. */
import type { Operation } from '../../../wire/operation.ts';
import { createWebhook } from './create.ts';
import { deleteWebhook } from './delete.ts';
import {
  listWebhookAttempts,
  listWebhookDeliveries,
  retryWebhookDeliveries,
  retryWebhookDelivery,
} from './deliveries.ts';
import { getAdditionalWebhook } from './get.ts';
import { listWebhooks } from './list.ts';
import { rotateAdditionalSecret } from './rotate.ts';
import { testAdditionalWebhook } from './test.ts';
import { updateWebhook } from './update.ts';

const each = [
  createWebhook,
  listWebhooks,
  getAdditionalWebhook,
  updateWebhook,
  deleteWebhook,
  rotateAdditionalSecret,
  testAdditionalWebhook,
  listWebhookDeliveries,
  listWebhookAttempts,
  retryWebhookDelivery,
  retryWebhookDeliveries,
];

/** Those of a device, then account-wide ones. */
export const webhookOperations: readonly Operation[] = [0, 1].flatMap((n) => each.map((both) => both[n]!));
