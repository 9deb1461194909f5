/** Tries docs/webhooks.md: its receiver in JavaScript, and its payloads. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { type EventEnvelope, eventKinds } from '../../src/domain/event.ts';
import { eventSchemas } from '../../src/contract/schemas/event.ts';
import { withPayloads } from '../../tools/webhook-payloads.ts';
import { startInstallation } from '../support/installation.ts';
import { freePort } from '../support/port.ts';
import { eventually } from '../support/wait.ts';
import { ada, addPhones, bob, linkDevice } from './steps.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``, 'g'))].map(([, code]) => code!);

test('its receiver takes what is signed, once, and refuses the rest', async (t) => {
  const [code] = blocksOf('js');
  const program = join(root, 'test', `.receiver-${process.pid}.mjs`);
  await writeFile(program, code!);
  t.after(() => rm(program, { force: true }));
  await using installation = await startInstallation();
  await addPhones(installation);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/hook`;
  const id = await linkDevice(installation, ada, { webhookEvents: ['message.received'] });
  const { secret } = (await installation.api.get(`/devices/${id}/webhook`)).body.webhook;
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually('the receiver', async () => (await fetch(url, { method: 'POST', body: '{}' })).status === 400);

  await installation.api.put(`/devices/${id}`, { webhookUrl: url });
  await installation.phones.write(bob, { to: ada, text: 'hello' });
  const delivery = await eventually('the delivery', async () => {
    const { deliveries } = (await installation.api.get(`/devices/${id}/deliveries?state=delivered`)).body;
    return deliveries[0];
  });
  assert.equal(delivery.lastStatus, 204);
  await installation.api.post(`/devices/${id}/deliveries/${delivery.id}/retry`);
  await eventually('the second post', async () => {
    const { deliveries } = (await installation.api.get(`/devices/${id}/deliveries?state=delivered`)).body;
    return deliveries[0]?.lastAttemptAt !== delivery.lastAttemptAt;
  });
  await eventually('its line', () => output !== '');
  assert.equal(output, `message.received ${delivery.eventId}\n`);
});

test('its payloads are the recorded ones, of every kind, and as the interface describes them', () => {
  assert.equal(withPayloads(page), page, 'npm run examples:webhooks');
  const payloads = blocksOf('json').map((text) => JSON.parse(text) as EventEnvelope);
  assert.deepEqual([...new Set(payloads.map(({ type }) => type))], [...eventKinds]);
  for (const payload of payloads) {
    const [problem] = Value.Errors(eventSchemas[payload.type as keyof typeof eventSchemas], payload);
    assert.equal(problem, undefined, payload.type);
  }
});
