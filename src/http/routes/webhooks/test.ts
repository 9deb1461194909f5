/** `POST /devices/{id}/webhook/test` (docs/spec/webhooks.md, Webhook): a signed test event, posted at once. */
import { Type } from 'typebox';
import { invalidRequest } from '../../../errors.ts';
import { operation } from '../../server/operation.ts';
import { answer, nullableInteger, nullableText, ok } from '../../schemas/build.ts';

const TestSchema = Type.Object(
  {
    delivered: Type.Boolean({ description: 'The endpoint answered with a 2xx' }),
    status: nullableInteger({ description: 'HTTP status of the endpoint’s answer; null when there was none' }),
    durationMs: Type.Integer(),
    error: nullableText({ description: 'Why the attempt failed' }),
  },
  { title: 'WebhookTest' },
);

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/devices/{id}/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a signed test event',
  description: 'Posts an event of type `test` once, without retries; it is not written to the event log.',
  answer: answer({ test: TestSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const device = await parts.devices.owned(caller.user.id, deviceId);
    if (device.webhookUrl === null) throw invalidRequest('Device has no webhookUrl; set it before testing the webhook');
    const { status, durationMs, error } = await parts.testWebhook(deviceId);
    const delivered = status !== null && status >= 200 && status < 300;
    return {
      test: { delivered, status, durationMs: Math.round(durationMs), error },
      status: ok(`Webhook of device ${deviceId} tested`),
    };
  },
});
