/** Phone numbers as people type them: both clients, MCP, command line, dashboard, the try-it page and n8n take them alike. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { plainNumber as ofClient, plainNumbers as membersOfClient } from '../../client/src/numbers.ts';
import { plainNumber as ofDashboard } from '../../dashboard/src/base/typed-number.ts';
import { plainNumber as ofService, plainNumbers as membersOfService } from '../../src/domain/typed-number.ts';
import cases from './numbers.cases.json' with { type: 'json' };

// A package of CommonJS, which the types of the tests do not reach.
const n8n = join(import.meta.dirname, '../../integrations/n8n/nodes/number.ts');

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const skip = python.status === 0 ? false : 'there is no python3 of 3.9 or newer';
const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from handset._numbers import plain_number, plain_numbers
given = json.load(sys.stdin)
json.dump([[plain_number(text) for text in given["texts"]], plain_numbers(given["members"])], sys.stdout)
`;

const members = {
  toNumber: '+49 155 50002222',
  message: '+49 155 50002222',
  mentions: ['+49 155 50002222', '1@lid'],
  contacts: [{ name: '49 155', numbers: ['+49 155 50002222'] }],
  numbers: '+49 155 50002222, 0049 155 50003333',
  chats: { only: ['+49 155 50002222'] },
  since: '2026-11-26',
};
const plain = {
  ...members,
  toNumber: '4915550002222',
  mentions: ['4915550002222', '1@lid'],
  contacts: [{ name: '49 155', numbers: ['4915550002222'] }],
  numbers: '4915550002222,4915550003333',
  chats: { only: ['4915550002222'] },
};

for (const [name, plainNumber] of Object.entries({ ofClient, ofDashboard, ofService }))
  test(`a number as it is typed: ${name}`, () => {
    for (const [typed = '', digits = ''] of cases) assert.equal(plainNumber(typed), digits, JSON.stringify(typed));
  });

test('a number as it is typed: n8n', async () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function under test
  const { plainNumber } = (await import(n8n)) as { plainNumber: typeof ofClient };
  for (const [typed = '', digits = ''] of cases) assert.equal(plainNumber(typed), digits, JSON.stringify(typed));
});

test('the members that name people, wherever they are; a date stays one', () => {
  const sendAt = new Date(0);
  for (const plainNumbers of [membersOfClient, membersOfService])
    assert.deepEqual(plainNumbers({ ...members, sendAt }), { ...plain, sendAt });
});

test('a number as it is typed, in Python', { skip }, () => {
  const input = JSON.stringify({ texts: cases.map(([typed]) => typed), members });
  const folder = join(import.meta.dirname, '../../client-python/src');
  const [texts, found]: unknown[] = JSON.parse(execFileSync('python3', ['-c', program, folder], { input }).toString());
  assert.deepEqual(
    texts,
    cases.map(([, digits]) => digits),
  );
  assert.deepEqual(found, plain);
});
