/** Tools of `handset mcp` that are offered, and lists of many devices, by the SDK's own client. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startHttp } from '../http/harness.ts';
import { connect, type Content, handset, maxBytes } from './mcp.support.ts';

test('offers only what reads, and only some areas, where it is told so', async () => {
  const http = await startHttp();
  const some = await connect(http.url, http.api.key!, '--read-only', '--only', 'devices,events');
  const { tools: offered } = await some.listTools();
  const names = ['get_device', 'get_limits', 'get_usage', 'list_devices', 'list_events', 'wait_for_event'];
  assert.deepEqual(offered.map(({ name }) => name).sort(), names);
  await some.close();
  await http[Symbol.asyncDispose]();
});

test('describes all tools in at most 12,000 tokens', async () => {
  const http = await startHttp();
  const all = await connect(http.url, http.api.key!);
  const { tools } = await all.listTools();
  const bytesPerToken = 4;
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  assert.ok(bytes <= 12_000 * bytesPerToken, `${bytes} bytes`);
  await all.close();
  await http[Symbol.asyncDispose]();
});

test('lists hundreds of devices in pages of a few kilobytes, filtered by status, number and name', async () => {
  const http = await startHttp();
  const { id: userId, api } = await http.user('many', 500);
  const words = 'of a company with a long name '.repeat(2).trim();
  const make = (_: unknown, n: number) =>
    http.stores.devices.create({ userId, name: `Branch ${n} ${words}`, webhookUrl: null, webhookEvents: [] }, 1);
  await Promise.all(Array.from({ length: 500 }, make));
  const many = await connect(http.url, api.key!);
  const list = async (args: Record<string, unknown>) => {
    const { content, structuredContent } = await many.callTool({ name: 'list_devices', arguments: args });
    const [text] = content as readonly Content[];
    const bytes = text!.text!.length;
    assert.ok('limit' in args || bytes < maxBytes, `${bytes} bytes`);
    return structuredContent as { devices: { id: number }[]; nextCursor: string | null };
  };
  assert.equal((await list({})).devices.length, 20);
  const ids: number[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list({ limit: 100, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.devices.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual([ids.length, new Set(ids).size], [500, 500]);
  assert.deepEqual((await list({ name: 'branch 499 ' })).devices.length, 1);
  assert.deepEqual((await list({ status: 'connected' })).devices, []);
  assert.deepEqual((await list({ number: '4915' })).devices, []);
  await many.close();
  await http[Symbol.asyncDispose]();
});

test('does not start without a key that works', async () => {
  const http = await startHttp();
  const env = { ...process.env, HANDSET_URL: http.url, HANDSET_KEY: `hs_${'B'.repeat(43)}` };
  const child = spawn(process.execPath, [handset, 'mcp'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  assert.equal(code, 4);
  await http[Symbol.asyncDispose]();
});
