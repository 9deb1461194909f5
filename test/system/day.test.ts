/** A short form of `npm run day`: some hours of some devices, with their keep-alives, messages and cut connections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortForm } from './support/short-form.ts';

test('six hours of ten devices: every message comes, every connection is made again, and the memory stays', async () => {
  const output = await shortForm('day.ts', ['--devices', '10', '--hours', '6', '--minutes', '0.2']);
  assert.match(output, /10 connections were cut, \d+ made again/);
  assert.match(output, /\d+ shapes of stanzas were captured/);
});
