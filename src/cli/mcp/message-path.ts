/** A message of the log as tools name it. */
import { z } from 'zod';
import { device } from './tool.ts';

export const messageId = z.string().min(1);

export const message = {
  device,
  messageId,
  idempotencyKey: z.string().min(1).max(255).optional().describe('The same key and change are made once only'),
};

export const pathOf = (given: { readonly device: number; readonly messageId: string }): string =>
  `/devices/${given.device}/messages/${encodeURIComponent(given.messageId)}`;
