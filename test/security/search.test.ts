/** Searches of one user wait for each other, and hold up nobody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/wait.ts';
import { startHttp } from '../http/harness.ts';

test('one search of a user runs at a time; another user and plain lists need not wait', async () => {
  await using http = await startHttp();
  const { api, stores } = http;
  const id = await http.linked();
  const running: (() => void)[] = [];
  const list = stores.messages.list.bind(stores.messages);
  stores.messages.list = async (deviceId, page) => {
    if (page.q !== undefined) await new Promise<void>((resolve) => running.push(resolve));
    return list(deviceId, page);
  };
  const search = () => api.get(`/devices/${id}/messages?q=hello`);
  const searches = Array.from({ length: 9 }, search);
  await eventually('one to run', () => running.length === 1);
  assert.equal((await api.get(`/devices/${id}/messages`)).status, 200);
  assert.equal((await search()).status, 429, 'the queue is full');
  const other = await http.user('other');
  const made = { userId: other.id, name: 'theirs', webhookUrl: null, webhookEvents: [] };
  const device = await stores.devices.create(made, 0);
  const theirs = other.api.get(`/devices/${device.id}/messages?q=hello`);
  await eventually('that of the other user', () => running.length === 2);
  running.pop()!();
  assert.equal((await theirs).status, 200);
  for (const _ of searches) {
    await eventually('the next one', () => running.length > 0);
    assert.equal(running.length, 1);
    running.pop()!();
  }
  for (const { status } of await Promise.all(searches)) assert.equal(status, 200);
});
